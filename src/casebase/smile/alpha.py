"""Choosing alpha for SMILE: some numbers are tried on the stored cases, each asked of all the others.

Nothing of a case that is held out may help to answer it. It is in no pool and in no class frequency; and where numbers
are cut, the cuts are learned without it: the cases are dealt into ten parts, and a case is asked with cuts that its
part had no say in.
"""

from collections.abc import Callable, Sequence

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.data.runs import begins_run
from casebase.memory.intervals import Discretisation
from casebase.smile.images import Images

LARGEST_ALPHA = 987  # the largest number that is tried
N_HELD_OUT = 1000  # of larger memories, so many cases are held out, evenly spread
N_PARTS = 10  # cuts are learned without one of so many parts


def candidates(n_cases: float) -> list[int]:
    """Return what is tried: Fibonacci's numbers up to half of the cases, and no further than 987.

    >>> candidates(14), candidates(1)
    ([0, 1, 2, 3, 5], [0])
    """
    tried, following = [0], (1, 2)
    while following[0] <= min(n_cases / 2, LARGEST_ALPHA):
        tried.append(following[0])
        following = following[1], sum(following)
    return tried


def errors_by_alpha(images: Images, n_jobs: int = 1) -> dict[int, float]:
    """Return for every alpha how many cases are answered wrongly by a memory of all the others.

    Equal cases of one class are held out once, and count for all. Of more than 1000 different cases, 1000 that are
    evenly spread in the order of their values are held out.
    """
    alphas = candidates(float(images.count.sum()))
    entries = spread(len(images.label), N_HELD_OUT).astype(np.uint32)
    return _errors(images, entries, images.count[entries], alphas, n_jobs)


def errors_without_own_cuts(
    cases: Cases,
    features: Sequence[int],
    learn_cuts: Callable[[Cases], Discretisation],
    code: Callable[[Cases], tuple[Images, np.ndarray]],
    n_jobs: int = 1,
) -> dict[int, float]:
    """Return the same for cases with numbers, each asked with cuts that were learned without its part of the cases.

    `features` are those that are compared. `code` makes the images of cases whose numbers are intervals, and tells for
    every case the entry that it was merged into.
    """
    weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    value, first, amounts = _different(cases, features, weights)
    held_out = spread(len(first), N_HELD_OUT)
    part = value % N_PARTS  # equal cases are in one part: none of them may cut for the others
    alphas = candidates(float(weights.sum()))
    errors = dict.fromkeys(alphas, 0.0)
    for i in range(N_PARTS):
        mine = held_out[part[first[held_out]] == i]
        others = np.flatnonzero(part != i)
        if not len(mine):
            continue
        images, entry_of = code(learn_cuts(cases.take(others) if len(others) else cases).apply(cases))
        for alpha, n in _errors(images, entry_of[first[mine]], amounts[mine], alphas, n_jobs).items():
            errors[alpha] += n
    return errors


def _different(cases: Cases, features: Sequence[int], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of every case among the different rows of values; a case of each row and class; their weights.

    Numbers are compared as they are. All are in the order of their values, not of the rows.
    """
    codes = [np.unique(cases.columns[i], return_inverse=True)[1].ravel().astype(np.uint32) for i in features]
    labels = cases.known_labels.astype(np.uint32)
    rows = _native.lexicographic_order([*codes, labels], cases.n_cases)
    is_new_value = begins_run([column[rows] for column in codes], cases.n_cases)
    is_new = is_new_value | begins_run([labels[rows]], cases.n_cases)
    value = np.empty(cases.n_cases, dtype=np.int64)
    value[rows] = np.cumsum(is_new_value) - 1
    first = np.flatnonzero(is_new)
    return value, rows[first].astype(np.int64), np.add.reduceat(weights[rows], first)


def _errors(
    images: Images, entries: np.ndarray, weights: np.ndarray, alphas: list[int], n_jobs: int
) -> dict[int, float]:
    answered = images.held_out_labels(entries, alphas, n_jobs)
    wrong = answered != images.label[entries][:, None]
    return dict(zip(alphas, (wrong * weights[:, None]).sum(axis=0).tolist()))


def spread(n: int, most: int) -> np.ndarray:
    """Return positions below n, at most so many, evenly spread.

    >>> spread(10, 4).tolist()
    [0, 2, 5, 7]
    """
    n_taken = min(n, most)
    return np.arange(n_taken) * n // n_taken
