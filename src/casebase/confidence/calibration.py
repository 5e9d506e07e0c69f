"""From a model and its training cases to a calibration, and from votes to probabilities."""

import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import Calibration
from casebase.base.model import Model
from casebase.confidence.held_out import dense_votes, held_out
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.smoothing import fit_smoothing
from casebase.memory.store import Store
from casebase.methods import Saved


def has_smoothing(model: Model) -> bool:
    """Return whether a model's votes are smoothed; a model that imitates another program leaves them as they are."""
    return model.normalisation == "smoothed" and getattr(model.settings, "compat", None) is None


def keeps_cases(model: Model) -> bool:
    """Return whether a model keeps all of its training cases, with all their features."""
    return _store_of(model) is not None


def stored_cases(model: Model) -> Cases | None:
    """Return the training cases of a model that keeps all of them, else None."""
    store = _store_of(model)
    return None if store is None else store.cases()


def _store_of(model: Model) -> Store | None:
    try:
        store: Store | None = model.store() if hasattr(model, "store") else None
    except CasebaseError:  # a tree without its cases, or a part of the features
        return None
    return store


def calibrate(model: Model, cases: Cases | None = None, *, n_jobs: int = 1) -> Calibration:
    """Return the calibration of a model by its training cases; without them, by those that it keeps.

    >>> from casebase.neighbours import ib1
    >>> cases = Cases.from_table([["a", "P"], ["a", "P"], ["a", "Q"], ["b", "Q"], ["b", "Q"]], target=-1)
    >>> calibrate(ib1.fit(cases), cases).how
    'leave-one-out'
    """
    cases = stored_cases(model) if cases is None else cases
    found = None if cases is None else held_out(model, cases, n_jobs=n_jobs)
    if found is None:
        return Calibration()
    smoothing = fit_smoothing(
        found.votes,
        found.answers,
        found.cases.known_labels,
        found.cases.class_counts if cases is None else cases.class_counts,
        found.cases.weights,
        unit=found.unit,
        are_counts=getattr(model.settings, "vote", "equal") == "equal",
    )
    return Calibration(found.how, found.cases.n_cases, smoothing)


def calibration_of(saved: Saved, *, n_jobs: int = 1) -> Calibration | None:
    """Return the calibration of a model file, made now if the file has none; None if the votes stay as they are."""
    if not has_smoothing(saved.model):
        return None
    return saved.calibration or calibrate(saved.model, n_jobs=n_jobs)


def probabilities(model: Model, answers: Answers, calibration: Calibration | None) -> np.ndarray:
    """Return the probability of each class, one row per answer, as the model's normalisation says.

    Only smoothed probabilities need a calibration; without one they are the shares of the votes.
    """
    n_classes = len(model.schema.classes)
    if calibration is None or not has_smoothing(model):
        return answers.distribution(n_classes, model.normalisation)
    return calibration.smoothing.shares(dense_votes(answers, n_classes), answers.label, model.preference.frequency)
