"""casebase hyphen explain"""

import click

from casebase.cli.options import json_option
from casebase.cli.output import print_json
from casebase.hyphenation.hyphenator import Hyphenator


@click.command("explain")
@click.argument("model")
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@click.option("--limit", type=click.IntRange(min=0), default=5, show_default=True, help="Training words to show.")
@json_option
def command(model: str, words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show which pattern decided at each place of a WORD, and which weaker ones it overrode.

    Example:  casebase hyphen explain words.cb hyphenation
    """
    hyphenator = Hyphenator.load(model)
    found = [hyphenator.explain(word, limit) for word in words]
    if as_json:
        print_json([evidence.to_dict() for evidence in found])
        return
    click.echo("\n\n".join(str(evidence) for evidence in found))
