"""casebase hyphen explain"""

import click

from casebase.cli.evidence import Display, html_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option
from casebase.hyphenation.hyphenator import Hyphenator


@click.command("explain")
@click.argument("model")
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@click.option(
    "--limit", type=click.IntRange(min=0), default=5, show_default=True, help="Number of training words to show."
)
@html_option
@json_option
def command(model: str, words: tuple[str, ...], limit: int, html: str | None, as_json: bool) -> None:
    """Show which pattern decided each place in a WORD, and which weaker patterns it overrode.

    Example:  casebase hyphen explain words.cb hyphenation
    """
    display = Display.from_options(html, as_json, model)
    refuse_exchanged(model, *words, name="WORD")
    hyphenator = Hyphenator.load(model)
    display.show([hyphenator.explain(word, limit) for word in words])
