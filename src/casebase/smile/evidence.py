"""The evidence of SMILE: the sets of features used, their pools, and cases in the pools."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.evidence import Evidence
from casebase.base.evidence.cases import agreeing_cases, provenance
from casebase.base.evidence.deferred import Deferred
from casebase.base.evidence.explanation import counts_from, number_from, values_from
from casebase.base.evidence.records import tied_counts
from casebase.base.quotes import foremost, stored_cases, unseen_values
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory
from casebase.render.blocks import CaseTable, Column, Rule, Rules, Section
from casebase.render.words import plural, power_of_half
from casebase.smile.draw import draw_sets

N_POOLS_SHOWN = 12
WORD = 64  # bits of a word of `Images.joints`
MOST_BITS = 64  # features whose agreement is one number
TABLE = 8  # patterns per case up to which a table of all patterns is worth its memory
AT_ONCE = 4_000_000  # pools times patterns that are compared together


@dataclass(frozen=True)
class Pool:
    """The stored cases that agree with the question on a set of features: values, number and classes.

    Each of its cases counts `weight` times; the weight of the pool with most features is 1.
    """

    features: tuple[str, ...]
    values: tuple[Any, ...]
    n_cases: float
    counts: dict[Any, float]
    weight: float = 1.0

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> Self:
        """Return the pool of a JSON record."""
        return cls(
            features=tuple(record["features"]),
            values=values_from(record),
            n_cases=number_from(record["n_cases"]),
            counts=counts_from(record["counts"], classes),
            weight=number_from(record.get("weight", 1.0)),
        )


@dataclass(frozen=True)
class PooledCase:
    """A stored case and the positions of its pools; it counts in each of them with the weight of the pool.

    `agrees` says for every feature whether its value is that of the question; None for a feature that is not compared.
    """

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    agrees: tuple[bool | None, ...]
    pools: tuple[int, ...]
    provenance: dict[str, str | None] = provenance()

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the case of a JSON record."""
        return cls(
            id=record["id"],
            values=values_from(record),
            label=record["label"],
            weight=number_from(record["weight"]),
            agrees=tuple(record["agrees"]),
            pools=tuple(record["pools"]),
            provenance=record.get("provenance", {}),
        )


