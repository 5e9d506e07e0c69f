"""IB1: keep every case, and answer with the nearest ones.

The distance of two cases is the sum over the features of weight times difference, where the metric of the feature says
how different two values are: with `overlap`, 1 where they disagree. With weights from information gain or gain ratio
this is IB1-IG. All cases at the k smallest distinct distances vote.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases"; Aha, Kibler, Albert, "Instance-based learning algorithms" (1991).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.method import fitted_with
from casebase.base.model import Summary, counted, summary_of
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.measures.counts import Counts
from casebase.measures.distances import BY_CLASSES, METRICS
from casebase.measures.held_out import without_each
from casebase.measures.votes import Normalisation
from casebase.measures.weights import RELIEF, given_weights, measure_named, no_weighting, subtract_smallest
from casebase.memory.relevance import Prepared, relevance
from casebase.memory.segments import Memory, remember, without_ignored_values
from casebase.memory.store import Change, Store
from casebase.neighbours.comparison import Comparing
from casebase.neighbours.correctable import KeepsCases, refuse_limit, refuse_shared_exemplars, relevance_keys
from casebase.neighbours.evidence import Explainer, NeighbourEvidence
from casebase.neighbours.search import Metric, Neighbourhood, Neighbours, Questions, Voting, scopes
from casebase.neighbours.settings import NeighbourSettings
from casebase.progress import Progress, part_of


@dataclass(frozen=True, eq=False)
class IB1(KeepsCases):
    """A memory of all cases and how to compare with them; `weights` are in column order.

    `settings` are those it was fitted with, and `tables` the counts of each feature, so that it can be corrected.
    """

    schema: Schema
    memory: Memory
    weights: np.ndarray
    comparing: Comparing
    metric: Metric
    voting: Voting
    tables: dict[int, Counts] | None = None
    settings: NeighbourSettings = field(default_factory=NeighbourSettings)

    method: ClassVar[str] = "ib1"

    @property
    def preference(self) -> Preference:
        return self.voting.preference

    @property
    def normalisation(self) -> Normalisation:
        return self.voting.normalisation

    @cached_property
    def nearby(self) -> Neighbourhood:
        return Neighbourhood(self.schema, self.memory, self.comparing, self.metric, self.voting)

    def questions(self, cases: Cases, scopes: np.ndarray | None = None) -> Questions:
        return self.nearby.questions(cases, scopes)

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case."""
        answers = self.nearby.answer(self.questions(cases), n_jobs=n_jobs, progress=progress)
        return with_depth(answers, len(self.memory.order))

    def nearest(self, cases: Cases, k: int | None = None, *, n_jobs: int = 1) -> Neighbours:
        """Return all stored cases at the k smallest distances from every case."""
        return self.nearby.nearest(self.questions(cases), k or self.voting.k, n_jobs=n_jobs)

    def deciding(self, cases: Cases, *, n_jobs: int = 1) -> Neighbours:
        """Return the groups of cases that were asked: at k distances, and one more where the vote was tied."""
        return self.nearby.deciding(self.questions(cases), n_jobs=n_jobs)

    def summary(self) -> Summary:
        """Return what the model is: its cases, weights and classes."""
        n_cases = self.memory.n_cases
        return summary_of(self, f"{counted(n_cases, 'case')} in memory", {"n_cases": n_cases}, self.weights)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the cases that decided, for every case; `limit` bounds how many are listed."""
        return Explainer(self.nearby, self.weights).evidence(cases, self.questions(cases), limit)

    def stored_memory(self) -> Memory:
        return self.memory

    def store(self) -> Store:
        """Return the cases with their counts."""
        refuse_limit(self.settings)
        refuse_shared_exemplars(self.memory, self.voting.quirks)
        return Store(self.schema, self.memory, self.tables)

    def refit(self, cases: Cases) -> "IB1":
        """Return a memory of other cases with the same settings."""
        assert isinstance(self.settings, Settings)
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, frequency: np.ndarray) -> "IB1":
        """Return the memory of a changed store: weights follow from its counts."""
        assert store.tables is not None
        weights, keys = relevance(store.tables, len(store.schema.features), **relevance_keys(self.settings))
        return self.with_store(store, weights, keys, frequency)

    def with_store(self, store: Store, weights: np.ndarray, keys: np.ndarray, frequency: np.ndarray) -> "IB1":
        """Return the memory of a store, by weights and keys that are known."""
        assert store.tables is not None
        memory, schema = store.memory, store.schema
        ranges = np.ones(len(memory.order))
        for rank, position in enumerate(memory.order):
            if schema.features[position].kind == "numeric":
                ranges[rank] = value_range(store.numbers(rank))
                if np.isinf(ranges[rank]):
                    raise CasebaseError(
                        f"Feature {schema.features[position].name!r} would have numbers whose difference is more than "
                        "a double holds. Scale them down."
                    )
        by_classes = tuple(
            None if table is None else store.tables[i] for i, table in zip(memory.order.tolist(), self.comparing.tables)
        )
        return replace(
            self,
            schema=schema,
            memory=memory,
            weights=weights,
            comparing=replace(self.comparing, tables=by_classes),
            metric=metric_for(schema, memory, weights, keys, ranges),
            voting=replace(self.voting, preference=Preference(frequency, self.voting.preference.rank)),
            tables=store.tables,
        )


def with_depth(answers: Answers, n_features: int) -> Answers:
    """Return answers for which all features were compared."""
    n = len(answers.label)
    return replace(answers, depth=np.full(n, n_features, dtype=np.uint32), at_leaf=np.ones(n, dtype=bool))


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How IB1 compares cases and lets them vote."""


