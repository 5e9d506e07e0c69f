"""New cases in a request: checked, with a pointer to each wrong value, and coded like the stored cases."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from casebase.data import Cases, Schema, Table
from casebase.data.arrays import as_floats, as_strings
from casebase.data.rows import FEW, PLAIN
from casebase.errors import CasebaseError, unknown_name
from casebase.serve.api.fields import MOST_ERRORS, pointer, refuse, shown
from casebase.serve.problems import Pointed, Problem, problem_of

Row = Mapping[str, Any] | Sequence[Any]
TEXTS, NUMBERS = frozenset({str, type(None)}), frozenset({int, float, type(None)})
ROW = re.compile(r"row \d+ of \d+ has")
At = Callable[..., str]  # from the number of a case, and a column, to a JSON pointer


class Coder:
    """The columns of a model, as a case in a request has them: by name, or as a list in the order of training."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.names = schema.column_names
        self.known = frozenset((*self.names, schema.target))
        self.blank = dict.fromkeys(schema.needed_columns)

    def coded(self, rows: Sequence[Row], at: At) -> Cases:
        """Return the coded cases; a problem has a pointer to what is wrong, and says what was probably meant."""
        for i, row in enumerate(rows):
            # The checks of a right row are set operations; what is wrong is looked for only if something is.
            if type(row) is dict:
                is_right = row.keys() <= self.known and PLAIN.issuperset(map(type, row.values()))
            else:
                is_right = type(row) is list and len(row) == len(self.names) and PLAIN.issuperset(map(type, row))
            if not is_right:
                self._refuse(rows, i, at)
        try:
            return self.schema.encode(self._table(rows))
        except CasebaseError as error:
            raise self._located(rows, at, error) from None

    def _table(self, rows: Sequence[Row]) -> Any:
        """Return rows in the form that is coded fastest: lists or columns, unless columns are derived from others."""
        names, schema = self.names, self.schema
        if schema.source is not None:
            target = schema.target
            return [
                self.blank
                | {
                    name: value
                    for name, value in (row if isinstance(row, dict) else dict(zip(names, row))).items()
                    if name != target
                }
                for row in rows
            ]
        listed = [[row.get(name) for name in names] if isinstance(row, dict) else row for row in rows]
        return listed if len(rows) <= FEW else self._of_columns(listed) or listed

    def _of_columns(self, rows: list[Any]) -> Table | None:
        """Return many rows as a table; None unless each column has texts, or numbers where the model has numbers.

        Arrow would import pandas to convert anything else, for a second and 100 MB.
        """
        columns = []
        for values, feature in zip(zip(*rows), self.schema.features):
            kinds = set(map(type, values))
            if kinds <= TEXTS:
                columns.append(as_strings(values).dictionary_encode())
            elif kinds <= NUMBERS and feature.asks_number and len(kinds) > (type(None) in kinds):
                try:
                    columns.append(as_floats(np.array(values, dtype=float)))
                except OverflowError:
                    return None
            else:
                return None
        return Table(self.names, tuple(columns), is_named=self.schema.is_named)

    def _refuse(self, rows: Sequence[Row], start: int, at: At) -> None:
        errors: list[Pointed] = []
        for i, row in enumerate(rows[start:], start):
            if isinstance(row, dict):
                for name, value in row.items():
                    if name not in self.known:
                        errors.append(Pointed(at(i, name), unknown_name("column", name, self.names)))
                    elif type(value) not in PLAIN:
                        errors.append(Pointed(at(i, name), _not_plain(value)))
            elif isinstance(row, list):
                if len(row) != len(self.names):
                    expected = f"Expected {len(self.names)} values ({', '.join(self.names[:8])}); got {len(row)}."
                    errors.append(Pointed(at(i), expected))
                errors += [Pointed(at(i, j), _not_plain(v)) for j, v in enumerate(row) if type(v) not in PLAIN]
            else:
                detail = f"Expected a case: an object with values by column, or a list of values; got {shown(row)}."
                errors.append(Pointed(at(i), detail))
            if len(errors) >= MOST_ERRORS:
                break
        refuse(errors)

    def _located(self, rows: Sequence[Row], at: At, error: CasebaseError) -> Problem:
        """Return the problem for the first case that cannot be coded, by bisection, and for its first wrong value."""
        start, end = 0, len(rows)
        while end - start > 1:
            middle = (start + end) // 2
            if self._is_wrong(rows[start:middle]):
                end = middle
            elif self._is_wrong(rows[middle:end]):
                start = middle
            else:  # only together
                return problem_of(error)
        row = rows[start]
        for name, value in (row if isinstance(row, dict) else dict(zip(self.names, row))).items():
            wrong = self._error([{name: value}])
            if wrong is not None:
                place = name if isinstance(row, dict) else self.names.index(name)
                return _pointed(wrong, at(start, place))
        return _pointed(error, at(start))

    def _is_wrong(self, rows: Sequence[Row]) -> bool:
        return self._error(rows) is not None

    def _error(self, rows: Sequence[Row]) -> CasebaseError | None:
        try:
            self.schema.encode(self._table(rows))
        except CasebaseError as error:
            return error
        return None


