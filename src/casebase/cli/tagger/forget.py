"""casebase tagger forget"""

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.errors import CasebaseError
from casebase.tagging.tagger import Tagger


def checked_number(number: int, tagger: Tagger) -> int:
    """Return the number of a sentence, from 1, if the tagger has one."""
    if tagger.has_corpus_ and number > tagger.n_sentences_:
        raise CasebaseError(f"There is no sentence {number:,}: the corpus has {tagger.n_sentences_:,}, counted from 1.")
    return number


@click.command("forget")
@click.argument("model")
@click.option(
    "--sentence",
    "sentences",
    type=click.IntRange(min=1),
    multiple=True,
    required=True,
    metavar="N",
    help="The number of the sentence, from 1, as explanations show it. Repeat it for several.",
)
@click.option("-o", "--output", metavar="NEW", help="Save the new tagger here; by default it replaces MODEL.")
@threads_option
def command(model: str, sentences: tuple[int, ...], output: str | None, threads: int | None) -> None:
    """Take sentences out of the corpus of MODEL.

    The result equals a tagger trained on the other sentences. Those behind a forgotten sentence move up.

    Example:  casebase tagger forget brown.cb --sentence 17
    """
    path = writable(output or model) or model
    hold(path)
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    tagger.forget([checked_number(number, tagger) - 1 for number in sentences])
    tagger.save(path)
    say(f"{format_count(len(sentences), 'sentence')} forgotten. Saved to {path}.")