@fitted_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> IB1:
    """Return a memory of the cases, indexed for search.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> model = fit(cases)
    >>> [cases.schema.classes[c] for c in model.answer(cases).label]
    ['P', 'P', 'Q']
    """
    return remembered(settings.prepared(cases), settings.voting(cases), settings)


def remembered(
    made: Prepared,
    voting: Voting,
    settings: NeighbourSettings,
    *,
    first: list[int] | None = None,
    weights: np.ndarray | None = None,
) -> IB1:
    """Return prepared cases indexed for search, features `first` before all others."""
    cases = made.cases
    if cases.exemplars is not None and voting.quirks.shared_exemplars:
        cases = replace(cases, exemplars=first_exemplars(cases, list(made.tables)))
    weights = made.weights if weights is None else weights
    memory = remember(cases, weights, made.keys, first=first)
    metrics = tuple(made.metrics[i] for i in memory.order)
    tables = tuple(made.tables[i] if made.metrics[i] in BY_CLASSES else None for i in memory.order)
    is_euclidean = made.is_euclidean
    comparing = Comparing(metrics, tables, settings.threshold, voting.quirks, settings.clip, is_euclidean)
    ranges = [value_range(cases.columns[i]) if METRICS[made.metrics[i]] == "numeric" else 1.0 for i in memory.order]
    metric = metric_for(cases.schema, memory, weights, made.keys, np.array(ranges))
    schema = without_ignored_values(cases.schema)
    return IB1(schema, memory, weights, comparing, metric, voting, dict(made.tables), settings)


def first_exemplars(cases: Cases, used: Sequence[int]) -> np.ndarray:
    """Return exemplar weights as TiMBL keeps them: cases of one class that agree have the weight of the first."""
    assert cases.exemplars is not None
    which = equal_cases(cases, used)
    _, first = np.unique(which, return_index=True)
    return cases.exemplars[first][which]


def equal_cases(cases: Cases, used: Sequence[int]) -> np.ndarray:
    """Return a number for every case, from 0: cases of one class that agree on the used features share it."""
    columns = [np.unique(cases.columns[i], return_inverse=True)[1].ravel() for i in used]
    return np.unique(np.stack([*columns, cases.known_labels], axis=1), axis=0, return_inverse=True)[1].ravel()


def metric_for(schema: Schema, memory: Memory, weights: np.ndarray, keys: np.ndarray, ranges: np.ndarray) -> Metric:
    """Return how the memory's features are compared: by these weights, added up by descending key."""
    by_key = summation_order(schema, memory.order, keys[memory.order])
    return Metric(weights[memory.order][None, :], ranges[None, :], np.array(by_key, dtype=np.uint32)[None, :])


def summation_order(schema: Schema, order: np.ndarray, keys: np.ndarray) -> list[int]:
    """Return ranks in the order in which costs are added: descending key, then name or position."""

    def place(rank: int) -> tuple[float, str, int]:
        feature = int(order[rank])
        return -keys[rank], schema.features[feature].name if schema.is_named else "", feature

    return sorted(range(len(order)), key=place)


def value_range(numbers: np.ndarray) -> float:
    known = numbers[~np.isnan(numbers)]
    return float(known.max()) - float(known.min()) if len(known) else 0.0


