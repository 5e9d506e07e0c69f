"""Distances to the nearest case of each class, and the conformal sets that follow from them.

The score of a class is the distance to its nearest case minus the distance to the nearest case of any other class: the
larger, the less the class fits. It is negative only for the class of the nearest case.
"""

from dataclasses import replace

import numpy as np

from casebase.measures.conformal import at_most
from casebase.memory.segments import Memory
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions

LEFT_OUT = 5_000  # cases that are left out of a memory at most
MOST_COPIES = 4  # times the number of cases: whole weights up to here are counted as copies


def left_out_scores(nearby: Neighbourhood, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of every stored case, or of a sample, in a memory without it; and the classes of these cases.

    Weights and value differences are those of all cases. If they were those without the case, scores that are equal
    would differ in the last digits, and a threshold would fall between them.
    """
    return scores_left_out(nearby, left_out_rows(nearby.memory), n_jobs=n_jobs)


def left_out_rows(memory: Memory) -> np.ndarray:
    """Return the rows of the cases whose scores are looked at: all, or a sample of many."""
    if memory.n_cases <= LEFT_OUT:
        return memory.in_given_order
    return memory.places(np.sort(np.random.default_rng(0).choice(memory.n_cases, LEFT_OUT, replace=False)))


def scores_left_out(nearby: Neighbourhood, rows: np.ndarray, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and the classes of the cases at some rows, each in a memory without it."""
    memory = nearby.memory
    labels, counts = memory.labels(rows), memory.counts(rows)
    counts = np.ones(len(rows)) if counts is None else counts
    own_labels = nearby.comparing.own_labels(labels, nearby.voting.preference)
    questions = replace(nearby.stored_questions(rows), own=(own_labels, -counts))
    scores = scores_of(nearby, questions, labels, has_copy=counts > 1, n_jobs=n_jobs)
    if (counts == np.round(counts)).all() and counts.sum() <= MOST_COPIES * len(counts) + 1_000:
        scores, labels = (np.repeat(each, counts.astype(np.int64)) for each in (scores, labels))
    return scores, labels


def scores_of(
    nearby: Neighbourhood,
    questions: Questions,
    labels: np.ndarray,
    *,
    has_copy: np.ndarray | None = None,
    n_jobs: int = 1,
) -> np.ndarray:
    """Return the score of each question's own class; a question that `has_copy` is itself still stored once more."""
    n_classes = len(nearby.schema.classes)
    is_other = np.arange(n_classes) != labels[:, None]
    inside = nearest_distances(nearby.nearest(questions.without_classes(is_other), 1, n_jobs=n_jobs))
    outside = nearest_distances(nearby.nearest(questions.without_labels(labels), 1, n_jobs=n_jobs))
    if has_copy is not None:
        inside[has_copy] = 0.0
    return differences(inside, outside)


def sets_by_distance(
    nearby: Neighbourhood, questions: Questions, limits: np.ndarray, *, n_jobs: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in each set, and the scores that are known; others are infinite.

    The nearest group gives the classes with the smallest scores. The nearest group of the remaining classes gives the
    next ones, and so on until one is too far: a set of two classes takes three searches, not one per class.
    """
    n, n_classes = len(questions), len(limits)
    found = nearby.nearest(questions, 1, n_jobs=n_jobs)
    nearest, is_known = nearest_distances(found), classes_of_groups(nearby, found)
    scores = np.full((n, n_classes), np.inf)
    scores[is_known] = 0.0
    # A class that is nearest alone has a negative score. What it is matters only if it may be too large.
    is_alone = is_known.sum(axis=1) == 1
    alone = np.flatnonzero(is_alone & (limits[is_known.argmax(axis=1)] < 0))
    if len(alone):
        label = is_known[alone].argmax(axis=1)
        rivals = _reaching(questions.part(alone).without_labels(label), nearest[alone] - limits[label])
        others = nearby.nearest(rivals, 1, n_jobs=n_jobs)
        scores[alone, label] = nearest[alone] - nearest_distances(others)
    # All other classes have scores above 0: only those whose threshold is not below can be in the set, and those
    # whose threshold is infinite are in it anyway.
    can_join = (limits >= 0) & ~np.isposinf(limits)
    farthest = float(limits[can_join].max()) if can_join.any() else -1.0
    is_skipped = is_known | ~can_join
    open_questions = np.flatnonzero(~is_skipped.all(axis=1)) if farthest >= 0 else np.empty(0, np.int64)
    while len(open_questions):
        part = questions.part(open_questions).without_classes(is_skipped[open_questions])
        found = nearby.nearest(_reaching(part, nearest[open_questions] + farthest), 1, n_jobs=n_jobs)
        beyond = nearest_distances(found) - nearest[open_questions]
        query, label = np.nonzero(classes_of_groups(nearby, found))
        scores[open_questions[query], label] = beyond[query]
        is_skipped[open_questions[query], label] = True
        goes_on = at_most(beyond, np.full(len(beyond), farthest)) & ~is_skipped[open_questions].all(axis=1)
        open_questions = open_questions[goes_on]
    return at_most(scores, np.broadcast_to(limits, scores.shape)), scores


def _reaching(questions: Questions, distances: np.ndarray) -> Questions:
    """Return the same questions for cases up to these distances, and a little more for rounding."""
    return replace(questions, within=distances + 1e-6 * (1.0 + np.abs(distances)))


def nearest_distances(found: Neighbours) -> np.ndarray:
    """Return the distance of the first group of each query, where at most one was asked for; infinite without any."""
    distances = np.full(len(found.n_groups), np.inf)
    distances[found.n_groups > 0] = found.distance
    return distances


def differences(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """Return differences of distances; 0 where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(inside) & np.isinf(outside), 0.0, inside - outside)


def classes_of_groups(nearby: Neighbourhood, found: Neighbours) -> np.ndarray:
    """Return which classes the first group of each query has, one row per query; at most one group was asked for."""
    query = np.repeat(np.arange(len(found.n_groups)), found.n_groups)
    is_there = np.zeros((len(found.n_groups), len(nearby.schema.classes)), dtype=bool)
    is_there[np.repeat(query, found.n_rows), nearby.memory.labels(found.rows)] = True
    return is_there
