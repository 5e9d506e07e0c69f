"""Text formats with one case per line (Columns, Tabbed, C4.5 and Compact), split by the compiled kernel.

They differ only in how a line is split into fields. The kernel returns one code per line and column, and the distinct
values of each column; together these are an Arrow dictionary array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from casebase import _native
from casebase.data.arrow import pa
from casebase.errors import CasebaseError, FormatError
from casebase.formats.registry import Content, Options
from casebase.formats.source import Source, not_utf8

_NOT_BLANK = re.compile(rb"[^ \t\r\n]")


@dataclass(frozen=True)
class Rule:
    """How a line is split: the kernel's mode, with its separator or width."""

    mode: str
    separator: str = "\t"
    width: int = 1

    def __str__(self) -> str:
        if self.mode == "width":
            return f"The line is split every {self.width} character{'' if self.width == 1 else 's'}; "
        if self.mode == "blanks":
            return "The line is split on white space; "
        return f"The line is split on {self.separator!r}; "


def rule_for(format: str, separator: str | None, width: int | None) -> Rule:
    """Return how the lines of a text format are split.

    >>> rule_for("c45", None, None)
    Rule(mode='c45', separator=',', width=1)
    """
    if format == "compact":
        if width is None or width < 1:
            raise CasebaseError("The compact format needs the width of its fields: pass width=1 (--width 1) or more.")
        return Rule("width", width=width)
    if format == "columns":
        return Rule("blanks")
    default, mode = (",", "c45") if format == "c45" else ("\t", "separator")
    return Rule(mode, separator=default if separator is None else separator)


def read_fields(source: Source, options: Options) -> Content:
    """Return the content of a file of lines that are cut into fields."""
    names, columns = read_text(
        source,
        rule_for(options.format, options.separator, options.width),
        header=bool(options.header) and not options.continued,
        n_fields=options.n_columns or _n_expected(options),
        is_labelled=options.has_target and options.is_training,
        n_threads=options.n_threads,
    )
    return Content(names, columns)


def settled(source: Source, options: Options) -> tuple[list[str] | None, Options]:
    """Return the names of the columns, and options that read each part of a text like its beginning."""
    rule = rule_for(options.format, options.separator, options.width)
    text = np.frombuffer(source.data, dtype=np.uint8)
    _, end = _end_of_first_line(source.data)
    is_labelled = options.has_target and options.is_training
    first = _columns(source, rule, text[:end], 0, _n_expected(options), is_labelled, 1)
    names = [column[0].as_py() for column in first] if options.header else None
    return names, replace(options, header=bool(options.header), n_columns=len(first))


def _n_expected(options: Options) -> int:
    return 0 if options.n_features is None else options.n_features + options.has_target


def read_text(
    source: Source, rule: Rule, *, header: bool, n_fields: int, is_labelled: bool, n_threads: int
) -> tuple[list[str] | None, list[pa.Array]]:
    """Return the names (if there is a header) and the symbolic columns of a text.

    `n_fields` is the expected number of fields, 0 for as many as the first line has. `is_labelled` says, only for
    error messages, that one of the fields is the class.
    """
    text = np.frombuffer(source.data, dtype=np.uint8)
    if not header:
        return None, _columns(source, rule, text, 0, n_fields, is_labelled, n_threads)
    n_blank, end = _end_of_first_line(source.data)
    first = _columns(source, rule, text[:end], 0, n_fields, is_labelled, 1)
    names = [column[0].as_py() for column in first]
    return names, _columns(source, rule, text[end:], n_blank + 1, len(names), is_labelled, n_threads)


def only_a_header(where: str) -> FormatError:
    """Return the error for a file that has a header and no data."""
    return FormatError(
        f"{where}: expected data after the header, got none. If the first line is data, "
        "pass header=False (--no-header)."
    )


def empty(where: str) -> FormatError:
    """Return the error for an empty file."""
    return FormatError(f"{where}: expected at least one line of data, got none.")


def _end_of_first_line(data: bytes) -> tuple[int, int]:
    """Return the number of leading blank lines, and where the first line after them ends."""
    match = _NOT_BLANK.search(data)
    start = match.start() if match else len(data)
    end = data.find(b"\n", start)
    return data.count(b"\n", 0, start), len(data) if end < 0 else end + 1