def leave_one_out(
    cases: Cases,
    settings: Settings | None = None,
    *,
    sloppy: bool = False,
    n_jobs: int = 1,
    progress: Progress | None = None,
    **values: Any,
) -> Answers:
    """Return the answer to every case from a memory of all the others.

    Exactly what fitting anew without the case would answer, weights, ranges and value differences included, but
    without fitting: counts lose one case, the search leaves one row out. The settings are those of `fit`. With `sloppy`
    weights, ranges and value differences stay those of all cases. (With compat="timbl" the order of the features, and
    the order in which classes were first seen, stay those of all cases, as in TiMBL.)
    """
    if cases.n_cases < 2:
        raise CasebaseError("Leave-one-out needs at least two cases.")
    settings = Settings.of(settings, values)
    if settings.feature_limit is not None:
        raise CasebaseError(
            "Leave-one-out takes no feature_limit: which features are kept could change with each case."
        )
    if isinstance(settings.weighting, str) and settings.weighting == RELIEF and not sloppy:
        raise CasebaseError(
            "Leave-one-out would have to learn the weights of RELIEF anew for every case. Cross-validate instead "
            "(--cv), or keep the weights of all cases (sloppy=True)."
        )
    model = fit(cases, settings)
    memory, voting = model.memory, model.voting
    cases = replace(cases, schema=model.schema, columns=kept_columns(cases, model))
    asked = model.questions(cases, scopes(left_out=memory.in_given_order))
    case_weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    own_labels = model.comparing.own_labels(cases.known_labels, voting.preference)
    if sloppy:  # a value that only the case itself has is unknown all the same: the search knows that by the sign
        asked = replace(asked, own=(own_labels, -case_weights))
    else:
        asked = replace(asked, metric=_metric_without_each(cases, model), own=(own_labels, case_weights))

    def answer(among: np.ndarray, voting: Voting, progress: Progress | None) -> Answers:
        # Class ties look at class frequencies, which lose the held-out case too: one batch per class and weight.
        labels, weights = cases.known_labels[among], case_weights[among]
        batches: list[np.ndarray] = []
        parts: list[Answers] = []
        for label in np.unique(labels):
            for weight in np.unique(weights[labels == label]):
                batch = np.flatnonzero((labels == label) & (weights == weight))
                frequency = voting.preference.frequency.copy()
                frequency[label] -= weight
                without = replace(voting, preference=Preference(frequency, voting.preference.rank))
                nearby = model.nearby.voting_by(without)
                batches.append(batch)
                watched = part_of(progress, sum(len(part.label) for part in parts), len(among))
                parts.append(nearby.answer(asked.part(among[batch]), n_jobs=n_jobs, progress=watched))
        return Answers.joined(parts).picked(np.argsort(np.concatenate(batches)))

    everything = np.arange(cases.n_cases)
    answers = answer(everything, voting, progress)
    tied = np.flatnonzero(np.asarray(answers.was_tied))
    if model.nearby.remembers_ties and len(tied) and tied[0] + 1 < cases.n_cases:
        later = everything[tied[0] + 1 :]
        answers = answers.replaced(later, answer(later, replace(voting, had_tie=True), None))
    return with_depth(answers, len(memory.order))


def kept_columns(cases: Cases, model: IB1) -> tuple[np.ndarray, ...]:
    """Return the cases' columns as the model stores them, in the order given; ignored ones as they were."""
    columns = list(cases.columns)
    rows = model.memory.in_given_order
    for rank, position in enumerate(model.memory.order):
        columns[position] = model.memory.column(rank, rows)
    return tuple(columns)


def _metric_without_each(cases: Cases, model: IB1) -> Metric:
    """Return the metric that each case would meet if it were not stored, one row per case."""
    settings, weighting = model.settings, model.settings.weighting
    is_given = not isinstance(weighting, str)
    measure = no_weighting if is_given else measure_named(weighting)
    memory = model.memory
    held_out = [without_each(cases, int(feature), measure) for feature in memory.order]
    weights, keys, ranges = (
        np.stack(columns, axis=1) for columns in zip(*((h.weight, h.summation_key, h.value_range) for h in held_out))
    )
    if is_given:
        weights = given_weights(weighting, cases.n_features)[memory.order][None, :]
    if settings.diversify:
        weights = np.stack([subtract_smallest(row, list(range(len(row)))) for row in weights])
    if model.voting.quirks.fixed_sum_order or settings.order_by is not None:
        return Metric(weights, ranges, model.metric.sum_order)
    distinct, which = np.unique(keys, axis=0, return_inverse=True)
    orders = np.array([summation_order(cases.schema, memory.order, row) for row in distinct], dtype=np.uint32)
    return Metric(weights, ranges, orders[which.ravel()])
