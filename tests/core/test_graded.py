"""The compiled search against sorting all distances, where values differ more or less."""

import numpy as np
import pytest

from casebase import _native
from tests.core import naive
from tests.oracles import differences

U32, F64 = np.uint32, np.float64
KINDS = {
    "mvdm": differences.value_difference,
    "jeffrey": differences.jeffrey,
    "jensen_shannon": differences.jensen_shannon,
}
N_CLASSES = 6


def memory_of(rng, n_rows, n_values):
    """Return sorted columns and labels; the third feature follows from the first two, as a suffix does from a word."""
    columns = []
    for n in n_values:
        share = 1.0 / np.arange(1, n + 1)
        columns.append(rng.choice(n, n_rows, p=share / share.sum()).astype(np.uint16))
    if len(columns) > 2:
        columns[2] = ((columns[0] * 7 + columns[1]) % n_values[2]).astype(np.uint16)
    columns = naive.sorted_rows(columns)
    labels = (sum(columns).astype(np.int64) % 4 + rng.integers(0, 3, n_rows)).astype(U32)
    return columns, labels


def counts_of(column, labels, n_values):
    counts = np.zeros((n_values, N_CLASSES))
    np.add.at(counts, (column.astype(np.int64), labels), 1)
    return counts


def native_difference(kind, counts, threshold):
    n_classes_of = (counts > 0).sum(axis=1)
    start = np.concatenate([[0], np.cumsum(n_classes_of)]).astype(np.uint64)
    value, label = np.nonzero(counts)
    return _native.ValueDifference(
        kind, start, label.astype(U32), counts[value, label], N_CLASSES, threshold, 1.0, False
    )


def naive_costs(kind, counts, threshold, column, asked):
    """Return the difference of one asked value from that of every row."""
    total = counts.sum(axis=1)

    def shares(value):
        return {str(c): counts[value, c] / total[value] for c in range(N_CLASSES) if counts[value, c]}

    def difference(value):
        if value == asked:
            return 0.0
        if asked >= len(counts) or not total[asked]:
            return 1.0
        if total[asked] < threshold or total[value] < threshold:
            return 1.0
        return KINDS[kind](shares(asked), shares(value), [str(c) for c in range(N_CLASSES)])

    of_value = {value: difference(value) for value in np.unique(column).tolist()}
    return np.array([of_value[value] for value in column.tolist()])


def assert_like_sorting(
    rng,
    kind,
    columns,
    labels,
    n_values,
    *,
    k,
    threshold=1.0,
    cuts=(),
    numbers=(),
    first=0,
    removed=None,
    counts=None,
    label_left_out=naive.NO_LABEL,
):
    """Twelve questions, stored rows with some values exchanged, find what sorting every distance finds."""
    counts = [(counts or {}).get(f, counts_of(column, labels, n_values[f])) for f, column in enumerate(columns)]
    comparisons = [native_difference(kind, table, threshold) for table in counts] + ["numeric"] * len(numbers)
    stored = [*columns, *numbers]
    weights, n_features, n_rows = 1.0 / np.arange(1, len(stored) + 1), len(stored), len(labels)
    segments = [
        (
            [c[begin:end].copy() for c in stored],
            labels[begin:end].copy(),
            None if removed is None else removed[begin:end].copy(),
            None,
        )
        for begin, end in zip((0, *cuts), (*cuts, n_rows), strict=True)
    ]
    search = _native.Search(segments, comparisons, True, False, "none")
    picked = rng.integers(n_rows, size=12)
    queries = []
    for f, column in enumerate(stored):
        other = (rng.random(12) < 0.4) & (f >= first)
        queries.append(np.where(other, column[rng.integers(n_rows, size=12)], column[picked]).astype(column.dtype))
    for column in queries[first : len(columns)]:
        column[rng.random(12) < 0.1] = np.iinfo(column.dtype).max
    matrix = [np.atleast_2d(a) for a in (weights, np.ones(n_features), np.arange(n_features, dtype=U32)[::-1].copy())]
    scopes = np.array([[first, naive.NO_ROW, 0, label_left_out]], U32)
    asked = _native.Asked(queries, 12, *matrix, scopes, None, None, [None] * n_features)
    found = naive.groups_of(search.nearest(asked, k, "never", 1), 12)
    assert found == naive.groups_of(search.nearest(asked, k, "never", 1), 12)  # with rows of costs that were kept
    for q in range(12):
        distance = np.zeros(n_rows)
        for f in reversed(range(first, n_features)):
            if f < len(columns):
                distance += weights[f] * naive_costs(kind, counts[f], threshold, stored[f], int(queries[f][q]))
            else:
                distance += naive.costs(stored[f], queries[f][q], weights[f], 1.0, True)
        for f in range(first):
            distance[stored[f] != queries[f][q]] = np.inf
        if removed is not None:
            distance[removed != 0] = np.inf
        distance[labels == label_left_out] = np.inf
        assert sum(len(rows) for _, rows in found[q]) >= min(k, int(np.isfinite(distance).sum()))
        for d, rows in found[q]:
            assert distance[rows] == pytest.approx(d, rel=1e-13, abs=1e-13)
        within = np.flatnonzero(distance <= found[q][-1][0] - 1e-12)
        assert set(within.tolist()) <= {r for _, rows in found[q] for r in rows}
        assert all(later[0] > earlier[0] for earlier, later in zip(found[q], found[q][1:], strict=False))
        apart = 1 + np.count_nonzero(np.diff(np.sort(distance[np.isfinite(distance)])) > 1e-12)
        assert len(found[q]) >= min(k, apart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("n_rows", [1, 3, 40, 700, 6000])
def test_sizes(kind, k, n_rows):
    """Few rows are looked at one by one, many through their stems, and stems of many rows are searched in turn."""
    rng, n_values = np.random.default_rng(n_rows), [12, 30, 9, 40, 5]
    assert_like_sorting(rng, kind, *memory_of(rng, n_rows, n_values), n_values, k=k)


@pytest.mark.parametrize("kind", KINDS)
def test_more_profiles_than_are_compared_in_advance(kind):
    """Pairs of values of a feature with very many distributions are compared when they are met."""
    rng, n_values = np.random.default_rng(1), [7, 9000, 5, 300]
    columns, labels = memory_of(rng, 20_000, n_values)
    counts = rng.integers(0, 1000, (9000, N_CLASSES))
    assert len(np.unique(counts / counts.sum(axis=1, keepdims=True).clip(1), axis=0)) > 8192
    assert_like_sorting(rng, kind, columns, labels, n_values, k=5, counts={1: counts})


@pytest.mark.parametrize("kind", KINDS)
def test_segments_with_stems_of_their_own(kind):
    """A segment of few rows has no stems, or shorter ones than a large one."""
    rng, n_values = np.random.default_rng(20), [12, 30, 9, 40, 5]
    columns, labels = memory_of(rng, 4000, n_values)
    order = np.concatenate([np.sort(part) for part in np.split(rng.permutation(4000), [3000, 3970, 3990])])
    columns, labels = [column[order] for column in columns], labels[order]
    removed = (rng.random(4000) < 0.2).astype(np.uint8)
    assert_like_sorting(rng, kind, columns, labels, n_values, k=3, cuts=(3000, 3970, 3990), removed=removed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_numbers", [1, 3])
def test_numbers_beside(kind, n_numbers):
    """Numbers are added to the symbols' costs, those outside the range of the feature too."""
    rng, n_values = np.random.default_rng(3), [12, 30, 9]
    columns, labels = memory_of(rng, 3000, n_values)
    numbers = [np.where(rng.random(3000) < 0.05, np.nan, rng.normal(0, 10.0**i, 3000)) for i in range(n_numbers)]
    assert_like_sorting(rng, kind, columns, labels, n_values, k=5, numbers=numbers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [1, 2, 3, 4])
def test_scopes_within_stems_and_behind_them(kind, first):
    """Only rows that agree on the first features are looked at, whether stems reach as deep or not."""
    rng, n_values = np.random.default_rng(4), [6, 10, 9, 40, 5]
    assert_like_sorting(rng, kind, *memory_of(rng, 3000, n_values), n_values, k=2, first=first)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 4])
