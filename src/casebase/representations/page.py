"""A comparison as an HTML page: one file, no scripts, nothing external, light or dark as the reader prefers."""

import base64
from html import escape
from typing import TYPE_CHECKING

from casebase.errors import MissingPlotExtraError
from casebase.render.grids import Grid
from casebase.render.page import document
from casebase.render.stylesheet import palette
from casebase.render.words import printable
from casebase.representations import summary
from casebase.representations.curves import curves_svg

if TYPE_CHECKING:
    from casebase.representations.record import Comparison

# Each rule begins with the class of the outer element, so that it cannot restyle the rest of a notebook.
STYLE = (
    f"{palette('.casebase-comparison')}\n"
    + """
.casebase-comparison .cb-headline { font-size: 1.35rem; font-weight: 600; line-height: 1.3; margin: 0 0 .3rem; }
.casebase-comparison .cb-note { color: var(--soft); font-size: .9rem; margin: .4rem 0 0; max-width: 52rem; }
.casebase-comparison .cb-remark { background: var(--mark); color: var(--mark-ink); border-radius: 6px;
  padding: .4rem .7rem; margin: .5rem 0; }
.casebase-comparison h2 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
.casebase-comparison img { display: block; max-width: 100%; height: auto; background: #fff;
  border: 1px solid var(--line); border-radius: 8px; padding: .5rem; box-sizing: border-box; margin: 1rem 0; }
.casebase-comparison .cb-scroll { overflow-x: auto; }
.casebase-comparison table { border-collapse: collapse; font-size: .93rem; margin: 0; }
.casebase-comparison :is(th, td) { text-align: left; padding: .25rem 1.1rem .25rem 0; background: none;
  border-bottom: 1px solid var(--line); vertical-align: top; }
.casebase-comparison thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.casebase-comparison .cb-num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
""".strip()
)

PAGE_STYLE = """
body.casebase-comparison { margin: 0; }
.casebase-comparison > main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
""".strip()


def render_page(comparison: "Comparison", title: str = "Which representation?") -> str:
    """Return a self-contained page with the result, the curves and all tables."""
    return document(title, _body(comparison), f"{STYLE}\n{PAGE_STYLE}", outer="casebase-comparison")


def render_fragment(comparison: "Comparison") -> str:
    """Return the report with its styles, for embedding in a page such as a notebook."""
    return f'<div class="casebase-comparison">\n<style>\n{STYLE}\n</style>\n{_body(comparison)}\n</div>'


def _body(comparison: "Comparison") -> str:
    parts = [
        f'<p class="cb-headline">{_text(summary.headline(comparison))}</p>',
        f'<p class="cb-note">{_text(summary.how(comparison))}</p>',
        *(f'<p class="cb-remark">{_text(remark)}</p>' for remark in summary.remarks(comparison)),
        _curves(comparison),
        *(_table(grid) for grid in summary.grids(comparison)),
    ]
    return "\n".join(parts)


def _curves(comparison: "Comparison") -> str:
    try:
        # As an image, not inline: the ids inside an SVG must be unique on a page, and two drawings share theirs.
        source = base64.b64encode(curves_svg(comparison).encode("utf-8")).decode("ascii")
    except MissingPlotExtraError as error:
        return f'<p class="cb-note">{_text(str(error))}</p>'
    alt = f"Bits per example over the size of the sample: {summary.headline(comparison)}"
    return f'<img src="data:image/svg+xml;base64,{source}" alt="{_text(alt)}">'


def _table(grid: Grid) -> str:
    head = "".join(f'<th scope="col"{_class(grid, i)}>{_text(name)}</th>' for i, name in enumerate(grid.header))
    rows = "\n".join(
        f"<tr>{''.join(f'<td{_class(grid, i)}>{_text(cell)}</td>' for i, cell in enumerate(row))}</tr>"
        for row in grid.rows
    )
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    caption = f'<p class="cb-note">{_text(grid.caption)}</p>'
    return f'<h2>{_text(grid.title)}</h2>\n<div class="cb-scroll">{table}</div>\n{caption}'


def _class(grid: Grid, column: int) -> str:
    return "" if grid.is_left(column) else ' class="cb-num"'


def _text(text: str) -> str:
    return escape(printable(text))
