"""casebase strings explain"""

import click

from casebase.cli.evidence import Display, html_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option
from casebase.strings.files import load_strings
from casebase.strings.inputs import asked_strings


@click.command("explain")
@click.argument("model")
@click.argument("strings", nargs=-1, required=True, metavar="STRING…")
@click.option(
    "--limit", type=click.IntRange(min=0), default=5, show_default=True, help="Number of training strings to show."
)
@html_option
@json_option
def command(model: str, strings: tuple[str, ...], limit: int, html: str | None, as_json: bool) -> None:
    """Show which rule decided each STRING, which rules it overrides, and which exceptions to it did not hold.

    Example:  casebase strings explain sounds.cb 'na|tion'
    """
    display = Display.from_options(html, as_json, model)
    refuse_exchanged(model, *strings, name="STRING")
    rules = load_strings(model)
    display.show(rules.explain(asked_strings(strings, rules.settings.mark), limit))