@dataclass(frozen=True, kw_only=True)
class SmileEvidence(Evidence):
    """The pools of more than `alpha` cases decided, or all cases if there is no such pool.

    The pools contain `n_cases` stored cases, of which `cases` lists the first.
    """

    kind: ClassVar[str] = "lattice"
    alpha: int
    pools: Deferred[tuple[Pool, ...]] = Deferred()
    n_cases: Deferred[int] = Deferred()
    cases: Deferred[tuple[PooledCase, ...]] = Deferred()

    def sentence(self) -> str:
        n_cases = self.n_cases if self.pools else 0
        voters = plural(n_cases, "record") if n_cases else "all records"
        return f"{self.support()} from {voters}; {self.next_class()}"

    def how_decided(self) -> list[str]:
        return [self._sharing(), *self._weighing(), *tied_counts(self.votes, "votes")]

    @property
    def is_weighed(self) -> bool:
        """Whether the pools have different weights."""
        return any(pool.weight != 1.0 for pool in self.pools)

    def _weighing(self) -> list[str]:
        if not self.is_weighed:
            return []
        most = plural(max(len(pool.features) for pool in self.pools), "feature")
        return [f"a record has one vote for a set of {most}, and half as many for every feature fewer"]

    def _sharing(self) -> str:
        more = f"more than {plural(self.alpha, 'record')}" if self.alpha else "any record"
        if not self.pools:
            return f"no set of features is shared with {more}: all records vote"
        n_sets, n_cases = len(self.pools), self.n_cases
        shared = f"{plural(n_sets, 'set')} of features {'is' if n_sets == 1 else 'are'} shared with {more}"
        where = "its pool" if n_sets == 1 else "their pools"
        return f"{shared}; {plural(n_cases, 'record')} {'is' if n_cases == 1 else 'are'} in {where}"

    def parts(self) -> Sequence[Section]:
        if not self.pools:
            return ()
        n_more = len(self.pools) - N_POOLS_SHOWN
        pools = Rules(
            tuple(
                Rule(
                    pool.features,
                    pool.values,
                    pool.counts,
                    pool.n_cases,
                    weight=power_of_half(pool.weight) if self.is_weighed else "",
                )
                for pool in self.pools[:N_POOLS_SHOWN]
            ),
            condition="agree on",
            outcome="classes",
            note=f"… and {plural(n_more, 'more set')}, of as many features or fewer" if n_more > 0 else "",
        )
        return [Section("Pools", (pools,)), Section("Records in the pools", (self._table(),))]

    def _table(self) -> CaseTable:
        n_more = self.n_cases - len(self.cases)
        sizes = tuple(len(case.pools) for case in self.cases)
        columns = [Column("pools", sizes, is_number=True, greatest=None if self.is_weighed else len(self.pools))]
        if self.is_weighed:
            votes = tuple(case.weight * sum(self.pools[i].weight for i in case.pools) for case in self.cases)
            columns.append(Column("votes", votes, is_number=True, greatest=max(votes)))
        return agreeing_cases(
            self,
            self.cases,
            columns,
            f"… and {plural(n_more, 'more record')} in the pools" if n_more > 0 else "",
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


def evidence_for(
    pools: "FoundPools", case: Cases, alpha: int, label: int, votes: Mapping[int, float], limit: int
) -> SmileEvidence:
    """Return the evidence for one case, with at most `limit` of the cases in its pools."""
    schema, given = pools.schema, tuple(case.values(0))
    return SmileEvidence(
        features=schema.names,
        values=given,
        unseen=unseen_values(case, given),
        label=schema.classes[label],
        votes={schema.classes[c]: n for c, n in votes.items()},
        weights=(),
        target=schema.target,
        alpha=alpha,
        pools=lambda: pools.written_out(given),
        n_cases=lambda: len(pools.members.rows),
        cases=lambda: pools.cases(limit),
    )


@dataclass(frozen=True, eq=False)
class FoundPools:
    """The pools of one question, to be written out when they are read.

    The stored cases are there as given (`memory`) and as compared (`coded`). `asked` has the codes of the question in
    the order of the memory; `joints` are the sets of features, as `Images.joints` returns them. Their pools weigh by
    the number of features (`by_size`), or all the same.
    """

    schema: Schema
    memory: Memory
    coded: Cases
    asked: Sequence[int]
    joints: np.ndarray
    by_size: bool

    def written_out(self, given: Sequence[Any]) -> tuple[Pool, ...]:
        """Return the pools: first those of most features, then of most cases, then by the names of the features."""
        classes, names, values = self.schema.classes, self.schema.names, self._asked_values(given)
        n_classes, pools = len(classes), []
        filled = np.flatnonzero(self.members.counts)
        of_pool: list[dict[Any, float]] = [{} for _ in self.joints]
        for cell, n in zip(filled.tolist(), self.members.counts.ravel()[filled].tolist()):
            of_pool[cell // n_classes][classes[cell % n_classes]] = n
        for positions, counts, weight in zip(self._positions, of_pool, self._weights.tolist()):
            pools.append(
                Pool(
                    features=tuple([names[i] for i in positions]),
                    values=tuple([values[i] for i in positions]),
                    n_cases=sum(counts.values()),
                    counts=counts,
                    weight=weight,
                )
            )
        return tuple([pools[i] for i in self._ranked])

    @cached_property
    def _positions(self) -> list[list[int]]:
        """The positions in the schema of the features of each set."""
        ranks = self.memory.order.argsort().tolist()  # of the features that are compared, by position
        places = [(int(self.memory.order[rank]), rank // WORD, 1 << rank % WORD) for rank in ranks]
        return [[at for at, word, bit in places if words[word] & bit] for words in self.joints.tolist()]

    @cached_property
    def _weights(self) -> np.ndarray:
        """The weight of each pool, as a share of that of the pool with most features."""
        sizes = np.array([len(at) for at in self._positions], dtype=np.int64)
        if not self.by_size or not len(sizes):
            return np.ones(len(sizes))
        weights: np.ndarray = np.ldexp(1.0, sizes - sizes.max())
        return weights

    @cached_property
    def _ranked(self) -> list[int]:
        """The pools in the order in which they are listed."""
        names, n_cases = self.schema.names, self.members.counts.sum(axis=1).tolist()
        keys = [(-len(at), -n, [names[i] for i in at]) for at, n in zip(self._positions, n_cases)]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def _asked_values(self, given: Sequence[Any]) -> list[Any]:
        """Return the values of the question, with intervals for discretised numbers."""
        values = list(given)
        for position, code in zip(self.memory.order.tolist(), self.asked):
            if self.schema.features[position].kind == "numeric":
                vocabulary = self.coded.schema.features[position].vocabulary
                if vocabulary is not None and code != vocabulary.unknown:
                    values[position] = vocabulary.value(code)
        return values

    @cached_property
    def members(self) -> "_Members":
        """The stored cases in the pools.

        Cases that agree with the question on the same features are in the same pools, so they are counted once
        per pattern of agreement. Case weights add up exactly in any order.
        """
        agrees = self._agrees(slice(None))
        patterns, which = _different(_words(agrees), len(agrees))
        n_patterns, n_classes, n_joints = patterns.shape[1], len(self.schema.classes), len(self.joints)
        by_cell = np.bincount(which * n_classes + self.coded.known_labels, self.coded.weights)
        cells = np.flatnonzero(by_cell)  # a cell is a pattern and a class
        pattern_of, label_of, n_of = cells // n_classes, cells % n_classes, by_cell[cells]
        is_pooled, votes = np.zeros(n_patterns, dtype=bool), np.zeros(n_patterns)
        counts = np.zeros((n_joints, n_classes))
        step = max(1, AT_ONCE // n_patterns)
        for start in range(0, n_joints, step):
            some = slice(start, start + step)
            is_member = _has_all(self.joints[some], patterns)
            is_pooled |= is_member.any(axis=0)
            votes += self._weights[some] @ is_member
            pool, at = np.nonzero(is_member[:, pattern_of])
            found = np.bincount(pool * n_classes + label_of[at], n_of[at], minlength=len(is_member) * n_classes)
            counts[some] = found.reshape(-1, n_classes)
        rows = np.flatnonzero(is_pooled[which])
        return _Members(counts, rows, votes[which[rows]], agrees[:, rows].sum(axis=0))

    def _agrees(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return whether stored cases agree with the question: a row per feature in the memory's order."""
        order = self.memory.order.tolist()
        return np.array([self.coded.columns[at][rows] == code for at, code in zip(order, self.asked)])

    def cases(self, limit: int) -> tuple[PooledCase, ...]:
        """Return the first of the cases in the pools.

        They are ordered by descending weight of their pools, then by the number of features on which they agree with
        the question, then as they were given.
        """
        found, n_features = self.members, len(self.asked)
        given = self.memory.given(found.rows)
        by_votes = np.unique(-found.votes, return_inverse=True)[1].ravel()
        first = foremost(limit, by_votes, n_features - found.n_agreeing, given)
        rows = found.rows[first]
        agrees = self._agrees(rows)
        in_pools = _has_all(self.joints[self._ranked], _words(agrees)).T.tolist()
        return tuple(
            PooledCase(**stored, pools=tuple([i for i, is_in in enumerate(pools) if is_in]))
            for stored, pools in zip(stored_cases(self.schema, self.memory, rows, agrees), in_pools)
        )


@dataclass(frozen=True, eq=False)
class _Members:
    """The number of cases of each class in every pool, and the stored cases in the pools.

    `votes` has for each of the stored cases the weight of its pools, `n_agreeing` the number of features on which it
    agrees with the question.
    """

    counts: np.ndarray
    rows: np.ndarray
    votes: np.ndarray
    n_agreeing: np.ndarray


def _different(words: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the different columns of words, and which of them each column is.

    Where features are more than the bits of a number, columns are not compared, and each counts as different.
    """
    n_cases = words.shape[1]
    if n_features > MOST_BITS:
        return words, np.arange(n_cases)
    (pattern,) = words
    if 1 << n_features <= TABLE * n_cases:  # a table of all patterns is faster than sorting the cases
        is_there = np.zeros(1 << n_features, dtype=bool)
        is_there[pattern] = True
        different = np.flatnonzero(is_there).astype(words.dtype)
        which = (np.cumsum(is_there) - 1)[pattern]
    else:
        different, which = np.unique(pattern, return_inverse=True)
    return different.reshape(1, -1), which


def _words(agrees: np.ndarray) -> np.ndarray:
    """Return columns of truth values as words, the first row as the lowest bit; up to 64 rows are one word.

    >>> _words(np.array([[True, False], [False, True], [True, True]])).tolist()
    [[5, 6]]
    """
    packed = np.packbits(agrees, axis=0, bitorder="little").T
    n_bytes = packed.shape[1]
    size = next((size for size in (1, 2, 4) if n_bytes <= size), 8)
    filled = np.zeros((len(packed), -(-n_bytes // size) * size), dtype=np.uint8)
    filled[:, :n_bytes] = packed
    return filled.view(f"<u{size}").T


def _has_all(joints: np.ndarray, patterns: np.ndarray) -> np.ndarray:
    """Return, a row for every set of features, which patterns have all features of the set.

    >>> _has_all(np.array([[1], [5]], dtype=np.uint64), np.array([[5, 3]], dtype=np.uint8)).tolist()
    [[True, True], [True, False]]
    """
    joints = joints.astype(patterns.dtype)  # no pattern has more features than its type has bits
    found = np.ones((len(joints), patterns.shape[1]), dtype=bool)
    for wanted, there in zip(joints.T, patterns):
        found &= (there & wanted.reshape(-1, 1)) == wanted.reshape(-1, 1)
    return found
