"""The evidence of SMILE: the sets of features used, their pools, and cases in the pools."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.answers import Answers
from casebase.base.evidence import Evidence
from casebase.base.evidence.cases import agreeing_cases
from casebase.base.evidence.explanation import counts_from, number_from
from casebase.base.evidence.records import tied_counts
from casebase.base.quotes import foremost, stored_cases, unseen_values
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory
from casebase.render.blocks import CaseTable, Column, Rule, Rules, Section
from casebase.render.words import plural
from casebase.smile.draw import draw_sets

N_POOLS_SHOWN = 12
MOST_BITS = 64  # features whose agreement is one number
AT_ONCE = 4_000_000  # pools times patterns that are compared together


@dataclass(frozen=True)
class Pool:
    """The stored cases that agree with the question on a set of features: values, number and classes."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    n_cases: float
    counts: dict[Any, float]

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> Self:
        """Return the pool of a JSON record."""
        return cls(
            features=tuple(record["features"]),
            values=tuple(record["values"]),
            n_cases=number_from(record["n_cases"]),
            counts=counts_from(record["counts"], classes),
        )


@dataclass(frozen=True)
class PooledCase:
    """A stored case and the positions of its pools; it counts once in each of them.

    `agrees` says for every feature whether its value is that of the question; None for a feature that is not compared.
    """

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    agrees: tuple[bool | None, ...]
    pools: tuple[int, ...]

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the case of a JSON record."""
        return cls(
            id=record["id"],
            values=tuple(record["values"]),
            label=record["label"],
            weight=number_from(record["weight"]),
            agrees=tuple(record["agrees"]),
            pools=tuple(record["pools"]),
        )


@dataclass(frozen=True, kw_only=True)
class SmileEvidence(Evidence):
    """The pools of more than `alpha` cases decided, or all cases if there is no such pool.

    The pools contain `n_cases` stored cases, of which `cases` lists the first.
    """

    kind: ClassVar[str] = "lattice"
    alpha: int
    pools: tuple[Pool, ...]
    n_cases: int
    cases: tuple[PooledCase, ...]

    def how_decided(self) -> list[str]:
        return [self._sharing(), *tied_counts(self.votes, "votes")]

    def _sharing(self) -> str:
        more = f"more than {plural(self.alpha, 'stored case')}" if self.alpha else "any stored case"
        if not self.pools:
            return f"no set of features is shared with {more}: all cases vote"
        n_sets, n_cases = len(self.pools), self.n_cases
        shared = f"{plural(n_sets, 'set')} of features {'is' if n_sets == 1 else 'are'} shared with {more}"
        where = "its pool" if n_sets == 1 else "their pools"
        return f"{shared}; {plural(n_cases, 'case')} {'is' if n_cases == 1 else 'are'} in {where}"

    def parts(self) -> Sequence[Section]:
        if not self.pools:
            return ()
        n_more = len(self.pools) - N_POOLS_SHOWN
        pools = Rules(
            tuple(Rule(pool.features, pool.values, pool.counts, pool.n_cases) for pool in self.pools[:N_POOLS_SHOWN]),
            condition="agree on",
            outcome="classes",
            note=f"… and {plural(n_more, 'more set')}, of as many features or fewer" if n_more > 0 else "",
        )
        return [Section("Pools", (pools,)), Section("Cases in the pools", (self._table(),))]

    def _table(self) -> CaseTable:
        n_more = self.n_cases - len(self.cases)
        sizes = tuple(len(case.pools) for case in self.cases)
        return agreeing_cases(
            self,
            self.cases,
            [Column("pools", sizes, is_number=True, greatest=len(self.pools))],
            "≠ marks a value that does not agree with the one asked. A case counts once for every pool it is in.",
            f"… and {plural(n_more, 'more case')} in the pools" if n_more > 0 else "",
        )

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a matplotlib figure of the sets of features that decided; with a path (SVG, PNG, PDF) also save it.

        At most 12 sets are drawn, the largest ones, and at most 24 features; features that distinguish these sets come
        first.
        """
        return draw_sets(self, path)

    def classes(self) -> dict[Any, None]:
        return super().classes() | dict.fromkeys(label for pool in self.pools for label in pool.counts)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "pools": tuple(Pool.from_dict(pool, classes) for pool in record["pools"]),
            "cases": tuple(map(PooledCase.from_dict, record["cases"])),
        }


