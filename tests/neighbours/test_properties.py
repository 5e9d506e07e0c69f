"""What must not change an answer: order of rows and columns, threads, copies instead of weights."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.measures.votes import VOTES
from casebase.neighbours import ib1, igtree, search, tribl
from tests.base.results import ask, labels_and_votes
from tests.oracles import leave_one_out
from tests.strategies import compats, ks, missing_policies, tasks, weightings

NAMES = ["size", "shape", "holes", "colour"]


def fitted(learner, cases, weighting, k, **options):
    if learner == "igtree":
        return igtree.fit(cases, weighting=weighting, **options)
    if learner == "tribl":
        return tribl.fit(cases, k=k, weighting=weighting, **options)
    return ib1.fit(cases, k=k, weighting=weighting, **options)


learners = pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl"])


@pytest.mark.slow
@learners
@given(task=tasks(), weighting=weightings, k=ks, missing=missing_policies, data=st.data())
def test_row_order(learner, task, weighting, k, missing, data):
    """The order of the cases never matters."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    one, other = (fitted(learner, t.cases(), weighting, k, missing=missing) for t in (task, shuffled))
    assert ask(one, task.queries) == ask(other, task.queries)
    assert one.weights.tolist() == other.weights.tolist()


@pytest.mark.slow
@learners
@given(task=tasks(gaps=False), weighting=weightings, k=ks, data=st.data())
def test_column_order(learner, task, weighting, k, data):
    """Columns with names may come in any order, in training and in asking."""
    names = NAMES[: task.n_features]
    frame, asked = pd.DataFrame(task.rows, columns=names), pd.DataFrame(task.queries, columns=names)
    order = data.draw(st.permutations(names))

    def model(columns):
        return fitted(learner, Cases.from_table(frame[columns], y=task.labels, weights=task.counts), weighting, k)

    assert ask(model(names), asked) == ask(model(order), asked) == ask(model(order), asked[order[::-1]])


@learners
@pytest.mark.parametrize("k", [1, 3])
def test_threads(learner, k):
    """One thread and two give the same answers."""
    rng = random.Random(1)
    rows = [[rng.choice("abcd"), rng.choice("abcdefgh"), rng.randrange(9) / 4] for _ in range(600)]
    labels = [rng.choice("PQR") for _ in rows]
    model = fitted(learner, Cases.from_table(rows, y=labels), "gain_ratio", k)
    asked = [[rng.choice("abcde"), rng.choice("abcdefgh"), rng.randrange(9) / 4] for _ in range(5000)]
    assert ask(model, asked, n_jobs=1) == ask(model, asked, n_jobs=2)


@pytest.mark.slow
@learners
@given(task=tasks(), weighting=weightings, k=ks, missing=missing_policies)
def test_copies(learner, task, weighting, k, missing):
    """A case of weight n answers as n copies of it do; one of weight 0 as if it were not there."""
    counts = task.counts or [2] * len(task.rows)
    copies = task.take([i for i, n in enumerate(counts) for _ in range(n)])
    weighted = fitted(learner, task.cases(), weighting, k, missing=missing) if task.counts else None
    copied = fitted(
        learner, Cases.from_table(copies.rows, y=copies.labels, kinds=kinds(task)), weighting, k, missing=missing
    )
    weighted = weighted or fitted(
        learner,
        Cases.from_table(task.rows, y=task.labels, kinds=kinds(task), weights=counts),
        weighting,
        k,
        missing=missing,
    )
    assert ask(weighted, task.queries) == ask(copied, task.queries)
    assert weighted.weights.tolist() == copied.weights.tolist()


def kinds(task):
    return {f: "numeric" if f in task.numeric else "symbolic" for f in range(task.n_features)}


@pytest.mark.slow
@given(task=tasks(min_rows=2), weighting=weightings, k=ks, missing=missing_policies)
def test_leave_one_out_is_refitting(task, weighting, k, missing):
    """Leaving a case out of the counts and the search is what fitting without it is."""
    cases = task.cases()
    found = labels_and_votes(
        cases.schema, ib1.leave_one_out(cases, k=k, weighting=weighting, missing=missing, n_jobs=2)
    )
    stored = [i for i in range(len(task.rows)) if task.counts is None or task.counts[i] > 0]
    expected = []
    for i in stored:
        model = ib1.fit(task.take([j for j in stored if j != i]).cases(), k=k, weighting=weighting, missing=missing)
        expected += ask(model, [task.rows[i]])
    assert found == expected


@given(task=tasks(min_rows=2, numbers=False), k=ks, missing=missing_policies, compat=compats)
def test_leave_one_out_is_that_of_the_oracle(task, k, missing, compat):
    """Leave-one-out follows its definition; classes keep the order they have among all the cases."""
    cases = task.cases()
    found = labels_and_votes(
        cases.schema, ib1.leave_one_out(cases, k=k, weighting="none", missing=missing, compat=compat)
    )
    expected = leave_one_out.with_ib1(
        task.rows, task.labels, "none", k, counts=task.counts, label_order=task.class_order(compat), missing=missing
    )
    stored = [i for i in range(len(task.rows)) if task.counts is None or task.counts[i] > 0]
    assert found == [(expected[i].label, expected[i].votes) for i in stored]


@pytest.mark.parametrize("at_once", [1, 7])
def test_answers_do_not_depend_on_how_many_are_given_at_once(monkeypatch, at_once):
    """Blocks shrink when much of the memory answers each question, and nothing else changes."""
    rows = [[str(i % 7), str(i % 3), "PQR"[i % 5 % 3]] for i in range(60)]
    model = ib1.fit(Cases.from_table(rows, target=-1), k=2)
    asked = model.schema.encode([[str(i % 9), str(i % 4)] for i in range(50)])
    expected = model.answer(asked)
    monkeypatch.setattr(search, "FIRST_BLOCK", 3)
    monkeypatch.setattr(search, "NEIGHBOURS_AT_ONCE", at_once)
    answers = model.answer(asked)
    assert answers.label.tolist() == expected.label.tolist()
    assert answers.votes.tolist() == expected.votes.tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("vote", VOTES)
def test_cases_infinitely_far_vote_alike(vote):
    """Where all distances overflow the majority answers: votes next to nothing were all tied."""
    cases = Cases.from_table([[0.0, "P"], [0.0, "P"], [1e-300, "Q"]], target=-1)
    model = ib1.fit(cases, k=2, vote=vote, weighting="none")

    answers = model.answer(model.schema.encode([[1e300]]))

    assert np.isinf(answers.distance).all()
    assert not np.asarray(answers.was_tied).any()
    assert answers.distribution(2).tolist() == [pytest.approx([2 / 3, 1 / 3])]
