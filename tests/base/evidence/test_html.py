"""Evidence as a page and as a fragment for a notebook."""

import re
from html.parser import HTMLParser

import pytest

from casebase.base.evidence import Step, Unseen
from casebase.neighbours.evidence import Neighbour
from casebase.render.page import render_html
from casebase.smile.evidence import Pool, PooledCase
from casebase.trees.evidence import ReachedNode
from tests.base.evidence import records

EVIL = "<script>alert('x')</script>\"&"


class Balance(HTMLParser):
    """Checks that every element that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(page: str) -> list[tuple[str, dict]]:
    checker = Balance()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker.tags


ALL = [
    records.neighbours(),
    records.tree(),
    records.neighbours(path=records.PATH),
    records.plain(),
    records.lattice(),
]


@pytest.mark.parametrize("evidence", ALL, ids=lambda evidence: evidence.kind)
def test_elements_are_closed_in_order(evidence):
    """The page is well formed for every kind of record."""
    assert ("main", {}) in parsed(render_html(evidence))


def test_one_row_for_each_question():
    """A list gives a page with as many rows, whose evidence can be read through where they are few."""
    tags = parsed(render_html(ALL))

    rows = [attrs for tag, attrs in tags if tag == "details"]
    assert [row["id"] for row in rows] == [f"case-{n}" for n in range(1, 6)]
    assert all("open" in row for row in rows)


def test_no_question_gives_an_empty_page():
    """An empty list is a page without rows."""
    assert "<details" not in render_html([])


def test_everything_is_escaped():
    """Values, features, classes, ids, reasons and the title cannot become elements."""
    case = Neighbour(EVIL, (EVIL,), EVIL, 1.0, 1.0, (1.0,))
    step = Step(EVIL, EVIL, EVIL, {EVIL: 1.0}, 1.0)
    shared = {
        "features": (EVIL,),
        "values": (EVIL + "!",),
        "unseen": (Unseen(EVIL, EVIL),),
        "label": EVIL,
        "votes": {EVIL: 1.0},
        "weights": (1.0,),
    }
    near = records.neighbours(**shared, neighbours=(case,), nearest_other=case, path=(step, step))
    walk = records.tree(**shared, path=(step, step), stopped=f"{EVIL} has no branch")

    pool, pooled = Pool((EVIL,), (EVIL,), 1.0, {EVIL: 1.0}), PooledCase(EVIL, (EVIL,), EVIL, 1.0, (False,), (0,))
    joints = records.lattice(**shared, pools=(pool,), cases=(pooled,))

    node = ReachedNode(EVIL, EVIL, EVIL, {EVIL: 1.0}, 1.0, 1, 0.5, EVIL)
    way = records.path(**shared, path=(node, node), n_endings=2, spread=(EVIL,))

    page = render_html([near, walk, joints, way], title=EVIL) + near._repr_html_()

    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 10


def test_a_path_that_parts_marks_every_ending():
    """Both leaves that are listed are marked as ends, and the shares are written out."""
    page = render_html(records.parted()).split("</style>")[1]

    assert page.count("cb-end") == 2
    assert "60% of it" in page
    assert "30% of it" in page


def test_dark_mode_follows_the_reader():
    """Colours change with the reader's preference, also in a notebook."""
    assert "@media (prefers-color-scheme: dark)" in render_html(ALL)
    assert "@media (prefers-color-scheme: dark)" in records.tree()._repr_html_()


def test_page_needs_nothing_from_elsewhere():
    """No script, no link to another file, no address."""
    page = render_html(ALL)

    assert not re.search(r"<script|<link|<img|url\(|@import|https?:|src=", page)


def test_fragment_has_no_shell():
    """A notebook gets an element, not a document."""
    fragment = records.neighbours()._repr_html_()

    assert parsed(fragment)[0] == ("div", {"class": "casebase-evidence"})
    assert not re.search(r"<(html|head|body|!doctype)", fragment, re.IGNORECASE)


def test_fragment_styles_touch_nothing_else():
    """Every rule begins with the class of the outer element."""
    style = re.search(r"<style>(.*?)</style>", records.tree()._repr_html_(), re.DOTALL).group(1)
    selectors = re.findall(r"([^{}]+)\{", style)

    named = [part.strip() for selector in selectors for part in re.split(r",(?![^(]*\))", selector)]
    assert all(part.startswith((".casebase-evidence", "@media")) for part in named)


def test_headers_have_a_scope():
    """Every header cell says whether it heads a row or a column."""
    headers = [attrs for tag, attrs in parsed(render_html(ALL)) if tag == "th"]

    assert headers
    assert {attrs.get("scope") for attrs in headers} == {"row", "col"}


