"""The result of a comparison of methods as plain records; reports, plots and files contain nothing else."""

from dataclasses import asdict, dataclass
from typing import Any

from casebase.method_comparison.contestants import Role
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
class MethodComparison:
    """All methods on the same folds of a table, best first.

    `rows` are ordered by accuracy, then by log loss; those that have answered some folds only, or none, come last.
    `best` is the first of all rows, and `best_method` the first that casebase can train; None if none could be
    measured. The folds are `casebase.data.folds.folds(labels, n_folds, random_state)`, the same for all; `fold_sizes`
    has their numbers of cases. `notes` are sentences that a reader must know before trusting the result.
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

    def __getitem__(self, method: str) -> MethodScore:
        """Return the row of a method, by its name."""
        return next(row for row in self.rows if row.method == method)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison in a form that JSON can represent."""
        return asdict(self)

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)
