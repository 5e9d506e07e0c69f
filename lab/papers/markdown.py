"""A report as Markdown."""

from collections.abc import Sequence

from casebase.render.grids import Grid
from lab.papers.records import Reproduction
from lab.papers.tables import claims_of, grids_of
from lab.papers.wording import how_made, in_short


def render_markdown(reproduction: Reproduction) -> str:
    """Return the reports as one Markdown text."""
    parts = ["# The papers beside casebase", how_made(reproduction)]
    for paper in reproduction.papers:
        parts += [f"## {paper.title}", paper.about, in_short(paper)]
        for grid in [*grids_of(paper.rows), *[claims_of(paper.claims)] * bool(paper.claims)]:
            parts += [f"### {grid.title}", _table(grid)] + [grid.caption] * bool(grid.caption)
        parts += paper.notes
    return "\n\n".join(parts) + "\n"


def _table(grid: Grid) -> str:
    rule = ["---" if grid.is_left(i) else "---:" for i in range(len(grid.header))]
    return "\n".join([_line(grid.header), f"|{'|'.join(rule)}|", *map(_line, grid.rows)])


def _line(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", "\\|").replace("\n", " ") for cell in cells]
    return f"| {' | '.join(escaped)} |"
