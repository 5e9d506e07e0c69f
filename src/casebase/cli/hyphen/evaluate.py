"""casebase hyphen evaluate"""

import click

from casebase.cli.hyphen.options import encoding_option, hyphen_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option, n_threads, threads_option
from casebase.cli.output import print_json
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.word_lists import read_hyphenated_words


@click.command("evaluate")
@click.argument("model")
@click.argument("words")
@click.option(
    "--limit", type=click.IntRange(min=0), default=10, show_default=True, help="Number of wrong words to show."
)
@hyphen_option
@encoding_option
@json_option
@threads_option
def command(model: str, words: str, limit: int, hyphen: str, encoding: str, as_json: bool, threads: int | None) -> None:
    """Measure MODEL's accuracy on the hyphenated WORDS, per place and per word.

    Example:  casebase hyphen evaluate words.cb test.txt
    """
    refuse_exchanged(model, words, name="WORDS")
    hyphenator = Hyphenator.load(model)
    hyphenator.n_jobs = n_threads(threads)
    scores = hyphenator.evaluate(read_hyphenated_words(words, hyphen=hyphen, encoding=encoding))
    if as_json:
        print_json(scores.to_dict())
        return
    click.echo(f"words   {scores.word_accuracy:.4%} of {scores.n_words:,.6g} entirely right")
    click.echo(f"places  {scores.place_accuracy:.4%} of {scores.n_places:,.6g} right")
    click.echo(f"breaks  {scores.precision:.4%} of those found are right, {scores.recall:.4%} of all are found")
    for expected, found in scores.wrong[:limit]:
        click.echo(f"wrong: {found} (expected {expected})")
    if limit and len(scores.wrong) > limit:
        click.echo(f"… and {len(scores.wrong) - limit} more; --json has them all")
