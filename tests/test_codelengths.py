"""The codelengths of fitted models, counted by hand."""

from math import comb, log2

import numpy as np
import pytest

import casebase as cb
from casebase.datasets import load_weather
from casebase.neighbours import igtree
from casebase.oblivious import oblivion
from casebase.rules import table
from casebase.trees import id3

ROWS = [["a", "x", "u"], ["a", "y", "u"], ["b", "x", "u"], ["b", "y", "v"], ["c", "x", "v"]]
LABELS = ["P", "P", "Q", "P", "Q"]


def cases_of(rows=ROWS, labels=LABELS):
    return cb.Cases.from_table(rows, y=labels)


def test_igtree_by_hand():
    """Order, branches and defaults of a tree of two levels."""
    model = igtree.fit(cases_of(), weighting=[3.0, 2.0, 1.0])
    # Default P; b: default P, x below it Q; c: Q. (b is a tie, won by the class that is more frequent.)
    assert model.tree.n_nodes == 4
    by_hand = log2(4) + log2(3 * 2)  # two of three features, in order
    by_hand += 4 + log2(4) + log2(comb(3, 2)) + log2(3) + log2(comb(2, 1))  # nodes, branches of 3 and of 2 values
    by_hand += 2 * 1 + 2 * 0  # two defaults; a leaf is the other class
    assert model.codelength() == pytest.approx(by_hand)


@pytest.mark.parametrize("seed", range(5))
def test_leaves_of_an_igtree_differ_from_the_default_above_them(seed):
    """So one of C - 1 classes says what they are."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.integers(0, 4, (200, 4)).astype(str), rng.integers(0, 3, 200).astype(str)
    tree = igtree.fit(cases_of(rows, labels)).tree
    n_children = np.diff(tree.first_child.astype(np.int64))
    parent = np.repeat(np.arange(tree.n_nodes), n_children)
    leaves = np.flatnonzero(n_children[1:] == 0)
    assert (tree.label[1:][leaves] != tree.label[parent[leaves]]).all()


def test_an_igtree_of_one_class():
    """That no feature is asked, that the root is a leaf: its class says itself."""
    assert igtree.fit(cases_of(labels=["P"] * 5)).codelength() == pytest.approx(log2(4) + 1)


def test_oblivion_by_hand():
    """One of two features, its two values, four cases as two and two of one class each."""
    rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    model = oblivion.fit(cases_of(rows, ["P", "P", "Q", "Q"]))
    assert model.n_abstract_cases == 2
    by_hand = log2(3) + log2(2) + log2(3) + log2(comb(2, 2)) + 5 + log2(comb(3, 1)) + 2 * log2(comb(3, 1))
    assert model.codelength() == pytest.approx(by_hand)


def test_rules_by_hand():
    """Penguins walk, other birds fly: a test of seven at each of two levels, and the default."""
    rows = [["bird", "sparrow"], ["bird", "penguin"], ["bird", "tit"], ["cat", "tabby"], ["dog", "pug"]]
    model = table.fit(cases_of(rows, ["flies", "walks", "flies", "walks", "walks"]))
    assert [rule.level for rule in model.rules] == [1, 2]
    assert model.codelength() == pytest.approx(3 + 2 * (log2(9) + log2(8)) + 1)


def test_rules_with_pairs_have_more_tests_to_choose_from():
    """Three and five values: 8 tests, and 15 pairs."""
    rows = [["bird", "sparrow"], ["bird", "penguin"], ["bird", "tit"], ["cat", "tabby"], ["dog", "pug"]]
    model = table.fit(cases_of(rows, ["flies", "walks", "flies", "walks", "walks"]), pairs=True)
    n_rules = np.bincount([rule.level for rule in model.rules], minlength=model.n_levels + 1)[1:]
    by_hand = model.n_levels + 1 + sum(log2(24) + log2(comb(23, int(n))) for n in n_rules) + 1
    assert model.codelength() == pytest.approx(by_hand)


def test_rules_pay_for_their_cuts():
    """Numbers that are cut once, at one of nine places."""
    numbers = [[float(i)] for i in range(10)]
    model = table.fit(cases_of(numbers, ["P"] * 5 + ["Q"] * 5))
    (cuts,) = model.discretisation.cuts
    assert len(cuts) == 1
    n_rules = np.bincount([rule.level for rule in model.rules], minlength=model.n_levels + 1)[1:]
    of_rules = model.n_levels + 1 + sum(log2(4) + log2(comb(3, int(n))) for n in n_rules) + 1
    assert model.codelength() == pytest.approx(log2(10) + log2(9) + of_rules)


def test_id3_on_the_weather():
    """Outlook of four, humidity and windy of three, five leaves: 18.170 bits."""
    weather = load_weather()
    model = cb.ID3Classifier().fit(weather.data, weather.target)
    assert (model.n_nodes_, model.n_leaves_) == (8, 5)
    assert model.codelength() == pytest.approx(8 + log2(4) + 2 * log2(3) + 5)


def test_c45_pays_for_what_pruning_leaves():
    """Unpruned, the tree for the weather is ID3's; pruned, it is no longer."""
    weather = load_weather()
    whole = cb.C45Classifier(pruned=False).fit(weather.data, weather.target)
    pruned = cb.C45Classifier().fit(weather.data, weather.target)
    assert whole.codelength() == pytest.approx(18.170, abs=5e-4)
    assert pruned.codelength() <= whole.codelength()


def test_empty_branches_are_leaves():
    """The third value occurs only where x is asked: on the other side its branch is empty, but said."""
    rows = [["a", "x"], ["a", "y"], ["a", "z"], ["b", "x"], ["b", "y"], ["c", "x"]]
    model = id3.fit(cases_of(rows, ["P", "Q", "Q", "Q", "P", "P"]))
    assert model.nodes.n_empty == 1
    # One of two features at the root, the other below it; every leaf one of two classes.
    n_nodes, n_leaves = model.nodes.n_nodes + 1, model.nodes.n_leaves + 1
    assert model.codelength() == pytest.approx(n_nodes + 1 + n_leaves)


def test_numeric_tests_of_a_tree_say_their_threshold():
    """One of two features, one of nine thresholds; a number may be asked again, so it stays available."""
    rows = [[float(i), "u"] for i in range(10)]
    once = id3.fit(cases_of(rows, list("PPPPPQQQQQ")))
    assert once.codelength() == pytest.approx(3 + log2(2 * 9) + 2)
    twice = id3.fit(cases_of(rows, list("PPPQQQQPPP")))
    assert twice.nodes.n_tests == 2
    assert twice.codelength() == pytest.approx(5 + 2 * log2(2 * 9) + 3)


@pytest.mark.parametrize(
    "classifier",
    [cb.IGTreeClassifier, cb.ID3Classifier, cb.C45Classifier, cb.OblivionClassifier, cb.HierarchicalRuleClassifier],
)
def test_classifiers_have_the_codelength_of_their_model(classifier, tmp_path):
    """Fitted, and saved and loaded."""
    fitted = classifier().fit(ROWS, LABELS)
    fitted.save(tmp_path / "model.cb")
    assert fitted.codelength() == fitted.model_.codelength() == cb.load(tmp_path / "model.cb").codelength() > 0
