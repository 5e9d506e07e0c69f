"""Codelengths against the oracle, and against Kraft: there must be a code in which every hypothesis has its length.

Where all the hypotheses of a small space are enumerated, the sum of 2 to the power of minus their codelengths is at
most 1. A codelength that forgets to say something gives a sum above 1.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product
from math import comb, log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import casebase as cb
from casebase.measures import codelengths, trend
from tests.oracles import acr as acr_oracle
from tests.oracles import codelengths as oracle
from tests.oracles import igtree as plain_igtree
from tests.oracles import oblivion as plain_oblivion
from tests.strategies import tasks


def kraft(lengths):
    """The part of all codes that these codelengths take up."""
    return sum(2.0**-length for length in lengths)


@given(st.data(), st.integers(0, 60), st.integers(2, 5))
def test_exceptions_are_the_oracles(data, n, n_classes):
    k = data.draw(st.integers(0, n))
    bound = data.draw(st.integers(k, n))
    expected = oracle.exceptions(n, k, bound=bound, n_classes=n_classes)
    assert codelengths.exceptions(n, k, bound=bound, n_classes=n_classes) == pytest.approx(expected, abs=1e-9)
    if n:
        assert codelengths.ideal(n, k) == pytest.approx(oracle.ideal(n, k), abs=1e-9)


@given(st.integers(0, 7), st.integers(2, 4))
def test_exceptions_leave_no_code_unused(n, n_classes):
    """Every list of corrections of n examples has its own code, and they fill the space."""
    lengths = [
        codelengths.exceptions(n, k, n_classes=n_classes)
        for k in range(n + 1)
        for _ in range(oracle.n_messages(n, k, n_classes))
    ]
    assert kraft(lengths) == pytest.approx(1)


@given(st.lists(st.integers(1, 50), max_size=6), st.integers(1, 9), st.integers(1, 5))
def test_trees_are_the_oracles(choices, n_leaves, n_classes):
    expected = oracle.tree(choices, n_leaves, n_classes)
    assert codelengths.tree(choices, n_leaves, n_classes) == pytest.approx(expected, abs=1e-9)


def all_trees(n_values, n_classes, available):
    """The choices and the number of leaves of every tree over symbolic attributes, as often as there are such trees."""
    found = Counter({((), 1): n_classes})
    for attribute in available:
        rest = [other for other in available if other != attribute]
        below = all_trees(n_values, n_classes, rest)
        for branches in product(below.items(), repeat=n_values[attribute]):
            choices, n_leaves, n_trees = (len(available),), 0, 1
            for (child_choices, child_leaves), n_such in branches:
                choices, n_leaves, n_trees = choices + child_choices, n_leaves + child_leaves, n_trees * n_such
            found[tuple(sorted(choices)), n_leaves] += n_trees
    return found


@pytest.mark.parametrize(("n_values", "n_classes"), [([2, 2], 2), ([2, 3], 3), ([2, 2, 2], 2), ([1, 2], 4)])
def test_every_tree_has_its_code(n_values, n_classes):
    trees = all_trees(n_values, n_classes, range(len(n_values)))
    total = sum(
        n * 2.0 ** -codelengths.tree(list(choices), leaves, n_classes) for (choices, leaves), n in trees.items()
    )
    assert 0.5 < total <= 1 + 1e-9


def igtrees(level, depth, parent, n_values, n_classes):
    """The (sub)trees of an IGTree below a default class: its branching, its leaves and how deep it is."""
    for label in range(n_classes):
        if parent is None or label != parent:
            yield (), 1 if parent is not None else 0, level
        if level == depth:
            continue
        below = [None, *igtrees(level + 1, depth, label, n_values, n_classes)]
        for branches in product(below, repeat=n_values[level]):
            stored = [child for child in branches if child is not None]
            if stored:
                branching = [(n_values[level], len(stored))] + [pair for child in stored for pair in child[0]]
                yield tuple(branching), sum(child[1] for child in stored), max(child[2] for child in stored)


@pytest.mark.parametrize(("n_values", "n_classes"), [([2, 2], 2), ([2, 3], 2), ([3], 3), ([2, 1], 3)])
def test_every_igtree_has_its_code(n_values, n_classes):
    """Over all orders of the features and all trees that use as many of them as they are deep."""
    lengths = []
    for depth in range(len(n_values) + 1):
        for order in permutations(range(len(n_values)), depth):
            for branching, n_leaves, deepest in igtrees(0, depth, None, [n_values[f] for f in order], n_classes):
                if deepest == depth:
                    lengths.append(codelengths.igtree(branching, len(n_values), depth, n_leaves, n_classes))
    assert kraft(lengths) <= 1 + 1e-9


@settings(max_examples=50)
@given(tasks(numbers=False))
def test_igtree_model(task):
    """The bits of a model are those of the naive tree."""
    model = cb.IGTreeClassifier(weighting=np.arange(task.n_features, 0, -1)).fit(
        task.rows, task.labels, sample_weight=task.counts
    )
    tree = plain_igtree.grow(task.rows, task.labels, range(task.n_features), task.counts)
    assert model.codelength() == pytest.approx(oracle.igtree(tree, n_values_of(task), len(set(task.labels))))


@settings(max_examples=50)
@given(tasks(numbers=False))
def test_oblivion_model(task):
    """The bits of a model are those of the abstract cases of the features that it kept."""
    model = cb.OblivionClassifier().fit(task.rows, task.labels, sample_weight=task.counts)
    kept = [f for f in range(task.n_features) if model.support_[f]]
    cases = plain_oblivion.abstract_cases(task.rows, task.labels, kept, task.counts)
    counts = [list(case.distribution.values()) for case in cases]
    expected = oracle.abstract_cases(
        [n_values_of(task)[f] for f in kept], task.n_features, counts, len(set(task.labels))
    )
    assert model.codelength() == pytest.approx(expected)


def n_values_of(task):
    """How many values each feature has; a case of weight 0 leaves none behind."""
    counts = task.counts or [1] * len(task.rows)
    return [len({row[f] for row, count in zip(task.rows, counts) if count}) for f in range(task.n_features)]


@pytest.mark.parametrize(("n_tests", "n_classes"), [(3, 2), (4, 2), (2, 3)])
def test_every_hierarchy_of_rules_has_its_code(n_tests, n_classes):
    """Up to three levels, each any set of tests; with two classes the levels' classes alternate below the default."""
    names = range(n_tests * (1 if n_classes == 2 else n_classes))
    levels = [rules for n in range(len(names) + 1) for rules in combinations(names, n)]
    by_size = Counter(len(rules) for rules in levels)
    total = 0.0
    for depth in range(4):
        for sizes in product(by_size, repeat=depth):
            n_hierarchies = n_classes * np.prod([by_size[n] for n in sizes])
            total += n_hierarchies * 2.0 ** -codelengths.rules(sizes, n_tests, n_classes)
    assert total <= 1 + 1e-9


