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
from casebase.evidence import Neighbour, NeighbourEvidence, Unseen
from casebase.learners import neighbours
from casebase.learners.answers import Answers, Preference, preference_of
from casebase.learners.memory import Memory, remember
from casebase.learners.neighbours import Metric, Neighbours, Progress, Voting
from casebase.measures.distances import compared_by
from casebase.measures.held_out import without_each
from casebase.measures.votes import vote_named
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
        scope = neighbours.whole_memory(self.memory)
        queries = self.memory.queries(cases, missing_agrees=self.voting.missing_agrees)
        return neighbours.answer(
            self.memory, queries, self.metric, scope, self.voting, n_jobs=n_jobs, progress=progress
        )

    def nearest(self, cases: Cases, k: int | None = None, *, n_jobs: int = 1) -> Neighbours:
        """Return all stored cases at the k smallest distances from every case."""
        return neighbours.nearest(
            self.memory,
            self.memory.queries(cases, missing_agrees=self.voting.missing_agrees),
            self.metric,
            neighbours.whole_memory(self.memory),
            k or self.voting.k,
            exact_first=False,
            missing_agrees=self.voting.missing_agrees,
            n_jobs=n_jobs,
        )

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the cases that decided, for every case; `limit` bounds how many are listed."""
        answers = self.answer(cases)
        return [
            explain_by_neighbours(self, cases.take(np.array([i])), answers.picked(np.array([i])), limit)
            for i in range(cases.n_cases)
        ]


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
    vote_named(vote)
    voting = Voting(neighbours.checked_k(k), vote, neighbours.checked_missing(missing), preference_of(cases, compat))
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
    k: int = 1,
    weighting: Any = "gain_ratio",
    metric: str | Mapping[str | int, str] = "overlap",
    vote: str = "equal",
    missing: str = "value",
    compat: str | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Answers:
    """Return the answer to every case from a memory of all the others.

    Exactly what fitting anew without the case would answer, weights and ranges included, but without
    fitting: counts lose one case, the search leaves one row out.
    """
    if cases.n_cases < 2:
        raise CasebaseError("Leave-one-out needs at least two cases.")
    model = fit(cases, k=k, weighting=weighting, metric=metric, vote=vote, missing=missing, compat=compat)
    cases = compared_by(cases, metric)
    memory, voting = model.memory, model.voting
    held_out = _metric_without_each(cases, memory, weighting)
    position = np.empty(cases.n_cases, dtype=np.uint32)
    position[memory.row_of] = np.arange(cases.n_cases, dtype=np.uint32)
    scopes = np.zeros((cases.n_cases, 4), dtype=np.uint32)
    scopes[:, 1] = cases.n_cases
    scopes[:, 3] = position
    queries = memory.queries(cases, missing_agrees=voting.missing_agrees)

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
                    [column[rows] for column in queries],
                    held_out.part(rows),
                    scopes[rows],
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


def explain_by_neighbours(
    model: IB1,
    case: Cases,
    answers: Answers,
    limit: int,
    *,
    scope: np.ndarray | None = None,
    path: tuple = (),
) -> NeighbourEvidence:
    """Return the evidence for one case: who voted, at what distance, and the nearest of another class."""
    memory, voting, schema = model.memory, model.voting, model.schema
    scope = neighbours.whole_memory(memory) if scope is None else scope
    queries = memory.queries(case, missing_agrees=voting.missing_agrees)
    label = int(answers.label[0])

    def search(k: int, exact_first: bool) -> Neighbours:
        return neighbours.nearest(
            memory, queries, model.metric, scope, k,
            exact_first=exact_first, missing_agrees=voting.missing_agrees,
        )  # fmt: skip

    def describe(position: int, distance: float) -> Neighbour:
        costs = _costs(model, queries, position, int(scope[0, 2]))
        values: list[Any] = [None] * len(schema.features)
        for rank, feature in enumerate(memory.order):
            values[feature] = schema.features[feature].value(memory.columns[rank][position])
        return Neighbour(
            id=memory.ids[position].item() if hasattr(memory.ids[position], "item") else memory.ids[position],
            values=tuple(values),
            label=schema.classes[memory.labels[position]],
            distance=float(distance),
            weight=1.0 if memory.counts is None else float(memory.counts[position]),
            costs=tuple(costs),
        )

    found = search(voting.k, voting.k == 1)
    distances = np.repeat(found.distance, found.n_rows)
    listed = sorted(zip(distances.tolist(), memory.row_of[found.rows].tolist(), found.rows.tolist()))[:limit]
    first_tied = bool(neighbours.count_votes(memory, found, voting)[1][0])
    is_exact = bool(found.is_exact[0])
    return NeighbourEvidence(
        features=schema.names,
        values=tuple(case.values(0)),
        unseen=unseen_values(case),
        label=schema.classes[label],
        votes={schema.classes[c]: v for c, v in answers.votes_of(0).items()},
        k=voting.k,
        n_neighbours=len(found.rows),
        distances=tuple(found.distance.tolist()),
        neighbours=tuple(describe(position, d) for d, _, position in listed),
        nearest_other=_nearest_other(memory, search, describe, label),
        is_exact=is_exact,
        was_tied=first_tied,
        weights=tuple(model.weights.tolist()),
        path=path,
    )


def _costs(model: IB1, queries: list[np.ndarray], position: int, first_rank: int) -> list[float]:
    """Return what each feature adds to the distance of one stored case, in column order."""
    costs = [0.0] * len(model.schema.features)
    for rank, feature in enumerate(model.memory.order):
        if rank < first_rank:
            continue
        stored, asked = model.memory.columns[rank][position], queries[rank][0]
        weight, value_span = model.metric.weights[0, rank], model.metric.ranges[0, rank]
        if model.schema.features[feature].kind != "numeric" or (value_span <= 0 and not np.isnan(stored + asked)):
            difference = float(stored != asked)
        elif np.isnan(stored) or np.isnan(asked):
            both = np.isnan(stored) and np.isnan(asked)
            difference = 0.0 if both and model.voting.missing_agrees else 1.0
        else:
            difference = abs((stored - asked) / value_span)
        costs[feature] = float(weight * difference)
    return costs


def _nearest_other(memory: Memory, search: Any, describe: Any, label: int) -> Neighbour | None:
    """Return the nearest case of another class, looking ever further."""
    k = 1
    while True:
        found = search(k, False)
        distances = np.repeat(found.distance, found.n_rows)
        others = np.flatnonzero(memory.labels[found.rows] != label)
        if len(others):
            best = min(others, key=lambda i: (distances[i], memory.row_of[found.rows[i]]))
            return describe(int(found.rows[best]), float(distances[best]))
        if k >= memory.n_cases or found.n_groups[0] < k:
            return None
        k *= 4


def unseen_values(case: Cases) -> tuple[Unseen, ...]:
    """Return the values of a case that no stored case has for that feature."""
    return tuple(
        Unseen(feature.name, case.values(0)[i])
        for i, feature in enumerate(case.schema.features)
        if feature.kind != "ignored"
        and feature.vocabulary is not None
        and case.columns[i][0] == feature.vocabulary.unknown
    )
