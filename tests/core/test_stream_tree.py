"""A tree that grows from sorted cases in blocks is the tree that grows from all of them at once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase import _native

ARRAYS = ("first_child", "value", "label", "first_count", "count_label", "count")


@st.composite
def sorted_cases(draw):
    n_levels, n_classes = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    n_rows = draw(st.integers(1, 60))
    values = st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n_levels, max_size=n_levels)
    rows = sorted(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    counts = draw(st.none() | st.lists(st.integers(1, 5), min_size=n_rows, max_size=n_rows))
    columns = [np.array([row[i] for row in rows], dtype=np.uint8) for i in range(n_levels)]
    weights = None if counts is None else np.array(counts, dtype=float)
    return columns, np.array(labels, dtype=np.uint32), weights, n_classes


@settings(max_examples=300, deadline=None)
@given(sorted_cases(), st.booleans(), st.lists(st.integers(1, 59), max_size=6))
def test_the_stream_gives_the_same_tree_wherever_it_is_cut(cases, compress, cuts):
    columns, labels, counts, n_classes = cases
    frequency = np.bincount(labels, counts, minlength=n_classes).astype(float)
    rank = np.arange(n_classes, dtype=np.uint32)[::-1].copy()

    def grown(edges):
        stream = _native.TreeStream(len(columns), frequency, rank, compress)
        for begin, end in pairwise(edges):
            part = slice(begin, end)
            stream.add([column[part] for column in columns], labels[part], None if counts is None else counts[part])
        return stream.finish()

    whole = grown([0, len(labels)])
    parts = grown([0, *sorted({cut for cut in cuts if cut < len(labels)}), len(labels)])
    for name in ARRAYS:
        np.testing.assert_array_equal(parts[name], whole[name], err_msg=name, strict=True)


def test_a_stream_refuses_what_a_tree_cannot_be_grown_from():
    frequency, rank = np.ones(2), np.arange(2, dtype=np.uint32)
    with pytest.raises(ValueError, match="at least one case"):
        _native.TreeStream(1, frequency, rank, True).finish()
    stream = _native.TreeStream(1, frequency, rank, True)
    with pytest.raises(ValueError, match="out of range"):
        stream.add([np.zeros(1, np.uint8)], np.array([2], np.uint32), None)
    with pytest.raises(ValueError, match="column of codes"):
        stream.add([np.zeros(1)], np.array([0], np.uint32), None)
    with pytest.raises(ValueError, match="column of codes"):
        stream.add([], np.array([0], np.uint32), None)
