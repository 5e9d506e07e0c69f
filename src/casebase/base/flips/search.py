"""The search for the smallest flip: by the number of changes, each number in order of cost.

All combinations of one change are tried in batches, then those of two, and so on. If none of m changes flips the
prediction, and every one was tried or ruled out, m is proved. A model rules out much by its structure: as long as the
features that it looked at keep their values, its answer stays, so a larger combination must change one of them.

Where one number of changes has more combinations than the budget allows, the search goes on with some of them: the
values of stored cases of other classes, and a few values of each column. What it finds then is the best found.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from casebase.base.flips.columns import Column, Options, columns_of, options_for, query_values
from casebase.base.flips.domains import Domain, domains_of
from casebase.base.flips.records import Change, Flip, Removal
from casebase.base.model import Model
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.data.columns import spelling
from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.memory.segments import Memory

BUDGET = 50_000  # predictions per query
FIRST_BATCH, LARGEST_BATCH = 64, 2048
LEAST = 256  # combinations of each number of changes, when not all can be tried
N_RIVALS = 256  # stored cases of other classes whose values are tried, when not all can be
N_DIFFERENCES = 12  # of a rival that are combined
THINNED = (64, 32, 16, 8, 4, 2, 1)  # values per column that are tried, when not all can be
DIGITS = 9  # of a cost: sums of the same weights are equal in any order


class Screen(Protocol):
    """What tells without a prediction that some changes leave an answer alone."""

    def stays(self, combinations: np.ndarray) -> np.ndarray:
        """Return which combinations of options surely leave the answer as it is."""


@dataclass(frozen=True)
class Structure:
    """What the search knows of a method's models, besides their answers.

    `domains` gives the values that each feature may change to. `tested` gives the features that the answers to some
    cases depend on, a row per case; without it, all. `memory` gives the stored cases. `equivalent` gives the options of
    a query that need not be tried as the only change, because another one gets the same answer. `screen` gives what
    tells without a prediction that combinations of options surely leave a query's answer, a class, alone. `records`
    gives the ids of stored cases that decide an answer for its class, and `removal` the smallest set of stored cases
    without which the answer is another one. The answers of a model that `asks_alone` depend on the queries before.
    """

    domains: Callable[[Any], tuple[Domain | None, ...]]
    tested: Callable[[Any, Cases], np.ndarray] | None = None
    memory: Callable[[Any], Memory | None] | None = None
    equivalent: Callable[[Any, Cases, Options], np.ndarray | None] | None = None
    screen: Callable[[Any, Cases, int, Options], Screen | None] | None = None
    records: Callable[[Any, Cases, int], tuple[Any, ...]] | None = None
    removal: Callable[[Any, Cases, int, int | None], Removal | None] | None = None
    asks_alone: Callable[[Any], bool] | None = None


def symbol_domains(model: Model) -> tuple[Domain | None, ...]:
    """Return the values of all symbolic features."""
    symbolic = [i for i, feature in enumerate(model.schema.features) if feature.vocabulary is not None]
    return domains_of(model.schema, used=symbolic)


ALL_SYMBOLS = Structure(symbol_domains)
_COLUMNS: WeakKeyDictionary[Any, tuple[Column, ...]] = WeakKeyDictionary()  # found once for each model


def find_flips(
    structure: Structure,
    model: Model,
    cases: Cases,
    *,
    to: Any = None,
    frozen: Sequence[str | int] | str = (),
    limit: int = 3,
    budget: int = BUDGET,
    n_jobs: int = 1,
) -> list[Flip]:
    """Return the smallest flip of each case."""
    if not is_whole(limit, 1):
        raise CasebaseError(f"limit is the largest number of changes: a whole number of at least 1; got {limit!r}.")
    if not is_whole(budget, 1):
        raise CasebaseError(
            f"budget is the number of predictions to try: a whole number of at least 1; got {budget!r}."
        )
    schema = model.schema
    wanted = None if to is None else class_code(schema, to)
    fixed = frozen_names(schema, frozen)
    if model not in _COLUMNS:
        _COLUMNS[model] = columns_of(schema, structure.domains(model))
    columns = tuple(column for column in _COLUMNS[model] if column.name not in fixed)
    ask = Ask(structure, model, n_jobs)
    return [_flip(ask, columns, case, wanted, fixed, int(limit), int(budget)) for case in cases.one_by_one()]


def class_code(schema: Schema, label: Any) -> int:
    """Return the code of a class, given as in the table or as text."""
    for code, known in enumerate(schema.classes):
        if known == label or spelling(known) == spelling(label):
            return code
    raise CasebaseError(unknown_name("class", label, schema.classes))


def frozen_names(schema: Schema, frozen: Sequence[str | int] | str) -> tuple[str, ...]:
    """Return the names of columns given by name or number, in the order of the table."""
    names = schema.column_names
    wanted: set[str] = set()
    if not isinstance(frozen, Iterable):
        raise CasebaseError(f"frozen is a list of features that must not change; got {frozen!r}.")
    for one in [frozen] if isinstance(frozen, str) else frozen:
        if isinstance(one, str):
            if one not in schema.needed_columns:
                raise SchemaError(unknown_name("feature", one, schema.needed_columns))
            wanted.add(one)
        elif is_whole(one, 0) and one < len(names):
            wanted.add(names[one])
        else:
            raise SchemaError(f"There is no feature {one!r} to freeze: give names, or numbers 0 to {len(names) - 1}.")
    return tuple(name for name in names if name in wanted)


@dataclass(frozen=True, eq=False)
class Ask:
    """A model, and how it is asked."""

    structure: Structure
    model: Model
    n_jobs: int

    @cached_property
    def _alone(self) -> bool:
        return self.structure.asks_alone is not None and self.structure.asks_alone(self.model)

    def labels(self, cases: Cases) -> np.ndarray:
        if not self._alone:
            return self.model.answer(cases, n_jobs=self.n_jobs).label
        return np.array([self.model.answer(case).label[0] for case in cases.one_by_one()])

    @cached_property
    def weights(self) -> np.ndarray | None:
        weights: np.ndarray | None = getattr(self.model, "weights", None)
        return weights

    @cached_property
    def memory(self) -> Memory | None:
        return None if self.structure.memory is None else self.structure.memory(self.model)


def _flip(
    ask: Ask,
    columns: tuple[Column, ...],
    case: Cases,
    wanted: int | None,
    fixed: tuple[str, ...],
    limit: int,
    budget: int,
) -> Flip:
    schema, structure = ask.model.schema, ask.structure
    label = int(ask.labels(case)[0])
    options = options_for(schema, columns, case, ask.weights)
    search = Search(ask, case, label, wanted, options, budget)
    is_wanted_already = wanted == label
    found = None if is_wanted_already else search.run(limit)
    asked = query_values(schema, case)
    changes: tuple[Change, ...] = ()
    new_label, records = (label if is_wanted_already else None), ()
    if found is not None:
        old = dict(zip(schema.needed_columns, asked))
        names = [columns[options.column[option]].name for option in found.tolist()]
        changes = tuple(Change(name, old[name], options.shown(option)) for name, option in zip(names, found.tolist()))
        changed = options.changed(case, found[None, :])
        new_label = int(ask.labels(changed)[0])
        if structure.records is not None:
            records = structure.records(ask.model, changed, new_label)
    removal = None
    if structure.removal is not None and not is_wanted_already:
        removal = structure.removal(ask.model, case, label, wanted)
    return Flip(
        features=schema.needed_columns,
        values=asked,
        label=schema.classes[label],
        wanted=None if wanted is None else schema.classes[wanted],
        new_label=None if new_label is None else schema.classes[new_label],
        changes=changes,
        cost=0.0 if found is None else float(options.cost[found].sum()),
        limit=limit,
        proved=search.proved,
        is_cheapest=found is not None and search.is_cheapest,
        n_tried=search.n_tried,
        frozen=fixed,
        records=records,
        removal=removal,
    )


class Search:
    """The search for one query; a combination is a row of option numbers in ascending order."""

    def __init__(self, ask: Ask, case: Cases, label: int, wanted: int | None, options: Options, budget: int) -> None:
        self.ask, self.case, self.label, self.wanted, self.options = ask, case, label, wanted, options
        self.left = budget
        self.n_tried = 0
        self.proved = 0
        self.is_cheapest = False

    def run(self, limit: int) -> np.ndarray | None:
        """Return the options of the smallest flip; None if there is none, or none was found."""
        failed = np.empty((1, 0), dtype=np.int64)
        everything = np.ones(self.options.n_options, dtype=bool)
        for n_changes in range(1, limit + 1):
            level = self._extended(failed, everything)
            if level is None:
                return self._some(failed, n_changes, limit)
            if not len(level):  # nothing that is left to change matters
                self.proved = limit
                return None
            flip = self._first_flip(level, self._needless(n_changes))
            if flip is not None:
                self.is_cheapest = True
                return flip
            self.proved, failed = n_changes, level
        return None

    @cached_property
    def _screen(self) -> Screen | None:
        screen = self.ask.structure.screen
        return None if screen is None else screen(self.ask.model, self.case, self.label, self.options)

    def _needless(self, n_changes: int) -> np.ndarray | None:
        equivalent = self.ask.structure.equivalent
        if n_changes > 1 or equivalent is None:
            return None
        return equivalent(self.ask.model, self.case, self.options)

    def _extended(self, failed: np.ndarray, allowed: np.ndarray) -> np.ndarray | None:
        """Return all combinations of one change more; None if there are too many.

        A combination that flips the prediction changes a feature on which the answer to each of its parts depends.
        """
        options = self.options
        allowed_before = np.concatenate([[0], np.cumsum(allowed)])
        per_column = allowed_before[options.first[1:]] - allowed_before[options.first[:-1]]
        may_grow = self._grows(failed)
        n_new = may_grow @ per_column
        if int(n_new.sum()) // max(failed.shape[1] + 1, 1) > self.left:
            return None
        rows, grown_columns = np.nonzero(may_grow)
        n_each = per_column[grown_columns]
        ends = np.cumsum(n_each)
        places = np.flatnonzero(allowed)
        first = allowed_before[options.first[grown_columns]]
        new = places[np.repeat(first - (ends - n_each), n_each) + np.arange(ends[-1] if len(ends) else 0)]
        level = np.sort(np.column_stack([failed[np.repeat(rows, n_each)], new]), axis=1)
        return distinct(level, options.n_options)

    def _grows(self, failed: np.ndarray) -> np.ndarray:
        """Return which columns may be changed as well, a row per combination."""
        n_columns = len(self.options.columns)
        if self.ask.structure.tested is None:
            grows = np.ones((len(failed), n_columns), dtype=bool)
        else:
            tested = self.ask.structure.tested(self.ask.model, self.options.changed(self.case, failed))
            grows = np.column_stack(
                [tested[:, list(column.features)].any(axis=1) for column in self.options.columns]
                or [np.ones((len(failed), 0), dtype=bool)]
            )
        grows[np.arange(len(failed))[:, None], self.options.column[failed]] = False
        return grows

    def _first_flip(self, level: np.ndarray, needless: np.ndarray | None = None) -> np.ndarray | None:
        """Return the cheapest combination that flips the prediction; of equal ones the first."""
        if needless is not None:
            level = level[~needless[level[:, 0]]]
        cost = np.round(self.options.cost[level].sum(axis=1), DIGITS)
        level = level[np.argsort(cost, kind="stable")]
        start, n_batch = 0, FIRST_BATCH
        while start < len(level):
            batch = level[start : start + n_batch]
            start, n_batch = start + len(batch), min(2 * n_batch, LARGEST_BATCH)
            self.n_tried += len(batch)
            self.left -= len(batch)
            # A flip is often among the first, where the screen would cost more than it saves.
            if self.n_tried > FIRST_BATCH and self._screen is not None:
                batch = batch[~self._screen.stays(batch)]
            if not len(batch):
                continue
            labels = self.ask.labels(self.options.changed(self.case, batch))
            flips = np.flatnonzero(labels != self.label if self.wanted is None else labels == self.wanted)
            if len(flips):
                flip: np.ndarray = batch[flips[0]]
                return flip
        return None

    def _some(self, failed: np.ndarray, n_changes: int, limit: int) -> np.ndarray | None:
        """Return the best flip among some of the combinations, where all would be too many."""
        rivals = self._rivals()
        allowed = np.zeros(self.options.n_options, dtype=bool)
        for n in range(n_changes, limit + 1):
            share = max(self.left // (limit + 1 - n), LEAST)
            pools = [self._from_rivals(rivals, n, share)]
            for most in THINNED:
                allowed = thinned(self.options, most)
                part = failed[allowed[failed].all(axis=1)]
                self.left, left = share, self.left
                level = self._extended(part, allowed)
                self.left = left
                if level is not None:
                    pools.append(level)
                    break
            else:
                level = failed[:0]
            pool = distinct(np.concatenate(pools), self.options.n_options)
            flip = self._first_flip(pool)
            if flip is not None:
                return flip
            failed = level if level is not None else pool[:0].reshape(0, n)
            if self.left <= 0:
                return None
        return None

    def _rivals(self) -> list[np.ndarray]:
        """Return the options that make the query like stored cases of other classes, the nearest cases first."""
        memory, options = self.ask.memory, self.options
        if memory is None or not options.n_options:
            return []
        rows = memory.in_given_order
        labels = memory.labels(rows)
        rows = rows[labels != self.label if self.wanted is None else labels == self.wanted]
        rank = {position: i for i, position in enumerate(memory.order.tolist())}
        weights = self.ask.weights
        away, chosen = np.zeros(len(rows)), []
        for i, column in enumerate(options.columns):
            differs = np.zeros(len(rows), dtype=bool)
            option = np.full(len(rows), -1)
            if column.is_date:  # a rival's date is one of the options only if the days are stored
                chosen.append(option)
                continue
            (feature,) = column.features
            stored, own = memory.column(rank[feature], rows), self.case.columns[feature].item(0)
            differs = stored != own
            first, last = int(options.first[i]), int(options.first[i + 1])
            values = options.values[feature][first:last]  # ascending
            place = np.minimum(np.searchsorted(values, stored), max(len(values) - 1, 0))
            if len(values):
                option = np.where(differs & (values[place] == stored), first + place, -1)
            away += differs * (1.0 if weights is None else float(weights[feature]))
            chosen.append(option)
        nearest = np.argsort(away, kind="stable")[:N_RIVALS]
        table = np.stack(chosen, axis=1)[nearest]
        return [row[row >= 0] for row in table]

    def _from_rivals(self, rivals: list[np.ndarray], n_changes: int, at_most: int) -> np.ndarray:
        """Return combinations of the values of one rival each; some may be there twice."""
        parts = [np.empty((0, n_changes), dtype=np.int64)]
        for rival in rivals:
            # The changes that weigh most bring the query nearest to the rival.
            heaviest = rival[np.argsort(-self.options.cost[rival], kind="stable")][:N_DIFFERENCES]
            parts.append(np.sort(heaviest)[_choices(len(heaviest), n_changes)])
        rows = np.concatenate(parts)
        if len(rows) <= at_most:
            return rows
        _, first = np.unique(_keys(rows, self.options.n_options), axis=0, return_index=True)
        some: np.ndarray = rows[np.sort(first)[:at_most]]
        return some


@lru_cache(maxsize=64)
def _choices(n: int, n_chosen: int) -> np.ndarray:
    return np.array(list(combinations(range(n), n_chosen)), dtype=np.int64).reshape(-1, n_chosen)


def distinct(rows: np.ndarray, n_options: int) -> np.ndarray:
    """Return the different rows, in lexicographic order."""
    keys = _keys(rows, n_options)
    if keys.ndim > 1:
        return np.unique(keys, axis=0)
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) != 0]
    different: np.ndarray = keys[:, None] // _powers(rows.shape[1], n_options) % n_options
    return different


def _keys(rows: np.ndarray, n_options: int) -> np.ndarray:
    """Return a number for each row, in lexicographic order; the rows themselves if the numbers would be too large."""
    return rows if float(n_options) ** rows.shape[1] >= 2.0**62 else rows @ _powers(rows.shape[1], n_options)


def _powers(n_columns: int, n_options: int) -> np.ndarray:
    return np.array([n_options**i for i in range(n_columns - 1, -1, -1)], dtype=np.int64)


def thinned(options: Options, most: int) -> np.ndarray:
    """Return which options are tried, if a column has at most so many: evenly spaced by cost, the cheapest included."""
    allowed = np.zeros(options.n_options, dtype=bool)
    for first, last in _pairs(options.first):
        by_cost = first + np.argsort(options.cost[first:last], kind="stable")
        allowed[by_cost[np.unique(np.linspace(0, last - first - 1, min(most, last - first)).astype(int))]] = True
    return allowed


def _pairs(first: np.ndarray) -> Iterator[tuple[int, int]]:
    for begin, end in zip(first[:-1].tolist(), first[1:].tolist()):
        if end > begin:
            yield begin, end
