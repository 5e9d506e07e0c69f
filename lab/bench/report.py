"""The records of a report (comparisons and growth curves), and how runs become records."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.base.model import Model
from casebase.formats import read_table
from lab.bench.timing import Runs


@dataclass(frozen=True)
class Row:
    """One comparison. `target` is the ratio asked for, if one was; for costs (`is_cost`) lower is better.

    `low` and `high` bound the ratio: the worst run of one side beside the best of the other.
    """

    work: str
    ours: str
    peer: str
    ratio: float
    target: float | None = None
    is_cost: bool = False
    low: float | None = None
    high: float | None = None
    n_ours: int = 1
    n_peer: int = 0
    part: str = ""

    @property
    def is_met(self) -> bool:
        if self.target is None:
            return True
        return self.ratio <= self.target if self.is_cost else self.ratio >= self.target


@dataclass(frozen=True)
class Curve:
    """Time against number of cases. `ended` says why a curve has no further points, where it was cut short."""

    name: str
    n_cases: tuple[int, ...]
    seconds: tuple[Runs, ...]
    ended: str = ""
    part: str = ""

    @property
    def medians(self) -> tuple[float, ...]:
        return tuple(runs.median for runs in self.seconds)

    @property
    def exponent(self) -> float | None:
        """The power of the number of cases with which the time grows; None with fewer than two points."""
        return fitted_exponent(self.n_cases, self.medians)

    @property
    def last_exponent(self) -> float | None:
        """The same over the last tenfold: what a call costs in any case flattens the small sizes."""
        kept = [i for i, n in enumerate(self.n_cases) if n * 10.01 >= self.n_cases[-1]]
        return fitted_exponent([self.n_cases[i] for i in kept], [self.medians[i] for i in kept])


def fitted_exponent(n_cases: "list[int] | tuple[int, ...]", seconds: "list[float] | tuple[float, ...]") -> float | None:
    """Return the slope of the straight line through the logarithms, by least squares.

    >>> round(fitted_exponent([10, 100, 1000], [0.2, 2.0, 20.0]), 6)
    1.0
    """
    if len(n_cases) < 2:
        return None
    return float(np.polyfit(np.log(n_cases), np.log(seconds), 1)[0])


def beside(
    work: str, ours: Runs, peer: Runs, target: float | None = None, unit: str = "s", is_cost: bool = False
) -> Row:
    """Compare two sides: how many times better ours is, or for a cost, ours divided by the peer's.

    Fewer seconds are better; of everything else (rates), more is better.
    """
    is_inverse = unit == "s" and not is_cost
    ratio = peer.median / ours.median if is_inverse else ours.median / peer.median
    low = peer.low / ours.high if is_inverse else ours.low / peer.high
    high = peer.high / ours.low if is_inverse else ours.high / peer.low
    return Row(
        work,
        shown(ours, unit),
        shown(peer, unit),
        ratio,
        target,
        is_cost,
        low,
        high,
        len(ours.values),
        len(peer.values),
    )


def alone(work: str, ours: Runs, target: float | None = None, unit: str = "s", is_cost: bool = True) -> Row:
    """Return a figure without a peer; its value takes the place of the ratio."""
    return Row(work, shown(ours, unit), "–", ours.median, target, is_cost, ours.low, ours.high, len(ours.values), 0)


def shown(runs: Runs, unit: str) -> str:
    """Return the median with its unit, and the spread if there is more than one run.

    >>> shown(Runs((0.5, 0.25, 1.0)), "s")
    '0.5 s (0.25–1)'
    """
    space = "" if unit.startswith("/") else " "
    spread = f" ({figure(runs.low)}–{figure(runs.high)})" if len(runs.values) > 1 else ""
    return f"{figure(runs.median)}{space}{unit}{spread}"


def figure(number: float) -> str:
    """Format a number with three significant digits, without powers of ten.

    >>> figure(105424.8), figure(1.8249), figure(0.000123)
    ('105,425', '1.82', '0.000123')
    """
    if not math.isfinite(number):
        return str(number)
    if abs(number) >= 100:
        return f"{number:,.0f}"
    if number == 0:
        return "0"
    n_decimals = max(0, 2 - math.floor(math.log10(abs(number))))
    text = f"{number:.{n_decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def answer_file(model: Model, test: Path, out: Path, n_jobs: int = 1) -> None:
    """Predict a text file into a file of answers, as `casebase predict` does."""
    cases = model.schema.encode(model.schema.mark_target(read_table(test)))
    names = np.array(model.schema.classes, dtype=object)
    out.write_text("\n".join(names[model.answer(cases, n_jobs=n_jobs).label].tolist()) + "\n")
