"""From a model and its training cases to a calibration; from votes to probabilities and to prediction sets."""

from dataclasses import replace

import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import NO_CLASS, Calibration, Guarantee, Scores
from casebase.base.model import HasHeldOutShares, Model, RanksByDistance
from casebase.confidence.held_out import dense_votes, held_out
from casebase.confidence.scores import probability_scores
from casebase.confidence.sets import PredictionSets, checked_confidence, guarantee_of, thresholds
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.conformal import at_most
from casebase.measures.smoothing import fit_smoothing
from casebase.measures.votes import shares
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
    if isinstance(model, HasHeldOutShares):  # which fit held-out cases already
        scores, labels = model.held_out_scores(n_jobs=n_jobs)
        return Calibration("leave-one-out", len(labels), scores=_scores("approximate", False, scores, labels))
    by_distance = isinstance(model, RanksByDistance) and model.ranks_by_distance
    found = None
    if has_smoothing(model) or not by_distance:
        cases = stored_cases(model) if cases is None else cases
        found = None if cases is None else held_out(model, cases, n_jobs=n_jobs)
    calibration = Calibration()
    if found is not None:
        assert cases is not None
        smoothing = fit_smoothing(
            found.votes,
            found.answers,
            found.cases.known_labels,
            cases.class_counts,
            found.cases.weights,
            unit=found.unit,
            are_counts=getattr(model.settings, "vote", "equal") == "equal",
        )
        calibration = Calibration(found.how, found.cases.n_cases, smoothing)
    if by_distance:
        assert isinstance(model, RanksByDistance)
        scores, labels = model.left_out_scores(n_jobs=n_jobs)
        # The score of a case that was alone says nothing.
        return replace(calibration, scores=_scores("jackknife+", True, scores, labels) if len(labels) > 1 else None)
    if found is None:
        return calibration
    assert cases is not None
    # The classes of stored cases may have other codes than those of a model that was corrected.
    classes = [model.schema.classes.index(label) for label in cases.schema.classes]
    votes = np.zeros((len(found.votes), len(model.schema.classes)))
    votes[:, classes] = found.votes
    answers, labels = (np.array(classes)[codes] for codes in (found.answers, found.cases.known_labels))
    scores = probability_scores(_shares(model, votes, answers, calibration), labels)
    return replace(calibration, scores=_scores("approximate", False, scores, labels))


def _scores(guarantee: Guarantee, are_distances: bool, scores: np.ndarray, labels: np.ndarray) -> Scores:
    return Scores(guarantee, are_distances, scores, labels.astype(np.uint32))


def calibrate_by(
    model: Model, calibration: Calibration, cases: Cases, labels: np.ndarray, *, n_jobs: int = 1
) -> Calibration:
    """Return a calibration with the scores of cases that were kept apart: sets then have their exact guarantee.

    `labels` are codes of the model's classes, or NO_CLASS. The smoothing stays: it must not depend on these cases.
    """
    return with_scores_apart(model, calibration, scores_apart(model, calibration, cases, labels, n_jobs=n_jobs), labels)


def scores_apart(
    model: Model, calibration: Calibration, cases: Cases, labels: np.ndarray, *, n_jobs: int = 1
) -> np.ndarray:
    """Return how badly each of some cases that were kept apart fits its class; they do not depend on each other."""
    labels = labels.astype(np.int64)
    if isinstance(model, RanksByDistance) and model.ranks_by_distance:
        scores = np.full(len(labels), np.inf)
        known = np.flatnonzero(labels != NO_CLASS)
        if len(known):
            scores[known] = model.distance_scores(cases.take(known), labels[known], n_jobs=n_jobs)
        return scores
    return probability_scores(probabilities(model, model.answer(cases, n_jobs=n_jobs), calibration), labels)