def test_differing_value_has_mark_and_cost():
    """A difference is told by a sign and a number, not by colour alone."""
    page = render_html(records.neighbours())

    assert '<td class="cb-differs" title="differs, costs 0.5"><mark>≠ 1</mark><small>+0.5</small></td>' in page
    assert '<p class="cb-agree">All agree on: f1 = a (0.2), f2 = x (0.1)</p>' in page


def test_votes_are_bars_beside_numbers():
    """The bar repeats the share that is written before it."""
    page = render_html(records.tree())

    assert '<td class="cb-num">75%</td><td><span class="cb-bar cb-share-75" aria-hidden="true">' in page


def test_never_seen_value_is_said_at_the_value():
    """The question marks its new values with words."""
    assert re.search(
        r'<li class="cb-new">.*f3 =</span> 9 <small class="cb-name">never seen',
        render_html(records.neighbours()),
    )


def test_pools_show_values_and_their_share():
    """Every pool has its size, its classes, and the values on which its cases agree."""
    page = render_html(records.lattice())

    assert '<th scope="row" class="cb-num">3<span class="cb-bar cb-share-100"' in page
    assert (
        '<td>P 2, Q 1</td><td><ul class="cb-values"><li><span class="cb-name">f3</span> &gt; 2</li></ul></td>' in page
    )


def test_cases_of_pools_mark_what_does_not_agree():
    """A number in the same interval agrees; a missing value does not."""
    page = render_html(records.lattice())

    assert '<td class="cb-agrees">3</td>' in page
    assert '<td class="cb-differs"><mark>≠ ?missing</mark></td>' in page


def test_no_pool_no_table():
    """Where all cases vote there are no pools to show."""
    assert "cb-rules" not in render_html(records.lattice(pools=(), cases=(), n_cases=0)).split("</style>")[1]


def test_200_features_keep_the_table_readable():
    """The table has the features that differ, the others are named; the query folds its lighter values away."""
    page = render_html(records.with_features(200, {150: 0.3}))

    assert page.count('scope="col" title="weight') == 1
    assert ">feature150</th>" in page
    assert "It agrees on: feature0 = a (1), feature1 = a (0.5)" in page
    assert "176 more values, of lesser weight" in page


def test_numbers_that_are_not_finite_give_valid_bars():
    """A distance of infinity does not break the page."""
    case = Neighbour(0, ("a", "x", "1"), "P", float("inf"), 1.0, (0.0, 0.0, float("inf")))

    page = render_html(records.neighbours(neighbours=(case,), nearest_other=None))

    assert not re.search(r"cb-share-(nan|inf)", page)


def test_wrong_predictions_are_marked():
    """A sign and words tell them, on the page of one and in the list, which counts them."""
    right, wrong = records.tree().with_actual("P"), records.tree().with_actual("Q")

    assert '<p class="cb-verdict cb-wrong">✗ Wrong: the class of the query is Q</p>' in render_html(wrong)
    page = render_html([right, wrong, records.tree()])
    assert "1 of 2 predictions with a known class are right." in page
    assert "<span>✓ right</span>" in page
    assert '<span><b class="cb-wrong">✗ wrong: Q</b></span>' in page


def test_what_a_page_is_about_comes_first():
    """Class variable, learner, data, whatever the caller knows; none of it becomes an element."""
    page = render_html(ALL, about={"Class variable": "survived", EVIL: EVIL})

    assert "<div><dt>Class variable</dt><dd>survived</dd></div>" in page
    assert "<script" not in page
    assert page.index("<dt>Class variable") < page.index("<details")
    assert "cb-about" not in render_html(ALL).split("</style>")[1]


@pytest.mark.parametrize("evidence", [*ALL, records.parted(), records.BY_KIND["shares"]], ids=lambda one: one.kind)
def test_every_sign_has_a_legend(evidence):
    """A page explains the signs that it has, and no others."""
    page = render_html(evidence.with_actual("P")).split("</style>")[1]
    content, _, legend = page.partition('<dl class="cb-signs"')
    terms = set(re.findall("<dt>(.*?)</dt>", legend))

    assert {sign for sign in "≠→…" if sign in content} == {sign for sign in "≠→…" if sign in terms}
    assert "✓ ✗" in terms
    assert ("+ −" in terms) == ("sets the rival apart" in content)
    assert ("bar" in terms) == ("cb-bar" in content)
    assert ("dashed frame" in terms) == ("cb-new" in content)


def test_no_words_of_our_own():
    """A page speaks of queries, records and predictions."""
    page = render_html([*ALL, records.parted(), *records.BY_KIND.values()]).split("</style>")[1].lower()

    assert not re.search(r"\b(asked|answers?|question)\b", re.sub(r"<[^>]*>", " ", page))
