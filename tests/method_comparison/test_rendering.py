"""A comparison of methods as text, as a page and in a notebook."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from casebase.method_comparison import MethodComparison, MethodScore
from casebase.method_comparison.page import render_page
from casebase.method_comparison.plot import ACCURACY, LOSS, Axis, scores_svg

ROWS = (
    MethodScore("ib1", "IB1", "method", 0.9, 0.01, 0.3, 0.012, 2000.0, 12_300, None, True, (0.9, 0.9)),
    MethodScore("forest", "A <forest>", "peer", 0.89, 0.01, 0.25, 3.0, 900.0, 4_560_000, 0.4, True, (0.89, 0.89)),
    MethodScore("c45", "C4.5", "method", 0.8, 0.02, 9.5, 0.1, 5000.0, 900, 0.0001, False, (0.8, 0.8)),
    MethodScore("majority", "always one class", "baseline", 0.6, 0.0, 0.6, 0.0, 1e6, None, 0.0, False, (0.6, 0.6)),
    MethodScore("rules", "Rules", "method", error="too many <conflicts>"),
    MethodScore("smile", "SMILE", "method", note="not run: one fold is estimated to take 99 s"),
)
COMPARISON = MethodComparison(ROWS, "ib1", "ib1", 100, 4, 2, 2, (50, 50), 0, notes=("A note.",))


def drawing(comparison: MethodComparison) -> ElementTree.Element:
    return ElementTree.fromstring(scores_svg(comparison))


def test_the_text_has_a_line_for_every_row():
    """The best and those within its noise are marked; failures are explained below the table."""
    lines = str(COMPARISON).splitlines()

    assert lines[0] == "ib1 is the most accurate, 90.0%; within the noise: forest."
    table = {line[6:].split()[0]: line for line in lines[lines.index("Methods") + 2 :][:6]}
    assert table["ib1"].split() == ["best", "ib1", "90.0", "1.0", "0.300", "12", "ms", "2,000", "12", "kB", "–"]
    assert table["forest"].startswith("≈")
    assert table["c45"].startswith(" ")
    assert table["c45"].endswith("<0.001")
    assert table["rules"].split()[:2] == ["rules", "failed"]
    assert table["smile"].split()[:3] == ["smile", "not", "run"]
    assert "rules failed: too many <conflicts>" in lines
    assert "smile: not run: one fold is estimated to take 99 s." in lines
    assert "A note." in lines


def test_a_comparison_without_scores_says_so():
    """All failed: there is neither a best method nor a plot."""
    failed = replace(COMPARISON, rows=ROWS[4:5], best=None, best_method=None)

    assert str(failed).startswith("No method could be measured.")
    assert scores_svg(failed) == ""


def test_the_plot_has_a_mark_for_every_measured_row_in_each_panel():
    """Dots for methods, squares for peers, and a dashed line at the baseline."""
    svg = drawing(COMPARISON)
    dots, squares = svg.findall(".//circle"), svg.findall(".//rect")
    kinds = [dot.get("class") for dot in dots]

    assert len(squares) == 2
    assert kinds == ["cb-near", "cb-near", "cb-far", "cb-far", "cb-far"]  # C4.5's log loss is off the scale
    assert len(svg.findall(".//line[@class='cb-base']")) == 2
    assert "9.5 →" in [text.text for text in svg.findall(".//text")]


def test_a_whisker_is_a_standard_error_to_each_side():
    """In the units of the axis."""
    svg = drawing(COMPARISON)
    left, right = (
        [float(line.get(end)) for line in svg.iter("line") if line.get("class").startswith("cb-whisker")]
        for end in ("x1", "x2")
    )
    centres = [float(dot.get("cx")) for dot in svg.iter("circle") if float(dot.get("cx")) < LOSS[0]]

    assert (left[0] + right[0]) / 2 == pytest.approx(centres[0], abs=0.1)
    assert right[2] - left[2] == pytest.approx(2 * (right[0] - left[0]), abs=0.2)
    assert left[3] == right[3]


@pytest.mark.parametrize("values", [[0.5, 0.91], [1.0], [0.0], [0.97, 0.971], [0.0, 1.0], [0.333, 0.333]])
def test_an_axis_has_room_for_its_values_and_round_ticks(values):
    """Between 0 and 1, two to twelve ticks, and every value inside the panel."""
    axis = Axis.around(values, ACCURACY, most=1.0)

    assert 0 <= axis.low <= min(values) + 1e-9
    assert max(values) <= axis.high + 1e-9
    assert 2 <= len(axis.ticks()) <= 12
    assert all(ACCURACY[0] <= axis.place(value) <= ACCURACY[1] for value in values)


class Tags(HTMLParser):
    """Collect the tags that are open, and fail on one that is closed but not open."""

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "link", "br", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_escapes_what_it_shows():
    """One file, nothing from elsewhere, with the titles of the methods and the message of the error."""
    page = render_page(COMPARISON)
    tags = Tags()
    tags.feed(page)

    assert (tags.open, tags.links) == ([], [])
    assert "too many &lt;conflicts&gt;" in page
    assert "<script" not in page
    assert "A &lt;forest&gt;</td>" in page
    assert "prefers-color-scheme: dark" in page


def test_a_notebook_shows_the_report_with_its_own_styles():
    """Each rule begins with the class of the outer element; no ids, which would have to be unique."""
    fragment = COMPARISON._repr_html_()
    style = fragment.split("<style>")[1].split("</style>")[0]
    rules = [rule for rule in re.findall(r"^[^ @}\n][^{]*", style, flags=re.MULTILINE) if rule.strip()]

    assert fragment.startswith('<div class="casebase-comparison">')
    assert all(rule.startswith(".casebase-comparison") for rule in rules)
    assert ' id="' not in fragment
