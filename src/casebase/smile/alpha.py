"""Choice of alpha for SMILE by leave-one-out.

A case that is held out must not help to answer itself. It is in no pool and in no class frequency. Where numbers are
discretised, the cuts are learned by ten-fold cross-fitting: a case is answered with cuts from the other nine parts.
"""

from collections.abc import Callable, Sequence

import numpy as np

from casebase import _native
from casebase.data import Cases
from casebase.data.runs import begins_run
from casebase.memory.intervals import Discretisation
from casebase.smile.images import Images

LARGEST_ALPHA = 987  # the largest alpha that is tried
N_HELD_OUT = 1000  # of a larger memory, an evenly spread sample of this size is held out
N_PARTS = 10  # parts of the cross-fitting of cuts


def candidates(n_cases: float) -> list[int]:
    """Return the values of alpha to try: Fibonacci numbers up to half of the number of cases, at most 987.

    >>> candidates(14), candidates(1)
    ([0, 1, 2, 3, 5], [0])
    """
    numbers, following = [0], (1, 2)
    while following[0] <= min(n_cases / 2, LARGEST_ALPHA):
        numbers.append(following[0])
        following = following[1], sum(following)
    return numbers


def errors_by_alpha(images: Images, by_size: bool, n_jobs: int = 1) -> dict[int, float]:
    """Return the leave-one-out errors of every alpha.

    Equal cases of one class are answered once, with their total weight. Of more than 1000 distinct cases, 1000 are held
    out, evenly spread in the order of their values.
    """
    alphas = candidates(float(images.count.sum()))
    entries = spread(len(images.label), N_HELD_OUT).astype(np.uint32)
    return _errors(images, entries, images.count[entries], alphas, by_size, n_jobs)


def errors_without_own_cuts(
    cases: Cases,
    features: Sequence[int],
    learn_cuts: Callable[[Cases], Discretisation],
    code: Callable[[Cases], tuple[Images, np.ndarray]],
    by_size: bool,
    n_jobs: int = 1,
) -> dict[int, float]:
    """Return the leave-one-out errors of every alpha for cases with numbers, with cuts learned without the case's part.

    `features` are those that are compared. `code` returns the images of cases whose numbers are intervals, and for
    every case the entry that it was merged into.
    """
    weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    value, first, amounts = _distinct_rows(cases, features, weights)
    held_out = spread(len(first), N_HELD_OUT)
    part = value % N_PARTS  # equal cases share a part, so that none learns the cuts for its equals
    alphas = candidates(float(weights.sum()))
    errors = dict.fromkeys(alphas, 0.0)
    for i in range(N_PARTS):
        mine = held_out[part[first[held_out]] == i]
        others = np.flatnonzero(part != i)
        if not len(mine):
            continue
        images, entry_of = code(learn_cuts(cases.take(others) if len(others) else cases).apply(cases))
        for alpha, n in _errors(images, entry_of[first[mine]], amounts[mine], alphas, by_size, n_jobs).items():
            errors[alpha] += n
    return errors


def _distinct_rows(
    cases: Cases, features: Sequence[int], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every case the number of its distinct row; a case of each distinct row and class; their weights.

    Numbers are compared as they are, not as intervals. Distinct rows are numbered in the order of their values, so the
    order in which the cases were given does not matter.
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
    images: Images, entries: np.ndarray, weights: np.ndarray, alphas: list[int], by_size: bool, n_jobs: int
) -> dict[int, float]:
    answered = images.held_out_labels(entries, alphas, by_size, n_jobs)
    wrong = answered != images.label[entries][:, None]
    return dict(zip(alphas, (wrong * weights[:, None]).sum(axis=0).tolist()))


def spread(n: int, most: int) -> np.ndarray:
    """Return at most `most` positions below n, evenly spread.

    >>> spread(10, 4).tolist()
    [0, 2, 5, 7]
    """
    n_taken = min(n, most)
    return np.arange(n_taken) * n // n_taken
