"""Perceptron trees: where perceptrons stand, what they weigh, and that cases are answered as they were given."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.trees import perceptron_tree
from tests.oracles import linear_machine as oracle
from tests.oracles.perceptron_tree import is_separable
from tests.strategies import tasks
from tests.trees.test_id3 import coded, random_task

AND = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def fitted(rows, labels, **parameters):
    return perceptron_tree.fit(Cases.from_table(rows, y=labels), **parameters)


def answers(model, rows):
    return [model.schema.classes[c] for c in model.answer(model.schema.encode(rows)).label]


def test_one_perceptron_says_what_a_weighted_sum_can_say():
    """Two of three is a tree of several tests, and one perceptron."""
    rows = [[a, b, c] for a in "01" for b in "01" for c in "01"]
    labels = ["many" if row.count("1") >= 2 else "few" for row in rows]
    model = fitted(rows, labels)

    assert (model.nodes.n_nodes, model.n_perceptrons) == (1, 1)
    assert answers(model, rows) == labels


def test_what_no_perceptron_says_is_divided_by_a_test():
    """Parity of two is two perceptrons under a test."""
    model = fitted(AND, list("0110"))

    assert (model.nodes.n_nodes, model.n_perceptrons, model.nodes.feature.tolist()) == (3, 2, [0, -1, -1])
    assert answers(model, AND) == list("0110")


def test_more_than_two_classes_have_a_unit_each():
    model = fitted([["a"], ["b"], ["c"]], ["P", "Q", "R"])

    assert model.perceptrons.n_units.tolist() == [3]
    assert model.perceptrons.weights(0).shape == (3, 4)
    assert answers(model, [["a"], ["b"], ["c"]]) == ["P", "Q", "R"]


def test_a_leaf_of_one_class_has_no_perceptron():
    model = fitted(AND, list("PPPP"))

    assert (model.nodes.n_nodes, model.n_perceptrons, model.n_weights) == (1, 0, 0)


def test_numbers_are_weighed_too():
    """A slanted line between two classes is one perceptron, whatever the units of the numbers are."""
    rows = [[float(x), 1000.0 * y] for x in range(5) for y in range(5)]
    labels = ["above" if row[1] / 1000 > row[0] + 0.5 else "below" for row in rows]
    model = fitted(rows, labels)

    assert (model.nodes.n_nodes, model.centre.tolist(), model.half_range.tolist()) == (1, [2.0, 2000.0], [2.0, 2000.0])
    assert answers(model, rows) == labels
    assert answers(model, [[1.0, 1e8], [1e300, 0.0]]) == ["above", "below"]


def test_a_missing_number_says_nothing_and_is_told_apart_by_a_test_if_need_be():
    """It is like the number in the middle to a perceptron, but below all numbers to a test."""
    rows, labels = [[-1.0], [0.0], [1.0], [None]], ["P", "P", "P", "Q"]
    model = fitted(rows, labels)

    assert model.nodes.threshold[0] == -np.inf
    assert answers(model, rows) == labels


def test_a_value_never_seen_says_nothing():
    """The other values decide, in the perceptron as the weights have it."""
    model = fitted([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], ["P", "P", "P", "Q"])

    weights = model.perceptrons.weights(0)[0]
    inputs = model.perceptrons.inputs(0)
    x = weights[0] + sum(w if value == 0 else -w for w, (feature, value) in zip(weights[1:], inputs) if feature == 1)
    assert answers(model, [["z", "x"]]) == ["P" if x > 0 else "Q"]


def test_contradictory_cases_are_counted_and_the_others_answered():
    """Of equal cases the class of most is learnt; nothing else is given up."""
    rows, labels = [*AND, ["1", "1"], ["1", "1"]], ["n", "n", "n", "y", "y", "n"]
    model = fitted(rows, labels)

    assert model.n_contradictory == 1
    assert answers(model, AND) == ["n", "n", "n", "y"]


def test_all_cases_equal_is_a_leaf():
    model = fitted([["a"], ["a"], ["a"]], ["P", "Q", "Q"])

    assert (model.nodes.n_nodes, model.n_perceptrons, model.n_contradictory) == (1, 0, 1)
    assert answers(model, [["a"]]) == ["Q"]


def test_a_perceptron_gives_all_votes_to_the_class_it_names():
    model = fitted(AND, list("nnny"))
    found = model.answer(model.schema.encode(AND))

    assert [found.votes_of(i) for i in range(4)] == [{0: 4.0}, {0: 4.0}, {0: 4.0}, {1: 4.0}]


def test_patience_and_passes_decide_what_counts_as_separable():
    """One pass corrects; it takes another to see that nothing is left to correct."""
    assert fitted(AND, list("nnny"), max_passes=1).nodes.n_nodes > 1
    assert fitted(AND, list("nnny"), max_passes=50).nodes.n_nodes == 1


@given(task=tasks())
def test_the_tree_is_consistent(task):
    """Every case is answered right, but for those that contradict others."""
    cases = task.cases()
    model = perceptron_tree.fit(cases)
    wrong = model.answer(cases).label != cases.known_labels
    weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights

    assert weights[wrong].sum() == model.n_contradictory


@given(task=tasks(counts=False), data=st.data())
def test_the_order_of_the_cases_does_not_matter_and_a_weight_is_a_number_of_cases(task, data):
    order = data.draw(st.permutations(range(len(task.rows))))
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(order), max_size=len(order)))
    model = perceptron_tree.fit(task.take([i for i in order for _ in range(times[i])]).cases())
    weighted = perceptron_tree.fit(replace(task, counts=times).cases())

    assert model.perceptrons.weight.tolist() == weighted.perceptrons.weight.tolist()
    assert model.nodes.feature.tolist() == weighted.nodes.feature.tolist()
    assert model.nodes.count.tolist() == weighted.nodes.count.tolist()


def with_exact_scales(rows, labels, weights, numeric):
    """The task with numbers whose sums are exact: quarters from -1 to 1, and the ends are there."""
    moved = [
        [row[f] / 4 - 0.75 if f in numeric and row[f] is not None else row[f] for f in range(len(row))] for row in rows
    ]
    ends = [[end if f in numeric else value for f, value in enumerate(rows[0])] for end in (-1.0, 1.0)]
    return [*moved, *ends], [*labels, *labels[:1] * 2], None if weights is None else [*weights, 1, 1], numeric


@pytest.mark.parametrize("seed", range(60))
def test_trees_weights_and_answers_are_those_of_the_naive_version(seed):
    rows, labels, weights, numeric = with_exact_scales(*random_task(seed))
    cases = coded(rows, labels, weights, numeric)
    model = perceptron_tree.fit(cases, random_state=seed, max_passes=12, patience=4)
    tree, table, scale = oracle.grow(
        rows, labels, weights=weights, numeric=numeric, max_passes=12, patience=4, seed=seed
    )

    assert told(model) == told_by_oracle(tree)
    chance = random.Random(seed)
    asked = [
        [chance.choice([row[f] for row in rows] + ["z"] * (f not in numeric)) for f in range(len(rows[0]))]
        for _ in range(20)
    ]
    new = coded(asked, [labels[0]] * 20, None, numeric)
    assert [model.schema.classes[c] for c in model.answer(model.schema.recode(new)).label] == [
        oracle.answer(tree, table, scale, row) for row in asked
    ]


def told(model, node=0):
    """A node as nested tuples, in the words of the table."""
    nodes, schema = model.nodes, model.schema
    here = schema.classes[nodes.label[node]]
    i = int(model.perceptron[node])
    if i >= 0:
        inputs = [
            (f, None if value == perceptron_tree.A_NUMBER else schema.features[f].value(value))
            for f, value in model.perceptrons.inputs(i)
        ]
        classes = [schema.classes[c] for c in model.perceptrons.classes(i)]
        return here, classes, inputs, model.perceptrons.weights(i).tolist()
    if nodes.feature[node] < 0:
        return here
    feature = schema.features[nodes.feature[node]]
    is_number = feature.kind == "numeric"
    names = [("<=", ">")[v] if is_number else feature.value(v) for v in nodes.value[list(nodes.children(node))]]
    below = {name: told(model, child) for name, child in zip(names, nodes.children(node))}
    return here, int(nodes.feature[node]), float(nodes.threshold[node]) if is_number else None, below


def told_by_oracle(node):
    if node.machine is not None:
        return node.label, node.machine.classes, node.machine.inputs, node.machine.weights
    if node.feature is None:
        return node.label
    below = {value: told_by_oracle(child) for value, child in node.children.items()}
    return node.label, node.feature, node.threshold, below


@pytest.mark.parametrize("seed", range(40))
def test_a_perceptron_stands_only_where_a_linear_program_finds_one_too(seed):
    """And where the program finds one for few cases, patient training does as well."""
    chance = random.Random(seed)
    rows = [[chance.choice("ab") for _ in range(3)] for _ in range(6)]
    labels = [chance.choice("PQ") for _ in rows]
    best = dict(zip(map(tuple, rows), labels))
    rows, labels = [list(row) for row in best], list(best.values())
    if len(set(labels)) == 1:
        return
    model = fitted(rows, labels, max_passes=1000, patience=1000)

    assert (model.nodes.n_nodes == 1) == is_separable(rows, labels)


def test_the_seed_decides_the_order_of_training_and_nothing_else_does():
    D = cb.datasets.load_tic_tac_toe()
    cases = Cases.from_table(D.data, y=D.target)
    one, again, other = (perceptron_tree.fit(cases, random_state=seed) for seed in (0, 0, 1))

    assert one.perceptrons.weight.tolist() == again.perceptrons.weight.tolist()
    assert one.perceptrons.weight.tolist() != other.perceptrons.weight.tolist()


def test_columns_with_names_may_stand_in_any_order():
    names, rows = ["p", "q", "r"], [["a", "x", "1"], ["b", "x", "2"], ["a", "y", "2"], ["b", "y", "1"], ["c", "x", "1"]]
    table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    one = perceptron_tree.fit(Cases.from_table(pa.table(table), y=list("PQQPP")))
    two = perceptron_tree.fit(Cases.from_table(pa.table({name: table[name] for name in "rpq"}), y=list("PQQPP")))

    assert one.perceptrons.weight.tolist() == two.perceptrons.weight.tolist()


def test_bits_of_a_tree_with_a_perceptron():
    """Two perceptrons under a test: the formula of docs/codelengths.md, by hand."""
    model = fitted(AND, list("0110"))
    p = model.perceptrons

    assert p.n_inputs.tolist() == [2, 2]
    each = 2 + 5 + 3 * p.precision.astype(int)  # two inputs available, the precision, two weights and a bias
    assert model.codelength() == pytest.approx(3 + 1 + 2 + each.sum())


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_passes": 0}, "max_passes is a number of passes"),
        ({"max_passes": 2.5}, "max_passes is a number of passes"),
        ({"patience": True}, "patience is a number of passes"),
        ({"criterion": "gini"}, "information_gain, gain_ratio"),
        ({"metric": "mvdm"}, "cannot be 'mvdm'"),
        ({"metric": {"f1": "ignored", "f2": "ignored"}}, "All features are ignored"),
        ({"random_state": -1}, "random_state"),
        ({"normalisation": "softmax"}, "softmax"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(CasebaseError, match=words):
        fitted(AND, list("0110"), **parameters)
