"""casebase log"""

import click

from casebase import methods
from casebase.base.log import log_of
from casebase.cli.ids import convert_ids
from casebase.cli.options import json_option
from casebase.cli.output import print_json


@click.command("log")
@click.argument("model")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Show only what happened to this case. Repeatable.")
@json_option
def command(model: str, ids: tuple[str, ...], as_json: bool) -> None:
    """Show the corrections of MODEL since it was trained: who, when, why, and what was before and after.

    The log is part of the model file. Of a case that was removed it has the id, and none of its values.

    \b
    Examples:  casebase log words.cb
               casebase log words.cb --id 318
    """
    saved = methods.load(model)
    log = log_of(saved.model, saved.log)
    if ids:
        log = log.of(convert_ids(saved.model, ids, "--id").tolist())
    if as_json:
        print_json({"file": model} | log.to_dict())
    elif ids and not len(log):
        click.echo("No corrections of these cases since the training.")
    else:
        click.echo(str(log))
