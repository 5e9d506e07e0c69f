"""The metric under which the records are compared: given, or the one that answers best by leave-one-out."""

from typing import Any

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.held_out import HeldOut, held_out
from casebase.checkup.influence import Influence
from casebase.data import Schema
from casebase.neighbours import ib1

AUTO = "auto"
N_JUDGES = 1_000  # kinds of records on which metrics are compared
SEED = 20


def candidates(schema: Schema) -> list[ib1.Settings]:
    """Return the metrics to choose from: overlap without and with weights, and the value difference metric."""
    found = [ib1.Settings(weighting="none"), ib1.Settings()]
    if any(feature.kind == "symbolic" for feature in schema.features):
        found.append(ib1.Settings(metric="mvdm"))
    return found


def chosen(distinct: Distinct, n_jobs: int) -> tuple[ib1.Settings, HeldOut]:
    """Return the metric with the most correct leave-one-out answers on a sample; of equal ones the first."""
    asked = sample(distinct, N_JUDGES)
    best, best_right, best_search = None, -1.0, None
    for settings in candidates(distinct.cases.schema):
        search = held_out(distinct, settings, n_jobs)
        right = n_right(search, asked)
        if right > best_right:
            best, best_right, best_search = settings, right, search
    assert best is not None
    assert best_search is not None
    return best, best_search


def n_right(search: HeldOut, asked: np.ndarray) -> float:
    """Return how many records of some kinds are answered correctly."""
    influence = Influence(search)
    for ranks in search.ranks(1, asked):
        influence.add(ranks)
    is_right = influence.answer[asked] == search.labels[asked]
    return float(search.distinct.count[asked][is_right].sum())


def sample(distinct: Distinct, n: int) -> np.ndarray:
    """Return some kinds of records, drawn at random; all of them if there are no more."""
    if distinct.n_kinds <= n:
        return np.arange(distinct.n_kinds)
    return np.sort(np.random.default_rng(SEED).permutation(distinct.n_kinds)[:n])


def description(settings: ib1.Settings) -> str:
    """Return a metric in words.

    >>> description(ib1.Settings(weighting="none")), description(ib1.Settings(metric="mvdm"))
    ('overlap, unweighted', 'mvdm, weighted by gain ratio')
    """
    metric, weighting = _words(settings.metric), settings.weighting
    if isinstance(weighting, str):
        weights = "unweighted" if weighting == "none" else f"weighted by {weighting.replace('_', ' ')}"
    else:
        weights = "with given weights"
    return f"{metric}, {weights}"


def _words(metric: Any) -> str:
    return metric if isinstance(metric, str) else "several metrics"
