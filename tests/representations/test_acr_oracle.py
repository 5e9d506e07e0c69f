"""ACR against its naive second version: every codelength of every run, why it ended, and what follows for the pairs."""

import random
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from tests.oracles import acr, codelengths
from tests.oracles import id3 as plain_id3


def bits(seed, n_examples, n_classes):
    """Two representations of numbers: their digits, and the same with each digit compared with the one before.

    The class is the number of changes; in the second it is the number of ones. A third says nothing.
    """
    rng = random.Random(seed)
    rows = [[rng.choice("01") for _ in range(5)] for _ in range(n_examples)]
    changes = [[row[0], *(str(int(a != b)) for a, b in pairwise(row))] for row in rows]
    labels = [f"c{row[1:].count('1') % n_classes}" for row in changes]
    noise = [[rng.choice("abc")] for _ in rows]
    return {"digits": rows, "changes": changes, "noise": noise}, labels


class PlainTree:
    """A learner of one's own: a tree of the oracle, three bits for each of its nodes."""

    def fit(self, X, y):
        self.tree = plain_id3.grow([list(row) for row in X], list(y))
        return self

    def predict(self, X):
        return np.array([plain_id3.walk(self.tree, list(row)).label for row in X])

    def codelength(self):
        return 3.0 * len(plain_id3.nodes(self.tree))


def learner(rows, labels, sample, *, is_plain):
    """What ID3 makes of a sample: bits, with the values and classes of all examples in mind, and all answers."""
    n_values = [len({row[f] for row in rows}) for f in range(len(rows[0]))]
    n_classes = len(set(labels))

    def learn(size):
        drawn = sample[:size]
        tree = plain_id3.grow([rows[i] for i in drawn], [labels[i] for i in drawn])
        found = codelengths.choices(tree, n_values, [0] * len(n_values))
        n_bits = 3.0 * len(plain_id3.nodes(tree)) if is_plain else codelengths.tree(*found, n_classes)
        return n_bits, [plain_id3.walk(tree, row).label for row in rows]

    return learn


@settings(max_examples=8)
@given(st.integers(0, 1000), st.sampled_from([40, 70]), st.sampled_from([2, 3]), st.sampled_from([0.9, 0.99]))
@pytest.mark.parametrize("is_plain", [True, False])
def test_runs_are_the_oracles(is_plain, seed, n_examples, n_classes, confidence):
    """Each run draws as it says; all that is recorded of it is what the oracle finds."""
    tables, labels = bits(seed, n_examples, n_classes)
    found = cb.compare_representations(
        tables,
        labels,
        learner=PlainTree() if is_plain else "id3",
        first_size=4,
        growth=1.8,
        confidence=confidence,
        max_runs=6,
        sensitivity=False,
        random_state=seed,
    )
    sizes = acr.sample_sizes(4, 1.8, n_examples)
    for run in found.runs:
        rows = tables[run.representation]
        sample = np.random.default_rng([seed, run.number]).permutation(n_examples).tolist()
        order = acr.lexicographic_order(rows)
        wanted = acr.run(sizes, learner(rows, labels, sample, is_plain=is_plain), labels, order, confidence)
        assert (list(run.sizes), run.stopped) == (wanted.sizes, wanted.reason)
        assert run.totals == pytest.approx(wanted.totals)
        assert run.minimum == pytest.approx(wanted.minimum)


@settings(max_examples=15)
@given(st.integers(0, 1000), st.sampled_from([2, 3]), st.sampled_from([0.8, 0.95]))
def test_verdicts_follow_from_the_runs(seed, n_classes, confidence):
    """Wins, losses, p and the better one of each pair, counted until it is decided; the ranking from these."""
    tables, labels = bits(seed, 40, n_classes)
    found = cb.compare_representations(
        tables, labels, first_size=4, growth=2, confidence=confidence, max_runs=8, sensitivity=False, random_state=seed
    )
    minima = defaultdict(dict)
    for run in found.runs:
        minima[run.number][run.representation] = run.minimum
    winners = {}
    for pair in found.pairs:
        both = [one for _, one in sorted(minima.items()) if pair.first in one and pair.second in one]
        counted = next(
            (n for n in range(1, len(both) + 1) if outcome(pair, both[:n], confidence)[4] != 0),
            len(both),
        )
        wins, losses, ties, p, better = outcome(pair, both[:counted], confidence)
        winners[pair.first, pair.second] = {1: pair.first, -1: pair.second, 0: None}[better]
        assert (pair.wins, pair.losses, pair.ties) == (wins, losses, ties)
        assert pair.p == pytest.approx(float(p))
        assert pair.verdict == winners[pair.first, pair.second]
    assert found.best == acr.best(found.names, winners)
    assert {frozenset(cycle) for cycle in found.cycles} == {frozenset(c) for c in acr.cycles(found.names, winners)}
    assert {frozenset(pair) for pair in found.undecided} == {frozenset(p) for p, won in winners.items() if won is None}
    if not found.cycles:
        places = {name: i for i, name in enumerate(found.ranking)}
        assert all(places[won] < places[lost_to(pair, won)] for pair, won in winners.items() if won is not None)


def outcome(pair, minima, confidence):
    return acr.verdict([(one[pair.first], one[pair.second]) for one in minima], confidence)


def lost_to(pair, winner):
    return pair[0] if winner == pair[1] else pair[1]


@settings(max_examples=5)
@given(st.integers(0, 1000))
def test_threads_names_and_records_do_not_matter(seed):
    """The same verdict with two workers, from its own record, and whatever the order of the representations."""
    tables, labels = bits(seed, 40, 2)
    options = {"first_size": 4, "max_runs": 4, "random_state": seed}
    one = cb.compare_representations(tables, labels, n_jobs=1, **options)
    two = cb.compare_representations(tables, labels, n_jobs=2, **options)
    assert one.to_dict() == two.to_dict()
    assert type(one).from_dict(one.to_dict()).to_dict() == one.to_dict()
    turned = cb.compare_representations(dict(reversed(tables.items())), labels, **options)
    assert turned.bits_per_example == pytest.approx(one.bits_per_example)
    assert (turned.best, turned.ranking) == (one.best, one.ranking)
