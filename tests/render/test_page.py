"""Pages of one answer, of some, and of thousands."""

import base64
import json
import re
import zlib

import numpy as np
import pytest

import casebase as cb
from casebase.render.html import body
from casebase.render.page import N_OPEN, N_UNPACKED, PACK, render_html
from tests.base.evidence import records
from tests.base.evidence.test_html import EVIL, parsed

N = 150


@pytest.fixture(scope="module")
def answers():
    """Answers of SMILE, whose evidence is the longest: 30 lists of features each, and ten cases."""
    rng = np.random.default_rng(0)
    party = rng.integers(0, 2, N)
    votes = np.where(rng.random((N, 16)) < 0.85, party[:, None], 1 - party[:, None])
    X = np.where(rng.random(votes.shape) < 0.05, "?", np.where(votes == 1, "y", "n"))
    return cb.SMILEClassifier(alpha=1).fit(X, np.where(party, "democrat", "republican")).explain(X)


def unpacked(page: str) -> list[str]:
    """Return what the script of a page would put below its rows."""
    packs = re.findall(r'<script type="text/plain" id="pack-\d+">([^<]*)</script>', page)
    return [each for pack in packs for each in json.loads(zlib.decompress(base64.b64decode(pack)))]


def test_the_evidence_of_many_answers_is_packed(answers):
    """An answer of SMILE took 13 kilobytes, which are now less than one and a half and hold the same."""
    page, evidence = render_html(answers), [body(one.headline(), one.sections()) for one in answers]

    assert sum(map(len, evidence)) > 10_000 * N
    assert len(page) < 1_500 * N
    assert unpacked(page) == evidence


def test_a_row_says_question_answer_and_support(answers):
    """The list can be read, and searched, before anything is unpacked."""
    rows = re.findall(r"<summary>(.*?)</summary>", render_html(answers))

    assert len(rows) == N
    assert f"<span>1</span><span>{', '.join(answers[0].values)}</span><span>{answers[0].label}</span>" in rows[0]
    assert answers[0].support() in rows[0]


def test_ten_thousand_answers_take_few_bytes_each():
    """A row, and what its evidence adds to a pack: the page grows with the answers, slowly."""
    page = render_html([records.tree(values=(str(n), "x")) for n in range(10_000)])

    assert len(page) < 5_000_000
    assert page.count("<details") == 10_000
    assert "f1 =</span> 9999</li>" in unpacked(page)[-1]


def test_packs_hold_what_one_look_needs(answers):
    """A reader who opens one row unpacks some dozens, not all."""
    page = render_html(answers)

    assert page.count('type="text/plain"') == -(-N // PACK)


@pytest.mark.parametrize(("n", "n_scripts", "is_open"), [(2, 0, True), (N_OPEN, 0, True), (N_OPEN + 1, 0, False)])
def test_few_answers_need_no_script(n, n_scripts, is_open):
    """Some answers are open, more are folded, and all of them are there without a script."""
    page = render_html([records.neighbours()] * n)

    assert page.count("<script") == n_scripts
    assert page.count(" open><summary>") == n * is_open
    assert page.count("Nearest records") == n


def test_more_answers_say_that_they_need_a_script():
    """Who reads without scripts is told what is missing, and still has the list."""
    page = render_html([records.neighbours()] * (N_UNPACKED + 1))

    assert "<noscript><p>The evidence below the predictions needs JavaScript" in page
    assert page.count("<summary>") == N_UNPACKED + 1
    assert "<script" not in render_html([records.neighbours()] * N_UNPACKED)


def test_one_answer_is_not_folded():
    """It stands on the page as in a notebook, also as a list of one."""
    assert "<details" not in render_html(records.neighbours())
    assert render_html([records.neighbours()]) == render_html(records.neighbours())
    assert render_html(iter([records.neighbours()])) == render_html(records.neighbours())


def test_a_packed_page_needs_nothing_from_elsewhere():
    """No address, no other file; and data cannot end the script."""
    evil = records.plain(label=EVIL, votes={EVIL: 1.0}, values=(EVIL,))
    page = render_html([evil] * 100, title=EVIL)

    assert not re.search(r"<link|<img|url\(|@import|https?:|src=", page)
    assert page.count("<script") == 1 + len(re.findall('id="pack-', page))
    assert "<script>alert" not in "".join(unpacked(page))
    parsed(page)


def test_pages_are_made_for_screens_phones_and_paper():
    """One style sheet has them all."""
    page = render_html(records.tree())

    assert all(f"@media {medium}" in page for medium in ("print", "(max-width", "(prefers-color-scheme: dark)"))
