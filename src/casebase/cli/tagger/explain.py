"""casebase tagger explain"""

import click

from casebase.cli.evidence import Display, html_option
from casebase.cli.options import json_option
from casebase.tagging.tagger import Tagger


@click.command("explain")
@click.argument("model")
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@html_option
@json_option
def command(model: str, words: tuple[str, ...], html: str | None, as_json: bool) -> None:
    """Show the tag of each WORD of a sentence, and the stored contexts that decided it.

    Example:  casebase tagger explain brown.cb The old man ran .
    """
    display = Display.from_options(html, as_json, model)
    tagger = Tagger.load(model)
    display.show(tagger.explain([word for text in words for word in text.split()]))
