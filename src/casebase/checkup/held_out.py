"""Exact leave-one-out: the neighbours of every record among all the others, nearest first, and their vote.

Distances are those of a memory fitted without the record, feature weights and value differences included. The vote is
IB1's at k = 1: the nearest others vote; a tied vote is repeated with the next distance and counts if it is not tied;
otherwise the more frequent class wins.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.votes import Preference, leaders, tally
from casebase.data import Cases
from casebase.neighbours import ib1
from casebase.neighbours.search import NO_ROW, Neighbourhood, Neighbours, Questions, scopes
from casebase.progress import Progress

FIRST_BLOCK = 256
LARGEST_BLOCK = 8192
ENTRIES_AT_ONCE = 2_000_000  # neighbours in memory at a time
N_VOTING = 3  # groups that can decide an answer from which one record is taken: of two, one may become empty
FEW_RECORDS = 2_000  # up to here the weights of numbers are found again without each record


@dataclass(frozen=True, eq=False)
class Ranks:
    """The other records around some records, in groups at equal distance, nearest first.

    `asked` are kinds of records; the groups of each follow one another, as the entries of a group do. An entry is a
    kind with its number of records, without the asked record itself.
    """

    asked: np.ndarray
    n_groups: np.ndarray
    distance: np.ndarray
    group: np.ndarray
    kind: np.ndarray
    count: np.ndarray
    is_all: np.ndarray

    @cached_property
    def first_group(self) -> np.ndarray:
        """Where the groups of each asked kind begin; the last number is the end."""
        return np.concatenate([[0], np.cumsum(self.n_groups, dtype=np.int64)])

    @cached_property
    def query(self) -> np.ndarray:
        """The place in `asked` that each group belongs to."""
        return np.repeat(np.arange(len(self.asked)), self.n_groups)

    @cached_property
    def entry_query(self) -> np.ndarray:
        """The place in `asked` that each entry belongs to."""
        entry_query: np.ndarray = self.query[self.group]
        return entry_query

    @cached_property
    def rank(self) -> np.ndarray:
        """The place of each group around its asked kind, from 0."""
        rank: np.ndarray = np.arange(len(self.distance)) - self.first_group[:-1][self.query]
        return rank

    @cached_property
    def size(self) -> np.ndarray:
        """The number of records in each group."""
        return np.bincount(self.group, self.count, minlength=len(self.distance))

    @cached_property
    def reached(self) -> np.ndarray:
        """The number of records in each group and in all nearer ones."""
        return self.summed(self.size)

    def summed(self, amounts: np.ndarray) -> np.ndarray:
        """Return running sums of amounts per group, which begin again for each asked kind."""
        total = np.concatenate([[0.0], np.cumsum(amounts)])
        sums: np.ndarray = total[1:] - total[self.first_group[:-1]][self.query]
        return sums

    @property
    def n_near(self) -> np.ndarray:
        """The number of records in all groups of each asked kind."""
        near: np.ndarray = self.reached[self.first_group[1:] - 1]
        return near

    def part(self, chosen: np.ndarray) -> "Ranks":
        """Return the groups around some of the asked kinds, given as truth values."""
        of_group, of_entry = chosen[self.query], chosen[self.entry_query]
        number = np.cumsum(of_group) - 1
        return Ranks(
            self.asked[chosen],
            self.n_groups[chosen],
            self.distance[of_group],
            number[self.group[of_entry]],
            self.kind[of_entry],
            self.count[of_entry],
            self.is_all[chosen],
        )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A table, and the search for the neighbours of each of its records among the others."""

    distinct: Distinct
    nearby: Neighbourhood
    questions: Questions
    n_jobs: int = 1

    @cached_property
    def _kind_of_row(self) -> np.ndarray:
        return self.nearby.memory.segments[0].row_of.astype(np.int64)

    def ranks(
        self, n_needed: int, asked: np.ndarray | None = None, progress: Progress | None = None
    ) -> Iterator[Ranks]:
        """Yield the groups around kinds of records, all kinds by default.

        Each has groups until they hold `n_needed` records, and all groups that can decide its answer, also after one
        record has been taken away; a group is never cut.
        """
        kinds = np.arange(self.distinct.n_kinds) if asked is None else asked
        start, n_block = 0, FIRST_BLOCK
        while start < len(kinds):
            block = kinds[start : start + n_block]
            found = self._around(block, self.distinct.n_kinds, n_needed)
            is_enough = found.is_all | self._is_decided(found)
            if is_enough.any():
                yield found if is_enough.all() else found.part(is_enough)
            if not is_enough.all():
                yield self._around(block[~is_enough], N_VOTING)
            start += len(block)
            n_block = int(np.clip(ENTRIES_AT_ONCE * len(block) // len(found.kind), 1, min(4 * n_block, LARGEST_BLOCK)))
            if progress is not None:
                progress(start, len(kinds))

    def _around(self, kinds: np.ndarray, k: int, enough: int | None = None) -> Ranks:
        found: Neighbours = self.nearby.nearest(self.questions.part(kinds), k, n_jobs=self.n_jobs, enough=enough)
        group = np.repeat(np.arange(len(found.distance)), found.n_rows)
        kind = self._kind_of_row[found.rows]
        query = np.repeat(np.arange(len(kinds)), found.n_groups)
        count = self.distinct.count[kind] - (kind == kinds[query][group])
        n_other_kinds = self.distinct.n_kinds - (self.distinct.count[kinds] == 1)
        is_all = np.bincount(query, found.n_rows, minlength=len(kinds)) == n_other_kinds
        return Ranks(kinds, found.n_groups.astype(np.int64), found.distance, group, kind, count, is_all)

    def _is_decided(self, found: Ranks) -> np.ndarray:
        """Return whether the groups decide an answer whichever single record is taken away."""
        nearest = found.rank[found.group] == 0
        asked, label, count = found.entry_query[nearest], self.labels[found.kind[nearest]], found.count[nearest]
        _, lead = leaders(tally(asked, label, count, self.n_classes), len(found.asked), self.preference(found.asked))
        return (lead >= 2) | (found.n_groups >= N_VOTING)

    @cached_property
    def labels(self) -> np.ndarray:
        """The class of each kind."""
        labels: np.ndarray = self.distinct.labels
        return labels

    @property
    def n_classes(self) -> int:
        return self.distinct.cases.n_classes

    @cached_property
    def class_counts(self) -> np.ndarray:
        """The number of records of each class."""
        return np.bincount(self.labels, self.distinct.count, minlength=self.n_classes)

    def preference(self, asked: np.ndarray) -> Preference:
        """Return the rule for ties in the votes about these kinds."""
        return Preference(self.class_counts, self.labels[asked])


def held_out(distinct: Distinct, settings: ib1.Settings, n_jobs: int = 1) -> HeldOut:
    """Return the search for the neighbours of each record in a memory without it."""
    settings = replace(settings, k=1, vote="equal", exact_match="never")
    model = ib1.fit(distinct.kinds, settings)
    # The columns as the model keeps them, for every kind, and for every record to find the weights without it.
    columns = ib1.kept_columns(distinct.kinds, model)
    kinds = replace(distinct.kinds, schema=model.schema, columns=columns)
    rows = model.memory.in_given_order
    questions = model.questions(kinds, scopes(left_out=np.where(distinct.count == 1, rows, NO_ROW)))
    own = model.comparing.own_labels(kinds.known_labels, model.voting.preference)
    one = np.ones(distinct.n_kinds)
    if not weights_are_held(distinct.cases, settings):
        records = replace(
            distinct.cases, schema=model.schema, columns=tuple(column[distinct.which] for column in columns)
        )
        metric = ib1.metric_without_each(records, model).part(distinct.first)
        questions = replace(questions, metric=metric, own=(own, one))
    else:
        ranges = [_ranges_without_each(columns[i], distinct) for i in model.memory.order]
        metric = replace(model.metric, ranges=np.stack(ranges, axis=1))
        questions = replace(questions, metric=metric, own=(own, -one))
    return HeldOut(distinct, model.nearby, questions, n_jobs)


def weights_are_held(cases: Cases, settings: ib1.Settings) -> bool:
    """Return whether the weights are those of all records, because finding them again without each takes too long.

    This concerns weights that are learned from all cases, the choice of a limited number of features, and many records
    with numbers, whose bins move. Without weights it makes no difference.
    """
    if settings.feature_limit is not None or ib1.learns_from_all(settings):
        return True
    has_numbers = any(feature.kind == "numeric" for feature in cases.schema.features)
    return has_numbers and cases.n_cases > FEW_RECORDS


def _ranges_without_each(column: np.ndarray, distinct: Distinct) -> np.ndarray:
    """Return the range of a numeric column without one record of each kind; 1 for symbols."""
    if column.dtype.kind != "f":
        return np.ones(distinct.n_kinds)
    numbers = np.repeat(column, distinct.count)
    known = np.sort(numbers[~np.isnan(numbers)])
    if len(known) < 2:
        return np.zeros(distinct.n_kinds)
    # Without one record only a single smallest or largest number gives way to the next.
    low = np.where(column == known[0], known[1], known[0])
    high = np.where(column == known[-1], known[-2], known[-1])
    ranges: np.ndarray = np.maximum(high - low, 0.0)
    return ranges
