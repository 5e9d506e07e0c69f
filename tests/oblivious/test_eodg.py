"""EODG against its naive version: tests, depth, merged nodes and predictions; numbers, other values, Ctrl-C."""

import os
import signal
import threading
import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.base.answers import preference_of
from casebase.data import Cases
from casebase.oblivious import eodg
from casebase.oblivious import graph as oblivious_graph
from tests.oracles import eodg as plain
from tests.strategies import tasks


def fitted(rows, labels, **parameters):
    return oblivious_graph.fit(Cases.from_table(rows, y=labels), method="eodg", **parameters)


def answers(model, rows):
    return [model.schema.classes[c] for c in model.answer(model.schema.encode(rows)).label]


def all_levels():
    return patch.object(eodg, "best_depth", lambda cases, levels, *_: len(levels.order))


def bits(n, irrelevant=0, times=1):
    n_bits = n + irrelevant
    rows = [[str(i >> b & 1) for b in range(n_bits)] for i in range(2**n_bits)] * times
    return rows, ["odd" if row[:n].count("1") % 2 else "even" for row in rows]


@settings(max_examples=40)
@given(task=tasks(max_rows=16))
def test_the_depth_is_that_of_the_naive_version(task):
    model = oblivious_graph.fit(task.cases(), method="eodg")
    wanted = plain.Eodg(task.rows, task.labels, weights=task.counts, numeric=task.numeric)
    queries = task.rows + task.queries

    assert model.graph.n_nodes == len(wanted.places)
    assert answers(model, queries) == [wanted.answer(row) for row in queries]


@pytest.mark.parametrize(("widest", "merge"), [(1000, plain.merged), (0, plain.merged_quickly)])
@settings(max_examples=60)
@given(task=tasks(max_rows=20))
def test_tests_and_merged_nodes_are_those_of_the_naive_version(widest, merge, task):
    """With all levels, also with the quick way to merge that wide levels need."""
    with all_levels(), patch.object(eodg, "WIDEST", widest):
        model = oblivious_graph.fit(task.cases(), method="eodg")
        tests = eodg.choose(task.cases(), range(task.n_features))
    numeric = frozenset(task.numeric)
    wanted = plain.Eodg(task.rows, task.labels, weights=task.counts, numeric=numeric, all_levels=True, merge=merge)
    queries = task.rows + task.queries

    cuts = [None if np.isnan(threshold) else threshold for threshold in tests.thresholds.tolist()]
    assert list(zip(tests.order.tolist(), cuts)) == wanted.tests
    assert model.graph.n_nodes == len(wanted.places)
    assert answers(model, queries) == [wanted.answer(row) for row in queries]


@settings(max_examples=20)
@given(task=tasks(counts=False), data=st.data())
def test_the_order_of_the_cases_does_not_matter(task, data):
    order = data.draw(st.permutations(range(len(task.rows))))
    model, other = (oblivious_graph.fit(one.cases(), method="eodg") for one in (task, task.take(order)))

    assert model.graph.edge_target.tolist() == other.graph.edge_target.tolist()
    assert model.graph.count.tolist() == other.graph.count.tolist()


def test_irrelevant_bits_vanish_and_symmetric_nodes_are_one():
    """Parity of three bits among five, each case twice: two nodes a level, whatever is asked between."""
    rows, labels = bits(3, irrelevant=2, times=2)
    with all_levels():
        model = fitted(rows, labels)

    assert model.graph.widths == [1, 2, 2]
    assert answers(model, rows) == labels


def test_numbers_are_compared_with_a_threshold_and_may_be_asked_again():
    rows = [[float(x)] for x in range(30)]
    labels = ["mid" if 10 <= row[0] < 20 else "out" for row in rows]
    model = fitted(rows, labels)
    evidence = model.explain(model.schema.encode([[14.0]]))[0]

    assert (model.order.tolist(), model.thresholds.tolist()) == ([0, 0], [9.5, 19.5])
    assert answers(model, [[-3.0], [12.25], [99.0]]) == ["out", "mid", "out"]
    assert [(step.feature, step.value) for step in evidence.path[1:]] == [("f1", "> 9.5"), ("f1", "≤ 19.5")]
    assert evidence.n_features_used == 1


def test_values_without_a_branch_go_where_most_cases_go():
    rows = [["a", "x"]] * 9 + [["a", "y"]] * 9 + [["b", "x"]] * 3 + [["b", "y"]] * 3
    model = fitted(rows, ["P"] * 9 + ["Q"] * 9 + ["Q"] * 3 + ["P"] * 3)
    evidence = model.explain(model.schema.encode([["z", "y"]]))[0]

    assert evidence.label == "Q"
    assert "f1 = z was never seen in training, so the largest branch was taken" in evidence.stopped


