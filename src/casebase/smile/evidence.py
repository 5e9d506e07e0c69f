"""The evidence of SMILE: the sets of features used, their pools, and cases in the pools."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.answers import Answers
from casebase.base.evidence import Evidence
from casebase.base.evidence.cases import agreeing_cases
from casebase.base.evidence.explanation import restored_counts, restored_number
from casebase.base.evidence.records import tied_counts
from casebase.base.quotes import stored_cases, unseen_values
from casebase.data import Cases, Schema
from casebase.memory.segments import Memory
from casebase.render.blocks import CaseTable, Column, Rule, Rules, Section
from casebase.render.words import plural
from casebase.smile.draw import draw_sets

N_POOLS_SHOWN = 12


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
            n_cases=restored_number(record["n_cases"]),
            counts=restored_counts(record["counts"], classes),
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
            weight=restored_number(record["weight"]),
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
    def restored(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().restored(record, classes) | {
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
        classes, order = self.schema.classes, self.memory.order
        agrees = np.array([self.coded.columns[position] == column[0] for position, column in zip(order, asked)])
        values = self._asked_values(case, asked)
        n_pools, found = np.zeros(self.coded.n_cases, dtype=np.int64), []
        for joint in joints:
            members = np.flatnonzero(agrees[joint].all(axis=0))
            n_pools[members] += 1
            found.append((joint, self._pool(joint, members, values)))
        found.sort(key=lambda entry: (-len(entry[0]), -entry[1].n_cases, entry[1].features))
        return SmileEvidence(
            features=self.schema.names,
            values=tuple(case.values(0)),
            unseen=unseen_values(case),
            label=classes[answers.label[0]],
            votes={classes[c]: votes for c, votes in answers.votes_of(0).items()},
            weights=(),
            alpha=self.alpha,
            pools=tuple(pool for _, pool in found),
            n_cases=int(np.count_nonzero(n_pools)),
            cases=self._cases(n_pools, agrees, [joint for joint, _ in found], limit),
        )

    def _pool(self, joint: list[int], rows: np.ndarray, values: list[Any]) -> Pool:
        classes = self.schema.classes
        weights = None if self.coded.weights is None else self.coded.weights[rows]
        counts = np.bincount(self.coded.known_labels[rows], weights, minlength=len(classes)).astype(float)
        positions = sorted(int(self.memory.order[rank]) for rank in joint)
        return Pool(
            features=tuple(self.schema.names[i] for i in positions),
            values=tuple(values[i] for i in positions),
            n_cases=float(counts.sum()),
            counts={classes[c]: float(counts[c]) for c in np.flatnonzero(counts)},
        )

    def _asked_values(self, case: Cases, asked: list[np.ndarray]) -> list[Any]:
        """Return the values of the question, with intervals for discretised numbers."""
        values = case.values(0)
        for position, column in zip(self.memory.order, asked):
            vocabulary = self.coded.schema.features[position].vocabulary
            is_cut = self.schema.features[position].kind == "numeric"
            if is_cut and vocabulary is not None and column[0] != vocabulary.unknown:
                values[position] = vocabulary.value(int(column[0]))
        return values

    def _cases(
        self, n_pools: np.ndarray, agrees: np.ndarray, joints: list[list[int]], limit: int
    ) -> tuple[PooledCase, ...]:
        # Most cases are in no pool: sort only those that are in one.
        rows = np.flatnonzero(n_pools)
        ranked = np.lexsort((self.memory.given(rows), -agrees[:, rows].sum(axis=0), -n_pools[rows]))
        rows = rows[ranked[:limit]]
        is_member = np.array([agrees[:, rows][joint].all(axis=0) for joint in joints])
        return tuple(
            PooledCase(**stored, pools=tuple(np.flatnonzero(is_member[:, i]).tolist()))
            for i, stored in enumerate(stored_cases(self.schema, self.memory, rows, agrees[:, rows]))
        )
