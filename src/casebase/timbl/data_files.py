"""Training and test files by TiMBL's rules.

They are laxer than those of `casebase.formats`: TiMBL skips a line with a wrong number of fields with a warning, and
empty fields do not exist (`a,,b` has two fields). Files without such lines go straight through the compiled splitter;
only where it fails are lines parsed one by one.

TiMBL compares bytes. If not all files of a run are UTF-8, all are read as Latin-1, in which every byte is a character,
and written back the same way.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.data.numbers import NUMBER
from casebase.data.table import Table
from casebase.errors import CasebaseError, FormatError
from casebase.timbl.layout import Layout, cut, detect_format, n_features_of

MAX_FEATURES = 2500
MAX_REPAIRS = 10  # malformed lines to repair one by one before all lines are parsed
# Lines that are their own echo: one separator between fields, nothing around them.
_NOT_CANONICAL = {
    "Columns": re.compile(rb"[\t\r\\]|  | \n|\n |\n\n|^[ \n]| $"),
    "C4.5": re.compile(rb"[ \t\r]|\.\n|\.$|,,|,\n|,$|\n,|^,|\n\n|^\n"),
    "Tabbed": re.compile(rb"\r|\t\t|\t\n|\n\t|\n\n|^[\t\n]|\t$"),
    "Compact": re.compile(rb"[ \t\r]|\n\n|^\n"),
}


@dataclass(frozen=True, eq=False)
class DataFile:
    """The valid lines of a file: symbolic columns, the class last, and the skipped lines.

    `numbers` are the weights or occurrences behind the class, where the file has them.
    """

    path: str
    layout: Layout
    columns: list[pa.DictionaryArray]
    lines: "Lines" = field(repr=False)
    numbers: np.ndarray | None = None
    skipped: list[tuple[int, str, str]] = field(default_factory=list)  # line number, text, what is wrong with it
    n_skipped: int = 0  # blank lines included

    @property
    def n_lines(self) -> int:
        return len(self.columns[0])

    def table(self) -> Table:
        """Return the columns as a table, the class in its last one."""
        n = self.layout.n_features
        return Table((*(f"f{i + 1}" for i in range(n)), "class"), tuple(self.columns), n, is_named=False)

    def echoes(self) -> list[str]:
        """Return each line as it precedes the answer, with the separator after the class."""
        return self.lines.echoes(self.layout)


@dataclass(frozen=True, eq=False)
class Lines:
    """The text of the valid lines, and their `fields` where lines were parsed one by one."""

    text: bytes
    fields: list[list[str]] | None = None

    def echoes(self, layout: Layout) -> list[str]:
        unusual = _NOT_CANONICAL.get("C4.5" if layout.format == "ARFF" else layout.format)
        if self.fields is None and unusual and layout.target is None and not unusual.search(self.text):
            lines = self.text.decode("utf-8").removesuffix("\n").split("\n")
            separator = layout.separator
            return [line + separator for line in lines] if separator else lines
        fields = self.fields
        if fields is None:
            each = (layout.fields(line) for line in self.text.decode("utf-8").split("\n") if line.strip(" \t\r"))
            fields = [one for one in each if one is not None]
        return [layout.echo(one) for one in fields]


@dataclass(frozen=True)
class Input:
    """The options about data files, the same for training and test."""

    format: str | None = None
    width: int | None = None
    n_features: int | None = None
    target: int | None = None  # from 1
    encoding: str = "utf-8"

    def read(
        self, path: str, data: bytes, *, number: str | None = None, n_features: int | None = None, n_threads: int = 1
    ) -> DataFile:
        """Read the lines of a file; `number` names what follows the class: a weight or an occurrence count.

        A test file must have the `n_features` of the training data.
        """
        text = utf8(path, data, self.encoding)
        n_skipped = 0
        if self.format == "ARFF":
            text, n_skipped = _arff_body(path, text)
        numbers: list[float | None] | None = None
        if number is not None:
            text, numbers = _without_numbers(text, number)
        first = _first_line(text)
        if not first:
            raise FormatError(f"{path} is empty: expected at least one line of data.")
        layout = self._layout(path, first)
        if n_features is not None and layout.n_features != n_features:
            raise FormatError(
                f"{path}: the first line has {layout.n_features} features, but the training data have "
                f"{n_features}. Test lines need a class too; any value will do."
            )
        return _split(path, layout, text, numbers, n_skipped, number, n_threads)

    def _layout(self, path: str, first: str) -> Layout:
        format = self.format or detect_format(first)
        if format == "Compact" and self.width is None:
            raise CasebaseError(f"{path}: the Compact format needs the width of its fields: -l 1, or more.")
        if format in ("Sparse", "Binary"):
            if self.n_features is None:
                raise CasebaseError(f"{path}: the {format} format needs the number of features: -N.")
            return Layout(format, self.n_features)
        n_features = n_features_of(first, format, self.width or 0)
        if n_features < 1:
            raise FormatError(
                f"{path}: expected features and a class, got {first[:60]!r} as {format}. "
                "Set -F if the file has another format."
            )
        if n_features > (self.n_features or MAX_FEATURES):
            raise FormatError(
                f"{path}: got {n_features} features, more than {self.n_features or MAX_FEATURES}. "
                f"Set -N {n_features}, or more."
            )
        if self.target is not None and self.target > n_features + 1:
            raise CasebaseError(f"Option -T {self.target}: the lines of {path} have {n_features + 1} fields.")
        target = None if self.target is None or self.target == n_features + 1 else self.target - 1
        return Layout(format, n_features, self.width or 0, target)


def utf8(path: str, data: bytes, encoding: str) -> bytes:
    """Return a text in UTF-8."""
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise FormatError(f"{path}, line {line}: expected text, got a NUL byte. The file may be binary.")
    return data if encoding == "utf-8" else data.decode(encoding).encode("utf-8")


def common_encoding(texts: Sequence[bytes], format: str | None, width: int | None) -> str:
    """Return UTF-8 if all texts are, else Latin-1.

    Compact fields are counted in bytes, so each byte must be a character.
    """
    if all(text.isascii() for text in texts):
        return "utf-8"
    if format == "Compact" or (format is None and width is not None):
        return "latin-1"
    try:
        for text in texts:
            text.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _first_line(text: bytes) -> str:
    found = re.search(rb"[^ \t\r\n]", text)
    if found is None:
        return ""
    start = text.rfind(b"\n", 0, found.start()) + 1
    end = text.find(b"\n", start)
    return text[start : end if end >= 0 else len(text)].decode("utf-8")


def _arff_body(path: str, text: bytes) -> tuple[bytes, int]:
    """Return the data lines of an ARFF text, others left blank, and how many others there are."""
    found = re.search(rb"^@data[^\n]*\n?", text, re.IGNORECASE | re.MULTILINE)
    if found is None:
        raise FormatError(f"{path}: there is no @data line. Is it an ARFF file?")
    n_before = text.count(b"\n", 0, found.start())
    body = re.sub(rb"^[%@][^\n]*", b"", text[found.end() :], flags=re.MULTILINE)
    # Blank lines replace what was removed, so that lines keep their numbers. TiMBL does not count @data
    # among the lines it skips.
    return b"\n" * (n_before + 1) + body, -1


def _without_numbers(text: bytes, number: str) -> tuple[bytes, list[float | None]]:
    """Return the lines without their last word, and that word as a number.

    A blank line has NaN; a line whose last word is not a number has None.
    """
    lines: list[str] = []
    numbers: list[float | None] = []
    for line in text.decode("utf-8").split("\n"):
        before, word = _last_word(line.rstrip(" \t\r"))
        value = _read_number(word, number) if word else float("nan") if not before else None
        numbers.append(value)
        # A line with a wrong number stays whole for the warning; its None makes the caller skip it.
        lines.append(line if value is None else before)
    return "\n".join(lines).encode("utf-8"), numbers


def _last_word(line: str) -> tuple[str, str]:
    end = max(line.rfind(" "), line.rfind("\t"))
    return (line[:end], line[end + 1 :]) if end >= 0 else (line, "")


def _read_number(word: str, number: str) -> float | None:
    if number == "occurrences":
        return float(word) if word.isascii() and word.isdigit() and int(word) > 0 else None
    found = NUMBER.fullmatch(word)
    if found is None:
        return None
    weight = float(word)
    return weight if weight > 2.0**-52 else 1.0


def _split(
    path: str,
    layout: Layout,
    text: bytes,
    numbers: list[float | None] | None,
    n_skipped: int,
    number: str | None,
    n_threads: int,
) -> DataFile:
    if layout.format in ("Sparse", "Binary") or (numbers is not None and None in numbers):
        return _split_by_line(path, layout, text, numbers, n_skipped, number)
    n_lines = text.count(b"\n") + (not text.endswith(b"\n"))
    mode = {"Columns": "blanks", "Tabbed": "separator", "Compact": "width"}.get(layout.format, "c45")
    repaired = text
    skipped: list[tuple[int, str, str]] = []
    for _ in range(MAX_REPAIRS + 1):
        split, problem = _native.split_text(
            np.frombuffer(repaired, dtype=np.uint8),
            mode,
            layout.separator or ",",
            max(layout.width, 1),
            layout.n_features + 1,
            n_threads,
        )
        if problem is None and split:
            columns = [_column(codes, values, offsets) for codes, values, offsets in split]
            if layout.target is not None:
                columns.append(columns.pop(layout.target))
            array = None if numbers is None else np.array(numbers, dtype=float)
            array = None if array is None else array[~np.isnan(array)]
            return DataFile(
                path, layout, columns, Lines(repaired), array, skipped, n_skipped + n_lines - len(columns[0])
            )
        if problem is None or numbers is not None:
            break
        if problem[0] != "fields":
            raise FormatError(f"{path}: the file cannot be read: {problem[0]}, line {problem[1]}.")
        repaired = _repair(layout, repaired, problem[1], skipped)
    # With so many malformed lines it is faster to parse each line.
    return _split_by_line(path, layout, text, numbers, n_skipped, number)


def _repair(layout: Layout, text: bytes, line_number: int, skipped: list[tuple[int, str, str]]) -> bytes:
    """Return a text without a malformed line; a line that only TiMBL can split gets single separators instead."""
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    begin = int(ends[line_number - 2]) + 1 if line_number > 1 else 0
    end = int(ends[line_number - 1]) if line_number <= len(ends) else len(text)
    line = text[begin:end].decode("utf-8")
    if layout.fields(line) is None:
        skipped.append((line_number + len(skipped), line, ""))
        return text[:begin] + text[end + 1 :]
    fields = cut(line, layout.format, layout.width) or []
    return text[:begin] + layout.separator.join(fields).encode("utf-8") + text[end:]


def _split_by_line(
    path: str, layout: Layout, text: bytes, numbers: list[float | None] | None, n_skipped: int, number: str | None
) -> DataFile:
    kept: list[list[str]] = []
    kept_numbers: list[float] = []
    skipped: list[tuple[int, str, str]] = []
    for i, line in enumerate(text.decode("utf-8").removesuffix("\n").split("\n")):
        if not line.strip(" \t\r"):
            n_skipped += 1
            continue
        fields = layout.fields(line)
        value = None if numbers is None else numbers[i]
        if fields is None or (numbers is not None and value is None):
            is_number = numbers is not None and value is None
            skipped.append((i + 1, line, number or "" if is_number else ""))
            continue
        kept.append(fields)
        if value is not None:
            kept_numbers.append(value)
    if not kept:
        raise FormatError(
            f"{path}: there is no line of {layout.n_features} features and a class. "
            "Set -F if the file has another format."
        )
    # A separator that no text file uses, so that the splitter takes the fields as they are.
    lines = "\n".join(["\x1f".join(fields) for fields in kept]).encode("utf-8")
    split, problem = _native.split_text(np.frombuffer(lines, np.uint8), "separator", "\x1f", 1, layout.n_features + 1)
    if problem is not None:
        raise FormatError(f"{path}: a field contains the control character 0x1F. Remove it from the file.")
    columns = [_column(codes, values, offsets) for codes, values, offsets in split]
    array = None if numbers is None else np.array(kept_numbers)
    return DataFile(path, layout, columns, Lines(text, kept), array, skipped, n_skipped + len(skipped))


def _column(codes: np.ndarray, values: np.ndarray, offsets: np.ndarray) -> pa.DictionaryArray:
    texts = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(values))
    indices = pa.Array.from_buffers(pa.uint32(), len(codes), [None, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(indices, texts, safe=False)