def _not_plain(value: Any) -> str:
    return f"Expected a text, a number, true, false, or null for a missing value; got {shown(value)}."


def _pointed(error: CasebaseError, where: str) -> Problem:
    """Return the problem of a value; the pointer says which case it is, so the message need not count rows."""
    detail = ROW.sub("it has", str(error))
    return Problem(422, detail, kind=problem_of(error).kind, errors=[Pointed(where, detail)])


_CODERS: WeakKeyDictionary[Schema, Coder] = WeakKeyDictionary()


def coder_of(schema: Schema) -> Coder:
    """Return the coder of a schema; a corrected model has another schema."""
    coder = _CODERS.get(schema)
    if coder is None:
        coder = _CODERS[schema] = Coder(schema)
    return coder


def rows_of(body: dict[str, Any], coder: Coder, most: int) -> tuple[Sequence[Row], At]:
    """Return the cases of a JSON object, and where they are in it.

    They are its member `cases`, or `columns` with a list of values per column.
    """
    if "columns" in body:
        if "cases" in body:
            raise Problem(422, "Give cases or columns, not both.")
        rows = _rows_of_columns(body["columns"], coder, most)
        return rows, lambda i, j: pointer("columns", coder.names[j], i)
    cases = body.get("cases")
    if type(cases) is not list or not cases:
        detail = 'Expected a list of cases, each with its values by column: {"cases": [{"column": "value"}]}'
        got = "" if cases is None else f"; got {'an empty list' if cases == [] else shown(cases)}"
        raise Problem(422, detail + got + ".", errors=[Pointed("/cases", detail + ".")])
    _refuse_too_many(len(cases), most)
    return cases, lambda i, *column: pointer("cases", i, *column)


def _refuse_too_many(n_cases: int, most: int) -> None:
    if n_cases > most:
        raise Problem(
            413,
            f"A request in JSON has at most {most:,} cases; got {n_cases:,}. Send them as application/x-ndjson, "
            "text/csv or an Arrow stream, which have no limit.",
        )


def _rows_of_columns(columns: Any, coder: Coder, most: int) -> list[list[Any]]:
    """Return the rows of columns, in the order of training; a column that is left out is missing."""
    if type(columns) is not dict or not columns:
        raise Problem(422, "Expected an object with a list of values for each column.")
    errors = []
    for name, values in columns.items():
        if name not in coder.known:
            errors.append(Pointed(pointer("columns", name), unknown_name("column", name, coder.names)))
        elif type(values) is not list:
            errors.append(Pointed(pointer("columns", name), f"Expected a list of values; got {shown(values)}."))
    refuse(errors)
    first, n_cases = next((name, len(values)) for name, values in columns.items())
    refuse(
        [
            Pointed(pointer("columns", name), f"Expected {n_cases:,} values, as {first!r} has; got {len(values):,}.")
            for name, values in columns.items()
            if len(values) != n_cases
        ]
    )
    if not n_cases:
        raise Problem(422, "Expected at least one case; the columns are empty.")
    _refuse_too_many(n_cases, most)
    missing = [None] * n_cases
    return list(map(list, zip(*(columns.get(name, missing) for name in coder.names))))
