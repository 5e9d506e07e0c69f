"""OBLIVION against its naive second version, and what must not change what it keeps or answers."""

import random
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.memory import distinct
from casebase.oblivious import oblivion
from tests.base.results import ask
from tests.oracles import oblivion as plain
from tests.strategies import LABELS, missing_policies, tasks

NAMES = ["size", "shape", "holes", "colour", "age"]
directions = st.sampled_from(["backward", "forward"])
beams = st.sampled_from([1, 1, 2, 3, 20])
limits = st.fixed_dictionaries({}, optional={"max_steps": st.integers(0, 3), "min_features": st.integers(0, 3)})


def steps(selection):
    """The history as the oracle writes it: [(column or None, errors), …]."""
    return [(trial.feature, trial.errors) for trial in selection.trials]


def as_copies(task):
    """A task with whole weights as one without weights."""
    picked = task.take([i for i, n in enumerate(task.counts or [1] * len(task.rows)) for _ in range(int(n))])
    return replace(picked, counts=None)


@given(tasks(), directions, missing_policies, limits, beams, st.booleans())
def test_leave_one_out(task, direction, missing, limits, beam, by_values):
    """Every step, its errors and what is kept are those of rebuilding all groups for every case."""
    few, share = distinct.FEWEST_LISTED, distinct.LARGEST_SHARE
    if by_values:
        few, share = 1, 2
    limits = {name: min(limit, task.n_features) for name, limit in limits.items()}
    limits = limits | {"beam": beam}
    with patch.multiple(distinct, FEWEST_LISTED=few, LARGEST_SHARE=share):
        found = oblivion.select(task.cases(), direction=direction, cv="loo", missing=missing, **limits)
    wanted = plain.select(task.rows, task.labels, direction=direction, weights=task.counts, missing=missing, **limits)
    assert list(found.kept) == wanted.kept
    assert steps(found) == [(feature, pytest.approx(errors)) for feature, errors in wanted.history]


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_an_unknown_value_does_not_agree_with_itself(direction):
    """With lists of values too: the heavy case without a value is found among all groups, and still left out."""
    rows = [["a"], ["a"], ["a"], ["a"], [None], ["b"], ["a"], ["a"], ["a"]]
    labels = ["P", "P", "P", "P", "Q", "P", "Q", "Q", "Q"]
    weights = [1, 1, 1, 1, 3, 1, 1, 1, 1]
    cases = Cases.from_table(rows, y=labels, weights=weights)
    with patch.multiple(distinct, FEWEST_LISTED=1, LARGEST_SHARE=2):
        found = oblivion.select(cases, direction=direction, missing="unknown")
    wanted = plain.select(rows, labels, direction=direction, weights=weights, missing="unknown")
    assert (list(found.kept), steps(found)) == (wanted.kept, wanted.history)


@settings(max_examples=60)
@given(tasks(min_rows=3), directions, missing_policies, st.integers(0, 3), beams)
def test_folds(task, direction, missing, seed, beam):
    """The same with three folds, each answered from the two others; a case of weight 0 is in none."""
    stored = task.take([i for i in range(len(task.rows)) if task.counts is None or task.counts[i] > 0])
    found = oblivion.select(task.cases(), direction=direction, cv=3, missing=missing, random_state=seed, beam=beam)
    fold = folds(stored.cases().labels, 3, seed).tolist()
    wanted = plain.select(
        stored.rows, stored.labels, direction=direction, weights=stored.counts, folds=fold, missing=missing, beam=beam
    )
    assert (list(found.kept), steps(found)) == (wanted.kept, wanted.history)


@settings(max_examples=40)
@given(tasks(), missing_policies)
def test_what_one_more_step_would_do(task, missing):
    """The errors without each feature kept, or with each of the others, and the order of what was dropped."""
    for direction, beam in [("backward", 1), ("forward", 1), ("backward", 3), ("forward", 3)]:
        found = oblivion.select(task.cases(), direction=direction, missing=missing, beam=beam)
        others = [f for f in range(task.n_features) if f not in found.kept]
        next_kept = (
            {f: [g for g in found.kept if g != f] for f in found.kept}
            if direction == "backward"
            else {f: [*found.kept, f] for f in others}
        )
        assert found.otherwise == {
            f: pytest.approx(plain.leave_one_out_errors(task.rows, task.labels, features, task.counts, missing))
            for f, features in next_kept.items()
        }
        assert {f for f in range(task.n_features) if found.ranking[f] == 1} == set(found.kept)
        if direction == "backward":
            dropped = [feature for feature, _ in steps(found)[1:]]
            assert [found.ranking[f] for f in reversed(dropped)] == list(range(2, 2 + len(dropped)))


