"""IB1: keep every case, and answer with the nearest ones.

The distance of two cases is the sum over the features of weight times difference. The metric of a feature defines the
difference of two values: with `overlap` it is 1 if they are not equal. With weights from information gain or gain ratio
this is IB1-IG. All cases at the k smallest distinct distances vote.

Reference: Daelemans, Van den Bosch, Zavrel, "A feature-relevance heuristic for indexing and compressing
large case bases"; Aha, Kibler, Albert, "Instance-based learning algorithms" (1991).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.data import Cases, Schema
from casebase.data.runs import begins_run
from casebase.errors import CasebaseError
from casebase.measures.contingency import Contingency
from casebase.measures.counts import Counts
from casebase.measures.distances import BY_CLASSES, METRICS
from casebase.measures.held_out import HeldOut, Measure, without_each
from casebase.measures.votes import Normalisation
from casebase.measures.weights import (
    FROM_ALL_CASES,
    LEARNED,
    given_weights,
    measure_named,
    no_weighting,
    subtract_smallest,
)
from casebase.memory.relevance import Prepared
from casebase.memory.segments import Memory, relevance_order, remember, without_ignored_values
from casebase.memory.store import Change, Store, without_rows
from casebase.neighbours import class_distances
from casebase.neighbours.comparison import Comparing
from casebase.neighbours.correctable import KeepsCases, refuse_limit, refuse_shared_exemplars, relevance_keys
from casebase.neighbours.evidence import Explainer, NeighbourEvidence
from casebase.neighbours.learned_weights import STARTS, Learning, asked_cases, check_learnable, learn
from casebase.neighbours.search import Metric, Neighbourhood, Neighbours, Questions, Voting, scopes
from casebase.neighbours.settings import NeighbourSettings
from casebase.progress import Progress, part_of, warn_user


@dataclass(frozen=True, eq=False)
class IB1(KeepsCases):
    """A memory of all cases and the metric that compares them; `weights` are in column order.

    `settings` are those of the fit and `tables` the counts of each feature; corrections need both.
    """

    schema: Schema
    memory: Memory
    weights: np.ndarray
    comparing: Comparing
    metric: Metric
    voting: Voting
    tables: dict[int, Counts] | None = None
    settings: NeighbourSettings = field(default_factory=NeighbourSettings)
    learning: Learning | None = None  # how the weights were learned, if they were

    method: ClassVar[str] = "ib1"

    @property
    def was_interrupted(self) -> bool:
        return self.learning is not None and self.learning.was_interrupted

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
        """Return the neighbours that were considered: those at k distances, and at one more where the vote was tied."""
        return self.nearby.deciding(self.questions(cases), n_jobs=n_jobs)

    @property
    def leaves_one_out(self) -> bool:
        """Whether a case can be left out of the memory exactly, without a new fit."""
        is_cut = any(feature.is_cut for feature in self.schema.features)
        return self.settings.feature_limit is None and not learns_from_all(self.settings) and not is_cut

    def held_out_answers(self, cases: Cases, rows: np.ndarray, *, n_jobs: int = 1) -> Answers:
        """Return the answers to some of the cases that the model has learned from, each from all the others."""
        is_same = not self.memory.is_corrected and self.memory.n_cases == cases.n_cases
        model = self if is_same and self.schema.classes == cases.schema.classes else self.refit(cases)
        return held_out_answers(model, cases, rows, n_jobs=n_jobs)

    @property
    def ranks_by_distance(self) -> bool:
        """Whether conformal sets go by distances: where one distance votes, the answer is one of the nearest."""
        return self.voting.k == 1

    def left_out_scores(self, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return how badly stored cases fit their own classes, each left out of the memory, and these classes."""
        return class_distances.left_out_scores(self.nearby, n_jobs=n_jobs)

    def distance_scores(self, cases: Cases, labels: np.ndarray, *, n_jobs: int = 1) -> np.ndarray:
        """Return how badly new cases fit these classes."""
        return class_distances.scores_of(self.nearby, self.questions(cases), labels, n_jobs=n_jobs)

    def sets_by_distance(self, cases: Cases, limits: np.ndarray, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes whose scores are within their limits, and the scores, one row per case."""
        return class_distances.sets_by_distance(self.nearby, self.questions(cases), limits, n_jobs=n_jobs)

    def summary(self) -> Summary:
        """Return a summary of the model: its cases, weights and classes."""
        n_cases = self.memory.n_cases
        size = f"{format_count(n_cases, 'case')} in memory"
        counts: dict[str, Any] = {"n_cases": n_cases}
        if self.learning is not None:
            size, counts = f"{size}, {self.learning}", counts | {"learning": asdict(self.learning)}
        return summary_of(self, size, counts, self.weights)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[NeighbourEvidence]:
        """Return the cases that decided, for every case; `limit` bounds how many are listed."""
        return Explainer(self.nearby, self.weights).evidence(cases, self.questions(cases), limit)

    def stored_memory(self) -> Memory:
        return self.memory

    def without(self, row: int) -> "IB1":
        """Return the memory without one case; the metric (weights, ranges, value differences) stays the same."""
        preference = self.voting.preference.without(*self.memory.label_and_weight(row))
        memory = without_rows(self.memory, np.array([row]))
        return replace(self, memory=memory, voting=replace(self.voting, preference=preference))

    def store(self) -> Store:
        """Return the cases with their counts."""
        refuse_limit(self.settings)
        refuse_shared_exemplars(self.memory, self.voting.quirks)
        return Store(self.schema, self.memory, self.tables)

    def refit(self, cases: Cases) -> "IB1":
        """Return a memory of other cases with the same settings."""
        assert isinstance(self.settings, Settings)
        return fit(cases, self.settings)

    def corrected(self, store: Store, change: Change, preference: Preference) -> "IB1":
        """Return the model of a changed store; its counts give the new weights."""
        weights, keys = store.relevance(**relevance_keys(self.settings))
        return self.with_store(store, weights, keys, preference)

    def with_store(self, store: Store, weights: np.ndarray, keys: np.ndarray, preference: Preference) -> "IB1":
        """Return the model of a store whose weights and keys are known."""
        assert store.tables is not None
        memory, schema = store.memory, store.schema
        ranges = np.ones(len(memory.order))
        for rank, position in enumerate(memory.order):
            if schema.features[position].kind == "numeric":
                ranges[rank] = value_range(store.numbers(rank))
                if np.isinf(ranges[rank]):
                    raise CasebaseError(
                        f"Feature {schema.features[position].name!r} would have numbers whose difference exceeds the "
                        "range of a double. Scale them down."
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
            voting=replace(self.voting, preference=preference),
            tables=store.tables,
        )


def with_depth(answers: Answers, n_features: int) -> Answers:
    """Return answers that were found by comparing all features."""
    n = len(answers.label)
    return answers.with_details(depth=np.full(n, n_features, dtype=np.uint32), at_leaf=np.ones(n, dtype=bool))


@dataclass(frozen=True, kw_only=True)
class Settings(NeighbourSettings):
    """How IB1 compares cases and lets them vote."""


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> IB1:
    """Return a memory of the cases, indexed for search.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"]], target=-1)
    >>> model = fit(cases)
    >>> [cases.schema.classes[c] for c in model.answer(cases).label]
    ['P', 'P', 'Q']
    """
    if isinstance(settings.weighting, str) and settings.weighting == LEARNED:
        return fit_learned(cases, settings, n_jobs=n_jobs, progress=progress)
    return from_prepared(settings.prepare(cases), settings.voting(cases), settings)


def fit_learned(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> IB1:
    """Return a memory whose weights were tried out on held-out cases.

    Ctrl-C ends the search; the best weights so far are kept, and a warning says so.
    """
    check_learnable(settings)
    start = replace(settings, weighting="gain_ratio")
    if cases.n_cases < 2:  # there is nothing to hold out
        return replace(fit(cases, start), settings=settings)
    prepared, voting = start.prepare(cases), settings.voting(cases)
    used = relevance_order(prepared.cases.schema, list(prepared.tables), prepared.weights)
    given = replace(settings, weighting=prepared.weights.tolist())
    model = from_prepared(prepared, voting, given)
    asked, questions = held_out_questions(model, cases, asked_cases(cases, used))
    amounts = np.ones(asked.n_cases) if asked.weights is None else asked.weights

    def errors(weights: np.ndarray) -> float:
        metric = replace(questions.metric, weights=weights[model.memory.order][None, :])
        answers = _answers(model, asked, replace(questions, metric=metric), n_jobs=n_jobs)
        return float(amounts[answers.label != asked.known_labels].sum())

    is_used = np.isin(np.arange(cases.n_features), used).astype(float)
    starts = dict(zip(STARTS, (prepared.weights, is_used)))
    weights, learning = learn(starts, used, errors, float(amounts.sum()), progress)
    if learning.was_interrupted:
        warn_user("Interrupted: the memory has the best weights that were found so far.")
    return replace(from_prepared(prepared, voting, settings, weights=weights), learning=learning)


def from_prepared(
    prepared: Prepared,
    voting: Voting,
    settings: NeighbourSettings,
    *,
    first: list[int] | None = None,
    weights: np.ndarray | None = None,
) -> IB1:
    """Return prepared cases indexed for search; the features in `first` come before all others."""
    cases = prepared.cases
    if cases.exemplars is not None and voting.quirks.shared_exemplars:
        cases = replace(cases, exemplars=first_exemplars(cases, list(prepared.tables)))
    weights = prepared.weights if weights is None else weights
    memory = remember(cases, weights, prepared.keys, first=first)
    metrics = tuple(prepared.metrics[i] for i in memory.order)
    tables = tuple(prepared.tables[i] if prepared.metrics[i] in BY_CLASSES else None for i in memory.order)
    is_euclidean = prepared.is_euclidean
    comparing = Comparing(metrics, tables, settings.threshold, voting.quirks, settings.clip, is_euclidean)
    ranges = [value_range(cases.columns[i]) if METRICS[prepared.metrics[i]] == "numeric" else 1.0 for i in memory.order]
    metric = metric_for(cases.schema, memory, weights, prepared.keys, np.array(ranges))
    schema = without_ignored_values(cases.schema)
    return IB1(schema, memory, weights, comparing, metric, voting, dict(prepared.tables), settings)


def first_exemplars(cases: Cases, used: Sequence[int]) -> np.ndarray:
    """Return exemplar weights as TiMBL stores them: equal cases of one class share the weight of the first."""
    assert cases.exemplars is not None
    which = equal_cases(cases, used)
    _, first = np.unique(which, return_index=True)
    shared: np.ndarray = cases.exemplars[first][which]
    return shared


def equal_cases(cases: Cases, used: Sequence[int]) -> np.ndarray:
    """Return a group number for every case, from 0; cases of one class that agree on the used features share it."""
    columns = [np.unique(cases.columns[i], return_inverse=True)[1].ravel() for i in used]
    return np.unique(np.stack([*columns, cases.known_labels], axis=1), axis=0, return_inverse=True)[1].ravel()


def metric_for(schema: Schema, memory: Memory, weights: np.ndarray, keys: np.ndarray, ranges: np.ndarray) -> Metric:
    """Return the metric of a memory: these weights, and costs that are summed by descending key."""
    by_key = summation_orders(schema, memory.order, keys[memory.order][None, :])
    return Metric(weights[memory.order][None, :], ranges[None, :], by_key)


def summation_orders(schema: Schema, order: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return ranks in the order in which costs are summed, for each row of keys: by descending key, then by name or
    position.

    The order of the columns must not decide how a floating-point sum is rounded, and so which distances are equal.
    """

    def place(rank: int) -> tuple[str, int]:
        feature = int(order[rank])
        return schema.features[feature].name if schema.is_named else "", feature

    by_place = np.array(sorted(range(len(order)), key=place), dtype=np.uint32)
    orders: np.ndarray = by_place[np.argsort(-keys[:, by_place], axis=1, kind="stable")]
    return orders


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

    The answers are exactly those of a model fitted without the case, including weights, ranges and value differences,
    but nothing is fitted: one case is subtracted from the counts, and the search skips one row. The settings are those
    of `fit`. With `sloppy`, weights, ranges and value differences are those of all cases. (With compat="timbl", as in
    TiMBL, the order of the features and of the classes is always that of all cases.)
    """
    model = _fit_to_leave_out(cases, Settings.of(settings, values), sloppy)
    return held_out_answers(model, cases, sloppy=sloppy, n_jobs=n_jobs, progress=progress)


def _fit_to_leave_out(cases: Cases, settings: Settings, sloppy: bool = False) -> IB1:
    """Return a memory of all cases; refuse settings with which a case cannot be left out exactly."""
    if cases.n_cases < 2:
        raise CasebaseError("Leave-one-out needs at least two cases.")
    if settings.feature_limit is not None:
        raise CasebaseError(
            "Leave-one-out does not support feature_limit: each case could change which features are kept."
        )
    if learns_from_all(settings) and not sloppy:
        raise CasebaseError(
            f"Leave-one-out would have to learn the weights again for every case (weighting {settings.weighting!r}). "
            "Cross-validate instead (--cv), or use the weights of all cases (sloppy=True)."
        )
    model = fit(cases, settings)
    if any(feature.is_cut for feature in model.schema.features) and not sloppy:
        raise CasebaseError(
            "Leave-one-out would have to cut the numbers again for every case. Cross-validate instead (--cv), or use "
            "the cuts of all cases (sloppy=True)."
        )
    return model


def learns_from_all(settings: NeighbourSettings) -> bool:
    """Return whether the weights would have to be learned again without each case: they are no function of counts."""
    return isinstance(settings.weighting, str) and settings.weighting in FROM_ALL_CASES


def held_out_questions(
    model: IB1, cases: Cases, among: np.ndarray | None = None, *, sloppy: bool = False, are_sorted: bool = False
) -> tuple[Cases, Questions]:
    """Return cases that the model stores, in the order given, and each as a question to all the others.

    `among` are rows of the cases; by default all are asked. If they `are_sorted`, the cases are `sorted_cases`.
    """
    memory = model.memory
    among = np.arange(cases.n_cases) if among is None else among
    places = among if are_sorted else memory.places(among)
    asked = cases.take(among)
    asked = replace(asked, schema=model.schema, columns=_with_stored(asked.columns, memory, places))
    questions = model.questions(asked, scopes(left_out=places))
    case_weights = np.ones(asked.n_cases) if asked.weights is None else asked.weights
    own_labels = model.comparing.own_labels(asked.known_labels, model.voting.preference)
    # Even with sloppy, a value that occurs in no other case counts as unknown. A negative count asks the search for
    # that alone; a positive one also subtracts the case from the value differences.
    if sloppy:
        return asked, replace(questions, own=(own_labels, -case_weights))
    measure = _measure_of(model.settings)
    held_out = [
        _feature_without_each(model, rank, measure, cases, asked, among, are_sorted)
        for rank in range(len(memory.order))
    ]
    return asked, replace(questions, metric=_metric_of(held_out, model), own=(own_labels, case_weights))


def sorted_cases(model: IB1) -> Cases:
    """Return the stored cases in the order of the memory, as views of it; ids are left out.

    A memory that was corrected must be put in order before.
    """
    (segment,) = model.memory.segments
    nothing = np.broadcast_to(np.uint8(0), segment.n_rows)
    columns = [nothing] * len(model.schema.features)
    for rank, position in enumerate(model.memory.order.tolist()):
        columns[position] = segment.columns[rank]
    return Cases(
        model.schema,
        tuple(columns),
        segment.labels,
        segment.counts,
        nothing,
        n_cases=segment.n_rows,
        exemplars=segment.exemplars,
    )


def _with_stored(columns: Sequence[np.ndarray], memory: Memory, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the columns of cases as the memory has them at these rows; ignored columns do not change."""
    stored = list(columns)
    for rank, position in enumerate(memory.order.tolist()):
        stored[position] = memory.column(rank, rows)
    return tuple(stored)


def _feature_without_each(
    model: IB1,
    rank: int,
    measure: Measure | None,
    cases: Cases,
    asked: Cases,
    among: np.ndarray,
    are_sorted: bool,
) -> HeldOut:
    """Return the weight of the feature of a rank without each of the asked cases, which are those `among` all."""
    memory, feature = model.memory, int(model.memory.order[rank])
    table = None if model.tables is None else model.tables.get(feature)
    if isinstance(table, Contingency) and model.schema.features[feature].kind == "symbolic" and measure is not None:
        return without_each(asked, feature, measure, table=table)  # counts say enough of the other cases
    columns = list(cases.columns)
    if not are_sorted:
        columns[feature] = memory.column(rank, memory.in_given_order)
    return without_each(replace(cases, schema=model.schema, columns=tuple(columns)), feature, measure, among)


def held_out_answers(
    model: IB1,
    cases: Cases,
    among: np.ndarray | None = None,
    *,
    sloppy: bool = False,
    are_sorted: bool = False,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Answers:
    """Return the answer to each stored case, or to those `among` them, from a memory of all the others."""
    cases, questions = held_out_questions(model, cases, among, sloppy=sloppy, are_sorted=are_sorted)
    return _answers(model, cases, questions, n_jobs=n_jobs, progress=progress)


def _answers(
    model: IB1, cases: Cases, questions: Questions, *, n_jobs: int = 1, progress: Progress | None = None
) -> Answers:
    """Return the answers to held-out cases, which are the questions, each from a memory of all the others."""
    memory, voting = model.memory, model.voting
    case_weights = np.ones(cases.n_cases) if cases.weights is None else cases.weights

    def answer(among: np.ndarray, voting: Voting, progress: Progress | None) -> Answers:
        # Ties are decided by class frequency, from which the held-out case must be subtracted too. The preference is
        # the same for all questions of a batch, so there is one batch for each class and weight.
        labels, weights = cases.known_labels[among], case_weights[among]
        order = np.lexsort([weights, labels])
        batches = np.split(order, np.flatnonzero(begins_run([labels[order], weights[order]], len(order)))[1:])
        parts: list[Answers] = []
        n_done = 0
        for batch in batches:
            without = voting.preference.without(int(labels[batch[0]]), float(weights[batch[0]]))
            nearby = model.nearby.voting_by(replace(voting, preference=without))
            watched = part_of(progress, n_done, len(among))
            parts.append(nearby.answer(questions.part(among[batch]), n_jobs=n_jobs, progress=watched))
            n_done += len(batch)
        return Answers.concat(parts).take(np.argsort(order))

    # As a quirk, the first tie changes how all later votes are counted: those cases are answered a second time.
    all_cases = np.arange(cases.n_cases)
    answers = answer(all_cases, voting, progress)
    tied = np.flatnonzero(np.asarray(answers.was_tied))
    if model.nearby.remembers_ties and len(tied) and tied[0] + 1 < cases.n_cases:
        later = all_cases[tied[0] + 1 :]
        answers = answers.replace_at(later, answer(later, replace(voting, had_tie=True), None))
    return with_depth(answers, len(memory.order))


def held_out_neighbours(
    cases: Cases, settings: Settings, rows: np.ndarray, limit: int
) -> list[list[tuple[int, float]]]:
    """Return the nearest cases of some held-out ones, as `leave_one_out` finds them: for each, cases and distances."""
    model = _fit_to_leave_out(cases, settings)
    _, questions = held_out_questions(model, cases, rows)
    found = model.nearby.nearest(questions, model.voting.k)
    question, row, distance = Explainer(model.nearby, model.weights).first(found, limit)
    nearest: list[list[tuple[int, float]]] = [[] for _ in rows]
    for i, case, far in zip(question.tolist(), model.memory.given(row).tolist(), distance.tolist()):
        nearest[i].append((case, far))
    return nearest


def kept_columns(cases: Cases, model: IB1) -> tuple[np.ndarray, ...]:
    """Return the columns of the cases as the model stores them, in the order given; ignored columns do not change."""
    return _with_stored(cases.columns, model.memory, model.memory.in_given_order)


def metric_without_each(cases: Cases, model: IB1) -> Metric:
    """Return the metric of the memory without each case, one row per case."""
    measure = _measure_of(model.settings)
    return _metric_of([without_each(cases, int(feature), measure) for feature in model.memory.order], model)


def _measure_of(settings: NeighbourSettings) -> Measure | None:
    """Return the weighting as a function of counts; None for the standard deviation."""
    return measure_named(settings.weighting) if isinstance(settings.weighting, str) else no_weighting


def _metric_of(held_out: Sequence[HeldOut], model: IB1) -> Metric:
    """Return the metric whose rows have the weights, keys and ranges of each feature without one case."""
    settings, memory, schema = model.settings, model.memory, model.schema
    weights, keys, ranges = (
        np.stack(columns, axis=1) for columns in zip(*((h.weight, h.summation_key, h.value_range) for h in held_out))
    )
    if not isinstance(settings.weighting, str):
        weights = given_weights(settings.weighting, len(schema.features))[memory.order][None, :]
    if settings.diversify:
        weights = np.stack([subtract_smallest(row, list(range(len(row)))) for row in weights])
    if model.voting.quirks.fixed_sum_order or settings.order_by is not None:
        return Metric(weights, ranges, model.metric.sum_order)
    return Metric(weights, ranges, summation_orders(schema, memory.order, keys))
