"""Sheets of Excel and LibreOffice workbooks: .xlsx, .xlsm, .xlsb, .xls and .ods.

A sheet is read as its CSV export would be: whole numbers, texts and truth values are symbols, a column of numbers of
which one has decimals is numeric, dates become ISO texts, and an empty cell is a missing value. Rows above the header,
such as a title over merged cells, are no data; they have values in at most half of the columns.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from importlib import import_module
from typing import Any

from casebase.data.columns import spelling, text_column
from casebase.errors import CasebaseError, FormatError, MissingExtraError, unknown_name
from casebase.formats.facts import DECIMAL, TEXT, WHOLE, ColumnFacts, Signs
from casebase.formats.naming import filled_names
from casebase.formats.registry import Content, Found, Options
from casebase.formats.rows import N_SAMPLE_ROWS, looks_like_a_header
from casebase.formats.source import Source
from casebase.formats.text import only_a_header
from casebase.formats.trial import try_to_open

Cell = str | float | bool | date | datetime | time | timedelta
Row = Sequence[Cell]

ZIP_MAGIC, OLE_MAGIC = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
PARTS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # one of which every workbook in a zip archive has
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # a protected .xlsx is a stream of this name in an OLE file
LARGEST = 200_000_000  # bytes of an unpacked workbook; a few kilobytes can unpack to more than any memory
SUSPECT = 50_000_000  # bytes from which a workbook may unpack to at most so many times its size; usual are 5 to 20
MOST_TIMES = 100
PIECE = 1 << 20  # bytes that are unpacked at once
MOST_ABOVE = 30  # rows above a header


def read_workbook(source: Source, options: Options) -> Content:
    """Return the content of a sheet: the one that is named, or the first with any values."""
    workbook = _opened(source)
    sheet, rows = _sheet(source, workbook, options.sheet)
    rows, above = _without_title(rows, options.header)
    header = options.header
    if header is None and options.known_header is not None:
        header = options.known_header([_text(cell) or "" for cell in rows[0]])
    if header is None:
        header = _has_header(rows)
    names = filled_names([_text(cell) or "" for cell in rows[0]]) if header else None
    if header:
        rows = rows[1:]
    if not rows:
        raise only_a_header(f"{source.name}, sheet {sheet!r}")
    columns = [list(column) for column in zip(*rows)]

    texts = [text_column([_text(cell) for cell in cells]) for cells in columns]
    found = Found(sheet=sheet, sheets=tuple(workbook.sheet_names), above=above)
    return Content(names, texts, [_facts(cells) for cells in columns], found)


def _opened(source: Source) -> Any:
    """Return the workbook; an error that says what the file is if it is none."""
    data = source.data
    if data.startswith(OLE_MAGIC) and ENCRYPTED in data:
        raise FormatError(
            f"{source.name} is protected by a password. Open it in Excel or LibreOffice and save it without one."
        )
    if data.startswith(ZIP_MAGIC):
        _check_archive(source)
    elif not data.startswith(OLE_MAGIC):
        raise FormatError(
            f"{source.name}: expected an Excel or LibreOffice workbook, got another format. If it is text under the "
            "name of a workbook, as some programs write it, pass its format: format='tsv' (--format tsv) or csv."
        )
    try:
        calamine = import_module("python_calamine")
    except ImportError:
        raise MissingExtraError(
            f"{source.name} is a workbook; to read it, install python-calamine: pip install 'casebase[excel]'."
        ) from None
    try_to_open(source.name, data)
    return _tried(source, lambda: calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)))


def _check_archive(source: Source) -> None:
    """Raise an error for a zip archive that is damaged, has no workbook, or unpacks to too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            parts = archive.infolist()
            names = [part.filename for part in parts]
            if not any(part in names for part in PARTS):
                some = ", ".join(names[:3])
                raise FormatError(
                    f"{source.name} is a zip archive without a workbook{f' (it has {some})' if some else ''}. Unpack "
                    "it, and read the table in it."
                )
            size = sum(part.file_size for part in parts)
            if size <= LARGEST:
                size = _unpacked_size(archive, parts)
    except FormatError:  # which is a ValueError, too
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        raise _damaged(source, "the archive is cut off or damaged") from None
    if size > LARGEST:
        raise FormatError(
            f"{source.name} unpacks to more than {LARGEST / 1e6:,.0f} MB, the limit of workbooks. Save the table as "
            "CSV, which has no such limit."
        )
    if size > SUSPECT and size > MOST_TIMES * len(source.data):
        raise FormatError(
            f"{source.name} unpacks to {size / len(source.data):,.0f} times its size; at most {MOST_TIMES} times are "
            "usual, and more is a sign of a file made to fill the memory. If you trust it, save the table as CSV."
        )


