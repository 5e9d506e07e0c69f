"""A corrected tree is the tree that is grown from the cases as they are then."""

import numpy as np
import pytest

from casebase import _native

N_CLASSES = 4


def grown(columns, labels, counts, frequency, rank, compress):
    order = _native.lexicographic_order(columns, len(labels))
    stream = _native.TreeStream(len(columns), frequency, rank, compress)
    stream.add([column[order] for column in columns], labels[order], counts[order])
    return stream.finish()


def frequencies(labels, counts):
    return np.bincount(labels, counts, minlength=N_CLASSES).astype(float)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_a_corrected_tree_is_the_tree_of_the_changed_cases(seed, compress):
    """Cases of an old segment go, cases of a new one come; every array is that of a tree grown anew."""
    draw = np.random.default_rng(seed)
    n_old, n_new, n_levels = int(draw.integers(5, 60)), int(draw.integers(1, 12)), int(draw.integers(1, 5))
    n = n_old + n_new
    columns = [draw.integers(0, 4, n).astype(np.uint8) for _ in range(n_levels)]
    labels = np.where(draw.random(n) < 0.7, columns[0] % 2, draw.integers(0, N_CLASSES, n)).astype(np.uint32)
    counts = draw.integers(1, 3, n).astype(float)
    rank = draw.permutation(N_CLASSES).astype(np.uint32)
    gone = draw.permutation(n_old)[: int(draw.integers(0, n_old - 1))]
    frequency = draw.integers(0, 3, N_CLASSES).astype(float)  # the same before and after: only cases change
    old = slice(0, n_old)
    before = grown([c[old] for c in columns], labels[old], counts[old], frequency, rank, compress)

    def segment(rows, marked):
        order = rows[_native.lexicographic_order([c[rows] for c in columns], len(rows))]
        removed = np.isin(order, marked).astype(np.uint8)
        return [c[order] for c in columns], labels[order], counts[order], removed if len(marked) else None

    segments = [segment(np.arange(n_old), gone), segment(np.arange(n_old, n), gone[:0])]
    changed = np.concatenate([gone, np.arange(n_old, n)])
    difference = np.concatenate([-counts[gone], counts[n_old:]])
    order = _native.lexicographic_order([c[changed] for c in columns], len(changed))
    after = _native.correct_tree(
        *before.values(),
        segments,
        [c[changed][order] for c in columns],
        labels[changed][order],
        difference[order],
        frequency,
        rank,
        compress,
    )

    kept = np.setdiff1d(np.arange(n), gone)
    expected = grown([c[kept] for c in columns], labels[kept], counts[kept], frequency, rank, compress)
    for name, array in expected.items():
        np.testing.assert_array_equal(after[name], array, err_msg=name)


def test_a_path_is_looked_at_again_where_a_tie_is_decided_otherwise():
    """A case that stays, with no difference, brings the nodes on its path up to date."""
    column, labels, counts = np.array([0, 0, 1], np.uint8), np.array([0, 1, 0], np.uint32), np.ones(3)
    rank = np.arange(N_CLASSES, dtype=np.uint32)
    first, second = np.array([2.0, 1, 0, 0]), np.array([2.0, 3, 0, 0])
    before = grown([column], labels, counts, first, rank, True)

    after = _native.correct_tree(
        *before.values(),
        [([column], labels, counts, None)],
        [column[1:2]],
        labels[1:2],
        np.zeros(1),
        second,
        rank,
        True,
    )

    expected = grown([column], labels, counts, second, rank, True)
    assert [after[name].tolist() for name in expected] == [array.tolist() for array in expected.values()]
    assert expected["label"].tolist() != before["label"].tolist()


def test_no_case_left_is_an_error():
    """A tree of nothing is refused, not grown."""
    column, labels, counts = np.array([0], np.uint8), np.array([0], np.uint32), np.ones(1)
    rank, frequency = np.arange(N_CLASSES, dtype=np.uint32), np.ones(N_CLASSES)
    tree = grown([column], labels, counts, frequency, rank, True)
    removed = np.ones(1, dtype=np.uint8)

    with pytest.raises(ValueError, match="no case is left"):
        _native.correct_tree(
            *tree.values(), [([column], labels, counts, removed)], [column], labels, -counts, frequency, rank, True
        )
