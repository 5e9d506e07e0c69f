"""casebase strings export"""

import click

from casebase.cli.options import writable
from casebase.cli.output import write_text
from casebase.strings.export import FORMATS, exported
from casebase.strings.files import load_strings


@click.command("export")
@click.argument("model")
@click.option("--to", type=click.Choice(list(FORMATS)), default="text", show_default=True, help="Format.")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
def command(model: str, to: str, output: str | None) -> None:
    """Print the rules of MODEL: the default, and below each rule its exceptions.

    Example:  casebase strings export sounds.cb --to json -o sounds.json
    """
    path = writable(output, model)
    write_text(path, exported(load_strings(model), to))
