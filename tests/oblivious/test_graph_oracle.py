"""Oblivious graphs against their naive second version; perceptron trees against a linear program."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.oblivious import graph as oblivious_graph
from casebase.trees import perceptron_tree
from tests.base.results import ask
from tests.oracles import oblivious_graph as plain
from tests.oracles import perceptron_tree as linear
from tests.oracles.id3 import table_of
from tests.strategies import tasks


@settings(max_examples=60)
@given(tasks(numbers=False))
def test_graph(task):
    """The features, the nodes of each level, and what each case is answered."""
    model = oblivious_graph.fit(task.cases(), merge="equal")
    graph = plain.grow(task.rows, task.labels, weights=task.counts)
    assert list(model.order) == graph.features
    assert list(model.graph.widths) == plain.widths(graph)
    assert model.graph.n_leaves == sum(node.level is None for node in graph.nodes)
    wanted = [plain.walk(graph, query).label for query in task.queries]
    assert [label for label, _ in ask(model, task.queries)] == wanted


@pytest.mark.parametrize("merge", ["none", "equal", "compatible"])
@settings(max_examples=30)
@given(task=tasks(numbers=False))
def test_graphs_answer_training_cases_as_the_tree_does(merge, task):
    """Merging what is equal or compatible changes no answer to a case that was learnt from."""
    model = oblivious_graph.fit(task.cases(), merge=merge)
    kept = [row for i, row in enumerate(task.rows) if task.counts is None or task.counts[i] > 0]
    graph = plain.grow(task.rows, task.labels, weights=task.counts)
    assert [label for label, _ in ask(model, kept)] == [plain.walk(graph, row).label for row in kept]
    assert model.graph.n_nodes <= model.n_tree_nodes


@settings(max_examples=50)
@given(tasks(), st.sampled_from(["information_gain", "gain_ratio"]))
def test_perceptron_tree_is_consistent(task, criterion):
    """A training case is answered wrongly only if an equal one has another class."""
    task = task.take([i for i in range(len(task.rows)) if task.counts is None or task.counts[i] > 0])
    model = perceptron_tree.fit(task.cases(), criterion=criterion)
    for row, label, (answer, _) in zip(task.rows, task.labels, ask(model, task.rows)):
        equal = {other for values, other in zip(task.rows, task.labels) if values == row}
        assert answer == label or len(equal) > 1


@settings(max_examples=50)
@given(tasks(gaps=False, counts=False))
def test_a_perceptron_only_where_planes_part_the_classes(task):
    """Where one perceptron answers all, the best answer that each case can have is separable."""
    model = perceptron_tree.fit(task.cases())
    assume(model.nodes.n_nodes == 1 and model.n_perceptrons == 1)
    answers = plain.attainable(table_of(task.rows, task.labels))
    assert linear.is_separable(task.rows, answers, task.numeric)


@settings(max_examples=50)
@given(tasks(gaps=False, counts=False, numbers=False))
def test_planes_are_found_where_there_are_some(task):
    """A few symbolic cases that planes part need no test."""
    assume(linear.is_separable(task.rows, task.labels))
    assert perceptron_tree.fit(task.cases(), max_passes=10_000, patience=1000).nodes.n_nodes == 1


@pytest.mark.parametrize("estimator", ["PerceptronTreeClassifier", "ObliviousGraphClassifier"])
@settings(max_examples=10)
@given(task=tasks(numbers=False, gaps=False), rng=st.randoms())
def test_order_of_rows_threads_and_files(tmp_path_factory, estimator, task, rng):
    """The same answers from cases in another order, from four threads and from a file."""
    order = list(range(len(task.rows)))
    rng.shuffle(order)
    picked = task.take(order)
    clf = getattr(cb, estimator)().fit(task.rows, task.labels, sample_weight=task.counts)
    other = getattr(cb, estimator)(n_jobs=4).fit(picked.rows, picked.labels, sample_weight=picked.counts)
    path = tmp_path_factory.mktemp("model") / "model.cb"
    clf.save(path)
    for model in [other, cb.load(path)]:
        np.testing.assert_allclose(model.predict_proba(task.queries), clf.predict_proba(task.queries), atol=1e-9)
        assert model.codelength() == pytest.approx(clf.codelength())
