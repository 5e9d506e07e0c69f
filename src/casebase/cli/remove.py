"""casebase remove"""

import click

from casebase import persist
from casebase.cli.ids import ids_for
from casebase.cli.options import json_option, writable
from casebase.cli.output import counted, print_json, say
from casebase.cli.summary import size_of
from casebase.learners import correcting


@click.command("remove")
@click.argument("model")
@click.option("--ids", required=True, metavar="FILE", help="The ids of the cases, one a line; '-' for standard input.")
@click.option("-o", "--output", metavar="OUT", help="Where to save the model; by default MODEL is replaced.")
@json_option
def command(model: str, ids: str, output: str | None, as_json: bool) -> None:
    """Take cases out of MODEL, which is then the model without them, and print a receipt.

    Nothing of the removed cases is left in the new file. It replaces the old one only when it is complete.

    Example:  casebase remove words.cb --ids withdrawn.txt
    """
    path = writable(output or model)
    if path is None:
        raise click.UsageError("A model is not written to standard output; name a file with -o.")
    saved = persist.load(model)
    stored = correcting.correctable(saved.model)
    smaller, receipt = correcting.remove(stored, ids_for(stored, ids))
    persist.save(path, smaller, persist.parameters_for(saved.parameters, smaller.schema.classes))
    say(f"{saved.learner}: {counted(receipt.count, 'case')} removed; {size_of(smaller)}. Saved to {path}.")
    if as_json:
        print_json(receipt.to_dict())
        return
    click.echo(f"removed  {', '.join(str(case) for case in receipt.ids)}")
    click.echo(f"before   {receipt.before}")
    click.echo(f"after    {receipt.after}")
