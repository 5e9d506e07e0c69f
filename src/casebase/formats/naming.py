"""The class column, and the names of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from casebase.data.arrays import as_booleans, as_strings
from casebase.data.arrow import pa, pc
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
            raise CasebaseError(f"target={target!r} and has_target=False contradict each other: leave one of them out.")
        return None
    if n_columns < 2:
        raise FormatError(
            f"{where}: expected at least one feature and a class, got {n_columns} column"
            f"{'' if n_columns == 1 else 's'}. If the file has more, pass its format (--format) or separator "
            "(--separator)."
        )
    if target is None:
        return n_columns - 1
    if isinstance(target, str):
        return _position_of(where, names, n_columns, target)
    if not -n_columns <= target < n_columns:
        raise CasebaseError(
            f"{where}: there is no column {target + 1 if target >= 0 else target}: the file has {n_columns} columns. "
            f"Columns are numbered from 1 on the command line, from 0 in Python, and from the end as -1, -2, …."
        )
    return target % n_columns


def target_for(schema: Schema, names: Sequence[str] | None, n_columns: int) -> int | None:
    """Return the position of the class in a file of new cases for a model; None if the file has no class."""
    columns = [pa.nulls(0)] * n_columns
    default_names = [f"f{i + 1}" for i in range(n_columns)]
    table = Table(tuple(names or default_names), tuple(columns), is_named=names is not None)
    return schema.mark_target(table).target


def is_header_for(schema: Schema, fields: Sequence[str]) -> bool | None:
    """Return whether a first line is a header: True if it has a model's feature names, False if values, else None.

    A name may be a value as well. A line with more names than values is a header, if only of some of the features.

    >>> from casebase.data import Cases
    >>> schema = Cases.from_table([{"size": "small", "class": "P"}], target="class").schema
    >>> is_header_for(schema, ["size"]), is_header_for(schema, ["small"]), is_header_for(schema, ["huge"])
    (True, False, None)
    """
    if schema.is_named and set(schema.needed_columns) <= set(fields):
        return True
    vocabularies = [feature.vocabulary.values for feature in schema.features if feature.vocabulary is not None]
    texts = as_strings(fields)
    are_values = np.zeros(len(fields), dtype=bool)
    for values in vocabularies:
        are_values |= as_booleans(pc.is_in(texts, value_set=values))
    if not are_values.any():
        return None
    n_names = len({*schema.needed_columns, schema.target} & set(fields)) if schema.is_named else 0
    return n_names > int(are_values.sum())


def table_of(names: Sequence[str] | None, columns: Sequence[pa.Array], target: int | None) -> Table:
    """Return the table; without names, features are called `f1`, `f2`, … and the target `class`."""
    if names is not None:
        return Table(tuple(names), tuple(columns), target)
    features = iter(range(1, len(columns) + 1))
    default_names = ["class" if i == target else f"f{next(features)}" for i in range(len(columns))]
    return Table(tuple(default_names), tuple(columns), target, is_named=False)


def filled_names(names: Sequence[str]) -> list[str]:
    """Return the names in a header, with a name from the position in place of an empty one.

    >>> filled_names(["", "word ", "tag"])
    ['column1', 'word', 'tag']
    """
    return [name.strip() or f"column{i}" for i, name in enumerate(names, 1)]


def check_names(where: str, names: Sequence[str], *, are_a_line: bool) -> None:
    """Raise an error if a name is empty or occurs twice; if the names `are_a_line`, it may be a line of data."""
    hint = " If the first line is data, pass header=False (--no-header)." if are_a_line else ""
    for name, n in Counter(names).items():
        if not name:
            raise FormatError(
                f"{where}: column {names.index(name) + 1} of {len(names)} has no name. Give it one.{hint}"
            )
        if n > 1:
            raise FormatError(f"{where}: {n} columns are called {name!r}. Give each column its own name.{hint}")


def _position_of(where: str, names: Sequence[str] | None, n_columns: int, target: str) -> int:
    if names is None:
        if target == "class":
            return n_columns - 1
        raise CasebaseError(
            f"{where}: there is no column {target!r}, because the columns have no names. Pass header=True "
            "(--header) if the first line has the names, or pass the number of the class column: from 0 in Python, "
            "from 1 on the command line."
        )
    if target not in names:
        raise CasebaseError(f"{where}: {unknown_name('column', target, names)}")
    return names.index(target)
