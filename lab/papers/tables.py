"""A report as tables of text, in the order of the paper: shared by the terminal, Markdown and the page.

Figures of a table of the paper have one line each. Points of curves form one table per panel: a line per place of the
x-axis, a column per method.
"""

from collections.abc import Sequence
from itertools import groupby

from casebase.render.grids import Grid
from lab.papers.records import NOT_PRINTED, Claim, Measured, Row

ABSENT = "–"


def grids_of(rows: Sequence[Row]) -> list[Grid]:
    """Return the tables of some rows, in their order."""
    grids: list[Grid] = []
    for (experiment, as_curves), group in groupby(_with_kind(rows), key=lambda pair: (pair[0].experiment, pair[1])):
        together = [row for row, _ in group]
        if as_curves:
            by_data = groupby(together, key=lambda row: row.data)
            grids += [_curves(f"{experiment}: {data}", list(points)) for data, points in by_data]
        else:
            grids.append(_list(experiment, together))
    return grids


def _with_kind(rows: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Return each row, and whether it is a point of a curve: several settings of the same data, no printed figure."""
    settings: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        settings.setdefault((row.experiment, row.data), set()).add(row.setting)
    printed = {(row.experiment, row.data) for row in rows if row.verdict != NOT_PRINTED}
    where = [(row, (row.experiment, row.data)) for row in rows]
    return [(row, key not in printed and len(settings[key]) > 1) for row, key in where]


def _curves(title: str, rows: Sequence[Row]) -> Grid:
    """Return a line per setting; columns for each method, its orientation and its peer, if any."""
    methods = list(dict.fromkeys(row.method for row in rows))
    settings = list(dict.fromkeys(row.setting for row in rows))
    of = {(row.method, row.setting): row for row in rows}
    header, columns = [_shared_words(settings)], [[_own_words(setting, settings) for setting in settings]]
    for method in methods:
        points = [of.get((method, setting)) for setting in settings]
        if any(row and row.ours for row in points):
            header.append(method)
            columns.append([_estimate(row.ours) if row else ABSENT for row in points])
        if any(row and row.orientation is not None for row in points):
            header.append("orientation")
            columns.append([_number(row.orientation) if row else ABSENT for row in points])
        if any(row and row.peer for row in points):
            peer = next(row.peer_name for row in points if row and row.peer)
            header.append(peer if method in header else f"{method} ({peer})")
            columns.append([_estimate(row.peer) if row else ABSENT for row in points])
    n_runs = _n_runs(rows)
    caption = f"Percent of test cases right, mean of {n_runs} ± half of its 95 % interval. {_notes(rows)}".strip()
    return Grid(title, caption, tuple(header), tuple(zip(*columns)), n_left=0)


def _list(title: str, rows: Sequence[Row]) -> Grid:
    """Return a line per row, without empty columns; the notes are in the caption, by number."""
    numbers = {note: i + 1 for i, note in enumerate(dict.fromkeys(row.note for row in rows if row.note))}
    columns: dict[str, list[str]] = {
        "data": [row.data for row in rows],
        "method": [row.method for row in rows],
        "setting": [row.setting for row in rows],
        "paper": [_printed(row) for row in rows],
        "casebase": [_measured(row.ours, row) for row in rows],
        "peer": [f"{_measured(row.peer, row)} {row.peer_name}" if row.peer else ABSENT for row in rows],
        "orientation": [_number(row.orientation) for row in rows],
        "verdict": [row.verdict for row in rows],
        "note": [f"({numbers[row.note]})" if row.note else "" for row in rows],
    }
    kept = {name: cells for name, cells in columns.items() if name == "data" or set(cells) - {"", ABSENT}}
    n_left = sum(name in ("data", "method", "setting") for name in kept)
    caption = "± is a standard deviation: the paper's as printed, ours over the runs or folds."
    if not any(row.ours or row.peer for row in rows):
        caption = ""
    caption = " ".join([caption, *(f"({number}) {_sentence(note)}" for note, number in numbers.items())]).strip()
    return Grid(title, caption, tuple(kept), tuple(zip(*kept.values())), n_left, words=("verdict", "note"))


def _sentence(words: str) -> str:
    return words if words.endswith((".", "?", "!")) else f"{words}."


def _n_runs(rows: Sequence[Row]) -> str:
    counts = sorted({m.n_runs for row in rows for m in (row.ours, row.peer) if m})
    shown = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{shown} run{'s' * (counts[-1] > 1)}"


def _notes(rows: Sequence[Row]) -> str:
    return " ".join(dict.fromkeys(row.note for row in rows if row.note))


def claims_of(claims: Sequence[Claim]) -> Grid:
    """Return the claims as a table."""
    rows = tuple((c.experiment, c.claim, c.criterion, _with_note(c), c.verdict) for c in claims)
    return Grid("What the text says", "", ("where", "claim", "judged by", "measured", "verdict"), rows, n_left=5)


def _with_note(claim: Claim) -> str:
    return f"{claim.measured} {claim.note}".strip()


def _printed(row: Row) -> str:
    if row.paper is None:
        return ABSENT
    if row.paper_spread is None:
        return _with_unit(f"{row.paper:g}", row.unit)
    return _with_unit(_with_spread(row.paper, row.paper_spread, row.decimals), row.unit)


def _estimate(measured: Measured | None) -> str:
    """Return the mean ± half of its 95 % interval."""
    return ABSENT if measured is None else _with_spread(measured.mean, measured.half_width)


def _measured(measured: Measured | None, row: Row) -> str:
    """Return the mean ± the standard deviation of the runs."""
    if measured is None:
        return ABSENT
    return _with_unit(_with_spread(measured.mean, measured.deviation, row.decimals), row.unit)


def _with_unit(shown: str, unit: str) -> str:
    return shown if unit in ("", "%") else f"{shown} {unit}"


def _with_spread(number: float, spread: float | None, decimals: int = 1) -> str:
    """Return a number with these decimals, or with three if it is below 1, such as seconds."""
    decimals = 3 if 0 < abs(number) < 1 else decimals
    return f"{number:.{decimals}f}" if spread is None else f"{number:.{decimals}f} ± {spread:.{decimals}f}"


def _number(number: float | None) -> str:
    return ABSENT if number is None else f"{number:.1f}"


def _shared_words(settings: Sequence[str]) -> str:
    """Return the words that settings share after their numbers: "training cases" of "10 training cases"."""
    tails = {setting.partition(" ")[2] for setting in settings}
    return tails.pop() if len(tails) == 1 else "setting"


def _own_words(setting: str, settings: Sequence[str]) -> str:
    return setting if _shared_words(settings) == "setting" else setting.partition(" ")[0]
