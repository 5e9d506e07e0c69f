"""A report as an HTML page: one file, no scripts, nothing external, light or dark as the reader prefers."""

import base64
import html
from itertools import groupby

from casebase.errors import MissingPlotExtraError
from casebase.render.grids import Grid
from casebase.render.page import document
from casebase.render.stylesheet import palette
from lab.papers.plots import svg_of
from lab.papers.records import Figure, PaperReport, Part, Reproduction
from lab.papers.tables import claims_of, grids_of
from lab.papers.wording import how_made, in_short

OUTER = "casebase-papers"
STYLE = (
    f"{palette(f'.{OUTER}')}\n"
    + """
body { --good: #00694c; --good-back: #e2f3ec; margin: 0; }
@media (prefers-color-scheme: dark) { body { --good: #7fd6b4; --good-back: #12352a; } }
main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.2rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.8rem 0 .4rem; }
a { color: var(--bar); }
.note, figcaption, caption { color: var(--soft); font-size: .9rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0; padding: 0; }
figure { margin: 1rem 0; }
figure img { display: block; max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line);
  border-radius: 8px; padding: .5rem; box-sizing: border-box; }
figcaption { margin-top: .4rem; max-width: 48rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .93rem; }
caption { caption-side: bottom; text-align: left; padding-top: .4rem; max-width: 48rem; }
th, td { text-align: left; padding: .25rem 1.1rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
.num { text-align: right; font-variant-numeric: tabular-nums; }
td.num { white-space: nowrap; }
.verdict { white-space: nowrap; }
.verdict span { border-radius: 4px; padding: .05rem .4rem; background: var(--panel); }
.verdict .good { background: var(--good-back); color: var(--good); font-weight: 600; }
.verdict .bad { background: var(--mark); color: var(--mark-ink); font-weight: 600; }
""".strip()
)

# The verdict is in words, for readers without colours; the mark and the colour make it easier to find.
MARKS = {
    "inside": ("good", "✓ "),
    "holds": ("good", "✓ "),
    "outside": ("bad", "✗ "),
    "peer inside": ("good", "✓ "),
    "peer outside": ("bad", "✗ "),
    "does not hold": ("bad", "✗ "),
}


def render_page(reproduction: Reproduction, title: str = "The papers beside casebase") -> str:
    """Return one self-contained page with the tables, the claims and the figures of every paper."""
    heading = f'<h1>{html.escape(title)}</h1>\n<p class="note">{html.escape(how_made(reproduction))}</p>\n'
    papers = "\n".join(_paper(paper) for paper in reproduction.papers)
    return document(title, heading + _contents(reproduction) + papers, STYLE, outer=OUTER)


def _contents(reproduction: Reproduction) -> str:
    if len(reproduction.papers) < 2:
        return ""
    entries = "".join(f'<li><a href="#{p.name}">{html.escape(p.title)}</a></li>' for p in reproduction.papers)
    return f'<nav aria-label="Papers"><ul>{entries}</ul></nav>\n'


def _paper(paper: PaperReport) -> str:
    parts = [f'<section id="{html.escape(paper.name)}">', f"<h2>{html.escape(paper.title)}</h2>"]
    parts += [f"<p>{html.escape(text)}</p>" for text in (paper.about, in_short(paper))]
    for _, together in groupby(paper.parts, key=_shown_with):
        several = list(together)
        parts += [_figures(part) for part in several]
        parts += [_table(grid) for grid in grids_of([row for part in several for row in part.rows])]
    parts += [_table(claims_of(paper.claims))] * bool(paper.claims)
    parts += [f'<p class="note">{html.escape(note)}</p>' for note in paper.notes]
    return "\n".join([*parts, "</section>"])


def _shown_with(part: Part) -> str | int:
    """Return the key of a part's table: parts of one experiment share a table, a part with figures has its own."""
    return id(part) if part.figures or not part.rows else part.rows[0].experiment


def _figures(part: Part) -> str:
    try:
        return "\n".join(_figure(figure) for figure in part.figures)
    except MissingPlotExtraError as error:
        return f'<p class="note">{html.escape(str(error))}. The points of the curves are in --json.</p>'


def _figure(figure: Figure) -> str:
    # As an image, not inline: the ids inside an SVG must be unique on a page, and two drawings share theirs.
    source = base64.b64encode(svg_of(figure).encode("utf-8")).decode("ascii")
    image = f'<img src="data:image/svg+xml;base64,{source}" alt="{html.escape(figure.title)}">'
    caption = f"<strong>{html.escape(figure.title)}.</strong> {html.escape(figure.caption)}"
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _table(grid: Grid) -> str:
    caption = f"<caption>{html.escape(grid.caption)}</caption>" if grid.caption else ""
    head = "".join(f'<th scope="col"{_class(grid, i)}>{html.escape(name)}</th>' for i, name in enumerate(grid.header))
    body = "\n".join(f"<tr>{''.join(_cell(grid, i, cell) for i, cell in enumerate(row))}</tr>" for row in grid.rows)
    table = f"<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    return f'<h3>{html.escape(grid.title)}</h3>\n<div class="scroll">{table}</div>'


def _cell(grid: Grid, column: int, cell: str) -> str:
    text = html.escape(cell)
    if grid.header[column] == "verdict":
        kind, mark = MARKS.get(cell, ("", ""))
        return f'<td class="verdict"><span class="{kind}">{mark}{text}</span></td>'
    if column == 0:
        return f'<th scope="row"{_class(grid, column)}>{text}</th>'
    return f"<td{_class(grid, column)}>{text}</td>"


def _class(grid: Grid, column: int) -> str:
    return "" if grid.is_left(column) else ' class="num"'
