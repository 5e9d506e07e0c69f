"""A comparison as text."""

from textwrap import fill
from typing import TYPE_CHECKING

from casebase.render.grids import Grid
from casebase.render.words import n_columns
from casebase.representations import summary

if TYPE_CHECKING:
    from casebase.representations.record import Comparison

WIDTH = 100


def as_text(comparison: "Comparison") -> str:
    """Return the whole report as lines of text."""
    parts = [summary.headline(comparison), _wrap(summary.how(comparison))]
    for grid in summary.grids(comparison):
        parts.append("\n".join([grid.title, *as_lines(grid)]))
    parts += [_wrap(remark) for remark in summary.remarks(comparison)]
    return "\n\n".join(parts)


def as_lines(grid: Grid) -> list[str]:
    """Return the header and the rows of a table as lines, with two spaces between columns.

    >>> for line in as_lines(Grid("", "", ("name", "bits"), (("edge", "0.1"), ("pixels", "12.5")))):
    ...     print(line)
    name    bits
    edge     0.1
    pixels  12.5
    """
    rows = [grid.header, *grid.rows]
    widths = [max(n_columns(row[i]) for row in rows) for i in range(len(grid.header))]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths)):
            blanks = " " * (width - n_columns(cell))
            cells.append(cell + blanks if grid.is_left(i) else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def _wrap(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)