@pytest.mark.parametrize(("n_values", "n_classes"), [([2], 2), ([2, 2], 2), ([3], 3)])
def test_every_set_of_abstract_cases_has_its_code(n_values, n_classes):
    """Any features kept, any combinations of their values that occur, up to three cases in them."""
    counts = [c for c in product(range(4), repeat=n_classes) if 0 < sum(c) <= 3]
    total = 0.0
    for n_kept in range(len(n_values) + 1):
        for kept in combinations(range(len(n_values)), n_kept):
            sizes = [n_values[f] for f in kept]
            n_cells = int(np.prod(sizes)) if sizes else 1
            for n_cases in range(1, min(n_cells, 3) + 1):
                for cases in product(counts, repeat=n_cases):
                    if sum(map(sum, cases)) > 3:
                        continue
                    bits = codelengths.abstract_cases(
                        sizes, n_features=len(n_values), counts=[list(c) for c in cases], n_classes=n_classes
                    )
                    total += comb(n_cells, n_cases) * 2.0**-bits
    assert total <= 1 + 1e-9


@pytest.mark.parametrize(("n_values", "n_classes"), [([2, 2], 2), ([2, 3], 2), ([3], 3)])
def test_every_oblivious_graph_has_its_code(n_values, n_classes):
    """Any order of features, any number of nodes a level can have, each branch to any node below, class or nothing."""
    total = 0.0
    for depth in range(len(n_values) + 1):
        for order in permutations(range(len(n_values)), depth):
            values = [n_values[f] for f in order]
            for sizes in level_sizes(values):
                below = [*sizes[1:], 0]
                n_graphs = float(n_classes ** sum(sizes)) if sizes else float(n_classes)
                for size, n, n_below in zip(sizes, values, below):
                    n_graphs *= float(n_below + n_classes + 1) ** (size * n)
                total += n_graphs * 2.0 ** -codelengths.oblivious_graph(sizes, values, len(n_values), n_classes)
    assert total <= 1 + 1e-9


