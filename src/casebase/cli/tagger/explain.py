"""casebase tagger explain"""

from typing import Any

import click

from casebase.cli.evidence import Display, html_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option
from casebase.cli.tagger.options import corpus_options, text_from
from casebase.tagging.annotator import Annotator, tagger_or_annotator


@click.command("explain")
@click.argument("model")
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@corpus_options
@html_option
@json_option
def command(model: str, words: tuple[str, ...], html: str | None, as_json: bool, **options: Any) -> None:
    """Show the tag of each WORD of a sentence, and the stored contexts that decided it.

    The words are split like the text of 'tagger tag'; '-' reads them from standard input.

    Example:  casebase tagger explain brown.cb The old man ran.
    """
    display = Display.from_options(html, as_json, model)
    refuse_exchanged(model, *words, name="WORD")
    loaded = tagger_or_annotator(model)
    tagger = loaded.tagger_ if isinstance(loaded, Annotator) else loaded
    if words == ("-",):
        corpus = text_from("-", options, tagger)
    else:  # arguments have the encoding of the terminal, not that of a file
        given = " ".join(words).encode(errors="surrogateescape")
        corpus = text_from(given, options | {"encoding": "utf-8"}, tagger)
    sentences = corpus.sentences.untagged()
    if isinstance(loaded, Annotator):
        display.show(
            [one for column in loaded.columns_ for words in sentences for one in loaded.explain(words, column)]
        )
        return
    display.show([evidence for sentence in sentences for evidence in tagger.explain(sentence)])
