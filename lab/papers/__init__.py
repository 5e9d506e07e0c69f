"""The experiments of the papers, repeated: printed results next to those of casebase.

A paper is a module with a `PAPER`: its experiments as data (`running`), whose results become rows, claims and figures
(`records`); `tables`, `markdown`, `page` and `plots` show them. `PAPERS` lists all papers by name.
"""

from lab.papers import acr, igtree, oblivion, rules, smile
from lab.papers.markdown import render_markdown
from lab.papers.page import render_page
from lab.papers.records import Claim, Curve, Figure, Measured, Panel, PaperReport, Part, Reproduction, Row
from lab.papers.running import Experiment, Paper, count_runs, reproduce

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (igtree.PAPER, oblivion.PAPER, smile.PAPER, rules.PAPER, acr.PAPER)
}

__all__ = [
    "PAPERS",
    "Claim",
    "Curve",
    "Experiment",
    "Figure",
    "Measured",
    "Panel",
    "Paper",
    "PaperReport",
    "Part",
    "Reproduction",
    "Row",
    "count_runs",
    "render_markdown",
    "render_page",
    "reproduce",
]
