"""Every answer is shared out among the stored cases: the shares of a class sum to its probability."""

import json

import numpy as np
import pytest

from casebase import _native
from casebase.autopilot.evidence import case_shares
from casebase.kinds import evidence_from_dict
from casebase.methods import method_named
from casebase.render.page import render_html
from tests.autopilot.tables import METHODS, TABLES, Table


@pytest.fixture(scope="module", params=TABLES)
def table(request) -> Table:
    return TABLES[request.param]


@pytest.fixture(scope="module", params=METHODS)
def model(request, table):
    return method_named(request.param).fit(table.cases())


def test_the_cases_of_a_class_add_up_to_its_share_in_each_reading(model, table):
    """What a reading says of a class is made of the cases of the class, and of nothing else."""
    asked = model.features.inputs(model.schema.encode(table.asked))
    stored = model.stored
    for name, reading in model.readings.items():
        for i in range(asked.n_cases):
            one = asked.take(np.array([i]))
            support = reading.support(one, stored)
            assert (support >= 0).all()
            sums = np.bincount(stored.labels, support, minlength=stored.n_classes)
            np.testing.assert_allclose(sums, reading.shares(one)[0], rtol=0, atol=1e-9, err_msg=name)


def test_the_cases_of_a_class_add_up_to_its_probability(model, table):
    """The answer of the committee is shared out among the rows of the memory."""
    asked = model.features.inputs(model.schema.encode(table.asked))
    labels = model.memory.segments[0].labels
    shares = model.shares(asked)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    for i in range(asked.n_cases):
        parts = case_shares(model, asked.take(np.array([i])))
        assert (parts >= 0).all()
        sums = np.bincount(labels, parts, minlength=len(model.schema.classes))
        np.testing.assert_allclose(sums, shares[i], rtol=0, atol=1e-9)


def test_evidence_comes_back_from_json_and_is_shown(model, table):
    """Record, text and page of the answers to all questions."""
    cases = model.schema.encode(table.asked[5:9])
    answers = model.answer(cases)
    for i, evidence in enumerate(model.explain(cases, limit=6)):
        assert evidence.label == model.schema.classes[answers.label[i]]
        assert sum(evidence.votes.values()) == pytest.approx(1.0, abs=1e-12)
        written = json.loads(json.dumps(evidence.to_dict(), allow_nan=False))
        assert evidence_from_dict(written) == evidence
        assert f"p = {evidence.votes[evidence.label]:.3f}" in str(evidence)
        assert "Records for it" in render_html(evidence)
        assert len(evidence.cases) <= 6
        assert len(evidence.amounts) == len(model.schema.features)


def test_listed_cases_are_those_with_the_largest_shares():
    """Cases for the answer come first, then those against it, each kind by descending share."""
    table = TABLES["mixed"]
    model = method_named("auto").fit(table.cases())
    case = model.schema.encode(table.asked[:1])
    evidence = model.explain(case, limit=8)[0]
    shares = case_shares(model, model.features.inputs(case))
    labels = model.memory.segments[0].labels
    answer = model.schema.classes.index(evidence.label)
    for is_for, n in ((True, 4), (False, 4)):
        listed = [one.share for one in evidence.cases if (one.label == evidence.label) == is_for]
        largest = np.sort(shares[(labels == answer) == is_for])[::-1][:n]
        np.testing.assert_allclose(listed, largest, atol=1e-12)
    ids = model.memory.ids(np.arange(model.memory.n_rows)).tolist()
    for one in evidence.cases:
        row = ids.index(one.id)
        assert one.values == tuple(table.rows[one.id])
        assert one.share == shares[row]
        assert one.agrees == tuple(a == b for a, b in zip(table.rows[one.id], table.asked[0]))


def test_a_feature_that_tells_all_has_the_largest_amount():
    """With the values of other cases in its place the answer loses most."""
    rows = [[f"v{i % 2}", f"w{i // 2 % 3}"] for i in range(36)]
    table = Table(rows, [f"c{i % 2}" for i in range(36)], [])
    model = method_named("auto").fit(table.cases())
    evidence = model.explain(model.schema.encode([["v1", "w0"]]))[0]
    assert evidence.label == "c1"
    assert evidence.amounts[0] > 1.0
    assert abs(evidence.amounts[1]) < evidence.amounts[0] / 10


def test_support_follows_the_sample_of_each_tree():
    """A case that no tree drew adds to a forest's answer by the class frequencies alone."""
    table = TABLES["mixed"]
    model = method_named("forest").fit(table.cases(), n_trees=1)
    asked = model.features.inputs(model.schema.encode(table.asked[:1]))
    reading, stored = model.readings["forest"], model.stored
    support = reading.support(asked, stored)
    times = _native.forest_sample(0, stored.n_cases, stored.n_cases, 0)
    np.testing.assert_allclose(support[times == 0], 1 / stored.n_cases / 2, rtol=1e-12)
    assert (support > 1 / stored.n_cases / 2 + 1e-9).any()
