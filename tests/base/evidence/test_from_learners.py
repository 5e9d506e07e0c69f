"""Evidence as the learners fill it, shown and stored."""

import json

import pyarrow as pa
import pytest

from casebase.data import Cases
from casebase.datasets import load_lenses
from casebase.kinds import evidence_from_dict
from casebase.neighbours import ib1, igtree, tribl
from casebase.oblivious import oblivion
from casebase.render.page import render_html
from casebase.render.text import render_text
from casebase.rules import table as table_rules
from casebase.smile import smile
from tests.paths import DOCS

CASES = Cases.from_table(
    [
        ["a", "x", "1", "P"],
        ["a", "y", "1", "P"],
        ["b", "x", "2", "Q"],
        ["a", "x", "2", "Q"],
        ["b", "y", "1", "P"],
        [None, "y", "3", "Q"],
    ],
    target=-1,
)
ASKED = CASES.schema.encode([["a", "x", "1"], ["a", "z", "2"], [None, "x", "9"]])


@pytest.mark.parametrize("learner", [ib1, igtree, oblivion, tribl, smile, table_rules])
def test_evidence_can_be_read_stored_and_drawn(learner):
    """Every learner's records become text and a page, and survive JSON."""
    listed = learner.fit(CASES).explain(ASKED)

    assert render_html(listed).count("<details") == 3
    for evidence in listed:
        assert render_text(evidence).startswith(f"f4 = {evidence.label}: ")
        assert evidence_from_dict(json.loads(json.dumps(evidence.to_dict(), allow_nan=False))) == evidence


def test_ib1_tells_of_an_identical_case():
    """A query that is stored is found as it is."""
    assert render_text(ib1.fit(CASES).explain(ASKED)[0]).startswith("f4 = P: an identical record (0) says so; ")


def test_igtree_tells_why_it_stopped():
    """A value never seen ends the walk, and the text says which."""
    assert "stopped: f3 = 9 was never seen in training" in render_text(igtree.fit(CASES).explain(ASKED)[2])


def test_tribl_shows_path_and_cases():
    """Below the tree, the cases at the end of the path decide."""
    text = render_text(tribl.fit(CASES, switch=1).explain(ASKED)[1])

    assert "f3 = 2     → Q" in text
    assert "the nearest record (3), at distance 1, among the 2 at the end of the path, says so" in " ".join(
        text.split()
    )


@pytest.mark.parametrize("learner", [ib1, igtree])
def test_documentation_shows_real_text(learner):
    """The worked example in docs/evidence.md is what the learners say."""
    lenses = load_lenses()
    names = lenses.feature_names
    cases = Cases.from_table(pa.table(dict(zip(names, lenses.data.T.tolist()))), y=lenses.target).with_target("lenses")
    asked = cases.schema.encode(pa.table(dict(zip(names, [["young"], ["myope"], ["slight"], ["normal"]]))))
    page = (DOCS / "evidence.md").read_text(encoding="utf-8")

    text = render_text(learner.fit(cases).explain(asked)[0])

    assert "\n".join(line.rstrip() for line in text.splitlines()) in page


def test_ignored_feature_is_not_a_difference():
    """A feature left out of the comparison is not shown, and does not count among those that agree."""
    cases = CASES.with_kinds({1: "ignored"})

    text = render_text(ib1.fit(cases).explain(cases.take([0]))[0])

    assert "≠?missing" not in text
    assert "f2" not in text
    assert "all agree on: f1 = a (" in text
