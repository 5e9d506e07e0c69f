"""C4.5 against its naive second version."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.trees import c45
from tests.base.results import ask
from tests.oracles import c45 as plain_c45
from tests.strategies import tasks
from tests.trees.naive_trees import expected, grown, made_up, stored

options = st.fixed_dictionaries(
    {},
    optional={
        "min_cases": st.sampled_from([1, 2, 3]),
        "confidence": st.sampled_from([0.1, 0.25, 0.5]),
        "subtree_raising": st.booleans(),
        "pruned": st.booleans(),
        "collapse": st.booleans(),
    },
)


def plain_options(options):
    """The options as the oracle calls them."""
    names = {"subtree_raising": "raises", "pruned": "is_pruned", "collapse": "collapses"}
    return {names.get(name, name): value for name, value in options.items()}


@settings(max_examples=200)
@given(tasks(max_rows=20), options)
def test_c45(task, options):
    """Every test, class and count of C4.5, with numbers, gaps and weights."""
    task = stored(task)
    model = c45.fit(task.cases(), **options)
    tree = plain_c45.grow(task.rows, task.labels, weights=task.counts, numeric=task.numeric, **plain_options(options))
    assert grown(model) == expected(tree)


@given(tasks(max_rows=20), options)
def test_c45_answers(task, options):
    """The probabilities of mixed branches where a value is missing."""
    task = stored(task)
    model = c45.fit(task.cases(), **options)
    tree = plain_c45.grow(task.rows, task.labels, weights=task.counts, numeric=task.numeric, **plain_options(options))
    known = [{row[f] for row in task.rows} for f in range(task.n_features)]
    for query, (label, votes) in zip(task.queries, ask(model, task.queries)):
        probabilities = plain_c45.answer(tree, query, known)
        total = sum(votes.values())
        assert {c: n / total for c, n in votes.items() if n > 0} == pytest.approx(probabilities)
        assert probabilities[label] >= max(probabilities.values()) - 1e-9


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([0.25, 0.4]))
def test_c45_of_larger_tables(seed, raises, confidence):
    """Deep enough that branches are pruned and raised."""
    rows, labels, numeric = made_up(seed)
    kinds = {f: "numeric" if f in numeric else "symbolic" for f in range(6)}
    model = c45.fit(cb.Cases.from_table(rows, y=labels, kinds=kinds), confidence=confidence, subtree_raising=raises)
    tree = plain_c45.grow(rows, labels, numeric=numeric, confidence=confidence, raises=raises)
    assert grown(model) == expected(tree)
