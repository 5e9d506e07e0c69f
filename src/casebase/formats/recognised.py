"""What is recognised about a data file before anything is learned from it: `recognise` and its record.

Reading guesses: an encoding, a separator, a header, the class. The record has every guess, so that a person can look at
it and change it; `read_table(path, **record.options())` then reads the file with exactly these choices. Of a large file
of lines only the first megabyte is looked at, except for its encoding and the number of its lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from casebase.data.arrow import pa, pc
from casebase.data.columns import as_text
from casebase.data.kinds import MANY_ROWS, NEARLY_ALL, names_ids, source_of
from casebase.data.preview import count, short
from casebase.data.sources import ColumnKind
from casebase.data.table import Table
from casebase.data.tables import with_target
from casebase.errors import CasebaseError, SchemaError
from casebase.formats.naming import table_of
from casebase.formats.plan import NAMES_OF_SEPARATORS, Given
from casebase.formats.read import Reading, decoded_file, read_opened
from casebase.formats.registry import FORMATS
from casebase.formats.source import Source, open_source

N_SAMPLE_BYTES = 1 << 20
N_SAMPLE_ROWS = 20_000  # of a format that is not read line by line
N_EXAMPLES = 3
FEW_CLASSES = 20
CLASS_NAMES = frozenset(["class", "classe", "klasse", "target", "label", "outcome", "y"])
UNFIT = ("key", "constant", "text", "date", "number")  # kinds that a class hardly has


@dataclass(frozen=True)
class RecognisedColumn:
    """One column: its kind, with the reason and a warning if it is risky, and what its values are like.

    `n_distinct`, `n_missing` and `examples` are those of the rows that were looked at.
    """

    name: str
    kind: str
    reason: str
    risky: str | None
    n_distinct: int
    n_missing: int
    examples: tuple[str, ...]
    looks_like_key: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the record in a form that JSON can represent."""
        return asdict(self) | {"examples": list(self.examples)}


@dataclass(frozen=True)
class Recognised:
    """How a data file is read: what was recognised, or said by the caller.

    `encoding`, `separator`, `decimal` and `sheet` are None where the format has none. `target` is the name of the class
    and `id_column` that of the ids, None if no column looks like one. `n_rows` is estimated unless `is_complete`: then
    all of the `n_looked_at` rows were looked at.
    """

    file: str
    format: str
    encoding: str | None
    separator: str | None
    decimal: str | None
    has_header: bool
    sheet: str | None
    sheets: tuple[str, ...]
    above: tuple[str, ...]
    width: int | None
    n_features: int | None
    n_rows: int
    n_looked_at: int
    is_complete: bool
    is_named: bool
    target: str | None
    target_reason: str
    id_column: str | None
    columns: tuple[RecognisedColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def options(self) -> dict[str, Any]:
        """Return the keyword arguments with which `read_table` and `read_cases` read the file like this."""
        format = FORMATS[self.format]
        target = self.target if self.is_named or self.target is None else self.names.index(self.target)
        chosen = {
            "format": self.format,
            "header": self.has_header if format.has_header else None,
            "target": target,
            "encoding": self.encoding,
            "separator": self.separator,
            "decimal": self.decimal,
            "sheet": self.sheet,
            "width": self.width,
            "n_features": self.n_features,
        }
        return {name: value for name, value in chosen.items() if value is not None}

    def arguments(self) -> list[str]:
        """Return the options of the command line that read the file like this.

        >>> recognise(b"size;age\\nsmall;1,5\\nlarge;2,5\\n", target="size").arguments()[:4]
        ['--format', 'csv', '--header', '--target']
        """
        options = self.options()
        if isinstance(options.get("target"), int):
            options["target"] += 1  # the command line counts from 1
        found: list[str] = []
        for name, value in options.items():
            option = f"--{name.replace('_', '-')}"
            if name == "header":
                found.append("--header" if value else "--no-header")
            else:
                found += [option, str(value)]
        return found if self.id_column is None else [*found, "--id-column", self.id_column]

    def to_dict(self) -> dict[str, Any]:
        """Return the record in a form that JSON can represent."""
        record = asdict(self) | {"columns": [column.to_dict() for column in self.columns]}
        return record | {"sheets": list(self.sheets), "above": list(self.above), "options": self.options()}

    def __str__(self) -> str:
        n_rows = count(self.n_rows, "row")
        if not self.is_complete:
            n_rows = f"about {n_rows}, of which {self.n_looked_at:,} were looked at"
        lines = [
            f"{self.file}: {self._reading()}",
            f"{n_rows}, {count(len(self.columns), 'column')}",
            *(f"above the header: {text}" for text in self.above),
            f"class: {'none' if self.target is None else self.target} ({self.target_reason})",
            f"ids: {self.id_column or 'none'}",
            "",
            *_grid([["column", "kind", "values", "missing", "examples"], *map(_row, self.columns)]),
        ]
        warnings = [f"Warning: {column.risky}" for column in self.columns if column.risky]
        return "\n".join(lines + ([""] if warnings else []) + warnings)

    def _reading(self) -> str:
        """Return format, encoding, separator, decimal mark and header in one line."""
        parts = [self.format]
        if self.encoding is not None:
            parts.append(self.encoding)
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet!r}" + (f" of {len(self.sheets)}" if len(self.sheets) > 1 else ""))
        if self.separator is not None:
            parts.append(f"fields separated by {NAMES_OF_SEPARATORS.get(self.separator, repr(self.separator))}")
        if self.decimal is not None:
            parts.append("decimal comma" if self.decimal == "," else "decimal point")
        if FORMATS[self.format].has_header:
            parts.append("header" if self.has_header else "no header")
        return ", ".join(parts)