@given(tasks(), missing_policies, st.sampled_from([0, 1, None]))
def test_answers(task, missing, max_steps):
    """A question is answered by its abstract case, or by the nearest ones together."""
    model = oblivion.fit(task.cases(), missing=missing, max_steps=max_steps)
    wanted = [
        plain.predict(task.rows, task.labels, list(model.selection.kept), query, task.counts, missing)
        for query in task.queries
    ]
    assert ask(model, task.queries) == wanted


@settings(max_examples=20)
@given(st.integers(0, 10**6), directions, st.sampled_from(["loo", 3]), st.sampled_from([1, 4]))
def test_larger_tables(seed, direction, cv, beam):
    """Seven features, many classes and duplicates; one feature repeats another."""
    rng = random.Random(seed)
    rows = [[rng.choice("ab") for _ in range(4)] + [rng.choice("abcdef")] for _ in range(30)]
    rows = [[*row, row[1], None if row[0] == row[3] else row[2]] for row in rows]
    n_classes = rng.choice([1, 2, 15])
    labels = [f"c{rng.randrange(n_classes):02}" if rng.random() < 0.3 else f"c{row[0] == row[1]:02}" for row in rows]
    cases = Cases.from_table(rows, y=labels)
    found = oblivion.select(cases, direction=direction, cv=cv, random_state=1, beam=beam)
    fold = folds(cases.labels, 3, 1).tolist() if cv == 3 else None
    wanted = plain.select(rows, labels, direction=direction, folds=fold, beam=beam)
    assert (list(found.kept), steps(found)) == (wanted.kept, wanted.history)


@pytest.mark.parametrize("missing", ["value", "unknown"])
@pytest.mark.parametrize("n_features", [64, 65, 129])
def test_many_features(n_features, missing):
    """More features than a word has bits: one step either way."""
    rng = random.Random(n_features)
    rows = [[rng.choice(["a", "b", None]) for _ in range(n_features)] for _ in range(6)]
    labels = [rng.choice(LABELS) for _ in rows]
    for direction in ["backward", "forward"]:
        found = oblivion.select(Cases.from_table(rows, y=labels), direction=direction, missing=missing, max_steps=1)
        wanted = plain.select(rows, labels, direction=direction, missing=missing, max_steps=1)
        assert (list(found.kept), steps(found)) == (wanted.kept, wanted.history)


@settings(max_examples=40)
@given(tasks(min_rows=2), directions, missing_policies)
def test_errors_are_those_of_refitting(task, direction, missing):
    """The errors of the features kept: each case is answered by a memory of the others."""
    copies = as_copies(task)
    found = oblivion.select(copies.cases(), direction=direction, missing=missing)
    features = list(found.kept)
    if len(copies.rows) < 2 or not features:
        return
    errors = 0
    for i, (row, label) in enumerate(zip(copies.rows, copies.labels)):
        others = copies.take([j for j in range(len(copies.rows)) if j != i])
        rest = Cases.from_table([[r[f] for f in features] for r in others.rows], y=others.labels)
        model = oblivion.fit(rest, max_steps=0, missing=missing)
        errors += ask(model, [[row[f] for f in features]])[0][0] != label
    assert steps(found)[-1][1] == errors


@settings(max_examples=40)
@given(tasks(counts=False), directions, missing_policies)
def test_answers_are_those_of_ib1(task, direction, missing):
    """Without ties, IB1 with equal weights on the features kept says the same."""
    clf = cb.OblivionClassifier(direction=direction, missing=missing, normalisation="probability")
    features = np.flatnonzero(clf.fit(task.rows, task.labels).support_)
    if not len(features):
        return

    def narrow(rows):
        return [[row[f] for f in features] for row in rows]

    ib1 = cb.IB1Classifier(
        weighting="none",
        metric=dict.fromkeys(range(len(features)), "overlap"),
        missing=missing,
        normalisation="probability",
    )
    ib1.fit(narrow(task.rows), task.labels)
    shares = clf.predict_proba(task.queries)
    untied = [i for i, row in enumerate(shares) if (row == row.max()).sum() == 1]
    asked = narrow(task.queries)
    assert np.allclose(shares[untied], ib1.predict_proba(asked)[untied])
    assert (clf.predict(task.queries)[untied] == ib1.predict(asked)[untied]).all()


