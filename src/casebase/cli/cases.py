"""casebase cases"""

import io
from importlib import import_module
from pathlib import Path

import click
import numpy as np

from casebase import methods
from casebase.base.leave_out import memory_of
from casebase.base.model import format_count
from casebase.base.records import Records, records_of
from casebase.cli.ids import convert_ids
from casebase.cli.options import json_option, pairs_of, writable
from casebase.cli.output import console, grid, print_json, say, write_text
from casebase.data.columns import spelling
from casebase.errors import CasebaseError
from casebase.formats.written import row_writer
from casebase.memory.lookup import given_ids, rows_with

SHOWN_CASES = 20
SEPARATORS = {".csv": ",", ".tsv": "\t"}


@click.command("cases")
@click.argument("model")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Show this case. Repeatable.")
@click.option(
    "--where",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only cases with this value in a column, or in the class; nothing after '=' is a missing value. Repeatable.",
)
@click.option(
    "--search", metavar="TEXT", help="Only cases with this text in a value, the provenance, the class or the id."
)
@click.option(
    "--sort",
    metavar="NAME",
    help="Sort by a column, the class or the id; -NAME in descending order, '-' the newest first.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Number of cases to show; by default {SHOWN_CASES}, or all with --json or -o.",
)
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Number of cases to pass over first.")
@click.option(
    "-o", "--output", metavar="OUT", help="Write the cases to a file: .csv, .tsv or .parquet; '-' prints CSV."
)
@json_option
def command(
    model: str,
    ids: tuple[str, ...],
    where: tuple[str, ...],
    search: str | None,
    sort: str | None,
    limit: int | None,
    offset: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Show, search and export the cases that MODEL stores: ids, values, provenance, classes and weights.

    \b
    Examples:  casebase cases titanic.cb --where sex=male --where pclass=3
               casebase cases titanic.cb --sort -fare
               casebase cases titanic.cb --search york -o york.csv
    """
    if as_json and output is not None:
        raise click.UsageError("--json and -o exclude each other.")
    path = writable(output, model)
    suffix = _suffix(output)
    learned = methods.load(model).model
    memory = memory_of(learned)
    rows = rows_with(memory, given_ids(memory, convert_ids(learned, ids, "--id"))) if ids else None
    records = records_of(learned, rows)
    for name, value in pairs_of(where, "--where"):
        records = records.where(name, value)
    if search is not None:
        records = records.search(search)
    if sort:
        records = records.sort(sort)
    n_matching = len(records)
    n_shown = limit or (n_matching if as_json or output is not None else SHOWN_CASES)
    shown = records.take(np.arange(offset, max(offset, min(offset + n_shown, n_matching))))
    if as_json:
        print_json({"file": model, "n_cases": memory.n_cases, "n_matching": n_matching, "cases": shown.to_dicts()})
    elif output is not None:
        _write(shown, path, suffix)
        say(f"{len(shown):,} of {format_count(memory.n_cases, 'case')} written to {path or 'standard output'}.")
    else:
        _show(shown)
        n_more = n_matching - offset - len(shown)
        if n_more > 0:
            say(f"\n{format_count(n_more, 'more case')}; --limit N shows more, --json and -o all.")
        elif not len(shown):
            say(f"No case of the {memory.n_cases:,} stored ones." if not n_matching else "No more cases.")


def _suffix(output: str | None) -> str:
    """Return the kind of file to write, which must be known before any work."""
    suffix = ".csv" if output in (None, "-") else Path(str(output)).suffix.lower()
    if suffix not in (*SEPARATORS, ".parquet"):
        raise CasebaseError(f"Cases are written as .csv, .tsv or .parquet; {output} ends in none of them.")
    return suffix


def _show(records: Records) -> None:
    names = records.names
    rows = grid(*names, first_left=len(names))
    for row in records.rows():
        rows.add_row(*(spelling(value) or "" for value in row))
    console().print(rows, markup=False)


def _write(records: Records, path: str | None, suffix: str) -> None:
    if suffix == ".parquet":
        try:
            # Slow to import, and only needed here.
            import_module("pyarrow.parquet").write_table(records.to_arrow(), path)
        except OSError as error:
            raise CasebaseError(f"Cannot write {path}: {error.strerror or error}.") from error
        return
    text = io.StringIO()
    writer = row_writer(text, SEPARATORS[suffix])
    writer.writerow(records.names)
    for row in records.rows():
        writer.writerow([spelling(value) or "" for value in row])
    write_text(path, text.getvalue())
