"""casebase update"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.base.log import Author
from casebase.base.model import format_count
from casebase.base.parameters import parameters_for
from casebase.base.threads import n_cores
from casebase.batches.questions import errors_in
from casebase.cli.changes import hold
from casebase.cli.ids import convert_ids, ids_for
from casebase.cli.models import load_model
from casebase.cli.options import DataFile, author_options, file_options, pairs_of, writable
from casebase.cli.output import say
from casebase.confidence import calibration_after
from casebase.data import Schema, Table
from casebase.data.columns import as_text
from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.neighbours import correction, logged_correction
from casebase.neighbours.correctable import Correctable

Changes = Mapping[str, Sequence[str | None]]


@click.command("update")
@click.argument("model")
@click.argument("data", required=False)
@click.option("--id", "ids", multiple=True, metavar="ID", help="Change this case, as --set says. Repeatable.")
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="New value of a column, of provenance or of the class; nothing after '=' is a missing value. Repeatable.",
)
@click.option("--id-column", metavar="COLUMN", help="Column of DATA with the ids, by name or by number from 1.")
@click.option("--ids", "file", metavar="FILE", help="Read the ids of the rows of DATA, one per line.")
@click.option("-o", "--output", metavar="OUT", help="Save the new model here; by default it replaces MODEL.")
@author_options
@file_options
def command(
    model: str,
    data: str | None,
    ids: tuple[str, ...],
    values: tuple[str, ...],
    id_column: str | None,
    file: str | None,
    output: str | None,
    by: str | None,
    note: str | None,
    **options: Any,
) -> None:
    """Change values, provenance or classes of cases that MODEL stores: those of one case, or of the rows of DATA.

    DATA needs the ids, and the columns to be changed; columns that it does not have stay as they are. The result equals
    a model trained on the changed cases, and its log has what was before and after.

    \b
    Examples:  casebase update words.cb --id 318 --set tag=noun --by ann --note "checked the source"
               casebase update words.cb checked.tsv --id-column id --by ann
    """
    if (data is None) == (not ids) or bool(ids) != bool(values):
        raise click.UsageError("Give stored cases with --id and their new values with --set, or DATA with the ids.")
    if data is not None and (id_column is None) == (file is None):
        raise click.UsageError("Say which cases the rows of DATA are: --id-column COLUMN, or a file of ids with --ids.")
    if data is None and (id_column or file):
        raise click.UsageError("--id-column and --ids go with DATA.")
    path = writable(output or model, data, file)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    start, author = time.perf_counter(), Author(by, note)
    saved = load_model(model, model, data, file)
    stored = correction.correctable(saved.model)
    if data is None:
        wanted = convert_ids(stored, ids, "--id")
        changes: Changes = {name: [text or None] * len(wanted) for name, text in pairs_of(values, "--set")}
        revised = logged_correction.revision(stored, wanted, changes)
    else:
        wanted, changes = _from_file(stored, DataFile.from_options(data, options), id_column, file)
        with errors_in(data):
            revised = logged_correction.revision(stored, wanted, changes)
    table, labels, weights, exemplars = revised
    changed, log = logged_correction.update(
        stored, saved.log, wanted, table, labels, weights=weights, exemplars=exemplars, author=author
    )
    calibration = calibration_after(saved, changed, n_jobs=n_cores())
    own = parameters_for(saved.estimator, changed.schema.classes)
    methods.save(path, changed, own, calibration=calibration, log=log)
    say(
        f"{saved.method.name}: {format_count(len(wanted), 'case')} updated; {changed.summary().size}; "
        f"{time.perf_counter() - start:.2f} s. Saved to {path}."
    )


def _from_file(
    model: Correctable, data: DataFile, id_column: str | None, ids: str | None
) -> tuple[np.ndarray, Changes]:
    """Return the ids of the rows of a file, and the columns that it changes, as texts."""
    schema = model.schema
    table = data.revised(schema)
    if id_column is not None:
        with errors_in(data.path):
            position = _position(table, id_column)
        texts = as_text(table.columns[position]).to_pylist()
        if None in texts:
            raise CasebaseError(f"{data.path}: the id is missing in row {texts.index(None) + 1} of {len(texts)}.")
        wanted = convert_ids(model, texts, data.path)
        table = _without_column(table, position, schema)
    else:
        found = ids_for(model, ids, table.n_rows)
        assert found is not None
        wanted = found
    return wanted, _changed_columns(table, schema, data.path)


def _position(table: Table, column: str) -> int:
    if column in table.names:
        return table.names.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(table.names):
        return int(column) - 1
    raise SchemaError(unknown_name("column", column, table.names))


def _without_column(table: Table, position: int, schema: Schema) -> Table:
    """Return the table without its column of ids."""
    keep = [i for i in range(len(table.names)) if i != position]
    if table.target is None:  # without the ids, a table without names may have just the columns of the model
        return schema.mark_target(table.select(keep, None))
    target = keep.index(table.target) if table.target != position else None
    return table.select(keep, target)


def _changed_columns(table: Table, schema: Schema, path: str) -> Changes:
    known = {*schema.needed_columns, *schema.provenance_names, schema.target}
    if schema.is_named and table.is_named:
        names = {i: name for i, name in enumerate(table.names) if name in known}
    else:
        features = [i for i in range(len(table.names)) if i != table.target]
        of_ids = {kind.name for kind in schema.kinds if kind.kind == "id"}
        without_ids = tuple(name for name in schema.column_names if name not in of_ids)
        # The ids may have been a column of the training table or not, and columns that are left out may be absent.
        possible = (without_ids, schema.column_names, schema.needed_columns)
        expected = next((each for each in possible if len(each) == len(features)), None)
        if expected is None:
            raise SchemaError(
                f"{path}: expected {len(without_ids)} columns besides the class and the ids "
                f"({', '.join(without_ids)}), since the columns have no names; got {len(features)}. Give all of them, "
                "or a header with the names of those to change."
            )
        names = {i: name for i, name in zip(features, expected) if name not in of_ids}
    if table.target is not None:
        names[table.target] = schema.target
    if not names:
        raise SchemaError(
            f"{path} has none of the model's columns, so there is nothing to change: {', '.join(sorted(known))}."
        )
    return {name: as_text(table.columns[i]).to_pylist() for i, name in names.items()}
