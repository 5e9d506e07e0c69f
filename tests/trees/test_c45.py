"""C4.5: gain ratio, thresholds, gaps, pruning."""

import random
from math import isclose

import pyarrow as pa
import pytest

import casebase as cb
from casebase.data import Cases
from casebase.data.tables import as_table
from casebase.errors import CasebaseError
from casebase.trees import c45
from tests.oracles import c45 as oracle
from tests.trees.test_id3 import coded, told, told_by_oracle

OPTIONS = {  # ours → the oracle's
    "pruned": ({}, {}),
    "unpruned": ({"pruned": False}, {"is_pruned": False}),
    "not collapsed": ({"pruned": False, "collapse": False}, {"is_pruned": False, "collapses": False}),
    "raised": ({"subtree_raising": True, "confidence": 0.4}, {"raises": True, "confidence": 0.4}),
    "by gain": (
        {"min_cases": 1, "criterion": "information_gain"},
        {"min_cases": 1, "criterion": "information_gain"},
    ),
}


def noisy_task(seed):
    """A table whose class depends on its first and last features, most of the time."""
    chance = random.Random(seed)
    n_features, n_cases, n_classes = chance.randint(1, 5), chance.randint(1, 90), chance.randint(1, 4)
    numeric = frozenset(f for f in range(n_features) if chance.random() < 0.4)
    gap = chance.choice([0, 0.15])

    def value(feature):
        if chance.random() < gap:
            return None
        return float(chance.randint(0, 12)) if feature in numeric else chance.choice("abcd")

    rows = [[value(f) for f in range(n_features)] for _ in range(n_cases)]
    labels = [
        "PQRS"[(sum(map(ord, f"{row[0]}{row[-1]}")) if chance.random() < 0.7 else chance.randint(0, 3)) % n_classes]
        for row in rows
    ]
    weights = [chance.choice([0.5, 1, 2]) for _ in rows] if seed % 3 == 0 else None
    return rows, labels, weights, numeric


def same(one, other):
    """Whether two told trees are equal up to rounding."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return isclose(one, other, abs_tol=1e-6) if isinstance(one, float) else one == other


@pytest.mark.parametrize("option", OPTIONS)
def test_grows_what_the_oracle_grows(option):
    """Tests, thresholds, counts and classes of all nodes are those of the plain version."""
    ours, of_oracle = OPTIONS[option]
    for seed in range(40):
        rows, labels, weights, numeric = noisy_task(seed)
        model = c45.fit(coded(rows, labels, weights, numeric), **ours)
        expected = oracle.grow(rows, labels, weights=weights, numeric=numeric, **of_oracle)
        assert same(told(model), told_by_oracle(expected)), seed


def test_answers_what_the_oracle_answers():
    """Shares of missing and never seen values are those of the plain version."""
    for seed in range(30):
        rows, labels, _, numeric = noisy_task(seed)
        model = c45.fit(coded(rows, labels, None, numeric), pruned=False)
        tree = oracle.grow(rows, labels, numeric=numeric, is_pruned=False)
        asked = [*rows, [None] * len(rows[0]), ["never" if f not in numeric else 99.0 for f in range(len(rows[0]))]]
        cases = model.schema.encode(coded_table(asked, numeric))
        known = [{row[f] for row in rows} for f in range(len(rows[0]))]
        shares = model.answer(cases).distribution(len(model.schema.classes))
        for row, ours in zip(asked, shares.tolist()):
            expected = oracle.answer(tree, row, known)
            assert ours == pytest.approx([expected.get(label, 0) for label in model.schema.classes]), seed


def coded_table(rows, numeric):
    types = [pa.float64() if f in numeric else pa.string() for f in range(len(rows[0]))]
    return as_table(pa.table({f"f{f}": pa.array([row[f] for row in rows], kind) for f, kind in enumerate(types)}))


def test_thresholds_are_numbers_that_occur():
    """The cut between 2 and 10 is at the greatest number of the table that is not above their middle."""
    rows = [[1.0], [2.0], [10.0], [11.0]]
    model = cb.C45Classifier().fit(rows, ["P", "P", "Q", "Q"])
    assert model.model_.nodes.threshold[0] == 2.0
    assert model.predict([[5.9]]).tolist() == ["Q"]


def test_less_confidence_prunes_more():
    """The pessimistic error grows, so fewer tests pay off."""
    chance = random.Random(3)
    rows = [[chance.choice("abc") for _ in range(5)] for _ in range(300)]
    labels = ["P" if (row[0] == "a") != (chance.random() < 0.3) else "Q" for row in rows]
    sizes = [cb.C45Classifier(confidence=c).fit(rows, labels).n_nodes_ for c in (0.5, 0.25, 0.01)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0.6}, "above 0, at most 0.5"),
        ({"confidence": 0}, "above 0, at most 0.5"),
        ({"missing": "unknown"}, "Unknown treatment of missing values 'unknown'"),
    ],
)
def test_wrong_parameters(parameters, message):
    """What C4.5 cannot do is refused with what it can."""
    with pytest.raises(CasebaseError, match=message):
        c45.fit(Cases.from_table([["a"], ["b"]], y=list("PQ")), **parameters)
