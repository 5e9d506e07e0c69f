"""The evidence of a vote: the neighbours that decided, the cost of each feature, and the nearest rival."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.evidence import Evidence, Step
from casebase.base.evidence.cases import count_columns, identity_columns, provenance, provenance_columns
from casebase.base.evidence.deferred import Deferred
from casebase.base.evidence.explanation import number_from, values_from
from casebase.base.evidence.records import PREFERRED, is_tied
from casebase.base.evidence.walks import classes_on, path_section
from casebase.base.quotes import stored_labels, stored_provenance, stored_values, unseen_in_each
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory
from casebase.neighbours.search import Neighbourhood, Neighbours, Questions
from casebase.render.blocks import CaseTable, Column, Row, Section
from casebase.render.words import (
    NOT_COMPARED,
    format_value,
    number,
    plural,
    printable,
    same_interval,
    same_value,
    shorten,
    that_fit,
)

NEGLIGIBLE = 1e-9  # of the largest contribution
ROUNDING = 1e-12  # of the largest cost

Path = tuple[Step, ...] | Callable[[], tuple[Step, ...]]  # given, or to be made when it is read


@dataclass(frozen=True)
class Neighbour:
    """A stored case, its distance, and the cost that each feature adds to it."""

    id: Any
    values: tuple[Any, ...]
    label: Any
    distance: float
    weight: float
    costs: tuple[float, ...]
    provenance: dict[str, str | None] = provenance()

    def row(self, asked: Sequence[Any]) -> Row:
        """Return the case as a table row, compared with the question."""
        compared = list(zip(self.values, asked, self.costs))
        return Row(
            tuple(_shown(*one) for one in compared),
            tuple(_differs(*one) for one in compared),
            self.costs,
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the neighbour from its JSON object."""
        return cls(
            id=record["id"],
            values=values_from(record),
            label=record["label"],
            distance=number_from(record["distance"]),
            weight=number_from(record["weight"]),
            costs=tuple(map(number_from, record["costs"])),
            provenance=record.get("provenance", {}),
        )


def _shown(stored: Any, asked: Any, cost: float) -> str:
    """Return a stored value, or a dash for a feature that is not compared: it has no value and no cost."""
    return format_value(stored) if stored is not None or asked is None or cost else NOT_COMPARED


def _differs(stored: Any, asked: Any, cost: float) -> bool:
    """Return whether a stored value differs from that of the question; a feature that is not compared does not."""
    if cost or stored is None or asked is None:
        return bool(cost)
    return not same_value(stored, asked) and not same_interval(stored, asked)