@dataclass(frozen=True, eq=False)
class Pooling:
    """Stored cases, as given and as compared (`coded`), from which the pools of a question are built."""

    schema: Schema
    memory: Memory
    coded: Cases
    alpha: int

    def evidence(
        self, case: Cases, asked: list[np.ndarray], joints: list[list[int]], answers: Answers, limit: int
    ) -> SmileEvidence:
        """Return the evidence for one case, with at most `limit` of the cases in its pools.

        Sets are ordered by descending number of features, then of cases. Cases are ordered by descending number of
        pools, then of features on which they agree with the question, then as they were given.
        """
        classes, given = self.schema.classes, tuple(case.values(0))
        pooled = self._pooled(asked, joints)
        pools = self._pools(joints, pooled.counts, self._asked_values(given, asked))
        ranked = sorted(range(len(joints)), key=lambda i: (-len(joints[i]), -pools[i].n_cases, pools[i].features))
        return SmileEvidence(
            features=self.schema.names,
            values=given,
            unseen=unseen_values(case, given),
            label=classes[answers.label[0]],
            votes={classes[c]: votes for c, votes in answers.votes_of(0).items()},
            weights=(),
            alpha=self.alpha,
            pools=tuple(pools[i] for i in ranked),
            n_cases=len(pooled.rows),
            cases=self._cases(pooled, asked, [joints[i] for i in ranked], limit),
        )

    def _pooled(self, asked: list[np.ndarray], joints: list[list[int]]) -> "_Pooled":
        """Return the stored cases in the pools of some sets.

        Cases that agree with the question on the same features are in the same pools, so they are counted once
        per pattern of agreement. Case weights add up exactly in any order.
        """
        agrees, which = self._patterns(asked)
        n_patterns, n_classes = agrees.shape[1], len(self.schema.classes)
        cell = which * n_classes + self.coded.known_labels
        by_class = np.bincount(cell, self.coded.weights, minlength=n_patterns * n_classes).reshape(-1, n_classes)
        n_pools = np.zeros(n_patterns, dtype=np.int64)
        counts: list[list[float]] = []
        step = max(1, AT_ONCE // n_patterns)
        for start in range(0, len(joints), step):
            some = joints[start : start + step]
            pool, pattern = np.nonzero(_has_all(some, agrees))
            n_pools += np.bincount(pattern, minlength=n_patterns)
            of_class = pool.reshape(-1, 1) * n_classes + np.arange(n_classes)
            found = np.bincount(of_class.ravel(), by_class[pattern].ravel(), minlength=len(some) * n_classes)
            counts += found.reshape(-1, n_classes).astype(float).tolist()
        rows = np.flatnonzero((n_pools > 0)[which])
        return _Pooled(rows, n_pools[which[rows]], agrees.sum(axis=0)[which[rows]], counts)

    def _patterns(self, asked: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return the different patterns of agreement, a row per feature, and which of them each stored case has.

        Where features are more than the bits of a number, every case has a pattern of its own.
        """
        n_features, n_cases = len(asked), self.coded.n_cases
        columns = [self.coded.columns[position] for position in self.memory.order.tolist()]
        if n_features > MOST_BITS:
            return np.array([column == code[0] for column, code in zip(columns, asked)]), np.arange(n_cases)
        kind = np.min_scalar_type((1 << n_features) - 1).type
        bits = np.array([1 << rank for rank in range(n_features)], dtype=kind)
        pattern = np.zeros(n_cases, dtype=kind)
        for column, code, bit in zip(columns, asked, bits):
            pattern |= (column == code[0]) * bit
        if 1 << n_features <= n_cases:  # a table of all patterns is smaller than an order of the cases
            is_there = np.zeros(1 << n_features, dtype=bool)
            is_there[pattern] = True
            different = np.flatnonzero(is_there).astype(kind)
            which = (np.cumsum(is_there) - 1)[pattern]
        else:
            different, which = np.unique(pattern, return_inverse=True)
        return (different & bits.reshape(-1, 1)) > 0, which

    def _pools(self, joints: list[list[int]], counts: list[list[float]], values: list[Any]) -> list[Pool]:
        classes, names, order = self.schema.classes, self.schema.names, self.memory.order.tolist()
        pools = []
        for joint, of_classes in zip(joints, counts):
            positions = sorted([order[rank] for rank in joint])
            pools.append(
                Pool(
                    features=tuple([names[i] for i in positions]),
                    values=tuple([values[i] for i in positions]),
                    n_cases=sum(of_classes),
                    counts={label: n for label, n in zip(classes, of_classes) if n},
                )
            )
        return pools

    def _asked_values(self, given: Sequence[Any], asked: list[np.ndarray]) -> list[Any]:
        """Return the values of the question, with intervals for discretised numbers."""
        values = list(given)
        for position, column in zip(self.memory.order.tolist(), asked):
            if self.schema.features[position].kind == "numeric":
                vocabulary = self.coded.schema.features[position].vocabulary
                if vocabulary is not None and column.item(0) != vocabulary.unknown:
                    (values[position],) = vocabulary.values_of(column)
        return values

    def _cases(
        self, pooled: "_Pooled", asked: list[np.ndarray], joints: list[list[int]], limit: int
    ) -> tuple[PooledCase, ...]:
        n_features = len(asked)
        given = self.memory.given(pooled.rows)
        first = foremost(limit, len(joints) - pooled.n_pools, n_features - pooled.n_agreeing, given)
        rows = pooled.rows[first]
        order = self.memory.order.tolist()
        agrees = np.array([self.coded.columns[position][rows] == column[0] for position, column in zip(order, asked)])
        is_member = _has_all(joints, agrees)
        return tuple(
            PooledCase(**stored, pools=tuple(np.flatnonzero(is_member[:, i]).tolist()))
            for i, stored in enumerate(stored_cases(self.schema, self.memory, rows, agrees))
        )


@dataclass(frozen=True, eq=False)
class _Pooled:
    """The stored cases in some pools: the number of pools that each is in, and of features on which it agrees.

    `counts` has, for every pool, how many of its cases are of each class.
    """

    rows: np.ndarray
    n_pools: np.ndarray
    n_agreeing: np.ndarray
    counts: list[list[float]]


def _has_all(joints: list[list[int]], agrees: np.ndarray) -> np.ndarray:
    """Return, a row for every set of features, which columns of `agrees` are true for all of the set.

    >>> _has_all([[0], [0, 2]], np.array([[True, True], [False, True], [True, False]])).tolist()
    [[True, True], [True, False]]
    """
    in_set = np.zeros((len(joints), len(agrees)), dtype=bool)
    for row, joint in zip(in_set, joints):
        row[joint] = True
    # Eight features a byte: few comparisons of small numbers.
    found = np.ones((len(joints), agrees.shape[1]), dtype=bool)
    for wanted, there in zip(np.packbits(in_set, axis=1).T, np.packbits(agrees, axis=0)):
        found &= (there & wanted.reshape(-1, 1)) == wanted.reshape(-1, 1)
    return found
