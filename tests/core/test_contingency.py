"""Counts of values with classes against a Counter."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native


def cells(codes, labels, counts, n_values, n_classes):
    """Return the kernel's cells as {(value, class): count}, after checking that they ascend."""
    start, cell_labels, cell_counts = _native.contingency(codes, labels, counts, n_values, n_classes)
    assert len(start) == n_values + 1
    assert start[0] == 0
    found = {}
    for value in range(n_values):
        part = cell_labels[int(start[value]) : int(start[value + 1])].tolist()
        assert part == sorted(set(part))
        for label, count in zip(part, cell_counts[int(start[value]) :]):
            found[value, label] = count
    assert len(found) == len(cell_counts)
    return found


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([0, 0.5, 1, 2, 3]))),
    st.sampled_from([np.uint8, np.uint16, np.uint32]),
    st.booleans(),
)
def test_cells_are_those_of_a_counter(cases, dtype, has_counts):
    """Every pair of value and class that occurs has a cell, and no other."""
    expected = Counter()
    for value, label, count in cases:
        expected[value, label] += count if has_counts else 1
    codes = np.array([value for value, _, _ in cases], dtype=dtype)
    labels = np.array([label for _, label, _ in cases], dtype=np.uint32)
    counts = np.array([count for _, _, count in cases], dtype=float) if has_counts else None
    assert cells(codes, labels, counts, 6, 4) == {cell: n for cell, n in expected.items() if n}


def test_many_values():
    """Tens of thousands of values with hundreds of classes are counted like a few."""
    rng = np.random.default_rng(1)
    codes = rng.integers(40_000, size=100_000).astype(np.uint16)
    labels = rng.integers(300, size=100_000).astype(np.uint32)
    assert cells(codes, labels, None, 40_000, 300) == Counter(zip(codes.tolist(), labels.tolist()))


@pytest.mark.parametrize(
    ("codes", "labels", "counts"),
    [
        ([0, 2], [0, 0], None),
        ([0, 1], [0, 2], None),
        ([0, 255], [0, 0], None),
        ([0], [0, 1], None),
        ([0, 1], [0, 1], [1.0]),
    ],
    ids=["code beyond the values", "label beyond the classes", "unknown code", "a code too few", "a count too few"],
)
def test_bad_arguments(codes, labels, counts):
    """Codes, labels and counts that do not fit are refused."""
    counts = None if counts is None else np.array(counts)
    with pytest.raises(ValueError, match=r"out of range|one per label|one number per case"):
        _native.contingency(np.array(codes, np.uint8), np.array(labels, np.uint32), counts, 2, 2)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int8, np.float32, bool])
def test_bad_types(dtype):
    """Codes are unsigned integers of 8, 16 or 32 bits."""
    with pytest.raises((ValueError, TypeError)):
        _native.contingency(np.zeros(2, dtype), np.zeros(2, np.uint32), None, 1, 1)
