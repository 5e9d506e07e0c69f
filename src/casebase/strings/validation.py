"""Cross-validation of rules over strings."""

from collections.abc import Sequence

import numpy as np

from casebase.data.folds import checked_seed
from casebase.errors import CasebaseError
from casebase.progress import Progress
from casebase.strings.inputs import AskedStrings
from casebase.strings.rules import fit
from casebase.strings.settings import Settings


def cross_validated(
    asked: AskedStrings,
    labels: Sequence[str],
    settings: Settings,
    *,
    n_folds: int = 10,
    weights: np.ndarray | None = None,
    by_string: bool = False,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[list[str], list[float]]:
    """Return the answer to each string by rules that were learned without its fold, and the accuracy of each fold.

    Folds are random. If `by_string`, all places of one string are in the same fold.
    """
    fold = _folds(asked, n_folds, settings.random_state, by_string)
    actual, answered = np.asarray(labels, dtype=object), np.empty(len(asked), dtype=object)
    accuracies = []
    for number in range(n_folds):
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        amounts = None if weights is None else weights[outside]
        model = fit(asked.taken(outside.tolist()), actual[outside], settings, weights=amounts, n_jobs=n_jobs)
        answered[inside] = [model.classes[code] for code in model.answer(asked.taken(inside.tolist()), n_jobs)]
        accuracies.append(float((answered[inside] == actual[inside]).mean()))
        if progress:
            progress(number + 1, n_folds)
    return answered.tolist(), accuracies


def _folds(asked: AskedStrings, n_folds: int, seed: int, by_string: bool) -> np.ndarray:
    """Return the fold of each string, of nearly equal sizes."""
    units = np.unique(asked.strings, return_inverse=True)[1] if by_string else np.arange(len(asked))
    n_units = int(units.max()) + 1 if len(units) else 0
    if n_units < n_folds:
        raise CasebaseError(f"Expected at least a string for each fold: {n_units} strings, {n_folds} folds.")
    drawn = np.random.default_rng(checked_seed(seed)).permutation(n_units)
    fold = np.empty(n_units, dtype=np.int64)
    fold[drawn] = np.arange(n_units) % n_folds
    return fold[units]
