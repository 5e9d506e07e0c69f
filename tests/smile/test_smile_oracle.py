"""SMILE against its naive second version, and what must not change its answers."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.smile import smile
from tests.base.results import ask
from tests.oracles import mdlp
from tests.oracles import smile as plain
from tests.strategies import LABELS, tasks

alphas = st.integers(0, 4)
ways = st.sampled_from(["size", "cases"])
NAMES = ["size", "shape", "holes", "colour"]


def expected(rows, labels, queries, alpha, weights=None, by="cases"):
    """The oracle's answers as (label, {label: votes}); a case of the largest set has one vote."""
    answers = [plain.classify(rows, labels, query, alpha, weights, by) for query in queries]
    memory = plain.count(range(len(rows)), labels, weights or [1] * len(rows))
    return [(answer.label, summed(answer.pools, by) or memory) for answer in answers]


def summed(pools, by):
    """Class counts of several pools together."""
    total, largest = {}, max(map(len, pools), default=0)
    for joint, distribution in pools.items():
        for label, n in distribution.items():
            total[label] = total.get(label, 0) + n * (2.0 ** (len(joint) - largest) if by == "size" else 1)
    return total


def same(found, wanted):
    """Labels are equal, votes up to rounding."""
    assert [label for label, _ in found] == [label for label, _ in wanted]
    assert [votes for _, votes in found] == [pytest.approx(votes) for _, votes in wanted]


