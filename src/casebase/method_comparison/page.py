"""A comparison of methods as text, and as an HTML page with its plot."""

from typing import TYPE_CHECKING

from casebase.method_comparison import summary
from casebase.method_comparison.plot import scores_svg
from casebase.render.report import Report

if TYPE_CHECKING:
    from casebase.method_comparison.record import MethodComparison


def render_text(comparison: "MethodComparison") -> str:
    """Return the whole report as lines of text."""
    return _report(comparison).text()


def render_page(comparison: "MethodComparison", title: str = "Which method?") -> str:
    """Return a self-contained page with the result, the plot and the table."""
    return _report(comparison, titles=True).page(title, scores_svg(comparison))


def render_fragment(comparison: "MethodComparison") -> str:
    """Return the report with its styles, for embedding in a page such as a notebook."""
    return _report(comparison, titles=True).fragment(scores_svg(comparison))


def _report(comparison: "MethodComparison", *, titles: bool = False) -> Report:
    return Report(
        summary.headline(comparison),
        summary.how(comparison),
        summary.remarks(comparison),
        [summary.grid(comparison, titles=titles)],
    )