def test_a_deeper_tree_must_predict_more_held_out_cases():
    """Where nothing can be learnt, nothing is asked."""
    rows = [[str(i % 7), str(i % 5)] for i in range(60)]
    model = fitted(rows, ["P" if i * 37 % 101 < 70 else "Q" for i in range(60)])

    assert model.graph.depth == 0


def test_files_and_exports_have_thresholds_and_other_values(tmp_path):
    iris = [[5.0 + i % 7, "red" if i % 2 else "blue"] for i in range(42)]
    labels = ["P" if (x > 8) != (colour == "red") else "Q" for x, colour in iris]
    clf = cb.ObliviousGraphClassifier(method="eodg").fit(iris, labels)
    clf.save(tmp_path / "model.cb")
    other = cb.load(tmp_path / "model.cb")

    assert other.model_.thresholds.tolist() == pytest.approx(clf.model_.thresholds.tolist(), nan_ok=True)
    queries = [[1.0, "red"], [9.0, "red"], [9.0, "green"], [None, "blue"]]
    assert other.predict(queries).tolist() == clf.predict(queries).tolist()
    assert other.codelength() == clf.codelength()
    assert "f1 ≤ 8.5: P" in clf.export("text")
    assert '"at_most": 8.5' in clf.export("json")


def test_files_of_earlier_versions_are_graphs_of_the_other_method():
    """They have no setting called method."""
    record = oblivious_graph.Settings(method="consistent", merge="equal").to_dict()
    del record["method"]

    assert oblivious_graph.Settings.from_dict(record).method == "consistent"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_ends_long_work():
    """Merging 2,000 different subtrees takes seconds; a signal ends it at the next tenth of one."""
    chance = np.random.default_rng(0)
    rows = chance.integers(0, 40, (20000, 8)).astype(str).tolist()
    cases = Cases.from_table(rows, y=chance.integers(0, 5, 20000).astype(str).tolist())
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    seen = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores the signal
    timer.start()
    try:
        with all_levels(), pytest.raises(KeyboardInterrupt):
            oblivious_graph.fit(cases, method="eodg", progress=lambda done, total: seen.append((done, total)))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)

    assert seen == sorted(seen)
    assert all(total == 1000 for _, total in seen)


def test_weights_count_as_cases_do():
    """A weight of two is two cases, also when they are dealt to folds."""
    rows, labels = bits(2, irrelevant=1)
    twice = fitted(rows * 2, labels * 2)
    cases = replace(Cases.from_table(rows, y=labels), weights=np.full(len(rows), 2.0))
    weighted = oblivious_graph.fit(cases, method="eodg")

    assert twice.graph.depth > 0
    assert twice.graph.count.tolist() == weighted.graph.count.tolist()


def test_the_depth_of_noisy_tables_is_that_of_the_naive_version():
    """Twenty tables of thirty cases, where one cross-validation or other folds would choose another depth."""
    chance = np.random.default_rng(0)
    found, wanted = [], []
    for _ in range(20):
        rows = chance.integers(0, 3, (30, 4)).astype(str).tolist()
        labels = ["P" if (row[0] == row[1]) != (chance.random() < 0.35) else "Q" for row in rows]
        cases, table = Cases.from_table(rows, y=labels), plain.table_of(rows, labels)
        found.append(eodg.best_depth(cases, eodg.choose(cases, range(4)), preference_of(cases)))
        wanted.append(plain.depth(table, plain.choose(table, frozenset())))

    assert found == wanted
    assert len(set(found)) > 1


def test_long_merging_comes_with_an_estimate():
    """After two seconds the note says how long merging may take yet; before there is none."""
    notes = []

    class Shown:
        def __call__(self, done, total):
            pass

        def note(self, text):
            notes.append(text)

    times = iter([0.0, 1.0, 3.0])
    report = eodg._with_estimate(Shown(), 50_000, lambda: next(times))
    report(0.0)
    report(0.1)
    assert notes == []
    report(0.25)
    assert notes == ["merging 50,000 distinct cases, about 9 s left; Ctrl-C stops"]


def test_a_very_long_merging_is_announced_once():
    """Without a progress display, too: a warning with the estimate and what to do instead."""
    times = iter([0.0, 1.0, 4.0, 5.0, 8.0])
    report = eodg._with_estimate(None, 50_000, lambda: next(times))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for share in (0.0, 0.001, 0.04, 0.05, 0.5):
            report(share)

    assert [str(warning.message)[:64] for warning in caught] == [
        "EODG merges 50,000 distinct cases, which may take 96 s more: man"
    ]
