"""A committee: several readings of one memory, whose shares are multiplied with exponents.

The exponents fit the held-out answers of stored cases, the judges. A method of a single reading is a committee of one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import monotonic
from typing import Any, ClassVar, Self

import numpy as np

from casebase.autopilot import discriminant, forest, kernel, opinions
from casebase.autopilot.evidence import CommitteeEvidence, evidence_for
from casebase.autopilot.inputs import Features, Inputs, Stored, drawn_rows
from casebase.autopilot.pool import Pool, as_opinions, fit_pool, log_loss
from casebase.autopilot.reading import Plan, Reading
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import Settings
from casebase.data import Cases, Schema
from casebase.measures import functions
from casebase.measures.votes import Normalisation
from casebase.memory.fingerprints import first_by_content
from casebase.memory.segments import Memory, relevance_order, sorted_segment, without_ignored_values
from casebase.memory.store import Change, Store, without_rows
from casebase.neighbours.correctable import KeepsCases
from casebase.progress import Progress, note, warn_user

Choose = Callable[[Stored, np.ndarray, int, int], tuple[Reading, np.ndarray]]

# The readings by name, the cheapest first: how each is chosen.
READINGS: dict[str, Choose] = {
    "discriminant": discriminant.choose,
    "opinions": opinions.choose,
    "forest": forest.choose,
    "group_forest": partial(forest.choose, tried="half", values="groups"),
    "kernel": kernel.choose,
}
LEARN: dict[str, Callable[[Stored, Plan, int], Reading]] = {
    "discriminant": discriminant.learn,
    "opinions": opinions.learn,
    "forest": forest.learn,
    "kernel": kernel.learn,
}
STRENGTH = 3.0  # of the penalty on the exponents of readings, in cases
CHOSEN_FROM = 100_000  # cases; of more, a sample
JUDGED = 200_000  # shares of judges: with many classes there are fewer judges
FEWEST, MOST = 1_000, 6_000  # judges
AT_ONCE = 4_096  # queries; progress is reported, and Ctrl-C noticed, between calls
MOST_COPIES = 4  # times the number of cases: whole weights up to here are counted as copies


@dataclass(frozen=True, eq=False)
class Committee(KeepsCases):
    """The stored cases, the readings that have learned from them, and the pool of their shares.

    `losses` has the held-out log loss of each reading that was tried; `held_out_loss` is that of the committee.
    """

    schema: Schema
    memory: Memory
    readings: Mapping[str, Reading]
    pool: Pool
    losses: Mapping[str, float]
    held_out_loss: float
    held_out_accuracy: float
    preference: Preference
    settings: Any
    known_stored: tuple[Stored, np.ndarray] | None = field(default=None, repr=False)
    was_interrupted: bool = False

    method: ClassVar[str] = "auto"
    normalisation: ClassVar[Normalisation] = "probability"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what a copy can compute for itself."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("features", "_stored")}
        return kept | {"known_stored": None}

    @cached_property
    def features(self) -> Features:
        return Features.of(self.schema)

    @cached_property
    def _stored(self) -> tuple[Stored, np.ndarray]:
        """The stored cases as the readings take them, and the row of the memory that each comes from."""
        if self.known_stored is not None:
            return self.known_stored
        return stored_cases(self.memory, self.schema, self.features)

    @property
    def stored(self) -> Stored:
        return self._stored[0]

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the classes, one row per case."""
        if not self.readings:
            return np.tile(self.preference.frequency / self.preference.frequency.sum(), (asked.n_cases, 1))
        parts = [reading.shares(asked, n_jobs) for reading in self.readings.values()]
        return parts[0] if self.is_alone else self.pool.shares(as_opinions(parts), n_jobs)

    @property
    def is_alone(self) -> bool:
        """Whether a single reading answers, as it is."""
        return len(self.readings) == 1 and float(self.pool.exponents[0]) == 1.0

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class with the largest share, and the shares as votes, for every case."""
        parts, columns = [], self.features.inputs(cases)
        for start in range(0, cases.n_cases, AT_ONCE):
            rows = slice(start, min(start + AT_ONCE, cases.n_cases))
            some = columns if cases.n_cases <= AT_ONCE else columns.take(np.arange(rows.start, rows.stop))
            parts.append(as_answers(self.shares(some, n_jobs), self.place))
            if progress:
                progress(rows.stop, cases.n_cases)
        return Answers.concat(parts) if parts else Answers.none()

    @cached_property
    def place(self) -> np.ndarray:
        """The rank of each class in ties: the more frequent class first."""
        place = np.empty(len(self.preference.rank), dtype=np.int64)
        place[np.lexsort([self.preference.rank, -self.preference.frequency])] = np.arange(len(place))
        return place

    def explain(self, cases: Cases, *, limit: int = 10) -> list[CommitteeEvidence]:
        """Return the cases that carried each answer, and how the readings voted."""
        return [evidence_for(self, case, limit) for case in cases.one_by_one()]

    def held_out(self, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return some stored cases, by row of the memory, and their shares as if each had not been stored.

        The choice is held: exponents, weights and cuts are those of the model.
        """
        stored, rows = self._stored
        judges = judges_of(stored, self._seed)
        parts = [reading.held_out(stored, judges, n_jobs) for reading in self.readings.values()]
        if not parts:
            return rows[judges], stored.prior_without(judges)
        return rows[judges], parts[0] if self.is_alone else self.pool.shares(as_opinions(parts), n_jobs)

    def held_out_scores(self, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return how badly held-out cases fit their own classes, 1 minus the share, and these classes."""
        rows, shares = self.held_out(n_jobs)
        labels = self.memory.labels(rows).astype(np.int64)
        return 1.0 - shares[np.arange(len(rows)), labels], labels

    @property
    def _seed(self) -> int:
        return int(getattr(self.settings, "random_state", 0))

    def summary(self) -> Summary:
        """Return a summary of the model: the readings that were tried, and how well held-out cases are answered.

        The readings in use come first, by exponent. A reading without an exponent was tried, but is not used.
        """
        exponents = dict(zip(self.readings, self.pool.exponents.tolist()))
        total = sum(exponents.values()) or 1.0
        tried = sorted(self.losses, key=lambda name: (-exponents.get(name, 0.0), self.losses[name]))
        readings = [
            {
                "reading": name,
                "exponent": exponents.get(name, 0.0),
                "share": exponents.get(name, 0.0) / total,
                "log_loss": self.losses[name],
            }
            for name in tried
        ]
        counts = {
            "n_cases": self.memory.n_cases,
            "readings": readings,
            "held_out_log_loss": self.held_out_loss,
            "held_out_accuracy": self.held_out_accuracy,
        }
        return summary_of(self, self._size(exponents, total), counts)

    def _size(self, exponents: Mapping[str, float], total: float) -> str:
        """Say what was chosen, and how well it answers held-out cases."""
        by_share = sorted(exponents, key=lambda name: -exponents[name])
        chosen = ", ".join(f"{name} {exponents[name] / total:.0%}" for name in by_share)
        return (
            f"{format_count(self.memory.n_cases, 'case')} in memory; {chosen or 'class frequencies alone'}; "
            f"held-out accuracy {self.held_out_accuracy:.1%}, log loss {self.held_out_loss:.3f}"
        )

    def stored_memory(self) -> Memory:
        return self.memory

    def without(self, row: int) -> Self:
        """Return the committee that has learned from the other cases, with the same choice."""
        return self.refit(Store(self.schema, without_rows(self.memory, np.array([row])), None).cases())

    def store(self) -> Store:
        """Return the cases."""
        return Store(self.schema, self.memory, None)

    def corrected(self, store: Store, change: Change, frequency: np.ndarray) -> Self | None:
        """Return None: the readings learn again from the changed cases, with the choice held."""
        return None

    def refit(self, cases: Cases) -> Self:
        """Return a committee of other cases with the same choice: readings, exponents, weights and settings."""
        return self.over(without_readings(type(self), prepared(cases), self.settings))

    def over(self, others: Self, n_jobs: int = 1) -> Self:
        """Return a committee of other cases, which has no readings yet, with the choice of this one."""
        stored, rows = others._stored
        if stored.n_classes < 2 or not self.readings:
            return others
        readings = {name: LEARN[reading.kind](stored, reading.plan, n_jobs) for name, reading in self.readings.items()}
        pool = replace(self.pool, bias=np.zeros(stored.n_classes))
        return replace(others, readings=readings, pool=pool, known_stored=(stored, rows)).judged(n_jobs)

    def over_all(self, others: Self, n_jobs: int = 1) -> Self:
        """Return the committee of all cases, of which this one was chosen on a sample."""
        model = self.over(others, n_jobs)
        return replace(model, losses={**self.losses, **model.losses}, was_interrupted=self.was_interrupted)

    def judged(self, n_jobs: int = 1) -> Self:
        """Return the committee with the held-out losses of its present cases."""
        stored = self.stored
        judges = judges_of(stored, self._seed)
        labels, weights = stored.labels[judges], None if stored.weights is None else stored.weights[judges]
        parts = {name: reading.held_out(stored, judges, n_jobs) for name, reading in self.readings.items()}
        opinions_of_all = list(parts.values())
        shares = opinions_of_all[0] if self.is_alone else self.pool.shares(as_opinions(opinions_of_all), n_jobs)
        return replace(
            self,
            losses={name: log_loss(part, labels, weights) for name, part in parts.items()},
            held_out_loss=log_loss(shares, labels, weights),
            held_out_accuracy=_accuracy(shares, labels, weights),
        )


def as_answers(shares: np.ndarray, place: np.ndarray) -> Answers:
    """Return the class of the largest share in each row, and all shares above 0 as votes."""
    largest = shares == shares.max(axis=1, keepdims=True)
    label = np.where(largest, place, len(place)).argmin(axis=1).astype(np.uint32)
    case, vote_label = np.nonzero(shares)
    n_votes = np.bincount(case, minlength=len(shares))
    first = np.concatenate([[0], np.cumsum(n_votes)]).astype(np.uint64)
    return Answers(label, first, vote_label.astype(np.uint32), shares[case, vote_label])


def prepared(cases: Cases) -> Cases:
    """Return the cases without what a committee does not use: exemplar weights, which scale distances."""
    return replace(cases, exemplars=None, source=None)


def stored_cases(memory: Memory, schema: Schema, features: Features) -> tuple[Stored, np.ndarray]:
    """Return the stored cases in an order that depends on their content alone, and the row that each comes from.

    A case of weight 3 is three cases, so that a table with weights teaches the same as one with repeated rows; weights
    that are not whole numbers stay weights.
    """
    found = unsorted_cases(memory, schema, features)
    inputs, weights = found.inputs, found.weights
    keys = [found.labels, *inputs.numbers[::-1], *inputs.codes[::-1]]
    rows = np.lexsort(keys if weights is None else [weights, *keys])
    if weights is not None:
        copies = weights[rows]
        if (copies == np.round(copies)).all() and copies.sum() <= MOST_COPIES * len(rows) + 1_000:
            rows, weights = np.repeat(rows, copies.astype(np.int64)), None
        else:
            weights = copies
    return Stored(inputs.take(rows), found.labels[rows], weights, found.n_classes, found.classes), rows


def unsorted_cases(memory: Memory, schema: Schema, features: Features) -> Stored:
    """Return the stored cases in the order of the memory, with their weights."""
    segment = memory.segments[0].tidy()
    columns = {int(position): segment.columns[rank] for rank, position in enumerate(memory.order)}
    cases = Cases(
        schema,
        tuple(columns.get(i, np.zeros(segment.n_rows, np.uint8)) for i in range(len(schema.features))),
        segment.labels,
        n_cases=segment.n_rows,
    )
    names = tuple(map(str, schema.classes))
    return Stored(features.inputs(cases), segment.labels.astype(np.int64), segment.counts, len(names), names)


def judges_of(stored: Stored, seed: int) -> np.ndarray:
    """Return the stored cases on whose held-out answers readings are chosen: all of them, or a sample."""
    return drawn_rows(stored.n_cases, int(np.clip(JUDGED // stored.n_classes, FEWEST, MOST)), seed)


def without_readings(model: type[Committee], cases: Cases, settings: Settings) -> Any:
    """Return a committee without readings, which answers with the class frequencies."""
    order = relevance_order(cases.schema, [i for i, f in enumerate(cases.schema.features) if f.kind != "ignored"])
    order.sort(key=lambda i: cases.schema.features[i].kind == "numeric")
    memory = Memory(np.array(order, dtype=np.int64), (sorted_segment(cases, order),))
    schema, preference = without_ignored_values(cases.schema), preference_of(cases)
    shares = preference.frequency / preference.frequency.sum()
    held = float((shares * -functions.log(np.maximum(shares, 1e-300))).sum())
    pool = Pool(np.empty(0), np.zeros(cases.n_classes))
    return model(schema, memory, {}, pool, {}, held, float(shares.max()), preference, settings)


def _accuracy(shares: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> float:
    return float(np.average(shares.argmax(axis=1) == labels, weights=weights))


def form(
    model: type[Committee],
    cases: Cases,
    settings: Settings,
    names: Mapping[str, Choose],
    *,
    seed: int,
    time_budget: float | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Any:
    """Return a committee of some readings, with exponents that fit their held-out answers best.

    Of many cases, a sample that depends on their content alone is chosen from; what was chosen learns from all. After
    the time budget no further reading is begun. Ctrl-C ends the choice with the readings that are ready.
    """
    start = monotonic()
    if cases.n_cases > CHOSEN_FROM and cases.weights is None:
        some = cases.take(np.sort(first_by_content(cases, CHOSEN_FROM)))
        chosen = form(
            model, some, settings, names, seed=seed, time_budget=time_budget, n_jobs=n_jobs, progress=progress
        )
        return chosen.over_all(without_readings(model, prepared(cases), settings), n_jobs)
    empty = without_readings(model, prepared(cases), settings)
    stored, _ = empty._stored
    if stored.n_classes < 2 or not stored.inputs.n_features:
        return empty
    judges = judges_of(stored, seed)
    labels, weights = stored.labels[judges], None if stored.weights is None else stored.weights[judges]
    readings: dict[str, Reading] = {}
    held: dict[str, np.ndarray] = {}
    losses: dict[str, float] = {}
    slowest, was_interrupted = 0.0, False
    for i, (name, choose) in enumerate(names.items()):
        spent = monotonic() - start
        if time_budget is not None and readings and spent + slowest > time_budget:
            break
        try:
            reading, shares = choose(stored, judges, seed, n_jobs)
        except KeyboardInterrupt:
            if not readings:
                raise
            warn_user(f"Interrupted: the committee has the readings that were ready ({', '.join(readings)}).")
            was_interrupted = True
            break
        readings[name], held[name], losses[name] = reading, shares, log_loss(shares, labels, weights)
        slowest = max(slowest, monotonic() - start - spent)
        if progress:
            progress(i + 1, len(names))
            best = min(losses, key=lambda name: losses[name])
            note(progress, f"{best}, held-out log loss {losses[best]:.3f} so far")
    # A reading that answers held-out cases worse than the class frequencies do is not used, if another is better.
    bound = log_loss(stored.prior_without(judges), labels, weights)
    if any(loss < bound for loss in losses.values()):
        readings = {name: reading for name, reading in readings.items() if losses[name] < bound}
    held = {name: held[name] for name in readings}
    if len(readings) == 1:
        pool = Pool(np.ones(1), np.zeros(stored.n_classes))
        shares = next(iter(held.values()))
    else:
        equal = np.full(len(readings), 1 / len(readings))
        opinions_of_all = as_opinions(list(held.values()))
        pool = fit_pool(opinions_of_all, labels, weights, equal, STRENGTH, n_jobs=n_jobs)
        shares = pool.shares(opinions_of_all, n_jobs)
        # A reading without an exponent says nothing.
        kept = [name for name, exponent in zip(readings, pool.exponents) if exponent > 0]
        if not kept:  # no reading helps: the class frequencies answer
            return replace(empty, losses=losses, was_interrupted=was_interrupted)
        if len(kept) < len(readings):
            pool = replace(pool, exponents=pool.exponents[pool.exponents > 0])
            readings = {name: readings[name] for name in kept}
    return replace(
        empty,
        readings=readings,
        pool=pool,
        losses=losses,
        held_out_loss=log_loss(shares, labels, weights),
        held_out_accuracy=_accuracy(shares, labels, weights),
        known_stored=empty._stored,
        was_interrupted=was_interrupted,
    )
