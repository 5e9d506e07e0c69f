"""What a comparison of representations found, as plain records: all that is shown, drawn or written is in them."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from casebase.errors import CasebaseError
from casebase.representations.curves import draw_curves
from casebase.representations.page import render_fragment
from casebase.representations.text import as_text


@dataclass(frozen=True)
class Run:
    """One representation in one run: codelengths over growing samples, in bits, and why the run ended.

    All tuples are parallel: one entry per sample. `share_outside` is the share of autocorrelations outside their
    confidence interval (None where there are no errors to test), `p_increase` that of Kendall's test over the samples
    so far (None for fewer than five).
    """

    number: int
    representation: str
    sizes: tuple[int, ...]
    hypothesis_bits: tuple[float, ...]
    error_bits: tuple[float, ...]
    n_errors: tuple[int, ...]
    share_outside: tuple[float | None, ...]
    p_increase: tuple[float | None, ...]
    stopped: str

    @property
    def totals(self) -> tuple[float, ...]:
        """Hypothesis and corrections together, per sample."""
        return tuple(h + e for h, e in zip(self.hypothesis_bits, self.error_bits))

    @property
    def minimum(self) -> float:
        """The smallest total codelength that was seen."""
        return min(self.totals)

    @property
    def best_size(self) -> int:
        """The size of the (first) sample with the smallest total."""
        return self.sizes[self.totals.index(self.minimum)]


@dataclass(frozen=True)
class Pair:
    """Two representations: the runs in which the first was shorter, longer, or as long, and what follows.

    `p` is that of the sign test, one-sided, for the one that won more often. `verdict` names the better one, None if
    the runs did not decide. A pair is no longer counted once it is decided.
    """

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    p: float
    verdict: str | None

    @property
    def n_runs(self) -> int:
        return self.wins + self.losses + self.ties


@dataclass(frozen=True)
class SizeVerdict:
    """What the same procedure says when its samples begin at another size."""

    first_size: int
    best: str | None
    ranking: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Comparison:
    """Which representation lets the learner say the examples in the fewest bits, with all the evidence.

    `best` beats every other representation; None if no one does. `ranking` has all names, best first: by decided
    pairs, and where these leave it open, by `bits_per_example`, the mean over runs of the least total codelength, per
    example. `cycles` are sets of representations that beat one another in a circle, `undecided` the pairs without a
    verdict. `default_bits_per_example` is what it takes to answer always the most frequent class and to correct that:
    a representation that needs more does not compress. `n_contradictory` counts, per representation, the examples that
    equal one of another class: on them no hypothesis is consistent. `constant` names representations with the same
    values in all examples. `sensitivity` has the verdict for each first size that was tried, that of the comparison
    itself among them. `notes` are sentences about what a reader must know before trusting the answer.
    """

    names: tuple[str, ...]
    best: str | None
    ranking: tuple[str, ...]
    bits_per_example: Mapping[str, float]
    pairs: tuple[Pair, ...]
    cycles: tuple[tuple[str, ...], ...]
    undecided: tuple[tuple[str, str], ...]
    runs: tuple[Run, ...]
    sensitivity: tuple[SizeVerdict, ...]
    default_bits_per_example: float
    n_examples: int
    n_classes: int
    n_contradictory: Mapping[str, int]
    constant: tuple[str, ...]
    learner: str
    parameters: Mapping[str, Any]
    first_size: int
    growth: float
    confidence: float
    max_runs: int
    order: str
    seed: int
    notes: tuple[str, ...] = ()
    was_interrupted: bool = False

    @property
    def n_runs(self) -> int:
        """How many runs there were."""
        return len({run.number for run in self.runs})

    @property
    def is_sensitive(self) -> bool:
        """Whether another first size changes which representation is best."""
        return len({one.best for one in self.sensitivity}) > 1

    def runs_of(self, name: str) -> tuple[Run, ...]:
        """Return the runs of one representation."""
        return tuple(run for run in self.runs if run.representation == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON has it."""
        return asdict(self) | {"bits_per_example": dict(self.bits_per_example)}

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the codelength over the size of the sample, with the spread over runs; return the figure, or `ax`.

        Needs matplotlib: `pip install 'casebase[plot]'`.
        """
        return draw_curves(self, ax)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Comparison":
        """Return a comparison from what `to_dict` gave, also after JSON."""
        return _of(
            cls,
            record,
            runs=lambda runs: tuple(_of(Run, one) for one in runs),
            pairs=_pairs,
            sensitivity=lambda sizes: tuple(_of(SizeVerdict, one, pairs=_pairs) for one in sizes),
        )


def _pairs(records: Any) -> tuple[Pair, ...]:
    return tuple(_of(Pair, one) for one in records)


def _of(cls: Any, record: Any, **read: Callable[[Any], Any]) -> Any:
    """Return a record as its class; `read` has how fields are read that are records themselves."""
    absent = [one.name for one in fields(cls) if not isinstance(record, Mapping) or one.name not in record]
    if absent:
        raise CasebaseError(
            f"This is not a whole record of a comparison: {cls.__name__} has no {', '.join(absent[:5])}."
        )
    return cls(**{one.name: read.get(one.name, _frozen)(record[one.name]) for one in fields(cls)})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list | tuple) else value
