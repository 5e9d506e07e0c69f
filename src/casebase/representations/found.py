"""What a search for a representation has found: every comparison, and the check with examples that were kept apart."""

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from casebase.base.model import format_count
from casebase.data import Cases
from casebase.render.grids import Grid
from casebase.render.report import Report

if TYPE_CHECKING:
    from casebase.representations.record import Comparison

CONFIRMED = 0.05  # the largest p-value of a check that confirms or contradicts


@dataclass(frozen=True)
class Candidate:
    """One comparison: a change of the representation at hand, its bits beside those before, and the verdict."""

    name: str
    round: int
    bits_per_example: float
    bits_before: float
    wins: int
    losses: int
    ties: int
    p: float
    level: float
    is_better: bool
    is_kept: bool = False

    @classmethod
    def of(cls, name: str, number: int, level: float, found: "Comparison") -> "Candidate":
        (pair,) = found.pairs
        bits = found.bits_per_example
        return cls(
            name,
            number,
            bits["candidate"],
            bits["current"],
            pair.losses,
            pair.wins,
            pair.ties,
            pair.p,
            level,
            found.best == "candidate",
        )


@dataclass(frozen=True)
class Check:
    """Examples that were kept apart: the accuracy before and after, and the examples that only one has right."""

    n_examples: int
    accuracy_before: float
    accuracy_after: float
    n_won: int
    n_lost: int
    p: float

    @property
    def verdict(self) -> str:
        if self.p >= CONFIRMED:
            return "not decided"
        return "confirmed" if self.n_won > self.n_lost else "contradicted"


@dataclass(frozen=True, eq=False)
class Found:
    """The changes that were kept, in their order, every candidate, the check, and the examples as they are then."""

    changes: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    check: Check
    cases: Cases = field(repr=False)
    learner: str
    n_training: int
    confidence: float
    seed: int
    was_interrupted: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features of the representation that was found."""
        return self.cases.schema.names

    def to_dict(self) -> dict[str, Any]:
        """Return the search as JSON has it; without the examples."""
        plain = {
            name: getattr(self, name)
            for name in ("changes", "features", "learner", "n_training", "confidence", "seed", "was_interrupted")
        }
        check = asdict(self.check) | {"verdict": self.check.verdict}
        return plain | {"candidates": [asdict(one) for one in self.candidates], "check": check}

    def report(self) -> Report:
        """Return the search in sentences and a table."""
        return Report(self._headline(), self._how(), self._remarks(), [self._grid()])

    def _headline(self) -> str:
        if not self.changes:
            return f"No representation is better for {self.learner} than the one given."
        return f"Better for {self.learner}: {'; then '.join(self.changes)}."

    def _how(self) -> str:
        n_rounds = max((one.round for one in self.candidates), default=0)
        return (
            f"{format_count(len(self.candidates), 'representation')} compared in {format_count(n_rounds, 'round')}, "
            f"with {format_count(self.n_training, 'example')}, learner {self.learner}; all verdicts together have a "
            f"confidence of {self.confidence:.4g}, seed {self.seed}."
        )

    def _remarks(self) -> list[str]:
        check = self.check
        kept = format_count(check.n_examples, "example")
        remarks = []
        if self.was_interrupted:
            remarks.append("Interrupted: this is the best representation so far.")
        if not self.changes:
            remarks.append(f"Accuracy on {kept} that were kept apart: {100 * check.accuracy_before:.1f} %.")
            return remarks
        remarks.append(
            f"Check with {kept} that were kept apart: {100 * check.accuracy_after:.1f} % right, as given "
            f"{100 * check.accuracy_before:.1f} %. {check.n_won} right that were wrong, {check.n_lost} wrong that were "
            f"right (p = {check.p:.2g}): {check.verdict}."
        )
        if check.verdict != "confirmed":
            remarks.append("Fewer bits do not promise better predictions: check before you rely on the change.")
        return remarks

    def _grid(self) -> Grid:
        rows = tuple(
            (
                str(one.round),
                one.name,
                f"{one.bits_per_example:.4f}",
                f"{one.bits_before:.4f}",
                f"{one.wins}:{one.losses}",
                f"{one.p:.2g}",
                f"{one.level:.2g}",
                "kept" if one.is_kept else "better" if one.is_better else "",
            )
            for one in self.candidates
        )
        header = ("round", "change", "bits per example", "before", "runs won", "p", "needed", "")
        caption = "Bits of the hypothesis and of its corrections; fewer are better."
        return Grid("", caption, header, rows, n_left=2)

    def __str__(self) -> str:
        return self.report().text()

    def _repr_html_(self) -> str:
        return self.report().fragment()
