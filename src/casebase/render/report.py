"""A report: a headline, how it was measured, remarks, a picture and tables, as text and as HTML.

The HTML is one file without scripts and without anything external, light or dark as the reader prefers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill

from casebase.render.grids import Grid, as_html, as_lines
from casebase.render.page import document
from casebase.render.stylesheet import REPORT_PAGE_STYLE, REPORT_STYLE
from casebase.render.words import printable

WIDTH = 100
OUTER = "casebase-comparison"


@dataclass(frozen=True)
class Report:
    """The parts of a report; `how` says what was measured, `remarks` what to know before trusting the result."""

    headline: str
    how: str
    remarks: Sequence[str]
    grids: Sequence[Grid]

    def text(self) -> str:
        """Return the whole report as lines of text."""
        tables = ["\n".join([*([grid.title] if grid.title else []), *as_lines(grid)]) for grid in self.grids]
        how = [wrap(self.how)] if self.how else []
        return "\n\n".join([self.headline, *how, *tables, *map(wrap, self.remarks)])

    def page(self, title: str, picture: str) -> str:
        """Return a self-contained page; `picture` is HTML."""
        return document(title, self._body(picture), f"{REPORT_STYLE}\n{REPORT_PAGE_STYLE}", outer=OUTER)

    def fragment(self, picture: str = "") -> str:
        """Return the report with its styles, for embedding in a page such as a notebook."""
        return f'<div class="{OUTER}">\n<style>\n{REPORT_STYLE}\n</style>\n{self._body(picture)}\n</div>'

    def _body(self, picture: str) -> str:
        parts = [
            f'<p class="cb-headline">{line(self.headline)}</p>',
            *([f'<p class="cb-note">{line(self.how)}</p>'] if self.how else []),
            *(f'<p class="cb-remark">{line(remark)}</p>' for remark in self.remarks),
            picture,
            *map(as_html, self.grids),
        ]
        return "\n".join(parts)


def line(text: str) -> str:
    """Return a text as one harmless line of HTML."""
    return escape(printable(text))


def wrap(text: str, width: int = WIDTH) -> str:
    """Return a text in lines of at most this width."""
    return fill(text, width, break_on_hyphens=False)
