"""A report as Markdown, page and pictures."""

import builtins
import re
import sys

import pytest

from casebase.errors import CasebaseError
from lab.papers import Curve, Figure, Measured, Panel, plots, render_markdown, render_page, reproduce
from lab.papers.tables import grids_of
from tests.base.evidence.test_html import parsed
from tests.lab.papers.papers import CHANCE


@pytest.fixture(scope="module")
def report():
    return reproduce([CHANCE])


@pytest.fixture
def without_matplotlib(monkeypatch):
    """As if matplotlib were not installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def fails(name, *arguments, **options):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", fails)


def test_points_of_curves_stand_side_by_side(report):
    """A line per number of training cases, a column per method, with the orientation and the peer."""
    grid = grids_of(report.papers[0].rows)[0]

    assert grid.title == "Figure 1: coins"
    assert grid.header == ("training cases", "guessing", "orientation", "their guess")
    assert grid.rows == (("10", "61.0 ± 2.5", "65.0", "50.0 ± 0.0"), ("20", "81.0 ± 2.5", "–", "70.0 ± 0.0"))


def test_figures_of_a_table_are_listed(report):
    """One line each: the paper's, ours, the verdict; columns that would be empty are left out."""
    grid = grids_of(report.papers[0].rows)[1]

    assert grid.header == ("data", "method", "paper", "casebase", "verdict", "note")
    assert grid.rows[0] == ("dice", "guessing", "17.0 ± 1.0", "17.5 ± 1.0", "inside", "")
    assert grid.rows[1][-1] == "(1)"
    assert "(1) Why | not known. The reason is not known." in grid.caption


def test_markdown_has_tables_claims_and_the_seed(report):
    """Everything that the page has but the pictures; a bar in a note does not break a table."""
    text = render_markdown(report)

    assert "| 10 | 61.0 ± 2.5 | 65.0 | 50.0 ± 0.0 |" in text
    assert "| Figure 1 | ours leads | ours is higher at 20 | +11.0 points. | holds |" in text
    assert "Why | not known." in text
    assert "Seed 0; casebase " in text


def test_a_curve_looks_the_same_in_all_panels():
    """Panels with different methods share one legend: the same name has the same colour in each."""
    pytest.importorskip("matplotlib")
    point = {10: Measured((1.0, 2.0))}
    panels = [Panel(title, "x", "y", tuple(Curve(name, point) for name in title.split())) for title in ("a b", "c a")]
    drawn = plots.draw(Figure("f", "F", "", tuple(panels)))

    colours = [{c.get_label(): c[0].get_color() for c in axes.containers} for axes in drawn.axes]
    assert colours[0]["a"] == colours[1]["a"]
    assert len({*colours[0].values(), *colours[1].values()}) == 3
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["a", "b", "c"]


def test_page_is_well_formed_and_needs_nothing_else(report):
    """Elements are closed in order; no scripts, no addresses; the picture is inside."""
    page = render_page(report)

    tags = [tag for tag, _ in parsed(re.sub(r"<img[^>]*>", "<br>", page))]
    assert tags.count("table") == 4
    assert "script" not in tags
    assert not re.search(r"(src|href)=\"http", page)
    assert page.count("data:image/svg+xml;base64,") == 1
    assert "How &lt;guessing&gt; learns." in page


def test_page_without_matplotlib_has_the_tables(report, without_matplotlib):
    """A sentence in place of the pictures says how to get them."""
    page = render_page(report)

    assert "<img" not in page
    assert "pip install &#x27;casebase[plot]&#x27;" in page
    assert "61.0 ± 2.5" in page


def test_pictures_are_saved_as_svg_and_png(report, tmp_path):
    """Two files for each figure; the SVG is the same whenever it is drawn."""
    files = plots.save(report.papers[0].figures, tmp_path / "new")

    assert [file.name for file in files] == ["coins-figure1.svg", "coins-figure1.png"]
    assert files[0].read_text(encoding="utf-8") == plots.svg_of(report.papers[0].figures[0])
    assert "Number of training instances" in files[0].read_text(encoding="utf-8")
    assert files[1].read_bytes().startswith(b"\x89PNG")


def test_pictures_without_matplotlib(report, without_matplotlib, tmp_path):
    """The message says what to install."""
    with pytest.raises(CasebaseError, match=r"pip install 'casebase\[plot\]'"):
        plots.save(report.papers[0].figures, tmp_path)


def test_pictures_into_a_file(report, tmp_path):
    """A folder that cannot be made is named."""
    (tmp_path / "file").write_text("")

    with pytest.raises(CasebaseError, match="Cannot write pictures"):
        plots.save(report.papers[0].figures, tmp_path / "file")
