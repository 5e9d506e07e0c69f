"""casebase recognise"""

from typing import Any

import click

from casebase.cli.options import FILE_PARAMETERS, column_given, file_options, id_column_option, json_option, parse_kinds
from casebase.cli.output import echo, print_json
from casebase.data.sources import KINDS
from casebase.formats import recognise


@click.command("recognise")
@click.argument("data")
@id_column_option
@click.option(
    "--kind",
    "given_kinds",
    multiple=True,
    metavar="NAME=KIND",
    help=f"Kind of a column: {', '.join(KINDS)}. Repeatable.",
)
@file_options
@json_option
def command(data: str, id_column: str | None, given_kinds: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Show how DATA would be read: format, encoding, separator, decimal mark, header, class, ids, kinds of columns.

    Nothing is learned. The options that the other commands have for data files change what is recognised. Of a file of
    more than a megabyte only the beginning is looked at.

    \b
    Examples:  casebase recognise export.csv
               casebase recognise export.xlsx --sheet 2024 --target plural --json
    """
    given = {name: options[name] for name in FILE_PARAMETERS}
    given["target"] = column_given(options["target"])
    record = recognise(data, **given, id_column=column_given(id_column), kinds=parse_kinds(given_kinds))
    if as_json:
        print_json(record.to_dict())
    else:
        echo(str(record))