def with_scores_apart(model: Model, calibration: Calibration, scores: np.ndarray, labels: np.ndarray) -> Calibration:
    """Return a calibration with the scores of all cases that were kept apart."""
    by_distance = isinstance(model, RanksByDistance) and model.ranks_by_distance
    return replace(calibration, scores=_scores("split", by_distance, scores, labels))


def n_kept_apart(n_cases: int, share: float) -> int:
    """Return how many cases a share is; an error if it is none or all of them."""
    n_apart = round(share * n_cases)
    if not 0 < n_apart < n_cases:
        raise CasebaseError(
            f"A share of {share:.4g} of {n_cases:,} cases is {n_apart:,}: expected at least one case to keep apart and "
            "one to learn from."
        )
    return n_apart


def split_apart(cases: Cases, share: float | None) -> tuple[Cases, Cases | None]:
    """Return the cases to learn from, and a random share of them to keep apart; None if nothing is kept apart."""
    if share is None:
        return cases, None
    n_apart = n_kept_apart(cases.n_cases, share)
    shuffled = np.random.default_rng(0).permutation(cases.n_cases)
    return cases.take(np.sort(shuffled[n_apart:])), cases.take(np.sort(shuffled[:n_apart]))


def prediction_sets(
    model: Model,
    calibration: Calibration,
    cases: Cases,
    confidence: float = 0.9,
    *,
    class_conditional: bool = False,
    n_jobs: int = 1,
) -> PredictionSets:
    """Return the classes that cannot be excluded, for every case."""
    confidence, scores = checked_confidence(confidence), calibration.scores
    if scores is None:
        raise CasebaseError(
            "Prediction sets need held-out cases, and this model has none: it was trained on a single case, or without "
            "them (normalisation other than 'smoothed'). Calibrate it with cases that it has not learned from: "
            "calibrate(X, y), or casebase train --held-out 0.2."
        )
    answers = model.answer(cases, n_jobs=n_jobs)
    limits = thresholds(scores, len(model.schema.classes), confidence, class_conditional=class_conditional)
    if scores.are_distances:
        assert isinstance(model, RanksByDistance)
        mask, found = model.sets_by_distance(cases, limits, n_jobs=n_jobs)
    else:
        found = 1.0 - probabilities(model, answers, calibration)
        mask = at_most(found, np.broadcast_to(limits, found.shape))
    classes = np.array(model.schema.classes, dtype=object)
    said = guarantee_of(scores, confidence, class_conditional=class_conditional)
    return PredictionSets(classes, answers.label, mask, found, confidence, said)


def is_calibrated_when_trained(model: Model) -> bool:
    """Return whether a model file should have a calibration: to smooth votes, or because it costs next to nothing."""
    return has_smoothing(model) or isinstance(model, HasHeldOutShares)


def calibration_of(saved: Saved, *, n_jobs: int = 1) -> Calibration:
    """Return the calibration of a model file, made now if the file has none."""
    return saved.calibration or calibrate(saved.model, n_jobs=n_jobs)


def calibration_after(saved: Saved, corrected: Model, *, n_jobs: int = 1) -> Calibration | None:
    """Return the calibration of a corrected model, as a new training would find it; None if its file had none."""
    return None if saved.calibration is None else calibrate(corrected, n_jobs=n_jobs)


def probabilities(model: Model, answers: Answers, calibration: Calibration | None) -> np.ndarray:
    """Return the probability of each class, one row per answer, as the model's normalisation says.

    Only smoothed probabilities need a calibration; without one they are the shares of the votes.
    """
    votes = dense_votes(answers, len(model.schema.classes))
    return _shares(model, votes, answers.label, calibration, in_place=True)


def _shares(
    model: Model, votes: np.ndarray, labels: np.ndarray, calibration: Calibration | None, *, in_place: bool = False
) -> np.ndarray:
    if calibration is None or not has_smoothing(model):
        return shares(votes, model.normalisation)
    return calibration.smoothing.shares(votes, labels, model.preference.frequency, in_place=in_place)