@given(tasks(), alphas, ways)
def test_answers(task, alpha, by):
    """Labels and votes are those of Figure 2 and Equation 4.14, or pools weigh by size; numbers are equal or not."""
    model = smile.fit(task.cases(), alpha=alpha, pools=by, discretise="none")
    same(ask(model, task.queries), expected(task.rows, task.labels, task.queries, alpha, task.counts, by))


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([63, 64, 65, 128, 129, 200]), st.integers(1, 20), st.integers(0, 6), ways)
def test_more_features_than_a_word_has_bits(seed, n_features, n_rows, alpha, by):
    """Joints of up to 200 features; rows copy parts of the question so that joints cover each other."""
    rng = random.Random(seed)
    query = [rng.choice(["a", "b", None]) for _ in range(n_features)]
    rows, images = [], [frozenset(rng.sample(range(n_features), rng.choice([0, 1, 2, n_features // 2, n_features])))]
    for _ in range(n_rows):
        image = rng.choice(images)
        images.append(image | {rng.randrange(n_features)} if rng.random() < 0.5 else frozenset(list(image)[::2]))
        rows.append([value if f in image else "z" for f, value in enumerate(query)])
    labels = [rng.choice(LABELS) for _ in rows]
    model = smile.fit(Cases.from_table(rows, y=labels), alpha=alpha, pools=by, discretise="none")
    same(ask(model, [query, rows[0]]), expected(rows, labels, [query, rows[0]], alpha, by=by))


@settings(max_examples=30)
@given(st.integers(0, 10**6), alphas, ways)
def test_many_classes(seed, alpha, by):
    """As many classes as cases, or nearly."""
    rng = random.Random(seed)
    rows = [[rng.choice("ab"), rng.choice("abc"), rng.choice("ab")] for _ in range(40)]
    labels = [f"c{rng.randrange(45):02}" for _ in rows]
    model = smile.fit(Cases.from_table(rows, y=labels), alpha=alpha, pools=by, discretise="none")
    same(ask(model, rows[:8]), expected(rows, labels, rows[:8], alpha, by=by))


@settings(max_examples=60)
@given(tasks(numbers=False, min_rows=2, max_rows=10), ways)
def test_alpha_by_leave_one_out(task, by):
    """The alpha chosen makes the fewest leave-one-out errors of those tried; the smallest of equal ones."""
    model = smile.fit(task.cases(), alpha="auto", pools=by, discretise="none")
    assert model.alpha_errors == {
        alpha: plain.leave_one_out_errors(task.rows, task.labels, alpha, task.counts, by=by)
        for alpha in model.alpha_errors
    }
    assert model.alpha == plain.choose_alpha(task.rows, task.labels, list(model.alpha_errors), task.counts, by=by)
    assert {0, 1} <= set(model.alpha_errors)


@settings(max_examples=60)
@given(tasks(gaps=True), alphas, ways)
def test_numbers_in_intervals(task, alpha, by):
    """Numbers are replaced by their interval between the cuts of minimum description length."""
    cuts = {f: mdlp.cuts([row[f] for row in task.rows], task.labels, task.counts) for f in task.numeric}

    def in_intervals(rows):
        return [
            [sum(cut < v for cut in cuts[f]) if f in cuts and v is not None else v for f, v in enumerate(row)]
            for row in rows
        ]

    model = smile.fit(task.cases(), alpha=alpha, pools=by, discretise="mdlp")
    wanted = expected(in_intervals(task.rows), task.labels, in_intervals(task.queries), alpha, task.counts, by)
    same(ask(model, task.queries), wanted)


@settings(max_examples=60)
@given(tasks(min_rows=2), alphas, st.data())
def test_row_order(task, alpha, data):
    """The order of the cases never matters, nor do threads."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    one, other = (smile.fit(t.cases(), alpha=alpha) for t in (task, shuffled))
    assert ask(one, task.queries) == ask(other, task.queries) == ask(one, task.queries, n_jobs=2)


@settings(max_examples=40)
@given(tasks(min_rows=2, max_rows=8), st.data())
def test_row_order_of_a_chosen_alpha(task, data):
    """Nor does it change the alpha that is chosen."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    assert smile.fit(task.cases(), alpha="auto").alpha == smile.fit(shuffled.cases(), alpha="auto").alpha


@settings(max_examples=60)
@given(tasks(gaps=False), alphas, st.data())
def test_column_order(task, alpha, data):
    """Columns with names may come in any order, in training and in asking."""
    names = NAMES[: task.n_features]
    frame, asked = pd.DataFrame(task.rows, columns=names), pd.DataFrame(task.queries, columns=names)
    order = data.draw(st.permutations(names))

    def model(columns):
        return smile.fit(Cases.from_table(frame[columns], y=task.labels, weights=task.counts), alpha=alpha)

    assert ask(model(names), asked) == ask(model(order), asked) == ask(model(order), asked[order[::-1]])


@settings(max_examples=60)
@given(tasks(), alphas)
def test_copies_of_half_the_weight(task, alpha):
    """Every case twice at half its weight is the same memory."""
    counts = [n / 2 for n in task.counts or [1] * len(task.rows)] * 2
    kinds = {f: "numeric" if f in task.numeric else "symbolic" for f in range(task.n_features)}
    halves = Cases.from_table(task.rows * 2, y=task.labels * 2, kinds=kinds, weights=counts)
    same(ask(smile.fit(halves, alpha=alpha), task.queries), ask(smile.fit(task.cases(), alpha=alpha), task.queries))


@settings(max_examples=60)
@given(tasks(), alphas)
def test_weights_are_copies(task, alpha):
    """A case of weight n answers as n copies of it do."""
    counts = [int(n) for n in task.counts or [2] * len(task.rows)]
    copies = [i for i, n in enumerate(counts) for _ in range(n)]
    kinds = {f: "numeric" if f in task.numeric else "symbolic" for f in range(task.n_features)}
    weighted = Cases.from_table(task.rows, y=task.labels, kinds=kinds, weights=counts)
    copied = Cases.from_table([task.rows[i] for i in copies], y=[task.labels[i] for i in copies], kinds=kinds)
    assert ask(smile.fit(weighted, alpha=alpha), task.queries) == ask(smile.fit(copied, alpha=alpha), task.queries)


@settings(max_examples=40)
@given(tasks(), alphas, ways)
def test_evidence(task, alpha, by):
    """The sets of features shown are the joints of the oracle, each with the classes of its pool.

    The classes of the pools, times their weights, are the votes; so are the votes of the listed cases.
    """
    model = smile.fit(task.cases(), alpha=alpha, pools=by, discretise="none")
    names = [feature.name for feature in model.schema.features]
    for query, evidence in zip(task.queries, model.explain(model.schema.encode(task.queries), limit=99)):
        answer = plain.classify(task.rows, task.labels, query, alpha, task.counts, by)
        assert evidence.label == answer.label
        found = {
            frozenset(names.index(name) for name in pool.features): (pool.n_cases, dict(pool.counts))
            for pool in evidence.pools
        }
        assert found == {joint: (sum(counts.values()), counts) for joint, counts in answer.pools.items()}
        if evidence.pools:
            sizes = [len(pool.features) for pool in evidence.pools]
            weights = [2.0 ** (n - max(sizes)) if by == "size" else 1.0 for n in sizes]
            assert [pool.weight for pool in evidence.pools] == weights
            of_cases = [case.weight * sum(weights[i] for i in case.pools) for case in evidence.cases]
            by_class = dict.fromkeys(evidence.votes, 0.0)
            for case, n in zip(evidence.cases, of_cases):
                by_class[case.label] += n
            assert by_class == pytest.approx(evidence.votes)


@settings(max_examples=20)
@given(task=tasks(counts=False, min_rows=2), alpha=st.one_of(alphas, st.just("auto")), by=ways)
def test_estimator_and_file(task, alpha, by, tmp_path_factory):
    """The estimator's shares are Equation 4.14, or its weighted reading, and a saved model gives the same."""
    clf = cb.SMILEClassifier(alpha=alpha, pools=by, discretise="none", normalisation="probability")
    clf.fit(task.rows, task.labels)
    wanted = [plain.classify(task.rows, task.labels, query, clf.alpha_, by=by) for query in task.queries]
    assert clf.predict(task.queries).tolist() == [answer.label for answer in wanted]
    shares = [[answer.likelihood[c] for c in clf.classes_] for answer in wanted]
    assert np.allclose(clf.predict_proba(task.queries), shares, atol=1e-12)

    path = tmp_path_factory.mktemp("smile") / "model.cb"
    clf.save(path)
    again = cb.load(path)
    assert np.array_equal(again.predict_proba(task.queries), clf.predict_proba(task.queries))
    assert again.predict(task.queries).tolist() == clf.predict(task.queries).tolist()