def _columns(
    source: Source,
    rule: Rule,
    text: np.ndarray,
    n_lines_before: int,
    n_fields: int,
    is_labelled: bool,
    n_threads: int,
) -> list[pa.Array]:
    columns, problem = _native.split_text(text, rule.mode, rule.separator, rule.width, n_fields, n_threads)
    if problem is not None:
        kind, line, n_found = problem
        where = source.line(line + n_lines_before)
        expected = n_fields or _n_fields_of_first_line(rule, text)
        raise split_problem(kind, source, where, line + n_lines_before, rule, expected, n_found, is_labelled)
    if not columns:
        if not n_fields:
            raise empty(source.name)
        return [pa.array([], pa.string()).dictionary_encode()] * n_fields  # a part with blank lines alone
    try:
        return [coded_column(codes, values, offsets) for codes, values, offsets in columns]
    except pa.ArrowInvalid:
        raise not_utf8(source) from None


def coded_column(codes: np.ndarray, values: np.ndarray, offsets: np.ndarray) -> pa.DictionaryArray:
    """Return one of the kernel's columns as an Arrow array; `pa.ArrowInvalid` if its values are not UTF-8.

    The code of a missing value is that of no value.
    """
    texts = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(values))
    texts.validate(full=True)  # the bytes may not be UTF-8
    # `pa.array` would import pandas, if installed, to check whether this is one of its arrays.
    is_present = codes < len(texts)
    validity = None if is_present.all() else pa.py_buffer(np.packbits(is_present, bitorder="little"))
    indices = pa.Array.from_buffers(pa.uint32(), len(codes), [validity, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(indices, texts, safe=False)


def _n_fields_of_first_line(rule: Rule, text: np.ndarray) -> int:
    _, end = _end_of_first_line(text.tobytes())
    columns, _ = _native.split_text(text[:end], rule.mode, rule.separator, rule.width)
    return len(columns)


def split_problem(
    kind: str,
    source: Source,
    where: str,
    line: int,
    rule: Rule,
    n_expected: int,
    n_found: int,
    is_labelled: bool,
) -> FormatError:
    """Return the error for a line that the kernel could not split."""
    if kind == "nul":
        return FormatError(
            f"{where}: expected text, got a NUL byte. The file may be binary, or in another encoding: "
            "encoding='utf-16' (--encoding utf-16), for example."
        )
    if kind == "full":
        return FormatError(f"{source.name}: a column has more than 2 GB of distinct values, the limit here.")
    if kind == "wide":
        return FormatError(
            f"{where}: got {n_found} fields, more than the limit of 100000. {rule}pass format (--format) or separator "
            "(--separator) if that is wrong."
        )
    n_features = n_expected - is_labelled
    expected = f"{n_features} feature{'' if n_features == 1 else 's'}{' and a class' if is_labelled else ''}"
    if rule.mode == "width":
        n_chars = len(_line(source, line))
        length = f"{expected} ({n_expected * rule.width} characters)" if n_expected else "a whole number of fields"
        return FormatError(
            f"{where}: expected {length}, got {n_chars} characters. {rule}pass width (--width) if that is wrong."
        )
    if n_found == 0:
        return FormatError(f"{where}: {_gap(_line(source, line), rule)}")
    return FormatError(
        f"{where}: expected {expected} ({n_expected} fields), got {n_found} "
        f"field{'' if n_found == 1 else 's'}. {rule}correct the line, or pass format (--format)"
        f"{'' if rule.mode == 'blanks' else ' or separator (--separator)'} if the file has another format."
    )


def _line(source: Source, number: int) -> str:
    return source.data.split(b"\n", number)[number - 1].removesuffix(b"\r").decode("utf-8", "replace")


def _gap(line: str, rule: Rule) -> str:
    """Return the message for a line with an empty field; the kernel does not report which field."""
    fields = [field.strip(" \t") if rule.mode == "c45" else field for field in line.split(rule.separator)]
    if "" not in fields:
        return f"there are no fields. {rule}correct the line, or pass another format (--format)."
    return (
        f"field {fields.index('') + 1} is empty. {rule}write a symbol such as ? there, or pass format='csv' "
        "(--format csv), in which an empty field is a missing value."
    )
