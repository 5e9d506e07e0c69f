"""A comparison as text, and as an HTML page with its curves."""

import base64
from typing import TYPE_CHECKING

from casebase.errors import MissingPlotExtraError
from casebase.render.report import Report, line
from casebase.representations import summary
from casebase.representations.curves import curves_svg

if TYPE_CHECKING:
    from casebase.representations.record import Comparison


def render_text(comparison: "Comparison") -> str:
    """Return the whole report as lines of text."""
    return report_of(comparison).text()


def render_page(comparison: "Comparison", title: str = "Which representation?") -> str:
    """Return a self-contained page with the result, the curves and all tables."""
    return report_of(comparison).page(title, _curves(comparison))


def render_fragment(comparison: "Comparison") -> str:
    """Return the report with its styles, for embedding in a page such as a notebook."""
    return report_of(comparison).fragment(_curves(comparison))


def report_of(comparison: "Comparison") -> Report:
    """Return the sentences and tables of a comparison."""
    return Report(
        summary.headline(comparison), summary.how(comparison), summary.remarks(comparison), summary.grids(comparison)
    )


def _curves(comparison: "Comparison") -> str:
    try:
        # As an image, not inline: the ids inside an SVG must be unique on a page, and two drawings share theirs.
        source = base64.b64encode(curves_svg(comparison).encode("utf-8")).decode("ascii")
    except MissingPlotExtraError as error:
        return f'<p class="cb-note">{line(str(error))}</p>'
    alt = f"Bits per example over the size of the sample: {summary.headline(comparison)}"
    return f'<img src="data:image/svg+xml;base64,{source}" alt="{line(alt)}">'