def level_sizes(n_values):
    """All numbers of nodes per level: one root, and below at most as many as there are branches."""
    if not n_values:
        return [[]]
    found = [[1]]
    for n in n_values[:-1]:
        found = [[*sizes, size] for sizes in found for size in range(1, sizes[-1] * n + 1)]
    return found


@given(st.integers(0, 3), st.integers(1, 3), st.integers(2, 4))
def test_every_perceptron_has_its_code(n_available, precision, n_classes):
    """Any classes, two at least, any inputs, any weights of so many bits; one unit for two classes, else one each."""
    total = 0.0
    for n_present in range(2, n_classes + 1):
        n_units = 1 if n_present == 2 else n_present
        for n_inputs in range(n_available + 1):
            bits = codelengths.perceptron(
                n_inputs, n_units, precision, n_available=n_available, n_classes=n_classes, n_present=n_present
            )
            n_perceptrons = comb(n_classes, n_present) * comb(n_available, n_inputs)
            total += n_perceptrons * 2.0 ** (n_units * (n_inputs + 1) * precision - bits)
    assert total <= 1 + 1e-9


vectors = st.lists(st.integers(0, 1), min_size=1, max_size=60)


@given(vectors)
def test_autocorrelations_are_the_oracles(vector):
    found = trend.autocorrelations(np.array(vector))
    if len(set(vector)) == 1:
        assert np.isnan(found).all()
    else:
        np.testing.assert_allclose(found, acr_oracle.autocorrelations(vector), atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 12)), min_size=1, max_size=12))
def test_independence_is_the_oracles(blocks):
    """Blocks of equal marks, so that both answers are common."""
    vector = [mark for mark, n in blocks for _ in range(n)]
    assume(len(vector) >= 4 and len(set(vector)) == 2)
    assert (trend.share_outside(np.array(vector)) < trend.SHARE) == acr_oracle.is_independent(vector)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 4), min_size=5, max_size=7))
def test_increase_is_the_enumerated_one(series):
    assert trend.increase_p(series) == pytest.approx(float(acr_oracle.kendall_p(series)))


@given(st.permutations(range(9)))
def test_increase_is_scipys(series):
    expected = stats.kendalltau(range(9), series, alternative="greater", method="exact").pvalue
    assert trend.increase_p(series) == pytest.approx(expected)


@given(st.integers(0, 7), st.integers(0, 6))
def test_signs_are_the_enumerated_ones(n_wins, n_losses):
    found = trend.sign_test_p(n_wins, n_losses)
    assert found == float(acr_oracle.sign_p(n_wins, n_losses))
    if n_wins + n_losses:
        most = max(n_wins, n_losses)
        assert found == pytest.approx(stats.binomtest(most, n_wins + n_losses, alternative="greater").pvalue)


def test_many_runs_do_not_overflow():
    """Thousands of signs are still a probability."""
    assert trend.sign_test_p(500, 500) == pytest.approx(0.5, abs=0.02)
    assert trend.sign_test_p(1500, 0) >= 0
    assert codelengths.exceptions(10**9, 10**8) == pytest.approx(codelengths.ideal(10**9, 10**8), rel=1e-4)
    assert log2(10**9 + 1) <= codelengths.exceptions(10**9, 0)
