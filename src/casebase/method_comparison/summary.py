"""A comparison of methods in sentences and one table, for the terminal, the HTML page and the notebook."""

from typing import TYPE_CHECKING

from casebase.base.model import format_count
from casebase.render.grids import Grid

if TYPE_CHECKING:
    from casebase.method_comparison.record import MethodComparison, MethodScore

NONE = "–"
BEST, WITHIN_NOISE = "best", "≈"
HEADER = ("", "method", "accuracy", "±", "log loss", "fit", "answers/s", "size", "p")
CAPTION = (
    "Accuracy in percent, with the standard error over the folds; log loss in nats; time to fit one fold; answers with "
    f"their probabilities per second; size of a model file. {WITHIN_NOISE} marks what McNemar's test (p) does not "
    "tell from the best."
)


def headline(comparison: "MethodComparison") -> str:
    """Return the result in one sentence."""
    if comparison.best is None:
        return "No method could be measured."
    best = comparison[comparison.best]
    equal = [row.method for row in comparison.rows if row.within_noise and row is not best]
    sentence = f"{best.method} is the most accurate, {best.accuracy or 0.0:.1%}"
    if not equal:
        return f"{sentence}; no other is within the noise."
    shown = ", ".join(equal[:4]) + (f" and {len(equal) - 4} more" if len(equal) > 4 else "")
    return f"{sentence}; within the noise: {shown}."


def how(comparison: "MethodComparison") -> str:
    """Return a sentence on what was compared, and how."""
    n_methods = sum(row.role == "method" for row in comparison.rows)
    n_peers = sum(row.role == "peer" for row in comparison.rows)
    peers = f" and {format_count(n_peers, 'peer')}" if n_peers else ""
    return (
        f"{format_count(comparison.n_cases, 'case')}, {format_count(comparison.n_features, 'feature')}, "
        f"{format_count(comparison.n_classes, 'class')}; {format_count(n_methods, 'method')}{peers} with their "
        f"default settings, on the same {comparison.n_folds} stratified folds, seed {comparison.random_state}."
    )


def remarks(comparison: "MethodComparison") -> list[str]:
    """Return what a reader must know before trusting the result."""
    failed = [f"{row.method} failed: {row.error}" for row in comparison.rows if row.error is not None]
    stopped = [f"{row.method}: {row.note}." for row in comparison.rows if row.note is not None]
    return [*comparison.notes, *stopped, *failed]


def grid(comparison: "MethodComparison", *, titles: bool = False) -> Grid:
    """Return the table; `titles` adds a column that says what each method is."""
    header = (*HEADER, "what it is") if titles else HEADER
    rows = [(*_cells(comparison, row), row.title) if titles else _cells(comparison, row) for row in comparison.rows]
    return Grid("Methods", CAPTION, header, tuple(rows), n_left=2, words=("what it is",))


def _cells(comparison: "MethodComparison", row: "MethodScore") -> tuple[str, ...]:
    mark = BEST if row.method == comparison.best else WITHIN_NOISE if row.within_noise else ""
    if row.accuracy is None:
        return (mark, row.method, "failed" if row.error is not None else "not run", *[NONE] * (len(HEADER) - 3))
    return (
        mark,
        row.method,
        _percent(row.accuracy),
        NONE if row.standard_error is None else _percent(row.standard_error),
        f"{row.log_loss:.3f}",
        seconds(row.fit_seconds or 0.0),
        f"{row.answers_per_second:,.0f}",
        size(row.n_bytes),
        NONE if row.p is None else f"{row.p:.3f}" if row.p >= 0.001 else "<0.001",
    )


def seconds(amount: float) -> str:
    """Return a time with its unit.

    >>> seconds(0.0123), seconds(3.21), seconds(200)
    ('12 ms', '3.2 s', '3 min')
    """
    if amount < 1:
        return f"{max(1000 * amount, 1):.0f} ms"
    return f"{amount:.1f} s" if amount < 100 else f"{amount / 60:,.0f} min"


def size(n_bytes: int | None) -> str:
    """Return a number of bytes with its unit.

    >>> size(900), size(12_300), size(4_560_000)
    ('1 kB', '12 kB', '4.6 MB')
    """
    if n_bytes is None:
        return NONE
    return f"{max(n_bytes / 1e3, 1):.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}"
