"""casebase hyphen correct"""

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.hyphen.options import encoding_option, hyphen_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option, n_threads, threads_option, writable
from casebase.cli.output import echo, print_json, say
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.word_lists import read_word_list

N_SHOWN = 20


@click.command("correct")
@click.argument("model")
@click.argument("word")
@click.option("-o", "--output", metavar="NEW", help="Save the new model here; by default it replaces MODEL.")
@click.option("--among", metavar="WORDS", help="Read more words to check for changed hyphens, one per line.")
@hyphen_option
@encoding_option
@json_option
@threads_option
def command(
    model: str,
    word: str,
    output: str | None,
    among: str | None,
    hyphen: str,
    encoding: str,
    as_json: bool,
    threads: int | None,
) -> None:
    """Teach MODEL the hyphenation of WORD, and show which patterns and other words change.

    Example:  casebase hyphen correct words.cb rec-ord
    """
    path = writable(output or model, among) or model
    hold(path)
    refuse_exchanged(model, word, name="WORD")
    hyphenator = Hyphenator.load(model)
    hyphenator.n_jobs = n_threads(threads)
    watched = read_word_list(among, encoding=encoding).words if among else ()
    correction = hyphenator.correct(word, watched, hyphen=hyphen)
    hyphenator.save(path)
    if as_json:
        print_json(correction.to_dict())
        return
    echo(f"{correction.before} → {correction.word}")
    for sign, patterns in (("+", correction.came), ("-", correction.went)):
        for pattern in patterns:
            echo(f"{sign} {pattern} ({'allows' if pattern.allows else 'forbids'}, level {pattern.level})")
    for moved in correction.moved[:N_SHOWN]:
        echo(f"moved: {moved.before} → {moved.after}")
    if len(correction.moved) > N_SHOWN:
        echo(f"… and {len(correction.moved) - N_SHOWN} more; --json has them all")
    say(
        f"{format_count(len(correction.came), 'pattern')} came, {len(correction.went)} went, "
        f"{format_count(len(correction.moved), 'other word')} moved. Saved to {path}."
    )
