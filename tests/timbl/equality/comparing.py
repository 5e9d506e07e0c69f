"""What two runs of one command wrote and printed, compared piece by piece.

Everything must be the same text, with these exceptions. Numbers with decimals may differ by
one unit of the last digit printed: both programs round a double to 6, 14 or 15 digits, and
doubles that differ in their last bits may fall on two sides of a rounding. The neighbours of
one group may be listed in another order. Of the standard output only statistics are compared,
not times and headings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

_DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d*(?:e[-+]?\d+)?(?![\w.])")
# TiMBL writes pairs of a matrix in an order that changes from run to run.
_UNORDERED_FILES = (".matrix",)

# The lines of the standard output that state results.
_STATISTICS = re.compile(
    r"^(overall accuracy:|There (was|were) \d+ tie|F-Score|AUC|Feature \d+\t|< \d|DB Entropy|Number of |Lines of data"
    r"|Size of InstanceBase| *\d+ +\d+\t|Feats\t|Writing output in|Deviant|Global metric|Algorithm|Weighting|Decay"
    r"|total: nodes)"
)
_TABLES = ("Scores per Value Class", "Confusion Matrix", "branching info")


@dataclass
class Ran:
    """What a command left behind: its exit status, standard output and the files it wrote."""

    status: int
    out: str
    files: dict[str, str]


def written(folder: Path, given: set[str]) -> dict[str, str]:
    """Return the files of a folder, and their text, that were not given to the program."""
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8", errors="surrogateescape")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and str(path.relative_to(folder)) not in given
    }


def differences(theirs: Ran, ours: Ran) -> list[str]:
    """Return one sentence for each difference: of exit status, files, lines of files, statistics."""
    found = []
    if (theirs.status == 0) != (ours.status == 0):
        found.append(f"exit status: expected {theirs.status}, got {ours.status}")
    for name in sorted(theirs.files.keys() - ours.files.keys()):
        found.append(f"file {name} was not written; written: {', '.join(ours.files) or 'none'}")
    for name in sorted(ours.files.keys() - theirs.files.keys()):
        found.append(f"file {name} was written, TiMBL wrote: {', '.join(theirs.files) or 'none'}")
    for name in sorted(theirs.files.keys() & ours.files.keys()):
        found += [f"{name}, {text}" for text in _lines_apart(records(theirs.files[name]), records(ours.files[name]))]
    found += [f"standard output, {text}" for text in _lines_apart(statistics(theirs.out), statistics(ours.out))]
    return found


def _lines_apart(theirs: list[str], ours: list[str]) -> list[str]:
    if len(theirs) != len(ours):
        return [f"expected {len(theirs)} lines, got {len(ours)}; first apart: {_first_apart(theirs, ours)}"]
    return [
        f"line {number}: expected {expected!r}, got {got!r}"
        for number, (expected, got) in enumerate(zip(theirs, ours), start=1)
        if not is_same(expected, got)
    ]


def _first_apart(theirs: list[str], ours: list[str]) -> str:
    for expected, got in zip(theirs, ours):
        if not is_same(expected, got):
            return f"expected {expected!r}, got {got!r}"
    longer = theirs if len(theirs) > len(ours) else ours
    return f"{'missing' if longer is theirs else 'too many'}: {longer[min(len(theirs), len(ours))]!r}"


def is_same(expected: str, got: str) -> bool:
    """Tell whether two texts agree, their decimal numbers to one unit of the last digit."""
    if expected == got:
        return True
    if _DECIMAL.sub("#", expected) != _DECIMAL.sub("#", got):
        return False
    return all(
        abs(Decimal(a) - Decimal(b)) <= max(last_place(a), last_place(b))
        for a, b in zip(_DECIMAL.findall(expected), _DECIMAL.findall(got))
    )


def last_place(number: str) -> Decimal:
    """Return what one unit of the last digit of a printed number is worth.

    >>> last_place("0.250"), last_place("4.50360e+15")
    (Decimal('0.001'), Decimal('1E+10'))
    """
    mantissa, _, exponent = number.partition("e")
    return Decimal(1).scaleb(int(exponent or 0) - len(mantissa.partition(".")[2]))


def records(text: str) -> list[str]:
    """Return the lines of a file; the neighbours of a group are one record, in alphabetical order."""
    result: list[str] = []
    neighbours: list[str] = []
    for line in text.split("\n"):
        if line.startswith("#\t"):
            neighbours.append(line)
            continue
        if neighbours:
            result.append("\n".join(sorted(neighbours)))
            neighbours = []
        result.append(line)
    return result + (["\n".join(sorted(neighbours))] if neighbours else [])


def statistics(out: str) -> list[str]:
    """Return the lines of the standard output that state results, blanks at their ends removed."""
    result = []
    in_table = False
    for line in out.split("\n"):
        if line.startswith(_TABLES):
            in_table = True
        elif not line.strip() or _STATISTICS.match(line):
            in_table = False
        if in_table or _STATISTICS.match(line):
            result.append(line.rstrip())
    return result