@dataclass(frozen=True, kw_only=True)
class NeighbourEvidence(Evidence):
    """The nearest stored cases decided.

    `n_neighbours` records at `distances` voted, `n_for` of them for the prediction (None if that is not known), and
    `neighbours` lists the first of them. If the first vote was tied (`was_tied`), a second vote included one more
    distance. Below a tree, `path` leads to the records that were compared.
    """

    kind: ClassVar[str] = "neighbours"
    k: int
    n_neighbours: int
    distances: tuple[float, ...]
    neighbours: Deferred[tuple[Neighbour, ...]] = Deferred()
    nearest_other: Deferred[Neighbour | None] = Deferred()
    is_exact: bool
    was_tied: bool
    path: Deferred[tuple[Step, ...]] = Deferred(())
    n_for: Deferred[int | None] = Deferred(None)

    def sentence(self) -> str:
        return f"{self._deciders()}; {self._rival()}"

    def _deciders(self) -> str:
        """Return which records say so: "2 of 3 records at distance 0.5 say so"."""
        n, d, n_for = self.n_neighbours, self.distances, self.n_for
        if n_for is None and len(self.neighbours) == n:
            n_for = sum(near.label == self.label for near in self.neighbours)
        n_for = 1 if n == 1 else n_for
        where = []
        if self._has_path:
            below = self.path[-1].n_cases
            where = [f"among the {'one' if below == 1 else number(below)} at the end of the path"]
        if n_for is None or abs(self.distribution.get(self.label, 0.0) * n - n_for) > 1e-9 * n:
            where.append(f"with {self.support()}")  # the votes are not the numbers of records
        is_identical = self.is_exact and len(d) == 1
        if n == 1 and self.neighbours:
            which = f"{'an identical' if is_identical else 'the nearest'} record ({_id(self.neighbours[0])})"
            where[:0] = [] if is_identical else [f"at distance {number(d[0])}"]
        else:
            how_many = f"{n}" if n_for is None else f"all {n}" if n_for == n else f"{n_for} of {n}"
            which = f"{how_many} {'identical ' if is_identical else ''}records"
            if not is_identical:
                which += (
                    f" at distance {number(d[0])}"
                    if len(d) == 1
                    else f" at distances {number(d[0])} to {number(d[-1])}"
                )
        aside = f", {', '.join(where)}," if where else ""
        return f"{which}{aside} {'decide' if n_for is None else 'says so' if n_for == 1 else 'say so'}"

    def _rival(self) -> str:
        """Return a clause about the nearest record of another class."""
        other = self.nearest_other
        if other is None:
            return "no record of another class was compared"
        label = shorten(format_value(other.label), 24)
        return f"the nearest of another class ({label}) is record {_id(other)} at {number(other.distance)}"

    def how_decided(self) -> list[str]:
        lines = ["an identical record is stored"] if self.is_exact and len(self.distances) > 1 else []
        if self.was_tied:
            # A second vote counts only if it is not tied, so if the votes are tied they are those of the first.
            again = f"the vote at k = {self.k} was tied and was taken again with one more distance"
            lines.append(f"the vote was tied: {PREFERRED}" if is_tied(self.votes) else again)
        return [*lines, *self._what_decided()]

    def _what_decided(self) -> list[str]:
        """Return a sentence with the features that keep the rival farther or nearer, those that do most first."""
        amounts = self.contributions
        costly = sorted((i for i, amount in enumerate(amounts) if amount), key=lambda i: -abs(amounts[i]))
        if not costly:
            return []
        entries = [f"{shorten(printable(self.features[i]), 24)} {_signed(amounts[i])}" for i in costly]
        return [f"what sets the rival apart: {that_fit(entries, 150)}"]

    @property
    def contributions(self) -> tuple[float, ...]:
        """What each feature contributes: its cost for the nearest rival, minus the mean for the listed records for it.

        The contributions sum to the difference of the distances where distances are sums of costs. What is only
        rounding is 0. They are empty if there is no rival, or if no record of the predicted class is listed.
        """
        other, deciding = self.nearest_other, [near for near in self.neighbours if near.label == self.label]
        if other is None or not deciding:
            return ()
        means = [sum(costs) / len(deciding) for costs in zip(*(near.costs for near in deciding))]
        amounts = [cost - mean for cost, mean in zip(other.costs, means)]
        # Equal costs differ from their mean by rounding, which is small beside the costs or beside what differs.
        largest_cost, largest = max(map(abs, [*other.costs, *means])), max(map(abs, amounts))
        noise = max(ROUNDING * largest_cost, NEGLIGIBLE * largest)
        return tuple(amount if abs(amount) > noise else 0.0 for amount in amounts)

    @property
    def _has_path(self) -> bool:
        """Whether there is a path to show: a walk that stopped at the root compared all cases."""
        return len(self.path) > 1

    def parts(self) -> Sequence[Section]:
        path = [path_section(self.path)] if self._has_path else []
        return [*path, Section("Nearest records", (self._table(),))]

    def _table(self) -> CaseTable:
        """Return a table of the neighbours, and of the nearest record of another class if it is not one of them."""
        other = self.nearest_other
        cases = [*self.neighbours, *([] if other is None or other in self.neighbours else [other])]
        distances = tuple(case.distance for case in cases)
        remarks = tuple("nearest rival" if case == other else "" for case in cases)
        n_more = self.n_neighbours - len(self.neighbours)
        return CaseTable(
            self.features,
            self.values,
            (
                *identity_columns(cases),
                Column("", remarks, page_only=True),  # on a terminal the first sentence names it
                Column("distance", distances, is_number=True, greatest=max(distances, default=0.0)),
                *count_columns(cases),
                *provenance_columns(cases),
            ),
            tuple(case.row(self.values) for case in cases),
            self.weights,
            (f"… and {plural(n_more, 'neighbour')} not listed",) if n_more > 0 else (),
            contributions=self.contributions,
        )

    def classes(self) -> dict[Any, None]:
        return super().classes() | classes_on(self.path)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        other = record["nearest_other"]
        return super().fields_from(record, classes) | {
            "distances": tuple(map(number_from, record["distances"])),
            "neighbours": tuple(map(Neighbour.from_dict, record["neighbours"])),
            "nearest_other": None if other is None else Neighbour.from_dict(other),
            "path": tuple(Step.from_dict(step, classes) for step in record["path"]),
        }


def _id(record: Neighbour) -> str:
    return shorten(format_value(record.id), 24)


def _signed(amount: float) -> str:
    return f"{'+' if amount > 0 else '−'}{number(abs(amount))}"


def _n_for(memory: Memory, rows: np.ndarray, label: int) -> int:
    """Return how many of the rows have a class."""
    return int((memory.labels(rows) == label).sum())


