"""casebase tagger correct"""

from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.cli.tagger.forget import checked_number
from casebase.cli.tagger.learn import check_tags
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.errors import FormatError
from casebase.tagging.tagger import Tagger


@click.command("correct")
@click.argument("model")
@click.argument("corpus", default="-")
@click.option(
    "--sentence",
    "number",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="The number of the sentence to replace, from 1, as explanations show it.",
)
@click.option("-o", "--output", metavar="NEW", help="Save the new tagger here; by default it replaces MODEL.")
@corpus_options
@threads_option
def command(model: str, corpus: str, number: int, output: str | None, threads: int | None, **options: Any) -> None:
    """Put the sentence in CORPUS in place of one of the corpus of MODEL.

    The result equals a tagger trained on the corpus with the new sentence. CORPUS is a file with one tagged sentence;
    by default, or if '-', standard input.

    Example:  echo 'The/at old/nn man/vb the/at boats/nns' | casebase tagger correct brown.cb --sentence 17
    """
    path = writable(output or model, corpus) or model
    hold(path)
    refuse_exchanged(model, corpus, name="CORPUS")
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    given = corpus_from(corpus, options, tagger.n_jobs, tagged=True)
    if options["format"] is None:
        check_tags(given, tagger)
    if given.sentences.n_sentences != 1:
        raise FormatError(
            f"{given.name}: expected one sentence, to put in place of sentence {number}, "
            f"got {given.sentences.n_sentences}."
        )
    tagger.correct(checked_number(number, tagger) - 1, next(iter(given.sentences)))
    tagger.save(path)
    say(f"Sentence {number} corrected, {format_count(given.sentences.n_tokens, 'word')}. Saved to {path}.")
