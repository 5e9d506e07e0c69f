"""The kernels of decision trees: growing, pruning and walking, on columns of every width."""

import numpy as np
import pytest

from casebase import _native
from casebase.trees import c45, id3
from tests.trees.test_c45 import noisy_task
from tests.trees.test_id3 import coded

NO_CODE = 2**32 - 1
LABELS = np.array([0, 1, 1, 0], np.uint32)
TWO_CLASSES = {"frequency": np.array([2.0, 2.0]), "rank": np.arange(2, dtype=np.uint32)}


def grow(**changed):
    """A tree over one column of codes, with some arguments changed."""
    given = {
        "columns": [np.array([0, 1, 1, 2], np.uint8)],
        "n_values": [3],
        "missing": [NO_CODE],
        "is_wide": [False],
        "labels": LABELS,
        "weights": None,
        **TWO_CLASSES,
        "by_ratio": False,
        "above_average": False,
        "goes_on": True,
        "cuts_cost": False,
        "is_fractional": False,
        "min_cases": 1.0,
        "max_depth": 9,
    }
    return _native.grow_decision_tree(**given | changed)


@pytest.mark.parametrize("width", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n_values", [3, 200])
def test_columns_of_every_width(width, n_values):
    """The tree is the same, whether counts are kept densely or by the values that occur."""
    tree = grow(columns=[np.array([0, 1, 1, 2], width)], n_values=[n_values])
    assert tree["column"].tolist() == [0, -1, -1, -1]
    assert tree["value"].tolist() == [0, 0, 1, 2]
    assert tree["label"].tolist() == [0, 0, 1, 0]
    assert tree["count"].tolist() == [2, 2, 1, 2, 1]


def test_many_values_and_classes():
    """Every case of a table with as many values as cases has a leaf of its own."""
    codes = np.random.default_rng(0).permutation(70_000).astype(np.uint32)
    labels = codes % 300
    tree = grow(
        columns=[codes],
        n_values=[70_000],
        labels=labels,
        frequency=np.bincount(labels).astype(float),
        rank=np.arange(300, dtype=np.uint32),
    )
    assert len(tree["label"]) == 70_001
    assert (tree["label"][1:] == np.arange(70_000) % 300).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": [np.array([0, 1, 1, 3], np.uint8)]}, "a code is out of range"),
        ({"labels": np.array([0, 1, 1, 2], np.uint32)}, "a label is out of range"),
        ({"labels": np.empty(0, np.uint32), "columns": [np.empty(0, np.uint8)]}, "one case at least"),
        ({"n_values": [3, 3]}, "each column needs"),
        ({"weights": np.ones(3)}, "one number per case"),
        ({"columns": [np.array([0, 1], np.uint8)]}, "as many rows"),
    ],
)
def test_arguments_that_do_not_fit(changed, message):
    """What would read outside of an array is refused."""
    with pytest.raises(ValueError, match=message):
        grow(**changed)


NAMES = ("column", "threshold", "first_child", "value", "label", "first_count", "count_label", "count")
CODES = np.array([0, 1, 1, 2], np.uint8)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("first_child", np.array([0, 4, 4, 4, 4], np.uint32)),
        ("first_child", np.array([1, 4, 4, 4, 5], np.uint32)),
        ("column", np.array([1, -1, -1, -1], np.int32)),
        ("column", np.array([0, 0, -1, -1], np.int32)),
        ("label", np.array([0, 1, 1, 0], np.uint32)),
        ("first_count", np.array([0, 2, 3, 4, 9], np.uint64)),
    ],
)
def test_trees_that_cannot_be_pruned(name, changed):
    """Nodes that do not follow from one another are refused."""
    tree = grow() | {name: changed}
    of_cases = ([CODES], [NO_CODE], LABELS, None, *TWO_CLASSES.values())
    with pytest.raises(ValueError, match=r"not the arrays of a tree|the class of a node"):
        _native.prune_decision_tree(*(tree[part] for part in NAMES), *of_cases, False, 0.25, 0.67, True, True, True)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("first_child", np.array([0, 4, 4, 4, 4], np.uint32)),
        ("first_child", np.array([1, 4, 4, 4, 5], np.uint32)),
        ("column", np.array([1, -1, -1, -1], np.int32)),
    ],
)
def test_trees_that_cannot_be_walked(name, changed):
    """A walk would leave the arrays."""
    tree = grow() | {name: changed}
    with pytest.raises(ValueError, match="not the arrays of a tree"):
        _native.walk_decision_tree(
            *(tree[part] for part in NAMES[:4]), np.ones(4), [CODES], [NO_CODE], False, len(CODES), 1
        )


@pytest.mark.parametrize("seed", range(12))
def test_every_way_to_grow_prune_and_walk(seed):
    """Trees of symbols and numbers with gaps answer in two threads what they answer in one."""
    cases = coded(*noisy_task(seed))
    for model in (
        id3.fit(cases),
        id3.fit(cases, criterion="gain_ratio", max_depth=3),
        c45.fit(cases, subtree_raising=True, confidence=0.5, min_cases=1),
        c45.fit(cases, missing="value"),
    ):
        one, two = model.answer(cases), model.answer(cases, n_jobs=2)
        assert one.label.tolist() == two.label.tolist()
        assert one.votes.tolist() == two.votes.tolist()