@dataclass(frozen=True, eq=False)
class Explainer:
    """Builds the evidence of votes in a memory; `weights` are in column order."""

    nearby: Neighbourhood
    weights: np.ndarray
    retry_exact: bool = True

    def evidence(
        self, cases: Cases, asked: Questions, limit: int, paths: Sequence[Path] | None = None
    ) -> list[NeighbourEvidence]:
        """Return the evidence for each answer, with at most `limit` of the cases that voted."""
        values = cases.all_values()
        unseen = unseen_in_each(cases, values)
        schema, memory, weights = self.nearby.schema, self.nearby.memory, tuple(self.weights.tolist())
        names, classes = schema.names, schema.classes
        evidence = []
        for block, decisions in self.nearby.decisions(asked, retry_exact=self.retry_exact):
            answers, voters = decisions.answers, decisions.voters
            assert answers.was_tied is not None
            some = asked if len(answers.label) == len(asked) else asked.part(block)
            listed = self._listed(some, answers.label, voters, limit)
            first_group, first_row = voters.first_group.tolist(), voters.first_row.tolist()
            for i in range(len(answers.label)):
                at, groups = block.start + i, slice(first_group[i], first_group[i + 1])
                label = answers.label[i]
                evidence.append(
                    NeighbourEvidence(
                        features=names,
                        values=values[at],
                        unseen=unseen[at],
                        label=classes[label],
                        votes={classes[c]: votes for c, votes in answers.votes_of(i).items()},
                        k=self.nearby.voting.k,
                        n_neighbours=first_row[groups.stop] - first_row[groups.start],
                        distances=tuple(voters.distance[groups].tolist()),
                        neighbours=partial(listed.voters, i),
                        nearest_other=partial(listed.rival, i),
                        is_exact=bool(voters.is_exact[i]),
                        was_tied=bool(answers.was_tied[i]),
                        weights=weights,
                        path=paths[at] if paths is not None else (),
                        n_for=partial(
                            _n_for, memory, voters.rows[first_row[groups.start] : first_row[groups.stop]], label
                        ),
                        target=schema.target,
                    )
                )
        return evidence

    def _listed(self, asked: Questions, labels: np.ndarray, voters: Neighbours, limit: int) -> "_Listed":
        """Return the first voters of each question, and the nearest case of another class than the answer, if any."""
        rivals = self.nearby.nearest(asked.without_labels(labels), 1)
        shown, others = self.first(voters, limit), self.first(rivals, 1)
        # The rows of each question are adjacent, its rival last, so that one native call computes all costs.
        question, row, distance = (np.concatenate(both) for both in zip(shown, others))
        if len(asked) > 1:
            order = np.argsort(question, kind="stable")
            row, distance = row[order], distance[order]
        n_rows = np.bincount(question, minlength=len(asked)).astype(np.uint32)
        costs = self.nearby.search.feature_costs(asked.arrays(), n_rows, row)
        return _Listed(self.nearby.schema, self.nearby.memory, row, distance, costs, n_rows, rivals.n_groups)

    def first(self, found: Neighbours, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the first rows found for each question, by distance and then in the order given.

        The result has three arrays: the question, the row and its distance.
        """
        group = np.repeat(np.arange(len(found.n_rows)), found.n_rows)
        order = np.lexsort((self.nearby.memory.given(found.rows), group))
        if len(found.n_groups) == 1:  # a single query is frequent, and needs none of the index arithmetic
            order = order[:limit]
            return np.zeros(len(order), dtype=np.int64), found.rows[order], found.distance[group[order]]
        first_row = found.first_row[found.first_group]
        n_rows = np.diff(first_row)
        rank = np.arange(len(order)) - np.repeat(first_row[:-1], n_rows)
        order = order[rank < limit]
        question = np.repeat(np.arange(len(n_rows)), np.minimum(n_rows, limit))
        return question, found.rows[order], found.distance[group[order]]


@dataclass(frozen=True, eq=False)
class _Listed:
    """The stored cases that evidence lists for a block of questions, to be written out when the first of them is read.

    The first `n_rows[0]` of the rows were found for the first question, the next `n_rows[1]` for the second …; where
    `n_rivals` is not 0, the last one of them is the nearest case of another class. `costs` are by rank.
    """

    schema: Schema
    memory: Memory
    rows: np.ndarray
    distances: np.ndarray
    costs: np.ndarray
    n_rows: np.ndarray
    n_rivals: np.ndarray

    def voters(self, question: int) -> tuple[Neighbour, ...]:
        """Return the neighbours that voted."""
        return tuple(self._of(question)[: -1 if self.n_rivals[question] else None])

    def rival(self, question: int) -> Neighbour | None:
        """Return the nearest case of another class; None if there is none."""
        return self._of(question)[-1] if self.n_rivals[question] else None

    def _of(self, question: int) -> list[Neighbour]:
        return self._neighbours[self._ends[question] : self._ends[question + 1]]

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *np.cumsum(self.n_rows).tolist()]

    @cached_property
    def _neighbours(self) -> list[Neighbour]:
        """The cases with their values and the cost of each feature, in column order."""
        schema, memory, rows = self.schema, self.memory, self.rows
        costs = np.zeros((len(rows), len(schema.features)))
        costs[:, memory.order] = self.costs.reshape(len(rows), len(memory.order))
        counts = memory.counts(rows)
        weights = [1.0] * len(rows) if counts is None else counts.tolist()
        labels = stored_labels(schema, memory, rows)
        values, ids = stored_values(schema, memory, rows), memory.ids(rows).tolist()
        distances, kept = self.distances.tolist(), stored_provenance(schema, memory, rows)
        return list(map(Neighbour, ids, values, labels, distances, weights, map(tuple, costs.tolist()), kept))
