"""Codelengths of hypotheses and of their errors, by hand."""

from math import comb, log2

import pytest

from casebase.errors import CasebaseError
from casebase.measures import codelengths


def test_exceptions_of_the_weather_data():
    """Quinlan and Rivest: 9 exceptions among 14, at most 14, cost 14.874 bits."""
    assert codelengths.exceptions(14, 9) == pytest.approx(14.874, abs=5e-4)


def test_exceptions_are_cheaper_when_few_are_possible():
    """The bound is paid for: at most 7 of 14 instead of at most 14."""
    assert codelengths.exceptions(14, 5, bound=7) == pytest.approx(log2(8) + log2(comb(14, 5)))


def test_corrections_name_one_of_the_other_classes():
    """With five classes every exception is one of four others: two bits each."""
    two, five = codelengths.exceptions(20, 3), codelengths.exceptions(20, 3, n_classes=5)
    assert five == pytest.approx(two + 3 * 2)


def test_one_class_leaves_nothing_to_say_but_that():
    """With one class there are no exceptions: only their number, 0, is said."""
    assert codelengths.exceptions(14, 0, n_classes=1) == log2(15)
    with pytest.raises(CasebaseError, match="With one class"):
        codelengths.exceptions(14, 1, n_classes=1)


@pytest.mark.parametrize("bad", [{"n": 5, "k": 6}, {"n": 5, "k": -1}, {"n": 5, "k": 3, "bound": 2}])
def test_numbers_of_exceptions_that_cannot_be(bad):
    """More exceptions than things, or than the bound allows, are refused with the numbers."""
    with pytest.raises(CasebaseError, match=f"k = {bad['k']}"):
        codelengths.exceptions(**bad)


def test_ideal_codelength_is_length_times_entropy():
    """Three errors of twelve have 12 · H(1/4) bits; none or all have 0."""
    assert codelengths.ideal(12, 3) == pytest.approx(12 * (0.25 * 2 + 0.75 * log2(4 / 3)))
    assert codelengths.ideal(12, 0) == codelengths.ideal(12, 12) == 0.0


def test_ideal_codelength_is_a_bound():
    """No code of positions is shorter than the entropy of the marks, up to the number of errors."""
    for k in range(31):
        assert codelengths.exceptions(30, k) >= codelengths.ideal(30, k) - 1e-9


def test_the_weather_tree():
    """Three tests among 4, 3 and 3 attributes and five leaves of two classes: 18.170 bits."""
    assert codelengths.tree([4, 3, 3], 5, 2) == pytest.approx(18.170, abs=5e-4)


def test_a_single_leaf():
    """A tree that asks nothing says so, and its class."""
    assert codelengths.tree([], 1, 4) == 1 + 2


def test_numeric_tests_pay_for_the_threshold():
    """Four attributes and eight thresholds: log2 32 instead of log2 4."""
    assert codelengths.tree([32], 2, 2) == codelengths.tree([4], 2, 2) + 3


def test_an_igtree_without_branches():
    """Only that no feature is asked, that the root is a leaf, and its class."""
    assert codelengths.igtree([], n_features=3, depth=0, n_leaves=1, n_classes=4) == log2(4) + 1 + 2


def test_an_igtree_by_hand():
    """Two of three features; a root of 4 values with 2 branches, one of which asks a feature of 2 values."""
    by_hand = log2(4) + log2(3 * 2) + 4  # depth, order, one bit per node
    by_hand += log2(5) + log2(6) + log2(3) + log2(2)  # which branches
    by_hand += 2 * log2(3) + 2 * log2(2)  # two defaults of three classes, two leaves of two
    bits = codelengths.igtree([(4, 2), (2, 1)], n_features=3, depth=2, n_leaves=2, n_classes=3)
    assert bits == pytest.approx(by_hand)


def test_rules_of_two_classes_say_no_class_but_the_default():
    """Levels alternate: 3 bits for two levels, the tests of each, one bit for the default."""
    by_hand = 3 + log2(5) + log2(4) + log2(5) + log2(6) + 1
    assert codelengths.rules([1, 2], n_tests=4, n_classes=2) == pytest.approx(by_hand)


