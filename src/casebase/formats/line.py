"""One case in a line of text: as a file has it, or by name (`sex=male, pclass=3`).

A line is read by the reader of the format that the model was trained on, so it means what it means in a file. If it
does not fit that format, or the model comes from a data frame, other formats are tried: comma-separated values, then
tabs, then blanks. The first that gives one value per column, with or without the class, is taken.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence

from casebase.data import Schema, Table
from casebase.data.arrays import as_strings
from casebase.data.arrow import pc
from casebase.data.table import Layout
from casebase.errors import CasebaseError, FormatError, SchemaError, unknown_name
from casebase.formats.read import read_table
from casebase.formats.registry import FORMATS

_QUOTED = r'"(?:[^"]|"")*"'
# Blanks around names and values are stripped later: a pattern that leaves them out tries every way to divide them.
_PAIR = re.compile(rf'(?:\s*({_QUOTED})\s*|([^=,"]+))=(?:\s*({_QUOTED})\s*(?:,|$)|([^,]*)(?:,|$))')
_ANOTHER_PAIR = re.compile(r"\s(\S+)\s*=")


def line_table(text: str, schema: Schema) -> Table:
    """Return the table of one case, whose line is written as in the training file, or names its columns.

    >>> from casebase.data import Cases
    >>> schema = Cases.from_table([{"sex": "male", "deck": "C", "class": "P"}], target="class").schema
    >>> [column.to_pylist() for column in line_table("female,", schema).columns]
    [['female'], [None]]
    >>> [column.to_pylist() for column in line_table("deck=C", schema).columns]
    [[None], ['C']]
    """
    pairs = _pairs(text)
    if pairs is not None and _is_by_name(pairs, text, schema):
        return _by_name(pairs, schema)
    for layout in _layouts(schema):
        table = _as_written(text, layout, schema)
        if table is not None:
            return table
    fields = _typed_fields(text) or []
    fields = fields if len(fields) > 1 else text.split()
    columns = schema.needed_columns
    raise SchemaError(
        f"Expected {len(columns)} values ({', '.join(columns)}), got {len(fields)}"
        f"{': ' if fields else ''}{', '.join(fields)}. Write them as a line of the training file, or by name: "
        f"'{columns[0]}=…, {columns[-1]}=…'."
    )


def _layouts(schema: Schema) -> list[Layout]:
    """Return the formats to try: that of the training file first."""
    own = schema.layout
    others = [Layout("csv"), Layout("tsv"), Layout("columns")]
    return others if own is None or FORMATS[own.format].is_binary else [own, *others]


def _as_written(text: str, layout: Layout, schema: Schema) -> Table | None:
    """Return the table of a line in a format; None if it does not have a value for each column."""
    if layout != schema.layout and layout.format == "csv":  # typed by hand: blanks after the commas mean nothing
        fields = _typed_fields(text)
        if fields is None:
            return None
        text = _csv_line([field.strip() for field in fields])
    if layout.format == "arff":
        texts = [_arff_text(text, schema, has_class=has_class) for has_class in (False, True)]
        return next((table for one in texts if (table := _one_row(one, layout, schema)) is not None), None)
    return _one_row(text, layout, schema)


def _typed_fields(text: str) -> list[str] | None:
    """Return the fields between the commas of a text; None if it is more than a line, or a field is too long."""
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        return None


def _one_row(text: str, layout: Layout, schema: Schema) -> Table | None:
    try:
        table = read_table(
            text.encode(),
            format=layout.format,
            separator=layout.separator,
            width=layout.width,
            decimal=layout.decimal,
            header=None if layout.format == "arff" else False,
            schema=schema,
        )
        schema.positions(table)
    except (FormatError, SchemaError):
        return None
    return table if table.n_rows == 1 else None


def _arff_text(line: str, schema: Schema, *, has_class: bool) -> str:
    """Return an ARFF file of one line, with the declarations that the line needs."""
    names = list(schema.column_names)
    if has_class:
        names.insert(len(names) if schema.target_position is None else schema.target_position, schema.target)
    numeric = {feature.name for feature in schema.features if feature.asks_number}
    declared = [
        f"@attribute '{_escaped(name)}' {'numeric' if name in numeric and name != schema.target else 'string'}"
        for name in names
    ]
    return "\n".join(["@relation case", *declared, "@data", line])


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")


def _pairs(text: str) -> list[tuple[str, str]] | None:
    """Return names and values if the text is a list of pairs such as `sex=male`; None if it is not.

    >>> _pairs('sex=male, name="Smith, John"')
    [('sex', 'male'), ('name', 'Smith, John')]
    >>> _pairs("male,3") is None
    True
    """
    pairs, at = [], 0
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            return None
        quoted_name, name, quoted_value, value = match.groups()
        pairs.append((_unquoted(quoted_name or name), _unquoted(quoted_value or value)))
        at = match.end()
    return pairs or None


def _unquoted(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    return text[1:-1].replace('""', '"') if is_quoted else text


def _is_by_name(pairs: Sequence[tuple[str, str]], text: str, schema: Schema) -> bool:
    """Whether pairs name columns; if no name is known, they may be values with an equals sign, such as `Case=Nom`."""
    if any(name in (*schema.column_names, schema.target) for name, _ in pairs):
        return True
    fields = as_strings([field.strip() for field in re.split(r"[,\t ]", text)])
    known = (feature.vocabulary.values for feature in schema.features if feature.vocabulary is not None)
    return not any(pc.any(pc.is_in(fields, value_set=values)).as_py() for values in known)


def _by_name(pairs: Sequence[tuple[str, str]], schema: Schema) -> Table:
    """Return the table of a case whose columns are named."""
    columns = schema.column_names
    values: dict[str, str] = {}
    for name, value in pairs:
        if name not in columns and name != schema.target:
            raise SchemaError(unknown_name("column", name, schema.needed_columns))
        if name in values:
            raise SchemaError(f"Column {name!r} is given twice.")
        other = _ANOTHER_PAIR.search(value)
        if other is not None and other[1] in columns:
            raise SchemaError(f"Separate the columns by commas: '{name}={value.replace(other[0], ',' + other[0], 1)}'.")
        values[name] = value
    return named_table(values, schema)


def named_table(values: Mapping[str, str], schema: Schema) -> Table:
    """Return the table of one case from the texts of its columns; others are missing, as empty fields of a file are.

    >>> from casebase.data import Cases
    >>> schema = Cases.from_table([{"sex": "male", "age": 30.5, "class": "P"}], target="class").schema
    >>> [column.to_pylist() for column in named_table({"age": "29"}, schema).columns]
    [[None], ['29']]
    """
    columns = schema.column_names
    has_class = schema.target in values and schema.target not in columns
    names = [*columns, schema.target] if has_class else list(columns)
    lines = "\n".join([_csv_line(names), _csv_line([values.get(name, "") for name in names])])
    table = read_table(lines.encode(), format="csv", header=True, schema=schema, target=-1 if has_class else None)
    if table.n_rows != 1:
        raise CasebaseError(f"Expected the values of one case, got {', '.join(f'{n}={v}' for n, v in values.items())}.")
    return table


def _csv_line(fields: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="", quoting=csv.QUOTE_ALL).writerow(fields)
    return line.getvalue()
