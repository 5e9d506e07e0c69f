"""Tables of text for reports on a terminal, in Markdown and on a page."""

from dataclasses import dataclass
from html import escape

from casebase.render.words import n_columns, printable


@dataclass(frozen=True)
class Grid:
    """A table of text; the first `n_left` columns and those named in `words` are left-aligned.

    On a page, the columns named in `code` are shown as command lines.
    """

    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_left: int = 1
    words: tuple[str, ...] = ()
    code: tuple[str, ...] = ()

    def is_left(self, column: int) -> bool:
        return column < self.n_left or self.header[column] in self.words


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


def as_html(grid: Grid) -> str:
    """Return a table with its title and its caption, for a page with the style of reports."""
    head = "".join(f'<th scope="col"{_class(grid, i)}>{_text(name)}</th>' for i, name in enumerate(grid.header))
    rows = "\n".join(
        f"<tr>{''.join(f'<td{_class(grid, i)}>{_cell(grid, i, cell)}</td>' for i, cell in enumerate(row))}</tr>"
        for row in grid.rows
    )
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    title = f"<h2>{_text(grid.title)}</h2>\n" if grid.title else ""
    caption = f'\n<p class="cb-note">{_text(grid.caption)}</p>' if grid.caption else ""
    return f'{title}<div class="cb-scroll">{table}</div>{caption}'


def _cell(grid: Grid, column: int, cell: str) -> str:
    """Return the content of a cell; the words of a command line are not broken at hyphens."""
    if grid.header[column] not in grid.code:
        return _text(cell)
    return f"<code>{' '.join(f'<span>{_text(word)}</span>' for word in cell.split(' '))}</code>"


def _class(grid: Grid, column: int) -> str:
    return "" if grid.is_left(column) else ' class="cb-num"'


def _text(text: str) -> str:
    return escape(printable(text))
