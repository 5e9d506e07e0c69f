"""The compiled search against sorting all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native
from tests.core import naive

U8, U16, U32, F64 = np.uint8, np.uint16, np.uint32, np.float64


def row(values, dtype):
    return np.atleast_2d(np.array(values, dtype=dtype))


def search(
    columns,
    queries,
    weights,
    *,
    ranges=None,
    sum_order=None,
    scopes=None,
    labels=None,
    k=1,
    exact_first=False,
    missing_agrees=True,
    n_threads=1,
):
    n_rows, n_features, n_queries = len(columns[0]), len(columns), len(queries[0])
    ranges = [1.0] * n_features if ranges is None else ranges
    sum_order = range(n_features) if sum_order is None else sum_order
    scopes = [naive.EVERYTHING] if scopes is None else scopes
    labels = np.zeros(n_rows, U32) if labels is None else labels
    kinds = ["numeric" if column.dtype == F64 else "overlap" for column in columns]
    memory = _native.Search([(columns, labels, None, None)], kinds, missing_agrees, False, "none")
    asked = _native.Asked(
        queries,
        n_queries,
        row(weights, F64),
        row(ranges, F64),
        row(list(sum_order), U32),
        row(scopes, U32),
        None,
        None,
        [None] * n_features,
    )
    return memory.nearest(asked, k, "first" if exact_first else "never", n_threads)


def assert_like_sorting(
    columns,
    queries,
    weights,
    *,
    ranges=None,
    sum_order=None,
    scopes=None,
    labels=None,
    k=1,
    exact_first=False,
    missing_agrees=True,
    n_threads=1,
):
    """The search finds the rows, distances and exact matches that sorting every distance finds."""
    n_features, n_queries = len(columns), len(queries[0])
    weights = row(weights, F64)
    ranges = row([1.0] * n_features if ranges is None else ranges, F64)
    sum_order = row(list(range(n_features)) if sum_order is None else sum_order, U32)
    scopes = row([naive.EVERYTHING] if scopes is None else scopes, U32)
    labels = np.zeros(len(columns[0]), U32) if labels is None else labels
    found = search(
        columns,
        queries,
        weights,
        ranges=ranges,
        sum_order=sum_order,
        scopes=scopes,
        labels=labels,
        k=k,
        exact_first=exact_first,
        missing_agrees=missing_agrees,
        n_threads=n_threads,
    )
    groups = naive.groups_of(found, n_queries)
    for q in range(n_queries):

        def part(matrix, q=q):
            return matrix[0 if len(matrix) == 1 else q]

        query = [column[q] for column in queries]
        expected, is_exact = naive.nearest(
            columns,
            labels,
            query,
            part(weights),
            part(ranges),
            part(sum_order),
            part(scopes),
            k,
            exact_first,
            missing_agrees,
        )
        assert [members for _, members in groups[q]] == [members for _, members in expected]
        assert [d for d, _ in groups[q]] == pytest.approx([d for d, _ in expected], rel=1e-15, abs=naive.EPSILON)
        assert bool(found["is_exact"][q]) == is_exact


def symbolic_memory(rng, n_rows, n_values, dtypes):
    """Return sorted columns of random codes; the share of each value falls off, as in language."""
    columns = []
    for n, dtype in zip(n_values, dtypes, strict=True):
        share = 1.0 / np.arange(1, n + 1)
        columns.append(rng.choice(n, n_rows, p=share / share.sum()).astype(dtype))
    return naive.sorted_rows(columns)


def queries_from(rng, columns, n_queries):
    """Return stored rows with some values exchanged, and some made unknown."""
    picked = rng.integers(len(columns[0]), size=n_queries)
    queries = []
    for column in columns:
        values = column[picked].copy()
        other = rng.random(n_queries) < 0.4
        values[other] = column[rng.integers(len(column), size=int(other.sum()))]
        if column.dtype.kind == "u":
            values[rng.random(n_queries) < 0.15] = np.iinfo(column.dtype).max
        queries.append(values)
    return queries


@pytest.mark.parametrize("n_rows", [1, 2, 255, 256, 257, 511, 512, 513, 514, 767, 768, 769, 1025, 4000])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_sizes_around_a_block(n_rows, k):
    """Memories a little smaller and larger than the blocks of the scan lose no row at their edges."""
    rng = np.random.default_rng(n_rows)
    columns = symbolic_memory(rng, n_rows, [3, 4, 5], [U8, U8, U16])
    assert_like_sorting(columns, queries_from(rng, columns, 20), [0.6, 0.3, 0.1], k=k)


@pytest.mark.parametrize("dtype", [U8, U16, U32])
@pytest.mark.parametrize("n_values", [2, 20, 250])
@pytest.mark.parametrize("k", [1, 3, 50])
def test_every_width_of_code(dtype, n_values, k):
    """Codes of 8, 16 and 32 bits are searched alike, with long runs of a value and with short ones."""
    rng = np.random.default_rng(n_values)
    columns = symbolic_memory(rng, 6000, [n_values] * 4, [dtype] * 4)
    assert_like_sorting(columns, queries_from(rng, columns, 12), [0.4, 0.3, 0.2, 0.15], k=k)


def test_widths_side_by_side():
    """One memory may have columns of all three widths, with thousands of values in the wider ones."""
    rng = np.random.default_rng(5)
    columns = symbolic_memory(rng, 8000, [200, 60_000, 100_000, 3], [U8, U16, U32, U8])
    for k in (1, 4):
        assert_like_sorting(columns, queries_from(rng, columns, 25), [0.21, 0.4, 0.37, 0.05], k=k)


def test_codes_beyond_sixteen_bits():
    """Codes of 65,536 and more that share their low bits are different values."""
    codes = np.sort(np.array([7, 7 + 65_536, 7 + 2 * 65_536, 255, 256, 65_535], dtype=U32))
    columns = [codes, np.arange(6, dtype=U8)]
    queries = [codes.copy(), np.full(6, 255, U8)]
    assert_like_sorting(columns, queries, [1.0, 0.5], k=2)


@pytest.mark.parametrize("n_features", [1, 2, 12, 40])
@pytest.mark.parametrize("order", ["falling", "rising", "random", "equal", "some zero", "all zero", "tiny", "huge"])
def test_any_weights(n_features, order):
    """The search is exact whatever the weights: bounds may only discard rows that are too far."""
    rng = np.random.default_rng(n_features)
    columns = symbolic_memory(rng, 3000, rng.integers(2, 9, n_features), [U8] * n_features)
    weights = rng.random(n_features)
    weights = {
        "falling": np.sort(weights)[::-1],
        "rising": np.sort(weights),
        "random": weights,
        "equal": np.ones(n_features),
        "some zero": np.where(weights < 0.5, 0.0, weights),
        "all zero": np.zeros(n_features),
        "tiny": weights * 1e-12,
        "huge": weights * 1e12,
    }[order]
    sum_order = rng.permutation(n_features)
    for k in (1, 3):
        assert_like_sorting(columns, queries_from(rng, columns, 10), weights, sum_order=sum_order, k=k)


def test_one_weight_dwarfs_the_others():
    """Weights too small for a step of the bound still tell rows apart."""
    rng = np.random.default_rng(8)
    columns = symbolic_memory(rng, 5000, [3, 6, 6, 6], [U8] * 4)
    assert_like_sorting(columns, queries_from(rng, columns, 20), [1.0, 1e-6, 3e-7, 1e-9], k=4)


@pytest.mark.parametrize("n_rows", [255, 256, 257, 700, 2100])
@pytest.mark.parametrize("weights", [[1.0] * 8, [0.9, 0.7, 0.7, 0.3, 0.2, 0.1, 0.01, 0.003]], ids=["alike", "unlike"])
def test_a_coarse_look_at_many_features(n_rows, weights):
    """Many rows of many features are passed over by coarse sums, at the end of a memory beside rows of other ranges."""
    rng = np.random.default_rng(n_rows)
    columns = symbolic_memory(rng, n_rows, [2, 3, 40, 4, 9, 60, 5, 30], [U8, U8, U16, U8, U8, U16, U8, U32])
    for k in (1, 2):
        assert_like_sorting(columns, queries_from(rng, columns, 40), weights, k=k, exact_first=True)


@pytest.mark.parametrize("k", [1, 4])
def test_long_runs_beside_short_ones(k):
    """Ranges of thousands of rows whose values are frequent, rare or unknown are searched to the last row."""
    rng = np.random.default_rng(k)
    columns = symbolic_memory(rng, 12_000, [3, 2000, 3, 40, 300], [U8, U16, U8, U8, U16])
    assert_like_sorting(columns, queries_from(rng, columns, 40), [0.5, 0.45, 0.4, 0.3, 0.2], k=k)


def test_long_runs_that_are_forgotten():
    """Questions that come to more long runs than are kept find the same as when they are asked alone."""
    rng = np.random.default_rng(9)
    columns = [np.zeros(600, U8) for _ in range(1500)]
    columns[-1][:] = np.sort(rng.integers(3, size=600))
    queries = [np.zeros(6, U8) for _ in range(1500)]
    queries[0][:3] = 1
    queries[700][::2] = 1
    queries[-1][:] = range(6)
    weights = np.linspace(2.0, 1.0, 1500)
    together = search(columns, queries, weights, k=2)
    alone = [search(columns, [c[q : q + 1] for c in queries], weights, k=2) for q in range(6)]
    for name, values in together.items():
        assert values.tolist() == [value for found in alone for value in found[name].tolist()], name
    nearest = naive.groups_of(together, 6)
    assert [len(group) for _, group in nearest[5]] == [600]
    assert nearest[2][0][1] == np.flatnonzero(columns[-1] == 2).tolist()


def test_questions_of_a_batch_leave_nothing_behind_for_the_next():
    """A question finds the same alone and among others that share some of its first values."""
    rng = np.random.default_rng(8)
    columns = symbolic_memory(rng, 3000, [3, 4, 5, 40], [U8, U8, U16, U16])
    queries, weights = queries_from(rng, columns, 60), [0.9, 0.5, 0.4, 0.2]
    together = search(columns, queries, weights, exact_first=True)
    alone = [search(columns, [c[q : q + 1] for c in queries], weights, exact_first=True) for q in range(60)]
    for name, values in together.items():
        assert values.tolist() == [value for found in alone for value in found[name].tolist()], name


@pytest.mark.parametrize("k", [1, 2, 7, 100, 5000])
def test_any_k(k):
    """Up to k beyond the number of distances and of rows: then every row is in some group."""
    rng = np.random.default_rng(k)
    columns = symbolic_memory(rng, 1500, [4, 7, 30], [U8, U8, U16])
    queries = queries_from(rng, columns, 10)
    assert_like_sorting(columns, queries, [0.5, 0.25, 0.125], k=k)
    if k >= 100:
        assert sum(search(columns, queries, [0.5, 0.25, 0.125], k=k)["n_rows"]) == 1500 * 10


def test_nothing_known():
    """A query whose values are all unknown is equally far from every row."""
    columns = naive.sorted_rows([np.arange(1000, dtype=U16) % 7, np.arange(1000, dtype=U16) % 3])
    found = search(columns, [np.array([0xFFFF], U16)] * 2, [0.5, 0.25], k=2)
    assert found["distance"].tolist() == [0.75]
    assert sorted(found["rows"]) == list(range(1000))


def test_all_rows_alike():
    """A memory of one case many times over answers with all of them."""
    columns = [np.zeros(3000, U8), np.zeros(3000, U16)]
    queries = [np.array([0, 1], U8), np.array([0, 0], U16)]
    assert_like_sorting(columns, queries, [1.0, 1.0], k=3, exact_first=True)


@pytest.mark.parametrize("exact_first", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_exact_first(exact_first, k):
    """Identical rows are the first group alone, also where a weight of zero puts others at distance 0."""
    rng = np.random.default_rng(3)
    columns = symbolic_memory(rng, 2000, [4, 3, 3], [U8] * 3)
    assert_like_sorting(columns, queries_from(rng, columns, 40), [0.7, 0.0, 0.3], k=k, exact_first=exact_first)


@pytest.mark.parametrize("missing_agrees", [True, False])
@pytest.mark.parametrize("n_symbolic", [0, 1, 3])
@pytest.mark.parametrize("k", [1, 3, 40])
def test_numbers(n_symbolic, k, missing_agrees):
    """Numbers count by their difference, NaN as missing, with and without symbols beside them."""
    rng = np.random.default_rng(n_symbolic)
    symbols = [rng.integers(6, size=3000).astype(U8) for _ in range(n_symbolic)]
    numbers = [np.round(rng.normal(size=3000) * 8) / 4 for _ in range(2)]
    for column in numbers:
        column[rng.random(3000) < 0.1] = np.nan
    columns = naive.sorted_rows([*symbols, *numbers])
    ranges = [1.0] * n_symbolic + [float(np.nanmax(c) - np.nanmin(c)) for c in numbers]
    weights = [*[0.5, 0.25, 0.125][:n_symbolic], 0.75, 0.5]
    assert_like_sorting(
        columns,
        queries_from(rng, columns, 25),
        weights,
        ranges=ranges,
        k=k,
        missing_agrees=missing_agrees,
        exact_first=k == 1,
    )


def test_number_that_never_varies():
    """A numeric column of range 0 is compared by equality, missing values as ever."""
    numbers = np.array([2.0, 2.0, np.nan, 2.0])
    queries = [np.array([2.0, 3.0, np.nan])]
    assert_like_sorting([numbers], queries, [1.0], ranges=[0.0], k=3)
    assert_like_sorting([numbers], queries, [1.0], ranges=[0.0], k=3, missing_agrees=False)


def test_numbers_outside_the_range():
    """A question far outside the stored numbers is further away than the weight."""
    found = search([np.array([0.0, 1.0, 2.0])], [np.array([10.0])], [0.5], ranges=[2.0], k=2)
    assert found["distance"].tolist() == [2.0, 2.25]
    assert found["rows"].tolist() == [2, 1]


def test_symbols_that_weigh_nothing_beside_numbers():
    """Where all symbols weigh nothing the numbers alone decide."""
    rng = np.random.default_rng(2)
    columns = naive.sorted_rows([rng.integers(3, size=2000).astype(U8), rng.integers(50, size=2000) / 8])
    assert_like_sorting(columns, queries_from(rng, columns, 20), [0.0, 1.0], ranges=[1.0, 6.125], k=3)


@pytest.mark.parametrize("k", [1, 3])
def test_scopes(k):
    """A query may ask only rows that share its first values, by the features behind these."""
    rng = np.random.default_rng(11)
    columns = symbolic_memory(rng, 5000, [6, 5, 9, 4], [U8, U16, U8, U32])
    queries = [column[::125].copy() for column in columns]
    queries[3][::2] = 0xFFFFFFFF
    scopes = [[q % 4, naive.NO_ROW, 0, naive.NO_LABEL] for q in range(40)]
    assert_like_sorting(columns, queries, [0.4, 0.3, 0.2, 0.1], scopes=scopes, k=k, exact_first=k == 1)


def test_scopes_with_numbers():
    """Below a tree the symbols above it do not count, and the numbers do."""
    rng = np.random.default_rng(12)
    columns = naive.sorted_rows(
        [rng.integers(4, size=3000).astype(U8), rng.integers(5, size=3000).astype(U8), rng.integers(20, size=3000) / 4]
    )
    queries = queries_from(rng, columns, 20)
    queries[0] = rng.integers(4, size=20).astype(U8)
    scopes = [[1, naive.NO_ROW, 0, naive.NO_LABEL]]
    assert_like_sorting(columns, queries, [0.5, 0.25, 0.75], ranges=[1.0, 1.0, 4.75], scopes=scopes, k=3)


def test_scope_behind_all_features():
    """Where no feature is left every row of the scope is at distance 0."""
    columns = [np.array([0, 0, 1], U8)]
    found = search(columns, [np.array([0], U8)], [1.0], scopes=[[1, naive.NO_ROW, 0, naive.NO_LABEL]], k=3)
    assert (found["distance"].tolist(), found["rows"].tolist()) == ([0.0], [0, 1])


def test_empty_scope():
    """Where no row shares the first values there are no neighbours."""
    found = search(
        [np.array([0, 1], U8)], [np.array([2], U8)], [1.0], scopes=[[1, naive.NO_ROW, 0, naive.NO_LABEL]], k=2
    )
    assert found["n_groups"].tolist() == [0]


@pytest.mark.parametrize("exact_first", [False, True])
@pytest.mark.parametrize("k", [1, 2])
def test_left_out_rows(k, exact_first):
    """A row left out is neither a neighbour nor an exact match, though its copies are."""
    rng = np.random.default_rng(4)
    columns = symbolic_memory(rng, 1200, [5, 5, 40], [U8, U8, U16])
    scopes = [[0, r, 0, naive.NO_LABEL] for r in range(0, 1200, 30)]
    queries = [column[::30].copy() for column in columns]
    assert_like_sorting(columns, queries, [0.5, 0.3, 0.2], scopes=scopes, k=k, exact_first=exact_first)


def test_the_only_row_left_out():
    """A memory whose one row is left out has no neighbours."""
    columns = [np.array([3], U8)]
    found = search(columns, [np.array([3], U8)], [1.0], scopes=[[0, 0, 0, naive.NO_LABEL]], k=1, exact_first=True)
    assert (found["n_groups"].tolist(), found["is_exact"].tolist()) == ([0], [0])


@pytest.mark.parametrize("exact_first", [False, True])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98, 1.0])
def test_a_class_left_out(share, k, exact_first):
    """The rows of a class, of another one for each question, are neither neighbours nor exact matches."""
    rng = np.random.default_rng(5)
    columns = symbolic_memory(rng, 3000, [5, 5, 40, 300], [U8, U8, U16, U32])
    labels = np.where(rng.random(3000) < share, 2, rng.integers(0, 2, 3000)).astype(U32)
    queries = queries_from(rng, columns, 40)
    scopes = [[0, naive.NO_ROW, 0, (2, 0, naive.NO_LABEL)[q % 3]] for q in range(40)]
    assert_like_sorting(
        columns, queries, [0.4, 0.3, 0.2, 0.1], labels=labels, scopes=scopes, k=k, exact_first=exact_first
    )


def test_a_class_left_out_beside_numbers():
    """A class is left out where numbers are compared, too."""
    rng = np.random.default_rng(6)
    columns = naive.sorted_rows([rng.integers(4, size=2000).astype(U8), rng.integers(20, size=2000) / 4])
    labels = rng.integers(0, 3, 2000).astype(U32)
    scopes = [[q % 2, naive.NO_ROW, 0, 1] for q in range(20)]
    queries = [rng.integers(4, size=20).astype(U8), rng.integers(24, size=20) / 4]
    assert_like_sorting(columns, queries, [0.5, 0.75], ranges=[1.0, 4.75], labels=labels, scopes=scopes, k=2)


def test_metric_per_query():
    """Weights, ranges and the order of addition may differ from query to query."""
    rng = np.random.default_rng(21)
    columns = naive.sorted_rows(
        [rng.integers(9, size=3000).astype(U8), rng.integers(9, size=3000).astype(U16), rng.integers(40, size=3000) / 8]
    )
    queries = queries_from(rng, columns, 70)
    weights = rng.random((70, 3)) * (rng.random((70, 3)) < 0.8)
    ranges = np.column_stack([np.ones((70, 2)), rng.integers(1, 9, 70)]).astype(float)
    sum_order = np.array([rng.permutation(3) for _ in range(70)], dtype=U32)
    assert_like_sorting(columns, queries, weights, ranges=ranges, sum_order=sum_order, k=2)


def test_threads_do_not_matter():
    """The arrays are the same, entry by entry, for any number of threads."""
    rng = np.random.default_rng(6)
    columns = symbolic_memory(rng, 3000, [5, 6, 90], [U8, U8, U16])
    queries = queries_from(rng, columns, 400)
    one, *more = (search(columns, queries, [0.5, 0.4, 0.3], k=3, n_threads=n) for n in (1, 0, 2, 7, 64))
    for other in more:
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


def test_no_queries():
    """Nobody asks, nothing is found."""
    found = search([np.array([0, 1], U8)], [np.array([], U8)], [1.0])
    assert [len(array) for array in found.values()] == [0] * 5


def test_equal_sums_are_one_distance():
    """0.1 + 0.2 and 0.3 differ in the last bit and are one distance all the same."""
    columns = [np.array([0, 1], U8), np.array([0, 1], U8), np.array([1, 0], U8)]
    found = search(columns, [np.zeros(1, U8)] * 3, [0.1, 0.2, 0.3], k=2)
    assert found["n_groups"].tolist() == [1]


def test_unequal_sums_above_two_are_two_distances():
    """1.1 + 2.2 and 3.3 differ by more than the tolerance, as in TiMBL."""
    columns = [np.array([0, 1], U8), np.array([0, 1], U8), np.array([1, 0], U8)]
    found = search(columns, [np.zeros(1, U8)] * 3, [1.1, 2.2, 3.3], k=2)
    assert found["distance"].tolist() == [3.3, 3.3000000000000003]


def test_weights_that_overflow_when_divided_by_a_range():
    """An equal number costs nothing, although its weight over the range is more than a double holds."""
    columns = [np.array([0.0, 2e-10, 4e-10]), np.array([3.0, 1.0, 2.0])]
    queries = [np.array([2e-10, 4e-10]), np.array([1.0, 1.5])]
    assert_like_sorting(columns, queries, [1e300, 1e300], ranges=[4e-10, 2.0])


def test_a_number_that_weighs_nothing_costs_nothing_however_far():
    """Its difference over a tiny range overflows, and infinity times 0 used to be the distance."""
    found = search([np.array([0.0, 1e-310, 0.0])], [np.array([1e10])], [0.0], ranges=[1e-310])
    assert found["distance"].tolist() == [0.0]
    assert found["n_rows"].tolist() == [3]


@pytest.mark.parametrize("weights", [[1e-306, 1e-306], [1e308, 1e308]])
def test_weights_too_small_or_too_large_for_steps(weights):
    """Without a scale for steps every row is looked at exactly."""
    rng = np.random.default_rng(4)
    columns = symbolic_memory(rng, 1500, [5, 9], [U8, U8])
    assert_like_sorting(columns, queries_from(rng, columns, 20), weights)


def test_more_features_than_nested_calls():
    """The search keeps its own stack: 20,000 features on which many rows agree, or all disagree."""
    columns = [np.zeros(600, U8)] * 20_000
    for code in (0, 1):
        found = search(columns, [np.array([code], U8)] * 20_000, [1.0] * 20_000)
        assert found["distance"].tolist() == [20_000.0 * code]
        assert found["n_rows"].tolist() == [600]


@st.composite
def small_searches(draw):
    n_symbolic, n_numeric = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    if n_symbolic + n_numeric == 0:
        n_symbolic = 1
    n_rows, n_queries = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    dtypes = [draw(st.sampled_from([U8, U16, U32])) for _ in range(n_symbolic)]
    numbers = st.sampled_from([0.0, 0.5, 1.0, 3.0, np.nan])

    def table(n, extra):
        symbols = [
            np.array(
                draw(st.lists(st.sampled_from([0, 1, 2] + [np.iinfo(t).max] * extra), min_size=n, max_size=n)), dtype=t
            )
            for t in dtypes
        ]
        return symbols + [
            np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=F64) for _ in range(n_numeric)
        ]

    n_features = n_symbolic + n_numeric
    weights = draw(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.5]), min_size=n_features, max_size=n_features))
    return {
        "columns": naive.sorted_rows(table(n_rows, 0)),
        "queries": table(n_queries, 1),
        "weights": weights,
        "ranges": [1.0] * n_symbolic + [draw(st.sampled_from([0.0, 1.0, 3.0])) for _ in range(n_numeric)],
        "sum_order": draw(st.permutations(range(n_features))),
        "k": draw(st.integers(1, 14)),
        "exact_first": draw(st.booleans()),
        "missing_agrees": draw(st.booleans()),
        "labels": np.array(draw(st.lists(st.sampled_from([0, 1, 7]), min_size=n_rows, max_size=n_rows)), dtype=U32),
        "scopes": [
            [
                0,
                draw(st.sampled_from([naive.NO_ROW, *range(n_rows)])),
                0,
                draw(st.sampled_from([naive.NO_LABEL, 0, 1, 7])),
            ]
        ],
    }


@given(small_searches())
def test_small_memories(case):
    """Any small memory, question and setting: the search is what sorting is."""
    assert_like_sorting(**case)


def test_a_question_without_its_case_leaves_nothing_behind():
    """What values differ by when a case is left out of them is forgotten before the next questions."""
    start, labels = np.array([0, 2, 3, 4], np.uint64), np.array([0, 1, 0, 1], U32)
    difference = _native.ValueDifference("mvdm", start, labels, np.ones(4), 2, 1.0, 1.0, False)
    column = np.array([0, 0, 1, 2], U8)
    memory = _native.Search([([column], labels, None, None)], [difference], True, False, "none")

    def distances(own_labels, own_counts):
        asked = _native.Asked(
            [np.array([0], U8)],
            1,
            row([1.0], F64),
            row([1.0], F64),
            row([0], U32),
            row([0, 0, 0, naive.NO_LABEL], U32),
            own_labels,
            own_counts,
            [None],
        )
        return memory.nearest(asked, 4, "never", 1)["distance"].tolist()

    assert distances(np.array([0], U32), np.ones(1)) == [0.0, 1.0]
    assert distances(None, None) == [0.0, 0.5]
