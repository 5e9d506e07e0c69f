"""The nearest case of another class that evidence names, against looking at every stored case."""

import pytest
from hypothesis import assume, given

from casebase.data import Cases
from casebase.neighbours import ib1, ib2, tribl, tribl2
from tests.neighbours.test_metric_oracles import KS, THRESHOLDS, VALUES_OF, assume_no_rounding_decides, tasks
from tests.oracles import ib1 as plain_ib1
from tests.oracles.rivals import nearest_rival
from tests.strategies import compats, weightings

OF_FEATURES = tuple(name for name in VALUES_OF if name not in {"cosine", "dot"})


def assert_rivals(model, task, query, evidence, distance, within=None) -> None:
    """The rival named is the nearest one, the first given of several."""
    expected = nearest_rival(task.rows, task.labels, evidence.label, distance, within)
    if expected is None:
        assert evidence.nearest_other is None
        return
    row, nearest = expected
    found = evidence.nearest_other
    assert (found.label, found.distance) == (task.labels[found.id], pytest.approx(nearest, rel=1e-9, abs=1e-12))
    as_near = {i for i in range(len(task.rows)) if abs(distance(task.rows[i]) - nearest) < 1e-9}
    if all(task.rows[i] == task.rows[row] for i in as_near):  # otherwise rounding may decide which is nearest
        assert found.id == row


@given(tasks(), weightings, KS, THRESHOLDS, compats)
def test_ib1(task, weighting, k, threshold, compat):
    """Any metric, any number of classes, one class only: then there is no rival."""
    settings = {"k": k, "weighting": weighting, "metric": task.parameter, "threshold": threshold, "compat": compat}
    model = ib1.fit(task.cases(), **settings, order_by=task.keys)
    weights, metric = model.weights.tolist(), task.metric(compat, threshold)
    assume_no_rounding_decides(task, weights, compat)
    for query, evidence in zip(task.queries, model.explain(model.schema.encode(task.queries)), strict=True):
        assert_rivals(
            model, task, query, evidence, lambda row, query=query: metric.distance(row, query, weights, task.columns)
        )


@given(tasks(metrics=OF_FEATURES), weightings, KS, compats)
def test_tribl2(task, weighting, k, compat):
    """Only cases that share the values walked are compared, so the rival is one of them."""
    model = tribl2.fit(task.cases(), k=k, weighting=weighting, metric=task.parameter, compat=compat)
    weights, metric = model.weights.tolist(), task.metric(compat)
    order = model.below.memory.order[model.walk].tolist()
    for query, evidence in zip(task.queries, model.explain(model.schema.encode(task.queries)), strict=True):
        depth = len(evidence.path) - 1
        within = {
            i for i, row in enumerate(task.rows) if all(plain_ib1.is_same(row, query, [f]) for f in order[:depth])
        }
        assert evidence.path[-1].n_cases == sum(1 if task.counts is None else task.counts[i] for i in within)
        assert_rivals(
            model,
            task,
            query,
            evidence,
            lambda row, query=query, depth=depth: metric.distance(row, query, weights, order[depth:]),
            within,
        )


@given(tasks(metrics=OF_FEATURES, min_rows=2), KS, compats)
def test_one_at_a_time_or_all_at_once(task, k, compat):
    """The evidence for a case does not depend on the others that are asked with it, for every search for neighbours."""
    assume(len({*task.labels}) > 1)
    for method in (ib1, ib2, tribl, tribl2):
        model = method.fit(task.cases(), k=k, metric=task.parameter, compat=compat)
        together = model.explain(model.schema.encode(task.queries))
        alone = [model.explain(model.schema.encode([query]))[0] for query in task.queries]
        assert together == alone


def test_evidence_of_a_vote_that_an_earlier_tie_changed():
    """TiMBL's inverse linear vote counts all alike after a tie: the cases listed are those that were then counted.

    Alone, the question -1 is decided at two distances, 1 vote to 0. After a tie it is tied, 1 to 1, and decided at
    three; the evidence listed two of them.
    """
    cases = Cases.from_table([[0.0, "P"], [1.0, "Q"], [3.0, "Q"]], target=-1)
    model = ib1.fit(cases, k=2, vote="inverse_linear", compat="timbl", metric="numeric")
    alone = model.explain(model.schema.encode([[-1.0]]))[0]
    tied, after = model.explain(model.schema.encode([[0.5], [-1.0]]))

    assert (alone.was_tied, len(alone.distances)) == (False, 2)
    assert tied.was_tied
    assert (after.was_tied, len(after.distances), after.n_neighbours) == (True, 3, 3)
