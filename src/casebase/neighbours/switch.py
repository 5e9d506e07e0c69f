"""The switch point of TRIBL: by the paper's rule, or by cross-validation of the training cases.

The rule compares weights and never asks how well a switch point predicts. Cross-validation does: five folds, dealt by
class and then by the content of the cases, so that neither their order nor chance matters. Each fold is answered with
every switch point; weights, and the cuts of numbers, come from the other folds.
"""

from collections.abc import Callable, Sequence

import numpy as np

from casebase.base.model import Model
from casebase.data import Cases
from casebase.memory.copies import as_copies
from casebase.memory.fingerprints import case_keys, first_by_content
from casebase.memory.intervals import without_intervals
from casebase.progress import Progress

N_FOLDS = 5
MOST_CASES = 20_000  # of a larger table, as many are drawn by their content
ALL_UP_TO = 8  # features in the tree: every number up to here is tried, then about three for each doubling


def automatic_switch(weights: np.ndarray) -> int:
    """Return how many features have a weight above the mean plus one standard deviation.

    >>> automatic_switch(np.array([0.1, 0.1, 0.9, 0.1]))
    1
    """
    weights = np.sort(weights)
    threshold = weights.mean() + weights.std()
    # With two features the heavier one is exactly at the threshold: rounding must not put it above.
    return int(np.sum(weights > threshold * (1.0 + 1e-12)))


def candidates(n_features: int) -> list[int]:
    """Return the switch points to try.

    >>> candidates(3), candidates(30)
    ([0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 19, 24, 30])
    """
    tried = list(range(min(n_features, ALL_UP_TO) + 1))
    while tried[-1] < n_features:
        tried.append(min(max(tried[-1] + 1, round(tried[-1] * 1.25)), n_features))
    return tried


def errors_by_switch(
    cases: Cases,
    n_features: int,
    fit_each: Callable[[Cases, Sequence[int]], Sequence[Model]],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> dict[int, float]:
    """Return the weight of the cases that each switch point answers wrongly; empty if there is one case.

    `fit_each` returns a model of some cases for each of several switch points.
    """
    cases, _ = as_copies(without_intervals(cases))  # a case of weight 2 is two
    if cases.n_cases < 2:
        return {}
    if cases.n_cases > MOST_CASES:
        cases = cases.take(np.sort(first_by_content(cases, MOST_CASES)))
    tried = candidates(n_features)
    errors = dict.fromkeys(tried, 0.0)
    labels = cases.known_labels
    order = np.lexsort([case_keys(cases), labels])
    n_folds = min(N_FOLDS, cases.n_cases)
    for i in range(n_folds):
        held_out, others = np.sort(order[i::n_folds]), np.sort(np.delete(order, slice(i, None, n_folds)))
        amounts = np.ones(len(held_out)) if cases.weights is None else cases.weights[held_out]
        for j, (switch, model) in enumerate(zip(tried, fit_each(cases.take(others), tried))):
            answers = model.answer(model.schema.recode(cases.take(held_out)), n_jobs=n_jobs)
            errors[switch] += float(amounts[answers.label != labels[held_out]].sum())
            if progress is not None:
                progress(i * len(tried) + j + 1, n_folds * len(tried))
    return errors


def best_switch(errors: dict[int, float]) -> int:
    """Return the switch point with the fewest errors; of equal ones the largest, which answers fastest.

    >>> best_switch({0: 3.0, 1: 2.0, 2: 2.0})
    2
    """
    return min(errors, key=lambda switch: (errors[switch], -switch))
