"""Data sets in local files outside the package.

A file is comma-separated, with a header, the class in the last column and `?` for a missing value;
it may be gzipped.
"""

import csv
import gzip
import os
from pathlib import Path

from casebase.datasets._base import Dataset, from_rows
from casebase.errors import DataNotFoundError, FormatError, unknown_name

FOLDER_VARIABLE = "CASEBASE_DATA"

_SUFFIXES = (".csv", ".csv.gz")

# Sets whose numbers are measurements; in all others, numbers are codes of symbols.
_MEASURED = frozenset({"glass"})


def load_local(name: str, *, symbolic: bool | None = None, folder: str | Path | None = None) -> Dataset:
    """Return the data set of a CSV file in the data folder.

    The folder is `folder`, or without it the one that the environment variable `CASEBASE_DATA` names.
    `name` is the file's, without `.csv` or `.csv.gz`: `zoo`, `soybean`, `glass`, `votes` or `dna`, or
    a file of yours. With `symbolic=True` all values are strings, with `False` every column of numbers
    holds floats; by default only glass has numbers.

    >>> load_local("zoo")  # doctest: +SKIP
    Dataset('zoo': 101 cases, 16 features, 7 classes)
    """
    place = _data_folder(folder, name, f"{name}.csv")
    files = {
        path.name.removesuffix(suffix): path
        for path in sorted(place.iterdir())
        for suffix in _SUFFIXES
        if path.name.endswith(suffix)
    }
    if name not in files:
        raise DataNotFoundError(f"{unknown_name('data set', name, files)} Looked for *.csv in {place}.")
    header, rows = _read(files[name])
    text = f"{name}, from {files[name].name} in the data folder."
    is_symbolic = name not in _MEASURED if symbolic is None else symbolic
    return from_rows(name, rows, header[:-1], text, symbolic=is_symbolic)


def local_lines(file: str, *, folder: str | Path | None = None) -> list[str]:
    """Return the lines of a text file in the data folder; the file may be gzipped.

    The folder is `folder`, or without it the one that the environment variable `CASEBASE_DATA` names.

    >>> local_lines("finnish_hyphenation.txt")[0]  # doctest: +SKIP
    'saa-ta-va'
    """
    path = _data_folder(folder, file, file) / file
    if not path.is_file():
        raise DataNotFoundError(f"Data set {file!r}: there is no such file in {path.parent}.")
    open_file = gzip.open if path.suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def _data_folder(folder: str | Path | None, name: str, file: str) -> Path:
    """Return the data folder; the error says how to name one."""
    named = os.environ.get(FOLDER_VARIABLE) if folder is None else folder
    place = Path(named) if named else None
    if place is None or not place.is_dir():
        missing = "no data folder was given" if place is None else f"there is no folder {place}"
        raise DataNotFoundError(
            f"Data set {name!r}: {missing}. Name the folder that contains {file} with folder=, or with the environment "
            f"variable {FOLDER_VARIABLE}."
        )
    return place


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows, all of the same width."""
    open_file = gzip.open if path.suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        rows = []
        for row in lines:
            if row and len(row) != len(header):
                raise FormatError(
                    f"{path.name}, line {lines.line_num}: expected {len(header)} fields as in the header, "
                    f"got {len(row)}."
                )
            if row:
                rows.append([value.strip() for value in row])
    if len(header) < 2 or not rows:
        raise FormatError(f"{path.name}: expected a header with a feature and the class, and a case below it.")
    return header, rows