def test_rules_of_three_classes_say_theirs():
    """A rule of three classes is one of tests × classes."""
    assert codelengths.rules([2], n_tests=4, n_classes=3) == pytest.approx(2 + log2(13) + log2(66) + log2(3))


def test_abstract_cases_by_hand():
    """Two of three features, 3 · 2 combinations of which two occur, 5 cases as 4 and 1, their classes."""
    by_hand = log2(4) + log2(3) + log2(7) + log2(15) + 5 + log2(4) + log2(5) + log2(2)
    bits = codelengths.abstract_cases([3, 2], n_features=3, counts=[[3, 1], [1]], n_classes=2)
    assert bits == pytest.approx(by_hand)


@pytest.mark.parametrize(("n", "bits"), [(1, 1), (2, 3), (7, 5), (8, 7)])
def test_whole_numbers(n, bits):
    """As many zeros as there are binary digits behind the first, then the digits."""
    assert codelengths.whole_number(n) == bits
    assert sum(2.0 ** -codelengths.whole_number(i) for i in range(1, 1000)) <= 1
    with pytest.raises(CasebaseError, match="positive whole numbers"):
        codelengths.whole_number(0)


def test_abstract_cases_with_weights_that_are_not_whole():
    """Half a case is said as one."""
    whole = codelengths.abstract_cases([2], 1, [[2, 1], [1]], 2)
    assert codelengths.abstract_cases([2], 1, [[1.5, 0.5], [0.25]], 2) == whole


def test_combinations_too_many_to_write_out():
    """400 features of 1000 values: the codelength is finite, and grows by about one combination per abstract case."""
    one, two = (codelengths.abstract_cases([1000] * 400, 400, [[1]] * n, 2) for n in (1, 2))
    assert two - one == pytest.approx(400 * log2(1000), abs=4)


def test_perceptrons_pay_for_every_weight():
    """Two units of three inputs and a threshold, eight bits each; a bit per input, and 5 for the precision."""
    assert codelengths.perceptron(3, 2, 8) == 64 + 3 + 5


def test_perceptrons_say_which_inputs_and_classes_they_have():
    """Three of ten inputs and two of four classes: ten bits, one of 2, 3 and 4, and one of six pairs."""
    bits = codelengths.perceptron(3, 1, 4, n_available=10, n_classes=4, n_present=2)
    assert bits == pytest.approx(16 + 10 + 5 + log2(3) + log2(6))


@pytest.mark.parametrize("bad", [{"precision": 0}, {"precision": 33}, {"n_available": 2}, {"n_classes": 1}])
def test_perceptrons_that_cannot_be(bad):
    """No bits, too many bits, more inputs than there are, one class."""
    with pytest.raises(CasebaseError):
        codelengths.perceptron(3, **bad)


def test_a_perceptron_tree_by_hand():
    """A test of four, a leaf of two classes (1 + 1 + 1 bits) and a perceptron (1 + 1 bits and its own)."""
    assert codelengths.perceptron_tree([4], 1, [40.0], 2) == 1 + 2 + 3 + 2 + 40


def test_an_oblivious_graph_by_hand():
    """Exclusive or of two of three features: a root, two nodes, branches to nodes, two classes or nowhere."""
    by_hand = log2(4) + log2(6) + log2(2) + 2 * log2(5) + 4 * log2(3) + 3 * log2(2)
    assert codelengths.oblivious_graph([1, 2], [2, 2], 3, 2) == pytest.approx(by_hand)


def test_an_oblivious_graph_that_asks_nothing():
    """Only that it asks nothing, and its class."""
    assert codelengths.oblivious_graph([], [], 3, 4) == log2(4) + 2


@pytest.mark.parametrize(("n", "k"), [(10, 3), (100, 50), (5000, 17), (2**26 + 5, 3), (2**30, 1000)])
def test_binomials(n, k):
    """The logarithm of a binomial is that of the whole number, small or huge."""
    assert codelengths.log2_binomial(n, k) == pytest.approx(log2(comb(n, k)), rel=1e-9)
