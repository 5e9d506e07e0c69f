"""casebase hyphen evaluate"""

from statistics import stdev
from typing import Any

import click

from casebase.cli.hyphen.learning import NAMES, learning_options, parameters
from casebase.cli.hyphen.options import encoding_option, hyphen_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option, n_threads, refuse_given, threads_option
from casebase.cli.output import echo, print_json
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.validation import cross_validated
from casebase.hyphenation.word_lists import read_hyphenated_words
from casebase.render.progress_bar import progress_bar


@click.command("evaluate")
@click.argument("files", nargs=-1, required=True, metavar="MODEL WORDS | WORDS")
@click.option("--cv", type=click.IntRange(min=2), metavar="N", help="Cross-validate on WORDS with N folds.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=10, show_default=True, help="Number of wrong words to show."
)
@learning_options
@hyphen_option
@encoding_option
@json_option
@threads_option
def command(
    files: tuple[str, ...],
    cv: int | None,
    limit: int,
    hyphen: str,
    encoding: str,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Measure MODEL's accuracy on the hyphenated WORDS, per place and per word; or cross-validate on WORDS with --cv.

    \b
    Examples:  casebase hyphen evaluate words.cb test.txt
               casebase hyphen evaluate words.txt --cv 10 --depth 3
    """
    shares: list[float] = []
    if cv is None:
        if len(files) != 2:
            raise click.UsageError("Give MODEL and WORDS, or WORDS with --cv N.")
        refuse_given(list(NAMES), "goes with --cv; a model keeps its settings.")
        model, words = files
        refuse_exchanged(model, words, name="WORDS")
        hyphenator = Hyphenator.load(model)
        hyphenator.n_jobs = n_threads(threads)
        scores = hyphenator.evaluate(read_hyphenated_words(words, hyphen=hyphen, encoding=encoding))
    else:
        if len(files) != 1:
            raise click.UsageError("--cv takes one file: WORDS.")
        word_list = read_hyphenated_words(files[0], hyphen=hyphen, encoding=encoding)
        settings = Hyphenator(**parameters(options)).settings()
        with progress_bar("evaluating", cv) as progress:
            scores, shares = cross_validated(
                word_list, settings, n_folds=cv, n_jobs=n_threads(threads), progress=progress
            )
    if as_json:
        print_json(scores.to_dict() | ({"folds": shares} if cv else {}))
        return
    echo(f"words   {scores.word_accuracy:.4%} of {scores.n_words:,.6g} entirely right")
    if cv:
        echo(f"folds   {min(shares):.4%} to {max(shares):.4%}, standard deviation {stdev(shares):.4%}")
    echo(f"places  {scores.place_accuracy:.4%} of {scores.n_places:,.6g} right")
    echo(f"breaks  {scores.precision:.4%} of those found are right, {scores.recall:.4%} of all are found")
    for expected, found in scores.wrong[:limit]:
        echo(f"wrong: {found} (expected {expected})")
    if limit and len(scores.wrong) > limit:
        echo(f"… and {len(scores.wrong) - limit} more; --json has them all")
