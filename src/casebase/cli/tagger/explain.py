"""casebase tagger explain"""

import click

from casebase.cli.options import json_option
from casebase.cli.output import print_json
from casebase.tagging.tagger import Tagger


@click.command("explain")
@click.argument("model")
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@json_option
def command(model: str, words: tuple[str, ...], as_json: bool) -> None:
    """Show for each WORD of a sentence which tag it gets, and the remembered contexts that decided.

    Example:  casebase tagger explain brown.cb The old man ran .
    """
    tagger = Tagger.load(model)
    found = tagger.explain([word for text in words for word in text.split()])
    if as_json:
        print_json([evidence.to_dict() for evidence in found])
        return
    click.echo("\n\n".join(str(evidence) for evidence in found))
