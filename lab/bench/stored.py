"""Reports as JSON files, and the change of each figure since the last report that contains it.

`report.json` and `report.md` are the newest; every report is also kept under `stored/`, named by its date and time. A
run of one part is compared with the last report that has this part, no matter which parts ran since.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lab.bench.report import Curve, Row
from lab.bench.timing import Runs

FORMAT = 1
TOLERANCE = 0.1  # a ratio that is worse by more than this share is marked
STEEPER = 0.1  # an exponent that is larger by more than this is marked


class ReportError(Exception):
    """A stored report cannot be read."""


@dataclass(frozen=True)
class Report:
    """Measurements with their date, machine and sizes; `missing` says why a part was not measured."""

    made: str
    machine: str
    peers: dict[str, str]
    sizes: str
    parts: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    curves: tuple[Curve, ...] = ()
    missing: Mapping[str, str] | None = None

    def with_results(self, part: str, results: Iterable[Row | Curve]) -> "Report":
        named = [replace(result, part=part) for result in results]
        return replace(
            self,
            rows=(*self.rows, *(one for one in named if isinstance(one, Row))),
            curves=(*self.curves, *(one for one in named if isinstance(one, Curve))),
        )

    def with_missing(self, part: str, reason: str) -> "Report":
        return replace(self, missing={**(self.missing or {}), part: reason})


@dataclass(frozen=True)
class Change:
    """The change of a figure. `better` is how many times better it is now; below 1 it is worse."""

    before: float
    better: float
    is_worse: bool
    is_within_spread: bool
    since: str


def as_json(report: Report) -> str:
    record = {"format": FORMAT, **asdict(report), "missing": dict(report.missing or {})}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def read(path: Path) -> Report:
    """Return a stored report."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise ReportError(f"{path}: expected a report of format {FORMAT}, got {record['format']!r}.")
        return _report(record)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportError(f"{path}: not a report that `make bench` has written ({error!r}).") from error


def _report(record: dict[str, Any]) -> Report:
    curves = tuple(
        Curve(
            one["name"],
            tuple(one["n_cases"]),
            tuple(Runs(tuple(runs["values"])) for runs in one["seconds"]),
            one["ended"],
            one["part"],
        )
        for one in record["curves"]
    )
    return Report(
        record["made"],
        record["machine"],
        record["peers"],
        record["sizes"],
        tuple(record["parts"]),
        tuple(Row(**row) for row in record["rows"]),
        curves,
        record["missing"],
    )


def write(report: Report, markdown: str, folder: Path) -> None:
    """Write the newest report, and a copy named by its date and time."""
    (folder / "stored").mkdir(parents=True, exist_ok=True)
    text = as_json(report)
    for path in (folder / "report.json", folder / "stored" / f"{report.made.replace(':', '')}.json"):
        path.write_text(text, encoding="utf-8")
    (folder / "report.md").write_text(markdown, encoding="utf-8")


def earlier(
    folder: Path, report: Report, say: Callable[[str], None] = lambda text: print(text, file=sys.stderr)
) -> list[Report]:
    """Return the stored reports of the same sizes that were made before this one, the last first.

    A file that cannot be read is reported and skipped: it must not prevent a measurement.
    """
    reports = []
    for path in sorted((folder / "stored").glob("*.json"), reverse=True):
        try:
            reports.append(read(path))
        except ReportError as error:
            say(f"{error} It is left aside.")
    return [one for one in reports if one.sizes == report.sizes and one.made < report.made]


def changes(report: Report, past: list[Report]) -> dict[tuple[str, str], Change]:
    """Return the change of each figure that an earlier report contains; `past` has the last report first."""
    found: dict[tuple[str, str], Change] = {}
    for row in report.rows:
        for then in past:
            same = next((one for one in then.rows if (one.part, one.work) == (row.part, row.work)), None)
            if same is not None:
                change = _change_of_ratio(same, row, then.made)
                if change is not None:
                    found[row.part, row.work] = change
                break
    for curve in report.curves:
        for then in past:
            known = next((one for one in then.curves if (one.part, one.name) == (curve.part, curve.name)), None)
            if known is not None:
                change = _change_of_exponent(known, curve, then.made)
                if change is not None:
                    found[curve.part, curve.name] = change
                break
    return found


def _change_of_ratio(then: Row, now: Row, since: str) -> Change | None:
    if min(then.ratio, now.ratio) <= 0:  # an exponent may be: then there is no share by which it changed
        return None
    better = then.ratio / now.ratio if now.is_cost else now.ratio / then.ratio
    overlaps = _overlap((then.low, then.high), (now.low, now.high))
    return Change(then.ratio, better, better < 1 - TOLERANCE, overlaps, since)


def _overlap(one: tuple[float | None, float | None], other: tuple[float | None, float | None]) -> bool:
    ends = [end for end in (*one, *other) if end is not None]
    return len(ends) == 4 and max(ends[0], ends[2]) <= min(ends[1], ends[3])


def _change_of_exponent(then: Curve, now: Curve, since: str) -> Change | None:
    """Compare exponents over the sizes that both curves have: a longer curve is not a steeper one."""
    shared = set(then.n_cases) & set(now.n_cases)
    before, after = _of_sizes(then, shared).exponent, _of_sizes(now, shared).exponent
    if before is None or after is None:
        return None
    return Change(before, 1 + before - after, after - before > STEEPER, False, since)


def _of_sizes(curve: Curve, sizes: set[int]) -> Curve:
    kept = [i for i, n in enumerate(curve.n_cases) if n in sizes]
    return replace(curve, n_cases=tuple(curve.n_cases[i] for i in kept), seconds=tuple(curve.seconds[i] for i in kept))
