"""ID3 against its naive second version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.trees import id3
from tests.base.results import ask
from tests.oracles import codelengths
from tests.oracles import id3 as plain_id3
from tests.strategies import tasks
from tests.trees.naive_trees import expected, grown, stored

criteria = st.sampled_from(["information_gain", "gain_ratio"])


def metric_of(task):
    """Features of numbers are cut, all others are asked for their values."""
    return {f: "numeric" if f in task.numeric else "overlap" for f in range(task.n_features)}


def n_branches(task, *, missing):
    """How many branches a test on each feature has: its values, and perhaps the missing one."""
    return [
        2 if f in task.numeric else len({row[f] for row in stored(task).rows if missing or row[f] is not None})
        for f in range(task.n_features)
    ]


def n_thresholds(task):
    """How many places there are to cut each feature of numbers."""
    known = [{row[f] for row in stored(task).rows if row[f] is not None} for f in range(task.n_features)]
    return [len(known[f]) - 1 if f in task.numeric else 0 for f in range(task.n_features)]


@given(tasks(), criteria, st.sampled_from([None, 0, 1, 2]), st.sampled_from([1, 1, 2, 3]))
def test_id3(task, criterion, max_depth, min_cases):
    """Tests, classes and counts are those of the naive tree; a missing symbol is a value, a missing number is least."""
    model = id3.fit(task.cases(), criterion=criterion, metric=metric_of(task), max_depth=max_depth, min_cases=min_cases)
    tree = plain_id3.grow(
        task.rows,
        task.labels,
        weights=task.counts,
        numeric=task.numeric,
        criterion=criterion,
        max_depth=np.inf if max_depth is None else max_depth,
        min_cases=min_cases,
    )
    assert grown(model) == expected(tree)
    n_values = n_branches(task, missing=True)
    assert (model.nodes.n_leaves, model.nodes.depth, model.nodes.n_empty) == (
        plain_id3.n_leaves(tree),
        plain_id3.depth(tree),
        plain_id3.n_empty(tree, n_values),
    )


@given(tasks(), criteria)
def test_id3_answers(task, criterion):
    """A case is answered by the node where it stops."""
    model = id3.fit(task.cases(), criterion=criterion, metric=metric_of(task))
    tree = plain_id3.grow(task.rows, task.labels, weights=task.counts, numeric=task.numeric, criterion=criterion)
    nodes = [plain_id3.walk(tree, query) for query in task.queries]
    found = ask(model, task.queries)
    assert [label for label, _ in found] == [node.label for node in nodes]


@given(tasks(), criteria)
def test_id3_is_consistent(task, criterion):
    """A training case is answered wrongly only if an equal one has another class."""
    task = stored(task)
    model = id3.fit(task.cases(), criterion=criterion, metric=metric_of(task))
    for row, label, (answer, _) in zip(task.rows, task.labels, ask(model, task.rows)):
        equal = {other for values, other in zip(task.rows, task.labels) if values == row}
        assert answer == label or len(equal) > 1


@given(tasks(), criteria)
def test_id3_codelength(task, criterion):
    """The bits of Quinlan and Rivest, empty branches included."""
    model = id3.fit(task.cases(), criterion=criterion, metric=metric_of(task))
    tree = plain_id3.grow(task.rows, task.labels, weights=task.counts, numeric=task.numeric, criterion=criterion)
    found = codelengths.choices(tree, n_branches(task, missing=True), n_thresholds(task))
    n_classes = len(set(task.labels))
    assert model.codelength() == pytest.approx(codelengths.tree(*found, n_classes))
