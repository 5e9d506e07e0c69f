"""casebase remove"""

import click

from casebase import methods
from casebase.base.log import Author
from casebase.base.model import format_count
from casebase.base.parameters import parameters_for
from casebase.base.threads import n_cores
from casebase.cli.changes import hold
from casebase.cli.ids import convert_ids, ids_for
from casebase.cli.models import load_model
from casebase.cli.options import author_options, json_option, writable
from casebase.cli.output import echo, print_json, say
from casebase.confidence import calibration_after
from casebase.neighbours import correction, logged_correction


@click.command("remove")
@click.argument("model")
@click.argument("ids", nargs=-1, metavar="[ID]…")
@click.option("--ids", "file", metavar="FILE", help="Read the ids of the cases, one per line; '-' for standard input.")
@click.option("-o", "--output", metavar="OUT", help="Save the new model here; by default it replaces MODEL.")
@author_options
@json_option
def command(
    model: str,
    ids: tuple[str, ...],
    file: str | None,
    output: str | None,
    by: str | None,
    note: str | None,
    as_json: bool,
) -> None:
    """Remove cases from MODEL by id and print a receipt.

    The result equals a model trained without these cases, and the new file keeps nothing of them but their ids in its
    log. The file is replaced only when the new one is complete.

    \b
    Examples:  casebase remove words.cb 17 230
               casebase remove words.cb --ids withdrawn.txt --by ann --note "consent withdrawn"
    """
    if bool(ids) == bool(file):
        raise click.UsageError("Say which cases to remove: give their ids after MODEL, or a file of ids with --ids.")
    path = writable(output or model, file)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    saved = load_model(model, model, *ids, file)
    stored = correction.correctable(saved.model)
    wanted = ids_for(stored, file) if file else convert_ids(stored, ids, "the command line")
    smaller, log, receipt = logged_correction.remove(stored, saved.log, wanted, author=Author(by, note))
    calibration = calibration_after(saved, smaller, n_jobs=n_cores())
    own = parameters_for(saved.estimator, smaller.schema.classes)
    methods.save(path, smaller, own, calibration=calibration, log=log)
    say(
        f"{saved.method.name}: {format_count(receipt.count, 'case')} removed; {smaller.summary().size}. "
        f"Saved to {path}."
    )
    if as_json:
        print_json(receipt.to_dict())
        return
    echo(f"removed  {', '.join(str(case) for case in receipt.ids)}")
    echo(f"before   {receipt.before}")
    echo(f"after    {receipt.after}")
