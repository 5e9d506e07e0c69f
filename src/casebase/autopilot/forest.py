"""A forest of trees whose leaves hold cases: each tree votes with the cases at the query's leaf.

A tree is grown from a sample of the cases, drawn with replacement, and tries some of the features at each node. The
trees that did not draw a case answer it as if it had not been stored.

Reference: Breiman, "Random forests" (2001).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.autopilot.inputs import NEVER_SEEN, Inputs, Stored, binned, blocks, inner_edges, parts_of
from casebase.autopilot.reading import Plan
from casebase.data.checks import is_whole

N_BINS = 255  # of a numeric feature
MOST_DRAWN = 100_000  # cases per tree
N_TRIED = {"sqrt": lambda n: n**0.5, "half": lambda n: n / 2}
GROUP = 3  # the split of a node by a group of values
NODES = ("root", "feature", "split", "at", "left", "groups", "first_vote", "vote_label", "vote")


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees in one set of arrays, and the cuts of the numeric features."""

    plan: Plan
    nodes: Mapping[str, np.ndarray]
    edges: tuple[np.ndarray, ...]
    n_codes: np.ndarray
    prior: np.ndarray
    n_stored: int
    known_leaves: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)

    kind: ClassVar[str] = "forest"

    @cached_property
    def native(self) -> _native.CaseForest:
        return _native.CaseForest(**self.nodes, n_codes=self.n_codes, n_classes=len(self.prior))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what a copy can compute for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "native"} | {"known_leaves": {}}

    @property
    def n_trees(self) -> int:
        return len(self.nodes["root"])

    @property
    def n_drawn(self) -> int:
        return min(self.n_stored, MOST_DRAWN)

    def codes(self, inputs: Inputs) -> np.ndarray:
        return coded(inputs, self.edges)

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the mean of the trees' votes; the class frequencies count like one more tree."""
        mean = self.native.shares(self.codes(asked), n_jobs).reshape(-1, len(self.prior))
        return np.asarray((mean * self.n_trees + self.prior) / (self.n_trees + 1))

    def held_out(self, stored: Stored, rows: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the mean vote of the trees that did not draw the case."""
        codes = self.codes(stored.inputs.take(rows))
        sums, n_trees = self.native.held_out(
            codes, rows.astype(np.uint32), self.n_stored, self.n_drawn, self.plan["seed"], n_jobs
        )
        return np.asarray((sums.reshape(len(rows), -1) + stored.prior_without(rows)) / (n_trees[:, np.newaxis] + 1.0))

    def support(self, asked: Inputs, stored: Stored) -> np.ndarray:
        """Return the part of each case in the votes of the leaves, and in the class frequencies."""
        leaves = self.native.leaves(self.codes(asked), 0, self.n_trees, 1)
        sums = np.zeros(stored.n_cases)
        for tree, leaf in enumerate(leaves.tolist()):
            rows, weights = self._members(tree, leaf, stored)
            sums[rows] += weights / weights.sum()
        return np.asarray((sums + stored.case_weights / stored.case_weights.sum()) / (self.n_trees + 1))

    def _members(self, tree: int, leaf: int, stored: Stored) -> tuple[np.ndarray, np.ndarray]:
        """Return the drawn cases at a leaf, with their weights; a tree's cases are sorted by leaf on first use."""
        if tree not in self.known_leaves:
            times = _native.forest_sample(tree, self.n_stored, self.n_drawn, self.plan["seed"])
            drawn = np.flatnonzero(times)
            at = self.native.leaves(self.codes(stored.inputs.take(drawn)), tree, 1, 1)
            order = np.argsort(at, kind="stable")
            rows = drawn[order]
            self.known_leaves[tree] = (at[order], rows, times[rows] * stored.case_weights[rows])
        leaves, members, weights = self.known_leaves[tree]
        here = slice(*np.searchsorted(leaves, [leaf, leaf + 1]))
        return members[here], weights[here]

    def arrays(self) -> Mapping[str, np.ndarray]:
        n_edges = np.array([len(edges) for edges in self.edges], dtype=np.uint32)
        return dict(self.nodes) | {"edges": np.concatenate([*self.edges, np.empty(0)]), "n_edges": n_edges}


def coded(inputs: Inputs, edges: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the bins of numbers and the codes of symbols, numbers first."""
    if not inputs.n_numbers:
        return np.ascontiguousarray(inputs.codes)
    codes = inputs.new_codes()
    for rows in blocks(inputs.n_cases):
        for row, numbers, cuts in zip(codes, inputs.numbers, edges):
            row[rows] = binned(numbers[rows], cuts)
        codes[inputs.n_numbers :, rows] = inputs.codes[:, rows]
    return codes


def learn(stored: Stored, plan: Plan, n_jobs: int = 1) -> Forest:
    """Return a forest grown by a plan."""
    inputs = stored.inputs
    edges = tuple(inner_edges(numbers, N_BINS) for numbers in inputs.numbers)
    n_codes = np.concatenate([[len(cuts) + 2 for cuts in edges], inputs.n_codes]).astype(np.uint32)
    assert n_codes.max(initial=0) < NEVER_SEEN
    nodes: Mapping[str, Any] = _native.grow_forest(
        coded(inputs, edges),
        stored.labels.astype(np.uint32),
        stored.weights,
        n_codes,
        (np.arange(len(n_codes)) < inputs.n_numbers).astype(np.uint8),
        stored.n_classes,
        0,
        plan["n_trees"],
        max(1, round(N_TRIED[plan["tried"]](len(n_codes)))),
        min(stored.n_cases, MOST_DRAWN),
        float(plan["least"]) * (1.0 if stored.weights is None else float(stored.weights.mean())),
        plan["values"] == "groups",
        plan["seed"],
        n_jobs,
    )
    return Forest(plan, dict(nodes), edges, n_codes, stored.prior, stored.n_cases)


def choose(stored: Stored, judges: np.ndarray, seed: int, n_jobs: int = 1, **given: Any) -> tuple[Forest, np.ndarray]:
    """Return a forest, and its held-out shares for the judges."""
    plan = {"tried": "sqrt", "values": "single", "n_trees": 100, "least": 2.0, "seed": seed} | given
    grown = learn(stored, plan, n_jobs)
    return grown, grown.held_out(stored, judges, n_jobs)


def read(arrays: Mapping[str, np.ndarray], plan: Plan, stored: Stored) -> Forest:
    """Return the forest from the arrays of a model file; every index is checked."""
    edges = parts_of(arrays["edges"], arrays["n_edges"], stored.inputs.n_numbers)
    if any((np.diff(cuts) <= 0).any() for cuts in edges):
        raise ValueError("the cuts of a forest do not ascend")
    if plan["tried"] not in N_TRIED or plan["values"] not in ("single", "groups") or not plan["least"] > 0:
        raise ValueError("the plan of a forest is none")
    if not is_whole(plan["seed"], 0, 2**64 - 1) or len(arrays["root"]) != plan["n_trees"]:
        raise ValueError("a forest has other trees than planned")
    n_codes = np.concatenate([arrays["n_edges"] + 2, stored.inputs.n_codes]).astype(np.uint32)
    grown = Forest(plan, {name: arrays[name] for name in NODES}, edges, n_codes, stored.prior, stored.n_cases)
    assert grown.native  # the constructor checks the nodes
    n_words = (n_codes[arrays["feature"][arrays["split"] == GROUP]].astype(np.int64) + 63) // 64
    if n_words.sum() != len(arrays["groups"]):
        raise ValueError("a forest has other groups than its nodes")
    n_votes: np.ndarray = np.diff(arrays["first_vote"].astype(np.int64))
    of_leaf = np.bincount(np.repeat(np.arange(len(n_votes)), n_votes), arrays["vote"], minlength=len(n_votes))
    if not np.allclose(of_leaf, 1.0):
        raise ValueError("the votes of a leaf are not shares")
    return grown
