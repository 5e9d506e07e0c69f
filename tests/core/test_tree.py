"""Trees grown and walked by the kernels, against the oracle's nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native
from tests.oracles import igtree
from tests.oracles.ib1 import count_classes

CLASSES = ["A", "B", "C"]


def arrays(rows, labels, counts, label_order, dtypes):
    """Return sorted columns, labels and counts, and the class preference, as the kernel takes them."""
    order = sorted(range(len(rows)), key=lambda i: rows[i])
    columns = [np.array([rows[i][f] for i in order], dtype=dtype) for f, dtype in enumerate(dtypes)]
    codes = np.array([CLASSES.index(labels[i]) for i in order], dtype=np.uint32)
    case_counts = None if counts is None else np.array([counts[i] for i in order], dtype=float)
    totals = count_classes(labels, counts)
    frequency = np.array([totals.get(label, 0.0) for label in CLASSES])
    rank = np.array([label_order.index(label) for label in CLASSES], dtype=np.uint32)
    return columns, codes, case_counts, frequency, rank


def grown(columns, labels, counts, frequency, rank, compress=True):
    """Return the tree of sorted cases, which come in one block."""
    stream = _native.TreeStream(len(columns), frequency, rank, compress)
    stream.add(columns, labels, counts)
    return stream.finish()


def nodes(tree, node=0):
    """Return a node of the kernel's tree and all below it as (default, distribution, {value: node})."""
    entries = slice(int(tree["first_count"][node]), int(tree["first_count"][node + 1]))
    counts = {CLASSES[c]: n for c, n in zip(tree["count_label"][entries], tree["count"][entries])}
    children = range(int(tree["first_child"][node]), int(tree["first_child"][node + 1]))
    values = [int(tree["value"][child]) for child in children]
    assert values == sorted(set(values))
    below = {value: nodes(tree, child) for value, child in zip(values, children)}
    return CLASSES[tree["label"][node]], counts, below


def oracle_nodes(node):
    return node.default, node.distribution, {value: oracle_nodes(child) for value, child in node.children.items()}


@st.composite
def memories(draw):
    n_features, n_rows = draw(st.integers(0, 4)), draw(st.integers(1, 14))
    rows = [[draw(st.integers(0, 2)) for _ in range(n_features)] for _ in range(n_rows)]
    labels = [draw(st.sampled_from(CLASSES)) for _ in range(n_rows)]
    counts = draw(st.none() | st.lists(st.sampled_from([1, 2, 0.5]), min_size=n_rows, max_size=n_rows))
    dtypes = [draw(st.sampled_from([np.uint8, np.uint16, np.uint32])) for _ in range(n_features)]
    return rows, labels, counts, draw(st.permutations(CLASSES)), dtypes


@given(memories())
def test_nodes_are_those_of_the_oracle(memory):
    """Defaults, distributions and branches are those of BUILD-IG-TREE."""
    rows, labels, counts, label_order, dtypes = memory
    expected = igtree.grow(rows, labels, range(len(dtypes)), counts, label_order)
    tree = grown(*arrays(*memory))
    assert nodes(tree) == oracle_nodes(expected)
    assert len(tree["label"]) == igtree.count_nodes(expected)


@given(memories())
def test_full_tree_stores_every_case(memory):
    """Without stopping at pure nodes there is a leaf for every distinct row."""
    columns, labels, *rest = arrays(*memory)
    tree = grown(columns, labels, *rest, compress=False)
    walked, depth = _native.walk_tree(tree["first_child"], tree["value"], columns, len(labels), 1)
    assert (depth == len(columns)).all()
    assert len(set(walked.tolist())) == len({tuple(row) for row in memory[0]})


@given(memories(), st.data())
def test_walks_are_those_of_the_oracle(memory, data):
    """The node and depth a query comes to are those of SEARCH-IG-TREE, unknown values included."""
    rows, labels, counts, label_order, dtypes = memory
    queries = [[data.draw(st.sampled_from([0, 1, 2, 3, None])) for _ in dtypes] for _ in range(5)]
    columns = [
        np.array([np.iinfo(t).max if q[f] is None else q[f] for q in queries], dtype=t) for f, t in enumerate(dtypes)
    ]
    tree = grown(*arrays(*memory))
    at, depth = _native.walk_tree(tree["first_child"], tree["value"], columns, 5, data.draw(st.integers(1, 3)))
    expected = igtree.grow(rows, labels, range(len(dtypes)), counts, label_order)
    for q, query in enumerate(queries):
        walk = igtree.classify(expected, query)
        assert (CLASSES[tree["label"][at[q]]], depth[q]) == (walk.label, walk.depth)
        assert nodes(tree, at[q])[1] == walk.distribution


def test_wide_nodes():
    """A branch is found among thousands, and every value without one stops at the root."""
    codes = np.arange(0, 60_000, 3, dtype=np.uint16)
    labels = np.arange(len(codes), dtype=np.uint32) % 2
    tree = grown([codes], labels, None, np.ones(2), np.arange(2, dtype=np.uint32), compress=False)
    asked = np.arange(60_000, dtype=np.uint16)
    at, depth = _native.walk_tree(tree["first_child"], tree["value"], [asked], len(asked), 2)
    assert (depth == (asked % 3 == 0)).all()
    assert (tree["value"][at[::3]] == codes).all()


def test_pruning_is_repeated():
    """A node whose leaves were pruned away is a leaf, and pruned if it repeats its parent in turn."""
    columns = [np.array([0, 0, 0, 1, 1, 1], np.uint8), np.array([0, 1, 2, 0, 1, 2], np.uint8)]
    labels = np.array([0, 0, 0, 0, 0, 1], np.uint32)
    preference = np.array([5.0, 1.0]), np.arange(2, dtype=np.uint32)
    tree = grown(columns, labels, None, *preference)
    assert nodes(tree) == ("A", {"A": 5, "B": 1}, {1: ("A", {"A": 2, "B": 1}, {2: ("B", {"B": 1}, {})})})


def test_numbers_have_no_tree():
    """A tree asks for equal codes, so a column of numbers is refused."""
    with pytest.raises(ValueError, match="not with numbers"):
        _native.walk_tree(np.array([1, 1], np.uint32), np.zeros(1, np.uint32), [np.zeros(1)], 1, 1)


@pytest.mark.parametrize(
    ("first_child", "value"),
    [([], []), ([1], [0]), ([1, 1, 1], [0]), ([1, 9], [0]), ([1, 3, 2, 3], [0, 0, 1]), ([0, 1, 1], [0, 0])],
    ids=["no nodes", "too short", "too long", "child not there", "children going back", "own child"],
)
def test_arrays_that_are_no_tree(first_child, value):
    """Arrays that would lead a walk outside the tree, or round in it, are refused."""
    with pytest.raises(ValueError, match="not the arrays of a tree"):
        _native.walk_tree(
            np.array(first_child, np.uint32), np.array(value, np.uint32), [np.zeros(1, np.uint8)] * 3, 1, 1
        )


def test_queries_of_another_length():
    """Each column of the queries has one code per query."""
    with pytest.raises(ValueError, match="as many rows"):
        _native.walk_tree(np.array([1, 1], np.uint32), np.zeros(1, np.uint32), [np.zeros(2, np.uint8)], 3, 1)
