"""The results of a reproduction as plain records: rows with the paper's figures, checked claims, figures to draw.

Nothing here measures, prints or draws. A row is one figure of a paper, or one point of a curve for which the paper
prints no numbers; a claim is a sentence of the paper, with the measurement that supports or contradicts it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import stdtrit

INSIDE = "inside"
OUTSIDE = "outside"
NOT_PRINTED = "no figure printed"
NO_DATA = "no data"
NOT_MEASURED = "not measured"
PEER_INSIDE, PEER_OUTSIDE = "peer inside", "peer outside"
NOT_COMPARABLE = "not comparable"
ONE_RUN = "one run"
ANOTHER_READING = "another reading"


@dataclass(frozen=True)
class Measured:
    """The results of the same measurement in several runs (or folds), one number each.

    >>> three = Measured((90.0, 92.0, 94.0))
    >>> three.mean, three.deviation, three.n_runs
    (92.0, 2.0, 3)
    >>> [round(end, 1) for end in three.interval]
    [87.0, 97.0]
    """

    runs: tuple[float, ...]

    def __post_init__(self) -> None:
        assert self.runs, "a measurement without a run"

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    @property
    def mean(self) -> float:
        return float(np.mean(self.runs))

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the runs (n - 1), None for a single run."""
        return float(np.std(self.runs, ddof=1)) if self.n_runs > 1 else None

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % interval of the mean by Student's t, None for a single run."""
        if self.deviation is None:
            return None
        return float(float(stdtrit(self.n_runs - 1, 0.975)) * self.deviation / self.n_runs**0.5)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, None for a single run."""
        return None if self.half_width is None else (self.mean - self.half_width, self.mean + self.half_width)

    def minus(self, other: "Measured") -> "Measured":
        """Return the differences, run by run: both were measured on the same cases.

        >>> Measured((90.0, 92.0)).minus(Measured((80.0, 84.0))).runs
        (10.0, 8.0)
        """
        return Measured(tuple(a - b for a, b in zip(self.runs, other.runs, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "standard_deviation": self.deviation,
            "interval_95": None if self.interval is None else list(self.interval),
            "n_runs": self.n_runs,
            "runs": list(self.runs),
        }


def is_at_most(number: float, bound: float) -> bool:
    """Return whether a number is at most a bound, up to rounding.

    >>> is_at_most(0.1 + 0.2, 0.3), is_at_most(0.31, 0.3)
    (True, False)
    """
    return number <= bound + 1e-9


def mean_over(several: Sequence[Measured]) -> Measured:
    """Return the mean of several measurements, run by run: the mean height of a curve.

    >>> mean_over([Measured((90.0, 80.0)), Measured((100.0, 80.0))]).runs
    (95.0, 80.0)
    """
    runs = np.mean([measured.runs for measured in several], axis=0)
    return Measured(tuple(float(x) for x in runs))


@dataclass(frozen=True)
class Row:
    """One figure: the paper's, casebase's, and a peer's on the same runs.

    `paper` and `paper_spread` are the paper's figure and what it prints after ±. `orientation` is the result of an
    earlier prototype of the same reading of the paper, a guide where the paper has curves but no numbers. Figures are
    in `unit`, by default accuracy in percent, with as many `decimals` as the paper prints.
    """

    experiment: str  # its place in the paper: "Figure 1a", "Table 1"
    data: str
    method: str
    setting: str = ""  # "100 training cases", "alpha 8"
    paper: float | None = None
    paper_spread: float | None = None
    ours: Measured | None = None
    peer: Measured | None = None
    peer_name: str = ""
    orientation: float | None = None
    unit: str = "%"
    note: str = ""
    missing: bool = False  # the data set is missing; the note says how to get it
    comparable: bool = True  # measured as in the paper; False if only a part of the cases was used
    another_reading: bool = False  # a second reading of a figure that has a row: shown, but neither judged nor counted
    decimals: int = 1

    @property
    def verdict(self) -> str:
        """Whether our mean is inside the paper's interval, or why that is undecidable.

        The interval is the paper's figure ± its printed spread. If it prints no spread, the verdict is whether the
        paper's figure is inside the 95 % interval of ours. If casebase has no such method, the peer is judged.

        >>> ours = Measured((90.0, 92.0, 94.0))
        >>> [Row("Table 1", "zoo", "SMILE", paper=p, paper_spread=1.5, ours=ours).verdict for p in (93.0, 98.0)]
        ['inside', 'outside']
        >>> Row("Table 1", "zoo", "SMILE", paper=95.0, ours=ours).verdict, Row("Table 1", "zoo", "SMILE").verdict
        ('inside', 'no figure printed')
        >>> Row("Table 1", "zoo", "SVM", paper=95.0, peer=ours).verdict
        'peer inside'
        >>> Row("Table 1", "zoo", "SMILE", paper=95.0, ours=Measured((94.0,))).verdict
        'one run'
        """
        if self.missing:
            return NO_DATA
        if self.paper is None:
            return NOT_PRINTED
        measured = self.ours or self.peer
        if measured is None:
            return NOT_MEASURED
        if self.another_reading:
            return ANOTHER_READING
        if not self.comparable:
            return NOT_COMPARABLE
        spread = measured.half_width if self.paper_spread is None else self.paper_spread
        if spread is None:
            return ONE_RUN
        is_inside = is_at_most(abs(measured.mean - self.paper), spread)
        if self.ours is None:
            return PEER_INSIDE if is_inside else PEER_OUTSIDE
        return INSIDE if is_inside else OUTSIDE

    @property
    def is_near(self) -> bool:
        """Whether our 95 % interval overlaps the paper's interval."""
        measured = self.ours or self.peer
        if measured is None or measured.half_width is None or self.paper is None:
            return False
        return is_at_most(abs(measured.mean - self.paper), measured.half_width + (self.paper_spread or 0.0))

    def to_dict(self) -> dict[str, Any]:
        return {
            "experiment": self.experiment,
            "data": self.data,
            "method": self.method,
            "setting": self.setting,
            "unit": self.unit,
            "paper": self.paper,
            "paper_spread": self.paper_spread,
            "ours": None if self.ours is None else self.ours.to_dict(),
            "peer": None if self.peer is None else self.peer.to_dict(),
            "peer_name": self.peer_name,
            "orientation": self.orientation,
            "verdict": self.verdict,
            "is_comparable": self.comparable,
            "is_another_reading": self.another_reading,
            "is_missing": self.missing,
            "note": self.note,
        }


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, how it is judged here, what was measured, and whether it holds.

    `holds` is None if the claim is undecided, with the reason in `measured`. A claim that is `not_in_paper` is our own
    question, answered by the paper's experiment.
    """

    experiment: str
    claim: str
    criterion: str
    measured: str
    holds: bool | None
    note: str = ""
    not_in_paper: bool = False

    @property
    def verdict(self) -> str:
        return "not decided" if self.holds is None else "holds" if self.holds else "does not hold"

    def to_dict(self) -> dict[str, Any]:
        return {
            "experiment": self.experiment,
            "claim": self.claim,
            "criterion": self.criterion,
            "measured": self.measured,
            "holds": self.holds,
            "verdict": self.verdict,
            "is_in_paper": not self.not_in_paper,
            "note": self.note,
        }


@dataclass(frozen=True)
class Curve:
    """A line of a figure: a method, and its results at each place of the x-axis."""

    label: str
    points: Mapping[float, Measured]

    def to_dict(self) -> dict[str, Any]:
        places = sorted(self.points)
        return {"label": self.label, "x": places, "y": [self.points[place].to_dict() for place in places]}


@dataclass(frozen=True)
class Panel:
    """One pair of axes. `floor` is where the y-axis begins; `log_x` is for sizes that double."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    floor: float = 0.0
    ceiling: float = 100.0
    log_x: bool = False

    def to_dict(self) -> dict[str, Any]:
        curves = [curve.to_dict() for curve in self.curves]
        return {"title": self.title, "x_label": self.x_label, "y_label": self.y_label, "curves": curves}