def _unpacked_size(archive: zipfile.ZipFile, parts: Sequence[zipfile.ZipInfo]) -> int:
    """Return the size of all parts, unpacked up to the limit: the directory of an archive can say anything."""
    size = 0
    for part in parts:
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile
        part.file_size = LARGEST + 1  # otherwise no more is unpacked than the directory says
        with archive.open(part) as file:
            while size <= LARGEST and (piece := file.read(PIECE)):
                size += len(piece)
    return size


def _tried(source: Source, read: Any) -> Any:
    """Return what a call of the reader returns; whatever it raises, a panic too, means a damaged workbook."""
    try:
        return read()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        raise _damaged(source, str(error)) from None


def _damaged(source: Source, reason: str) -> FormatError:
    return FormatError(
        f"{source.name}: the workbook is damaged, or of a kind that cannot be read ({reason}). Open it in Excel or "
        "LibreOffice, and save it again as .xlsx or CSV."
    )


def _sheet(source: Source, workbook: Any, name: str | None) -> tuple[str, list[Row]]:
    """Return a sheet's name and its rows without empty rows and columns."""
    names: list[str] = workbook.sheet_names
    if name is not None:
        if name not in names:
            raise CasebaseError(f"{source.name}: {unknown_name('sheet', name, names)}")
        rows = _rows(source, workbook, name)
        if not rows:
            raise FormatError(f"{source.name}: sheet {name!r} is empty. Sheets: {', '.join(names)}.")
        return name, rows
    hidden = [sheet.name for sheet in workbook.sheets_metadata if not str(sheet.visible).endswith(".Visible")]
    for one in sorted(names, key=lambda one: one in hidden):  # hidden sheets last, otherwise in their order
        rows = _rows(source, workbook, one)
        if rows:
            return one, rows
    raise FormatError(f"{source.name}: expected a sheet with a table, but all sheets are empty: {', '.join(names)}.")


def _rows(source: Source, workbook: Any, name: str) -> list[Row]:
    try:
        sheet = workbook.get_sheet_by_name(name)
    except Exception as error:
        if type(error).__name__ == "WorksheetNotFound":  # a sheet with nothing but a chart
            return []
        raise _damaged(source, str(error)) from None
    cells: list[Row] = _tried(source, sheet.to_python)
    rows = [row for row in cells if any(cell != "" for cell in row)]
    used = [i for i in range(len(rows[0])) if any(row[i] != "" for row in rows)] if rows else []
    return rows if rows and len(used) == len(rows[0]) else [[row[i] for i in used] for row in rows]


def _without_title(rows: list[Row], header: bool | None) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows from the header on, and the texts of the rows above it.

    A row with values in at most half of the columns is a title only if a header follows: otherwise it may be a row of
    data with missing values.
    """
    if header is False:
        return rows, ()
    n_columns = len(rows[0])
    first = next((i for i, row in enumerate(rows[: MOST_ABOVE + 1]) if 2 * _n_values(row) > n_columns), 0)
    if not first or not _has_header(rows[first:]):
        return rows, ()
    above = tuple(" ".join(text for cell in row if (text := _text(cell))) for row in rows[:first])
    rest = rows[first:]
    used = [i for i in range(n_columns) if any(row[i] != "" for row in rest)]  # a title may stand beside the table
    return [[row[i] for i in used] for row in rest], above


def _n_values(row: Row) -> int:
    return sum(cell != "" for cell in row)


def _has_header(rows: list[Row]) -> bool:
    """Return whether the first row is a header: it has only texts, and looks like one."""
    if len(rows) < 2 or not all(isinstance(cell, str) for cell in rows[0]):
        return False
    return looks_like_a_header([[_text(cell) or "" for cell in row] for row in rows[: N_SAMPLE_ROWS + 1]])


def _text(cell: Cell) -> str | None:
    """Return a cell as a CSV export would write it; None if it is empty.

    >>> _text(3.0), _text(datetime(2024, 5, 1)), _text(datetime(2024, 5, 1, 12, 30)), _text("")
    ('3', '2024-05-01', '2024-05-01 12:30:00', None)
    """
    if cell == "":
        return None
    if isinstance(cell, datetime):
        return str(cell.date() if cell.time() == time() else cell)
    return spelling(cell)


def _facts(cells: Sequence[Cell]) -> ColumnFacts:
    """Return the facts of a column: it is numeric if its values are numbers and one has decimals.

    A damaged cell may hold nan or inf. They mean what they mean in a CSV file: a missing value, and an infinite one.
    """
    known = [cell for cell in cells if cell not in ("", math.inf, -math.inf) and cell == cell]
    numbers = [cell for cell in known if isinstance(cell, float | int) and not isinstance(cell, bool)]
    signs = TEXT if len(numbers) < len(known) else WHOLE if numbers else Signs.NONE
    if any(cell in (math.inf, -math.inf) for cell in cells):
        signs |= Signs.INFINITE
    return ColumnFacts(signs | DECIMAL if any(number != int(number) for number in numbers) else signs)