def recognise(
    source: str | Path | bytes | BinaryIO,
    *,
    format: str | None = None,
    header: bool | None = None,
    target: str | int | None = None,
    separator: str | None = None,
    width: int | None = None,
    n_features: int | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    id_column: str | int | None = None,
    kinds: Mapping[str | int, Any] | None = None,
) -> Recognised:
    """Return how a data file would be read: format, encoding, separator, header, class, ids, and kinds of columns.

    Parameters
    ----------
    source : path, bytes or file
        As for `read_cases`. A file object is recognised by its `name`, too.
    format, header, target, separator, width, n_features, encoding, decimal, sheet : optional
        As for `read_cases`: what is given is taken, everything else is recognised.
    id_column : str or int, optional
        The column of ids, by name or position.
    kinds : dict, optional
        The kinds of some columns, by name; the others are found.

    Examples
    --------
    >>> import casebase as cb
    >>> record = cb.recognise(b"name;size;kind\\nx;1,5;P\\ny;2,25;Q\\n")
    >>> record.separator, record.decimal, record.has_header, record.target
    (';', ',', True, 'kind')
    >>> cb.read_cases(b"name;size;kind\\nx;1,5;P\\ny;2,25;Q\\n", **record.options()).values(1)
    ['y', 2.25]
    """
    given = Given(format, header, target, separator, decimal, sheet, width, n_features, encoding)
    given.check()
    file = decoded_file(open_source(source), given)
    opened, kind, taken = file.source, file.format, file.encoding
    looked_at = Source(opened.name, _head(opened.data, kind))
    # The text is in UTF-8 by now; the class is looked for below, among columns that are all read alike.
    is_sparse = kind in ("sparse", "binary")
    sampled = replace(
        given,
        format=kind,
        encoding=None if taken is None else "utf-8",
        target=None,
        n_features=n_features if is_sparse else None,
    )
    reading = read_opened(looked_at, sampled, has_target=is_sparse)
    table, n_rows = _sample_and_size(reading, opened.data, looked_at.data)
    named, found, position, reason = _columns_and_class(table, kinds, id_column, target)
    columns = tuple(_described(column, one) for column, one in zip(named.columns, found))
    return Recognised(
        file=opened.name,
        format=kind,
        encoding=taken,
        separator=separator or reading.found.separator,
        decimal=reading.decimal,
        has_header=table.has_header,
        sheet=reading.found.sheet,
        sheets=reading.found.sheets,
        above=reading.found.above,
        width=width,
        n_features=n_features,
        n_rows=n_rows,
        n_looked_at=named.n_rows,
        is_complete=named.n_rows == n_rows and len(looked_at.data) == len(opened.data),
        is_named=named.is_named,
        target=None if position is None else named.names[position],
        target_reason=reason,
        id_column=_ids_among(columns, named, position),
        columns=columns,
    )


def _head(data: bytes, format: str) -> bytes:
    """Return the first megabyte of a file of lines, up to the end of a row; other files are looked at whole."""
    if len(data) <= N_SAMPLE_BYTES or FORMATS[format].is_binary or (format == "jsonl" and data.lstrip()[:1] == b"["):
        return data
    end = data.rfind(b"\n", 0, N_SAMPLE_BYTES) + 1
    while end and format in ("csv", "tsv") and data.count(b'"', 0, end) % 2:  # inside a quoted field
        end = data.rfind(b"\n", 0, end - 1) + 1
    return data[:end] if end else data


def _sample_and_size(reading: Reading, data: bytes, looked_at: bytes) -> tuple[Table, int]:
    """Return the rows to look at, and the number of all rows; of a file of lines this is an estimate."""
    table = reading.table
    n_rows = table.n_rows
    if len(looked_at) < len(data):
        n_lines, n_all = looked_at.count(b"\n"), data.count(b"\n") + (not data.endswith(b"\n"))
        n_other = n_lines - n_rows  # a header, declarations; many more are line ends in quotes
        n_rows = n_all - n_other if 0 <= n_other <= 2 else round(n_all * n_rows / n_lines)
    return (table if table.n_rows <= N_SAMPLE_ROWS else table.first(N_SAMPLE_ROWS)), n_rows