@dataclass(frozen=True)
class Figure:
    """A picture of panels side by side; `name` is the name of its file."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]

    def to_dict(self) -> dict[str, Any]:
        panels = [panel.to_dict() for panel in self.panels]
        return {"name": self.name, "title": self.title, "caption": self.caption, "panels": panels}


@dataclass(frozen=True)
class Part:
    """The results of one experiment."""

    rows: tuple[Row, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperReport:
    """The results for one paper: the parts of its experiments, in order."""

    name: str
    title: str
    about: str
    parts: tuple[Part, ...]
    interrupted: bool = False

    @property
    def rows(self) -> list[Row]:
        return [row for part in self.parts for row in part.rows]

    @property
    def claims(self) -> list[Claim]:
        return [claim for part in self.parts for claim in part.claims]

    @property
    def figures(self) -> list[Figure]:
        return [figure for part in self.parts for figure in part.figures]

    @property
    def notes(self) -> list[str]:
        """The remarks on the rows, each sentence once."""
        return list(dict.fromkeys(note for part in self.parts for note in part.notes))

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "interrupted": self.interrupted,
            "rows": [row.to_dict() for row in self.rows],
            "claims": [claim.to_dict() for claim in self.claims],
            "figures": [figure.to_dict() for figure in self.figures],
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Reproduction:
    """The reports of one call, with the seed and the versions behind them."""

    papers: tuple[PaperReport, ...]
    seed: int
    quick: bool
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def interrupted(self) -> bool:
        return any(paper.interrupted for paper in self.papers)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that JSON shows, including the points of the pictures."""
        return {
            "seed": self.seed,
            "quick": self.quick,
            "versions": dict(self.versions),
            "papers": [paper.to_dict() for paper in self.papers],
        }