@settings(max_examples=40)
@given(tasks(min_rows=2), directions, missing_policies, st.data())
def test_row_order(task, direction, missing, data):
    """The order of the cases never matters, nor do threads."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    one = oblivion.select(task.cases(), direction=direction, missing=missing)
    other = oblivion.select(shuffled.cases(), direction=direction, missing=missing, n_jobs=2)
    assert steps(one) == steps(other)


@settings(max_examples=40)
@given(tasks(gaps=False, min_rows=2), directions, st.data())
def test_column_order(task, direction, data):
    """Features with names are kept in any order of the columns."""
    names = NAMES[: task.n_features]
    frame = pd.DataFrame(task.rows, columns=names)
    order = data.draw(st.permutations(names))
    one, other = (
        cb.OblivionSelector(direction=direction).fit(frame[columns], task.labels, sample_weight=task.counts)
        for columns in (names, order)
    )
    assert set(one.get_feature_names_out()) == set(other.get_feature_names_out())


@settings(max_examples=40)
@given(tasks(), missing_policies)
def test_weights_are_copies_in_answers(task, missing):
    """A case of weight n answers as n copies of it do, and as two of half the weight."""
    copies, halves = as_copies(task), replace(task, rows=task.rows * 2, labels=task.labels * 2)
    halves = replace(halves, counts=[n / 2 for n in task.counts or [1] * len(task.rows)] * 2)
    one, other, third = (oblivion.fit(t.cases(), max_steps=0, missing=missing) for t in (task, copies, halves))
    assert ask(one, task.queries) == ask(other, task.queries) == ask(third, task.queries)


@settings(max_examples=40)
@given(tasks(), directions, missing_policies)
def test_weights_are_copies_in_the_search(task, direction, missing):
    """Of a case of weight n one is left out at a time: the same steps as with n copies, and the same errors."""
    one = oblivion.select(task.cases(), direction=direction, missing=missing)
    other = oblivion.select(as_copies(task).cases(), direction=direction, missing=missing)
    assert steps(one) == steps(other)


@settings(max_examples=20)
@given(task=tasks(counts=False, min_rows=2), direction=directions, missing=missing_policies)
def test_file(task, direction, missing, tmp_path_factory):
    """Saving and loading change nothing, and selector and classifier keep the same."""
    clf = cb.OblivionClassifier(direction=direction, missing=missing).fit(task.rows, task.labels)
    path = tmp_path_factory.mktemp("oblivion") / "model.cb"
    clf.save(path)
    again = cb.load(path)
    assert np.array_equal(again.predict_proba(task.queries), clf.predict_proba(task.queries))
    assert again.predict(task.queries).tolist() == clf.predict(task.queries).tolist()
    assert again.support_.tolist() == clf.support_.tolist()
    selector = cb.OblivionSelector(direction=direction, missing=missing).fit(task.rows, task.labels)
    assert selector.support_.tolist() == clf.support_.tolist()


@settings(max_examples=40)
@given(tasks(), directions)
def test_abstract_cases(task, direction):
    """As many abstract cases as there are combinations of the values kept."""
    clf = cb.OblivionClassifier(direction=direction).fit(task.rows, task.labels, sample_weight=task.counts)
    cases = plain.abstract_cases(task.rows, task.labels, np.flatnonzero(clf.support_).tolist(), task.counts)
    assert clf.n_abstract_cases_ == len(cases)


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("n_irrelevant", [0, 3])
def test_parity(direction, n_irrelevant):
    """Exclusive or among irrelevant bits: backward elimination finds it, forward selection need not."""
    rng = random.Random(0)
    rows = [[rng.choice("01") for _ in range(2 + n_irrelevant)] for _ in range(60)]
    labels = [LABELS[row[0] == row[1]] for row in rows]
    wanted = plain.select(rows, labels, direction=direction)
    found = oblivion.select(Cases.from_table(rows, y=labels), direction=direction, n_jobs=2)
    assert (list(found.kept), steps(found)) == (wanted.kept, wanted.history)
    if direction == "backward":
        assert wanted.kept == [0, 1]
