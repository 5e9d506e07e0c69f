"""The result of a comparison of methods as plain records; reports, plots and files contain nothing else."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from casebase.errors import CasebaseError, unknown_name
from casebase.method_comparison.contestants import MAJORITY, Role
from casebase.method_comparison.page import render_fragment, render_text


@dataclass(frozen=True)
class MethodScore:
    """The scores of one method, peer or baseline on held-out cases.

    `accuracy` and `log_loss` are means over all answered cases, `standard_error` that of the accuracies of the folds.
    `fit_seconds` is the mean per fold, `answers_per_second` counts labels with their probabilities, and `n_bytes` is
    the size of a model file, or of a peer's pickle, from one fold's training cases. `p` is that of the paired test
    against the best (None for the best itself); `within_noise` says that the test does not tell the two apart. `error`
    is the message of a method that failed, `note` says why folds are missing.
    """

    method: str
    title: str
    role: Role
    accuracy: float | None = None
    standard_error: float | None = None
    log_loss: float | None = None
    fit_seconds: float | None = None
    answers_per_second: float | None = None
    n_bytes: int | None = None
    p: float | None = None
    within_noise: bool = False
    fold_accuracies: tuple[float, ...] = ()
    error: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Difference:
    """A case on which methods differ: its id, its class, and the held-out answer of each method that has one."""

    id: Any
    label: Any
    answers: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the case in a form that JSON can represent."""
        return {"id": self.id, "class": self.label, "answers": dict(self.answers)}


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """The answers of all contestants to the held-out cases, as codes of `classes`; -1 where one has not answered."""

    ids: np.ndarray
    classes: tuple[Any, ...]
    labels: np.ndarray
    answers: dict[str, np.ndarray]

    def differing(self, methods: Sequence[str] | None = None) -> np.ndarray:
        """Return the places of the cases on which some methods differ; all by default, but not the baseline.

        A method that has not answered a case does not differ on it.
        """
        chosen = self._chosen(methods)
        if len(chosen) < 2:
            return np.array([], dtype=np.int64)
        codes = np.stack([self.answers[name] for name in chosen])
        highest = codes.max(axis=0)
        lowest = np.where(codes < 0, len(self.classes), codes).min(axis=0)
        return np.flatnonzero(lowest < highest)

    def difference(self, place: int, methods: Sequence[str] | None = None) -> Difference:
        """Return the answers of some methods to the case at a place."""
        codes = {name: int(self.answers[name][place]) for name in self._chosen(methods)}
        told = {name: self.classes[code] for name, code in codes.items() if code >= 0}
        return Difference(_plain(self.ids[place]), self.classes[self.labels[place]], told)

    def _chosen(self, methods: Sequence[str] | None) -> list[str]:
        if methods is None:
            return [name for name in self.answers if name != MAJORITY]
        for name in methods:
            if name not in self.answers:
                raise CasebaseError(unknown_name("method", name, self.answers))
        return list(dict.fromkeys(methods))


def _plain(case: Any) -> Any:
    return case.item() if isinstance(case, np.generic) else case


@dataclass(frozen=True)
class MethodComparison:
    """All methods on the same folds of a table, best first.

    `rows` are ordered by accuracy, then by log loss; those that have answered some folds only, or none, come last.
    `best` is the first of all rows, and `best_method` the first that casebase can train; None if none could be
    measured. The folds are `casebase.data.folds.folds(labels, n_folds, random_state)`, the same for all; `fold_sizes`
    has their numbers of cases. `notes` are sentences that a reader must know before trusting the result. `held_out` has
    every answer to a held-out case.
    """

    rows: tuple[MethodScore, ...]
    best: str | None
    best_method: str | None
    n_cases: int
    n_features: int
    n_classes: int
    n_folds: int
    fold_sizes: tuple[int, ...]
    random_state: int
    time_budget: float | None = None
    notes: tuple[str, ...] = ()
    was_interrupted: bool = False
    held_out: HeldOutAnswers | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, method: str) -> MethodScore:
        """Return the row of a method, by its name."""
        return next(row for row in self.rows if row.method == method)

    def differences(self, methods: Sequence[str] | None = None) -> list[Difference]:
        """Return the cases on which some methods differ, in the order given; all methods by default.

        >>> from casebase import compare_methods
        >>> rows = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]] * 3
        >>> compared = compare_methods(rows, ["apple", "pepper", "apple", "bean"] * 3, methods=["ib1", "c45"])
        >>> len(compared.differences(["ib1", "majority"]))
        6
        """
        found = self.held_out
        return [] if found is None else [found.difference(i, methods) for i in found.differing(methods).tolist()]

    def to_dict(self, *, differences: bool = False) -> dict[str, Any]:
        """Return the comparison as JSON can represent it; on request with the cases on which methods differ."""
        record = asdict(replace(self, held_out=None))
        del record["held_out"]
        return record | ({"differences": [one.to_dict() for one in self.differences()]} if differences else {})

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)
