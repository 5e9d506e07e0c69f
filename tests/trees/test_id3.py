"""ID3: consistent trees, on symbols and on numbers."""

import random

import numpy as np
import pyarrow as pa
import pytest

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.trees import id3
from tests.oracles import id3 as oracle

XOR = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]


def random_task(seed):
    """A table of symbols and numbers with gaps, its classes and weights."""
    chance = random.Random(seed)
    n_features, n_cases = chance.randint(1, 5), chance.randint(1, 40)
    numeric = frozenset(f for f in range(n_features) if chance.random() < 0.4)
    gap = chance.choice([0, 0.15])

    def value(feature):
        if chance.random() < gap:
            return None
        return float(chance.randint(0, 6)) if feature in numeric else chance.choice("abcd")

    rows = [[value(f) for f in range(n_features)] for _ in range(n_cases)]
    labels = [chance.choice("PQRS"[: 1 + seed % 4]) for _ in rows]
    weights = [chance.choice([0.5, 1, 2]) for _ in rows] if seed % 3 == 0 else None
    return rows, labels, weights, numeric


def coded(rows, labels, weights, numeric):
    names = {f"f{f}": [row[f] for row in rows] for f in range(len(rows[0]))}
    types = [pa.float64() if f in numeric else pa.string() for f in range(len(rows[0]))]
    table = pa.table({name: pa.array(column, kind) for (name, column), kind in zip(names.items(), types)})
    return Cases.from_table(table, y=labels, weights=weights)


def told(model, node=0):
    """A node as nested tuples, in the words of the table."""
    nodes, schema = model.nodes, model.schema
    here = (schema.classes[nodes.label[node]], {schema.classes[c]: n for c, n in nodes.counts(node).items()})
    if nodes.feature[node] < 0:
        return here
    feature = schema.features[nodes.feature[node]]
    is_number = feature.kind == "numeric"
    names = [("<=", ">")[v] if is_number else feature.value(v) for v in nodes.value[list(nodes.children(node))]]
    threshold = nodes.threshold[node] if is_number else None
    below = {name: told(model, child) for name, child in zip(names, nodes.children(node))}
    return (*here, nodes.feature[node], threshold, below)


def told_by_oracle(node):
    here = (node.label, node.distribution)
    if node.feature is None:
        return here
    return (*here, node.feature, node.threshold, {name: told_by_oracle(child) for name, child in node.children.items()})


@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio"])
def test_grows_what_the_oracle_grows(criterion):
    """Tests, thresholds, counts and classes of all nodes are those of the plain version."""
    for seed in range(100):
        rows, labels, weights, numeric = random_task(seed)
        model = id3.fit(coded(rows, labels, weights, numeric), criterion=criterion)
        expected = oracle.grow(rows, labels, criterion=criterion, weights=weights, numeric=numeric)
        assert told(model) == told_by_oracle(expected), seed


def test_goes_on_when_no_test_gains_anything():
    """Neither feature of an exclusive or tells anything alone, and the tree is consistent all the same."""
    model = cb.ID3Classifier().fit(XOR, ["P", "Q", "Q", "P"])
    assert (model.n_nodes_, model.n_leaves_, model.depth_) == (7, 4, 2)
    assert model.predict(XOR).tolist() == ["P", "Q", "Q", "P"]


def test_contradictory_cases_share_a_leaf():
    """Equal cases of different classes are answered by the more frequent one, with their counts."""
    model = cb.ID3Classifier(normalisation="probability").fit([["a"], ["a"], ["a"], ["b"]], ["P", "Q", "Q", "P"])
    assert model.predict([["a"]]).tolist() == ["Q"]
    assert model.predict_proba([["a"]]).round(3).tolist() == [[0.333, 0.667]]


def test_value_without_a_branch_is_answered_by_the_node():
    """A value that no case at the node has ends the walk there; so does one that was never seen."""
    rows = [["a", "x"], ["a", "y"], ["a", "y"], ["b", "z"], ["b", "z"], ["c", "z"]]
    model = cb.ID3Classifier().fit(rows, ["P", "Q", "Q", "R", "R", "R"])
    (test,) = {int(f) for f in model.model_.nodes.feature if f >= 0}
    assert model.model_.schema.features[test].name == "f2"
    rows = [["a", "x"], ["a", "y"], ["a", "y"], ["b", "x"], ["b", "x"], ["c", "z"], ["c", "z"], ["c", "z"]]
    model = cb.ID3Classifier().fit(rows, ["P", "Q", "Q", "R", "R", "S", "S", "S"])
    assert model.predict([["a", "z"], ["a", "never"]]).tolist() == ["Q", "Q"]
    assert model.model_.nodes.n_empty == 1


def test_missing_number_is_below_all_numbers():
    """A threshold can tell missing numbers from the others, so the tree stays consistent."""
    rows = [[1.0], [2.0], [float("nan")]]
    model = cb.ID3Classifier().fit(rows, ["P", "P", "Q"])
    assert model.model_.nodes.threshold[0] == -np.inf
    assert model.predict(rows).tolist() == ["P", "P", "Q"]


def test_neighbouring_doubles_are_told_apart():
    """The middle of two neighbours is one of them: the lower one."""
    rows = [[1.0], [float(np.nextafter(1.0, 2.0))]]
    model = cb.ID3Classifier().fit(rows, ["P", "Q"])
    assert model.predict(rows).tolist() == ["P", "Q"]


def test_order_of_rows_and_columns_does_not_matter():
    """A table with names gives the same tree whatever its order."""
    rows, labels, _, numeric = random_task(7)
    cases = coded(rows, labels, None, numeric)
    names = [feature.name for feature in cases.schema.features]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    turned = table.select(names[::-1]).take(list(range(len(rows)))[::-1])
    one, other = cb.ID3Classifier().fit(table, labels), cb.ID3Classifier().fit(turned, labels[::-1])
    assert told(one.model_)[:2] == told(other.model_)[:2]
    assert one.n_nodes_ == other.n_nodes_
    assert one.predict(table).tolist() == other.predict(turned.select(names[::-1])).tolist()[::-1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gini"}, "Unknown criterion 'gini'"),
        ({"max_depth": -1}, "max_depth is the largest number of tests"),
        ({"min_cases": 0}, "min_cases is the number of cases"),
        ({"missing": "fractional"}, "ID3 supports only missing='value'"),
        ({"metric": "mvdm"}, "its metric cannot be 'mvdm'"),
    ],
)
def test_wrong_parameters(parameters, message):
    """What a tree cannot do is refused with what it can."""
    with pytest.raises(CasebaseError, match=message):
        id3.fit(Cases.from_table(XOR, y=list("PQQP")), **parameters)


def test_depth_and_branch_sizes_are_bounded():
    """max_depth and min_cases end a node before its cases are told apart."""
    assert cb.ID3Classifier(max_depth=1).fit(XOR, list("PQQP")).depth_ == 1
    assert cb.ID3Classifier(max_depth=0).fit(XOR, list("PQQP")).n_nodes_ == 1
    assert cb.ID3Classifier(min_cases=3).fit(XOR, list("PQQP")).n_nodes_ == 1
