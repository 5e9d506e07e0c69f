"""The lexicographic order of rows against Python's own sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native


def order_by_sorting(columns, n_rows):
    return sorted(range(n_rows), key=lambda i: [column[i] for column in columns if column.dtype.kind == "u"])


@st.composite
def tables(draw):
    n_rows = draw(st.integers(0, 30))
    columns = []
    for _ in range(draw(st.integers(0, 4))):
        dtype = draw(st.sampled_from([np.uint8, np.uint16, np.uint32, np.float64]))
        largest = draw(st.sampled_from([0, 1, 4, 255]))
        columns.append(np.array(draw(st.lists(st.integers(0, largest), min_size=n_rows, max_size=n_rows)), dtype=dtype))
    return columns, n_rows


@given(tables())
def test_order_is_that_of_sorted(table):
    """Rows come by the first column, then the next; equal rows keep their order, numbers take no part."""
    columns, n_rows = table
    assert _native.lexicographic_order(columns, n_rows).tolist() == order_by_sorting(columns, n_rows)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("largest", [1, 250, 60_000, 2**32 - 2])
def test_dense_and_sparse_codes(dtype, largest):
    """A few codes far apart are sorted like many close together."""
    rng = np.random.default_rng(0)
    largest = min(largest, np.iinfo(dtype).max - 1)
    columns = [rng.integers(0, largest + 1, size=3000).astype(dtype), rng.integers(0, 3, size=3000).astype(np.uint8)]
    assert _native.lexicographic_order(columns, 3000).tolist() == order_by_sorting(columns, 3000)


def test_no_columns():
    """Without columns every row is equal and keeps its place."""
    assert _native.lexicographic_order([], 3).tolist() == [0, 1, 2]
