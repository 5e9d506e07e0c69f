"""The reliability of the tagger's confidence, as the table of its page has it."""

import re
from typing import Any

from casebase.render.drawing import COLOURS, INK, PALE, SOFT, new_figure
from lab.paths import DOCS

ROW = re.compile(r"^\| [\d.]+–[\d.]+ \|(.*)\|$", re.MULTILINE)
# The columns of the table: the number of words, what was said of them on the mean, and what was right.
SERIES = (("confidence", slice(0, 3), COLOURS[0], "o"), ("share of the vote", slice(3, 6), COLOURS[1], "s"))


def tagger_reliability() -> Any:
    """Return what was said about tags against what was right, for the confidence and for the shares of the vote."""
    rows = [row.split("|") for row in ROW.findall((DOCS / "tagger-quality.md").read_text(encoding="utf-8"))]
    with new_figure(5.2, 4.4) as figure:
        figure.set_facecolor("white")
        axes = figure.subplots()
        axes.plot([30, 100], [30, 100], color=PALE, linewidth=1.4, zorder=1)
        axes.text(72, 68.5, "what is said is right", color=SOFT, fontsize=9, rotation=38)
        for name, columns, colour, mark in SERIES:
            cells = [[cell.strip().replace(",", "") for cell in row[columns]] for row in rows]
            points = [(float(said), float(right)) for n, said, right in cells if n != "0"]
            axes.plot(*zip(*points), color=colour, marker=mark, markersize=5.5, linewidth=1.4, label=name, zorder=3)
        axes.set_xlabel("said, per cent", color=INK)
        axes.set_ylabel("right, per cent", color=INK)
        axes.set_xlim(35, 101)
        axes.set_ylim(30, 101)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="lower right", frameon=False, fontsize=9.5)
    return figure
