"""IB1, IGTree and TRIBL against their naive second versions, on tables where ties abound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.neighbours import ib1, igtree, tribl
from tests.base.results import ask
from tests.oracles import ib1 as plain_ib1
from tests.oracles import igtree as plain_igtree
from tests.oracles import tribl as plain_tribl
from tests.oracles.weights import relevance
from tests.strategies import compats, ks, missing_policies, tasks, weightings


@given(tasks(), weightings, ks, missing_policies, compats)
def test_ib1(task, weighting, k, missing, compat):
    """Labels and votes of IB1 are those of sorting all cases by their distance."""
    model = ib1.fit(task.cases(), k=k, weighting=weighting, missing=missing, compat=compat)
    sum_order = model.memory.order[model.metric.sum_order[0]].tolist()
    expected = [
        plain_ib1.classify(
            task.rows,
            task.labels,
            query,
            model.weights.tolist(),
            k,
            task.numeric,
            task.counts,
            task.class_order(compat),
            missing,
            sum_order=sum_order,
        )
        for query in task.queries
    ]
    assert ask(model, task.queries) == [(answer.label, answer.votes) for answer in expected]


@given(tasks(), weightings, missing_policies, compats)
def test_igtree(task, weighting, missing, compat):
    """Labels, votes and size of IGTree are those of the paper's procedures."""
    model = igtree.fit(task.cases(), weighting=weighting, missing=missing, compat=compat)
    tree = plain_igtree.grow(task.rows, task.labels, model.order.tolist(), task.counts, task.class_order(compat))
    walks = [plain_igtree.classify(tree, query, missing) for query in task.queries]
    assert ask(model, task.queries) == [(walk.label, walk.distribution) for walk in walks]
    assert model.tree.n_nodes == plain_igtree.count_nodes(tree)


@given(tasks(), weightings, weightings, ks, missing_policies, compats, st.integers(0, 5))
def test_tribl(task, weighting, weighting_below, k, missing, compat, switch):
    """Labels and votes of TRIBL are those of a walk and a search of what is left, at any switch."""
    model = tribl.fit(
        task.cases(),
        switch=switch,
        k=k,
        weighting=weighting,
        weighting_below=weighting_below,
        missing=missing,
        compat=compat,
    )
    expected = [
        plain_tribl.classify(
            task.rows,
            task.labels,
            query,
            model.weights.tolist(),
            model.below.weights.tolist(),
            switch,
            k,
            task.numeric,
            task.counts,
            task.class_order(compat),
            missing,
        )
        for query in task.queries
    ]
    assert ask(model, task.queries) == [(answer.label, answer.votes) for answer in expected]


@given(tasks(), weightings)
def test_weights(task, weighting):
    """Every learner weighs features as the oracle does, up to rounding."""
    expected = relevance(task.rows, task.labels, weighting, task.counts, task.numeric)
    assert ib1.fit(task.cases(), weighting=weighting).weights.tolist() == pytest.approx(expected, abs=1e-13)
    assert igtree.fit(task.cases(), weighting=weighting).weights.tolist() == pytest.approx(expected, abs=1e-13)


@given(tasks(), weightings)
def test_tree_order(task, weighting):
    """A tree asks about features by descending weight, equal ones by column."""
    model = igtree.fit(task.cases(), weighting=weighting)
    assert model.order.tolist() == sorted(range(task.n_features), key=lambda f: -model.weights[f])