def test_a_class_left_out(kind, k):
    """The rows of one class are passed over in every segment, though their values count in the differences."""
    rng, n_values = np.random.default_rng(6), [6, 10, 9, 40, 5]
    columns, labels = memory_of(rng, 3000, n_values)
    order = np.concatenate([np.sort(part) for part in np.split(rng.permutation(3000), [2500])])
    columns, labels = [column[order] for column in columns], labels[order]
    assert_like_sorting(rng, kind, columns, labels, n_values, k=k, cuts=(2500,), label_left_out=1)


@pytest.mark.parametrize("kind", KINDS)
def test_rare_values(kind):
    """Values below the threshold are 1 away from all others, one another included."""
    rng, n_values = np.random.default_rng(5), [30, 200, 9]
    assert_like_sorting(rng, kind, *memory_of(rng, 2000, n_values), n_values, k=5, threshold=8.0)


def test_values_of_one_profile_are_not_the_same_value():
    """A question whose own case is left out is apart from values that had its distribution, and equal to its own."""
    start, labels = np.array([0, 2, 4], np.uint64), np.array([0, 1, 0, 1], U32)
    difference = _native.ValueDifference("mvdm", start, labels, np.ones(4), 2, 1.0, 1.0, False)
    search = _native.Search(
        [([np.array([0, 0, 1, 1], np.uint8)], labels, None, None)], [difference], True, False, "none"
    )
    one = np.ones((1, 1))
    asked = _native.Asked(
        [np.array([0], np.uint8)],
        1,
        one,
        one,
        np.zeros((1, 1), U32),
        np.array([[0, 0, 0, naive.NO_LABEL]], U32),
        np.array([0], U32),
        np.ones(1),
        [None],
    )

    assert naive.groups_of(search.nearest(asked, 2, "never", 1), 1) == [[(0.0, [1]), (0.5, [2, 3])]]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_do_not_depend_on_the_questions_before(kind):
    rng = np.random.default_rng(31)
    n_values = [12, 9, 7, 30]
    columns, labels = memory_of(rng, 3_000, n_values)
    comparisons = [
        native_difference(kind, counts_of(column, labels, n), 1.0) for column, n in zip(columns, n_values, strict=True)
    ]
    weights, n_features = 1.0 / np.arange(1, 5), len(n_values)
    matrix = [np.atleast_2d(a) for a in (weights, np.ones(n_features), np.arange(n_features, dtype=U32))]
    scopes = np.array([[0, naive.NO_ROW, 0, naive.NO_LABEL]], U32)
    queries = [column[rng.integers(len(labels), size=60)] for column in columns]

    def found(search, part):
        columns = [column[part].copy() for column in queries]
        asked = _native.Asked(columns, len(columns[0]), *matrix, scopes, None, None, [None] * n_features)
        return search.nearest(asked, 5, "never", 1)

    def new_search():
        return _native.Search([(columns, labels, None, None)], comparisons, True, False, "none")

    together = found(new_search(), slice(None))
    alone = [found(new_search(), slice(q, q + 1)) for q in range(60)]
    assert max(together["n_rows"]) > 1
    for name, values in together.items():
        assert np.concatenate([one[name] for one in alone]).tolist() == values.tolist()
