"""How much the other records contradict the class of each: held-out shares of a forest of cases, twice.

The trees of a forest that did not draw a record answer it as if it had not been stored, so that one forest gives a
held-out opinion on every record. A second forest counts each record less the less likely the first finds its class:
wrong classes then mislead the trees less. The mean of the two is the opinion.

The idea is that of Brodley and Friedl, "Identifying mislabeled training data" (1999), with cross-validation replaced by
trees that did not draw the record; cleanlab (Northcutt et al., 2021) ranks cross-validated shares likewise.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from casebase.autopilot import forest
from casebase.autopilot.inputs import Features, Stored
from casebase.data import Cases

SEED = 20
LEAST_WEIGHT = 0.02  # of a record whose class the first forest finds impossible
AT_ONCE = 4_000_000  # shares in memory at a time


@dataclass(frozen=True, eq=False)
class Opinions:
    """The held-out opinion on each record: the share of its own class, and the strongest other class with its share."""

    own: np.ndarray
    other: np.ndarray
    other_label: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """By how much another class is likelier than the recorded one: -1 to 1; above 0 it is likelier."""
        score: np.ndarray = self.other - self.own
        return score


def opinions(cases: Cases, n_jobs: int = 1) -> Opinions:
    """Return the held-out opinion on each record."""
    if cases.n_classes < 2 or cases.n_cases < 2:
        n = cases.n_cases
        return Opinions(np.ones(n), np.zeros(n), cases.known_labels.astype(np.int64))
    features = Features.of(cases.schema)
    names = tuple(map(str, cases.schema.classes))
    stored = Stored(features.inputs(cases), cases.known_labels.astype(np.int64), None, cases.n_classes, names)
    first = _forest(stored, SEED, n_jobs)
    before = _opinions(stored, [first], n_jobs)
    likely = np.maximum(before.own, before.other)
    weights = np.clip(2 * before.own / np.maximum(likely, 1e-9), LEAST_WEIGHT, 1.0)
    second = _forest(replace(stored, weights=weights), SEED + 1, n_jobs)
    return _opinions(stored, [first, second], n_jobs)


def _forest(stored: Stored, seed: int, n_jobs: int) -> forest.Forest:
    plan = {"tried": "sqrt", "values": "single", "n_trees": 100, "least": 2.0, "seed": seed}
    return forest.learn(stored, plan, n_jobs)


def _opinions(stored: Stored, forests: list[forest.Forest], n_jobs: int) -> Opinions:
    own, other = np.empty(stored.n_cases), np.empty(stored.n_cases)
    other_label = np.empty(stored.n_cases, dtype=np.int64)
    for rows in _blocks(stored):
        shares = np.mean([each.held_out(stored, rows, n_jobs) for each in forests], axis=0)
        at = np.arange(len(rows))
        own[rows] = shares[at, stored.labels[rows]]
        shares[at, stored.labels[rows]] = -1.0
        other_label[rows] = shares.argmax(axis=1)
        other[rows] = shares[at, other_label[rows]]
    return Opinions(own, other, other_label)


def _blocks(stored: Stored) -> Iterator[np.ndarray]:
    size = max(1, AT_ONCE // stored.n_classes)
    for start in range(0, stored.n_cases, size):
        yield np.arange(start, min(start + size, stored.n_cases))