def _columns_and_class(
    table: Table, kinds: Mapping[str | int, Any] | None, id_column: str | int | None, target: str | int | None
) -> tuple[Table, tuple[ColumnKind, ...], int | None, str]:
    """Return the table with its names, the kinds of its columns, the position of the class, and why it is there."""
    named = replace(table, target=None)
    if table.is_named:
        found = source_of(named, _all_kinds(named, kinds, id_column)).kinds
        return named, found, *_class_of(named, found, target)
    # Names are generated after the class is found, and the caller knows them from an earlier record.
    position, reason = _class_of(named, source_of(named, "auto").kinds, target)
    named = replace(table_of(None, table.columns, position), target=None)
    found = source_of(named, _all_kinds(named, kinds, id_column)).kinds
    _check_class(named, found, position)
    return named, found, position, reason


def _all_kinds(
    table: Table, kinds: Mapping[str | int, Any] | None, id_column: str | int | None
) -> dict[str | int, Any]:
    """Return the kinds that were given; those of the other columns are found."""
    if kinds is not None and not isinstance(kinds, Mapping):
        raise CasebaseError(f"kinds is a dict from columns to kinds such as {{'age': 'number'}}; got {kinds!r}.")
    given = dict(kinds or {})
    if id_column is not None:
        position = with_target(table, id_column).target
        assert position is not None
        given[table.names[position]] = "id"
    return given


def _class_of(table: Table, kinds: Sequence[ColumnKind], target: str | int | None) -> tuple[int | None, str]:
    """Return the position of the class, and why it is taken: by its name, or as the last column that may be one."""
    last = len(table.names) - 1
    if target is not None:
        is_default = target == "class" and not table.is_named
        asked = last if is_default else with_target(table, target).target
        _check_class(table, kinds, asked)
        return asked, "asked for"
    if last < 1:
        return None, "there is only one column"
    possible = [i for i, one in enumerate(kinds) if one.kind != "id"]
    named = [i for i in possible if table.is_named and table.names[i].lower() in CLASS_NAMES]
    if named:
        return named[-1], "the last column" if named[-1] == last else "by its name"
    if not possible:
        raise SchemaError("All columns have ids; one has to be the class.")
    if possible[-1] == last and kinds[last].kind not in UNFIT:
        return last, "the last column"
    fit = [i for i in possible if kinds[i].kind not in UNFIT and 1 < _n_distinct(table.columns[i]) <= FEW_CLASSES]
    if not fit:
        return possible[-1], "the last column"
    why = f"the last column, {table.names[last]}, is a {kinds[last].kind}"
    return fit[-1], f"the last column with few values; {why}"


def _check_class(table: Table, kinds: Sequence[ColumnKind], position: int | None) -> None:
    if position is not None and kinds[position].kind == "id":
        raise SchemaError(f"Column {table.names[position]!r} is the class: it has no ids.")


def _described(column: pa.Array, kind: ColumnKind) -> RecognisedColumn:
    n_missing = column.null_count if pa.types.is_floating(column.type) else pc.sum(pc.is_null(column)).as_py()
    n_distinct, n_known = _n_distinct(column), len(column) - n_missing
    examples = pc.unique(as_text(column[: 10 * N_EXAMPLES])).drop_null()[:N_EXAMPLES].to_pylist()
    nearly_all_differ = n_known >= 2 and n_distinct >= NEARLY_ALL * n_known
    may_be_key = not pa.types.is_floating(column.type) and kind.kind not in ("date", "text", "constant")
    are_many = n_known >= MANY_ROWS or names_ids(kind.name)
    is_key = kind.kind in ("key", "id") or (nearly_all_differ and may_be_key and are_many)
    return RecognisedColumn(
        kind.name, kind.kind, kind.reason, kind.risky, n_distinct, n_missing, tuple(examples), is_key
    )


def _n_distinct(column: pa.Array) -> int:
    used = pc.unique(column.indices if pa.types.is_dictionary(column.type) else column)
    return len(used.drop_null())


def _ids_among(columns: Sequence[RecognisedColumn], table: Table, target: int | None) -> str | None:
    """Return the column of ids: the one that was named, or one whose values all differ and whose name says ids.

    A column without a name that comes first is the index that pandas and R write.
    """
    for column in columns:
        if column.kind == "id":
            return column.name
    for i, column in enumerate(columns):
        is_index = table.is_named and i == 0 and column.name == "column1"
        all_differ = column.n_distinct == table.n_rows and not column.n_missing
        if i != target and column.looks_like_key and all_differ and (is_index or names_ids(column.name)):
            return column.name
    return None


def _row(column: RecognisedColumn) -> list[str]:
    kind = f"{column.kind} (key?)" if column.looks_like_key and column.kind not in ("key", "id") else column.kind
    examples = ", ".join(map(short, column.examples))
    return [short(column.name), kind, f"{column.n_distinct:,}", f"{column.n_missing:,}", examples]


def _grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines: the third and fourth column are numbers, and right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  ".join(
            cell.rjust(width) if i in (2, 3) else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]
