"""Which column is the class, and what columns are called that came without names."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.arrays import as_strings
from casebase.data.cases import Schema
from casebase.data.table import Table
from casebase.errors import CasebaseError, FormatError, unknown_name


def find_target(
    where: str, names: Sequence[str] | None, n_columns: int, target: str | int | None, has_target: bool
) -> int | None:
    """Return the position of the class: the last column, unless `target` says otherwise.

    >>> find_target("x.csv", ["tag", "word"], 2, "tag", True)
    0
    """
    if not has_target:
        if target is not None:
            raise CasebaseError(f"A target ({target!r}) was given, but also that the data have no target.")
        return None
    if n_columns < 2:
        raise FormatError(
            f"{where}: expected at least one feature and a class, got {n_columns} column"
            f"{'' if n_columns == 1 else 's'}. Name the format or its separator if the file has more."
        )
    if target is None:
        return n_columns - 1
    if isinstance(target, str):
        return _position_of(where, names, n_columns, target)
    if not -n_columns <= target < n_columns:
        raise CasebaseError(
            f"{where}: there is no column {target + 1 if target >= 0 else target}: the file has {n_columns} columns. "
            f"Columns are numbered from 1 on the command line, from 0 in Python, and from -1 backwards."
        )
    return target % n_columns


def target_for(schema: Schema, names: Sequence[str] | None, n_columns: int) -> int | None:
    """Return the position of the class in a file of new cases for a model, None if it has no class."""
    columns = [pa.nulls(0)] * n_columns
    made_up = [f"f{i + 1}" for i in range(n_columns)]
    table = Table(tuple(names or made_up), tuple(columns), is_named=names is not None)
    return schema.with_target_found(table).target


def is_header_for(schema: Schema, fields: Sequence[str]) -> bool | None:
    """Tell whether a first line names the features of a model, or holds its values; None if neither.

    >>> from casebase.data import Cases
    >>> schema = Cases.from_table([{"size": "small", "class": "P"}], target="class").schema
    >>> is_header_for(schema, ["size"]), is_header_for(schema, ["small"]), is_header_for(schema, ["huge"])
    (True, False, None)
    """
    if schema.is_named and set(schema.names) <= set(fields):
        return True
    coded = [feature.vocabulary.values for feature in schema.features if feature.vocabulary is not None]
    asked = as_strings(fields)
    known = (pc.any(pc.is_in(asked, value_set=values)).as_py() for values in coded)
    return False if any(known) else None


def table_of(names: Sequence[str] | None, columns: Sequence[pa.Array], target: int | None) -> Table:
    """Return the table; without names, features become `f1`, `f2`, … and the target `class`."""
    if names is not None:
        return Table(tuple(names), tuple(columns), target)
    features = iter(range(1, len(columns) + 1))
    made_up = ["class" if i == target else f"f{next(features)}" for i in range(len(columns))]
    return Table(tuple(made_up), tuple(columns), target, is_named=False)


def filled_names(names: Sequence[str]) -> list[str]:
    """Return the names of a header, those that are empty made up from their position.

    >>> filled_names(["", "word ", "tag"])
    ['column1', 'word', 'tag']
    """
    return [name.strip() or f"column{i}" for i, name in enumerate(names, 1)]


def check_names(where: str, names: Sequence[str], *, are_a_line: bool) -> None:
    """Refuse names that are empty or occur twice; they may have been `a line` of data in truth."""
    hint = " If the first line is data, pass header=False (--no-header)." if are_a_line else ""
    for name, n in Counter(names).items():
        if not name:
            raise FormatError(f"{where}: column {names.index(name) + 1} of {len(names)} has no name. Name it.{hint}")
        if n > 1:
            raise FormatError(f"{where}: {n} columns are called {name!r}. Give every column another name.{hint}")


def _position_of(where: str, names: Sequence[str] | None, n_columns: int, target: str) -> int:
    if names is None:
        if target == "class":
            return n_columns - 1
        raise CasebaseError(
            f"{where}: there is no column {target!r}, because the columns have no names. Pass header=True "
            "(--header) if the first line holds them, or the number of the class column: from 0 in Python, from 1 on "
            "the command line."
        )
    if target not in names:
        raise CasebaseError(f"{where}: {unknown_name('column', target, names)}")
    return names.index(target)
