"""IB1: keep every case, and answer with the nearest ones.

The distance of two cases is the sum of the weights of the features on which they disagree (a numeric
feature adds its weight times the difference as a share of its range). With weights from information gain
or gain ratio this is IB1-IG. All cases at the k smallest distinct distances vote.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases"; Aha, Kibler, Albert, "Instance-based learning algorithms" (1991).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.evidence import NeighbourEvidence
from casebase.learners import neighbours
from casebase.learners.answers import Answers, Preference
from casebase.learners.explaining import Explainer
from casebase.learners.memory import Memory, question_columns, remember
from casebase.learners.neighbours import Metric, Neighbours, Progress, Questions, Voting, voting_for
from casebase.measures.distances import compared_by
from casebase.measures.held_out import without_each
from casebase.measures.weights import (
    feature_tables,
    feature_weights,
    given_weights,
    measure_named,
    no_weighting,
    summation_key,
)


@dataclass(frozen=True, eq=False)
class IB1:
    """A memory of all cases and how to compare with them."""

    schema: Schema
    memory: Memory
    weights: np.ndarray
    metric: Metric
    voting: Voting

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case."""
        return neighbours.answer(self.memory, self.questions(cases), self.voting, n_jobs=n_jobs, progress=progress)

    def questions(self, cases: Cases, scopes: np.ndarray | None = None) -> Questions:
        """Return new cases ready for the search, of the whole memory unless `scopes` say otherwise."""
        columns = question_columns(cases, self.memory.order, self.voting.missing_agrees)
        return Questions(columns, self.metric, neighbours.whole_memory(self.memory) if scopes is None else scopes)

    def nearest(self, cases: Cases, k: int | None = None, *, n_jobs: int = 1) -> Neighbours:
        """Return all stored cases at the k smallest distances from every case."""
        return neighbours.nearest(
            self.memory,
            self.questions(cases),
            k or self.voting.k,
            exact_first=False,
            missing_agrees=self.voting.missing_agrees,
            n_jobs=n_jobs,
        )

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the cases that decided, for every case; `limit` bounds how many are listed."""
        answers, asked = self.answer(cases), self.questions(cases)
        explainer = Explainer(self.schema, self.memory, self.weights, self.metric, self.voting)
        each = (np.array([i]) for i in range(cases.n_cases))
        return [explainer.evidence(cases.take(i), asked.part(i), answers.picked(i), limit) for i in each]


def fit(
    cases: Cases,
    *,
    k: int = 1,
    weighting: Any = "gain_ratio",
    metric: str | Mapping[str | int, str] = "overlap",
    vote: str = "equal",
    missing: str = "value",
    compat: str | None = None,
) -> IB1:
    """Return a memory of the cases, indexed for search.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> model = fit(cases)
    >>> [cases.schema.classes[c] for c in model.answer(cases).label]
    ['P', 'P', 'Q']
    """
    voting = voting_for(cases, k=k, vote=vote, missing=missing, compat=compat)
    cases = compared_by(cases, metric)
    tables = feature_tables(cases)
    weights = feature_weights(cases, weighting, tables)
    memory = remember(cases, weights, feature_weights(cases, "gain_ratio", tables))
    keys = np.array([summation_key(tables[i]) for i in memory.order])
    return IB1(cases.schema, memory, weights, metric_for(cases, memory, weights, keys), voting)


def metric_for(cases: Cases, memory: Memory, weights: np.ndarray, keys: np.ndarray) -> Metric:
    """Return how the memory's features are compared: by these weights, added up by descending key."""
    by_key = summation_order(cases.schema, memory.order, keys)
    ranges = [
        value_range(cases.columns[i]) if cases.schema.features[i].kind == "numeric" else 1.0 for i in memory.order
    ]
    return Metric(weights[memory.order][None, :], np.array(ranges)[None, :], np.array(by_key, dtype=np.uint32)[None, :])


def summation_order(schema: Schema, order: np.ndarray, keys: np.ndarray) -> list[int]:
    """Return ranks in the order in which costs are added: descending key, then name or position."""

    def place(rank: int) -> tuple[float, str, int]:
        feature = int(order[rank])
        return -keys[rank], schema.features[feature].name if schema.is_named else "", feature

    return sorted(range(len(order)), key=place)


def value_range(numbers: np.ndarray) -> float:
    known = numbers[~np.isnan(numbers)]
    return float(known.max() - known.min()) if len(known) else 0.0


def leave_one_out(
    cases: Cases,
    *,
    weighting: Any = "gain_ratio",
    metric: str | Mapping[str | int, str] = "overlap",
    n_jobs: int = 1,
    progress: Progress | None = None,
    **voting_options: Any,
) -> Answers:
    """Return the answer to every case from a memory of all the others.

    Exactly what fitting anew without the case would answer, weights and ranges included, but without
    fitting: counts lose one case, the search leaves one row out. The options are those of `fit`. (With
    compat="timbl" the order in which classes were first seen stays that of all cases, as in TiMBL.)
    """
    if cases.n_cases < 2:
        raise CasebaseError("Leave-one-out needs at least two cases.")
    model = fit(cases, weighting=weighting, metric=metric, **voting_options)
    cases = compared_by(cases, metric)
    memory, voting = model.memory, model.voting
    position = np.empty(cases.n_cases, dtype=np.uint32)
    position[memory.row_of] = np.arange(cases.n_cases, dtype=np.uint32)
    scopes = np.zeros((cases.n_cases, 4), dtype=np.uint32)
    scopes[:, 1] = cases.n_cases
    scopes[:, 3] = position
    columns = question_columns(cases, memory.order, voting.missing_agrees)
    asked = Questions(columns, _metric_without_each(cases, memory, weighting), scopes)

    # Class ties look at class frequencies, which lose the held-out case too: one batch per class and weight.
    labels = cases.known_labels
    case_weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    batches: list[np.ndarray] = []
    parts: list[Answers] = []
    for label in np.unique(labels):
        for weight in np.unique(case_weights[labels == label]):
            rows = np.flatnonzero((labels == label) & (case_weights == weight))
            frequency = voting.preference.frequency.copy()
            frequency[label] -= weight
            batches.append(rows)
            parts.append(
                neighbours.answer(
                    memory,
                    asked.part(rows),
                    replace(voting, preference=Preference(frequency, voting.preference.rank)),
                    n_jobs=n_jobs,
                    progress=progress,
                )
            )
    back = np.argsort(np.concatenate(batches))
    return Answers.joined(parts).picked(back)


def _metric_without_each(cases: Cases, memory: Memory, weighting: Any) -> Metric:
    """Return the metric that each case would meet if it were not stored, one row per case."""
    is_given = not isinstance(weighting, str)
    measure = no_weighting if is_given else measure_named(weighting)
    held_out = [without_each(cases, int(feature), measure) for feature in memory.order]
    weights, keys, ranges = (
        np.stack(columns, axis=1) for columns in zip(*((h.weight, h.summation_key, h.value_range) for h in held_out))
    )
    if is_given:
        weights = given_weights(weighting, cases.n_features)[memory.order][None, :]
    distinct, which = np.unique(keys, axis=0, return_inverse=True)
    orders = np.array([summation_order(cases.schema, memory.order, row) for row in distinct], dtype=np.uint32)
    return Metric(weights, ranges, orders[which.ravel()])
