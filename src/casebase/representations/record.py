"""The result of a comparison as plain records; reports, plots and files contain nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from casebase.errors import CasebaseError
from casebase.representations.curves import draw_curves
from casebase.representations.page import render_fragment, render_text


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
        """The smallest total codelength."""
        return min(self.totals)

    @property
    def best_size(self) -> int:
        """The size of the (first) sample with the smallest total."""
        return self.sizes[self.totals.index(self.minimum)]


@dataclass(frozen=True)
class Pair:
    """Two representations: the runs in which the first had a shorter, longer or equal codelength, and the verdict.

    `p` is the p-value of a one-sided sign test for the one that won more often. `verdict` names the better one, None if
    the runs did not decide. A decided pair is no longer counted.
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
    """The verdict of the same procedure with another first size."""

    first_size: int
    best: str | None
    ranking: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Comparison:
    """The representation with the shortest codelength of the examples, with all the evidence.

    `best` beats every other representation; None if none does. `ranking` has all names, best first: by decided pairs,
    and where these do not decide, by `bits_per_example`, the mean over runs of the smallest total codelength per
    example. `cycles` are sets of representations that beat one another in a cycle, `undecided` the pairs without a
    verdict. `default_bits_per_example` is the codelength of always answering the most frequent class, with its
    corrections: a representation that needs more does not compress. `n_contradictory` counts, per representation, the
    examples that equal an example of another class: no hypothesis is consistent with them. `constant` names
    representations with the same values in all examples. `sensitivity` has the verdict for each first size, including
    that of the comparison itself. `notes` are sentences that a reader must know before trusting the result.
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
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)

    def plot(self, ax: Any = None) -> Any:
        """Plot codelength against sample size, with the spread over runs; return the figure, or `ax`.

        Needs matplotlib: `pip install 'casebase[plot]'`.
        """
        return draw_curves(self, ax)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Comparison":
        """Return the comparison that `to_dict` wrote, also after a round trip through JSON."""
        comparison: Comparison = _restore(
            cls,
            record,
            runs=lambda runs: tuple(_restore(Run, one) for one in runs),
            pairs=_pairs,
            sensitivity=lambda sizes: tuple(_restore(SizeVerdict, one, pairs=_pairs) for one in sizes),
        )
        return comparison


def _pairs(records: Any) -> tuple[Pair, ...]:
    return tuple(_restore(Pair, one) for one in records)


def _restore(cls: Any, record: Any, **read: Callable[[Any], Any]) -> Any:
    """Return an instance of a class from its fields; `read` has functions for fields that are records themselves."""
    absent = [one.name for one in fields(cls) if not isinstance(record, Mapping) or one.name not in record]
    if absent:
        raise CasebaseError(
            f"This is not a complete record of a comparison: {cls.__name__} has no {', '.join(absent[:5])}."
        )
    return cls(**{one.name: read.get(one.name, _freeze)(record[one.name]) for one in fields(cls)})


def _freeze(value: Any) -> Any:
    return tuple(_freeze(one) for one in value) if isinstance(value, list | tuple) else value
