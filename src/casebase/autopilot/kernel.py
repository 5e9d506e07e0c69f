"""Kernel vote: every stored case votes with exp(-distance), under weights learned from held-out answers.

The distance adds two parts per feature: for symbols, whether the values differ and how different the classes are that
occur with them (the value difference); for numbers, how far apart they are in the range and in rank. The weights of
these parts are learned by gradient from a sample of the cases, each answered by the others.

Three samples give three sets of weights, each without a part of the cases, which it then judges. Queries are answered
with their geometric mean, or with the best of the three if the mean judges worse than they do. A held-out answer is
exact for given weights and scales: the case does not vote, and it is subtracted from the value differences of its own
values; the class frequencies that smooth these differences are held, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.autopilot.inputs import NEVER_SEEN, Inputs, Ranked, Stored, blocks, drawn_rows
from casebase.autopilot.pool import log_loss
from casebase.autopilot.reading import Plan
from casebase.data.checks import is_whole
from casebase.measures import functions

MOST_VOTERS = 4096  # stored cases that vote; with more, a sample of them
MOST_VALUES = 1024  # of a symbolic feature; with more, values share a code
MOST_COSTS = 2_000_000  # entries of a table of value differences
MOST_LEARNERS, MOST_DIFFERENCES = 400, 20_000_000
N_PARTS, N_STEPS = 3, 30
PENALTY = 0.5  # draws the logarithms of the weights towards equal ones
EQUAL = 6.0  # the mean distance under equal weights
COMPUTED = ("native", "tables", "places", "costs")  # when they are first needed
OF_FREQUENCY = 0.02  # votes of the class frequencies; the nearest case has 1


@dataclass(frozen=True, eq=False)
class Scale:
    """The range of a number, its middle value, which stands for a missing one, and its sorted values."""

    low: float
    width: float
    middle: float
    ranked: np.ndarray

    @staticmethod
    def of(numbers: np.ndarray) -> "Scale":
        known = Ranked.of(numbers)
        if not known.n:
            return Scale(0.0, 1.0, 0.0, np.zeros(1))
        low, high = float(known.values[0]), float(known.values[-1])
        with np.errstate(over="ignore"):
            width = high - low
        some = known.values[known.places(np.unique(np.linspace(0, known.n - 1, 1001).astype(np.int64)))]
        middle = float(known.values[known.places(np.array([known.n // 2]))[0]])
        return Scale(low, width if 0 < width < np.inf else 1.0, middle, some)

    def places(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of numbers in the range and in rank, both from 0 to 1 for stored numbers."""
        known = np.where(np.isnan(numbers), self.middle, numbers)
        ranks = np.searchsorted(self.ranked, known) / len(self.ranked)
        return np.clip((known - self.low) / self.width, -1.0, 2.0).astype(np.float32), ranks.astype(np.float32)


@dataclass(frozen=True, eq=False)
class KernelVote:
    """The stored cases that vote, the weights of the features, and the class counts of the values."""

    plan: Plan
    voters: np.ndarray  # rows of the stored cases
    labels: np.ndarray
    weights: np.ndarray | None
    codes: np.ndarray
    numbers: np.ndarray
    scales: tuple[Scale, ...]
    counts: tuple[np.ndarray, ...]  # of each symbolic feature, by value and class
    prior: np.ndarray

    kind: ClassVar[str] = "kernel"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what a copy computes for itself."""
        return {name: value for name, value in self.__dict__.items() if name not in COMPUTED}

    @cached_property
    def tables(self) -> list["Differences"]:
        return [Differences.of(counts, self.prior) for counts in self.counts]

    @cached_property
    def places(self) -> np.ndarray:
        """The coordinates of the voters: two per number."""
        return coordinates(self.numbers, self.scales)

    @cached_property
    def costs(self) -> list[np.ndarray]:
        """What each stored value costs, a table per symbolic feature."""
        return self._costs_by(np.array(self.plan["weights"]))

    @cached_property
    def native(self) -> _native.KernelVotes:
        return self._votes_by(np.array(self.plan["weights"]), self.costs)

    def votes_by(self, weights: np.ndarray) -> _native.KernelVotes:
        """Return the voters under these weights: two per number, then two per symbolic feature."""
        return self._votes_by(weights, self._costs_by(weights))

    def _costs_by(self, weights: np.ndarray) -> list[np.ndarray]:
        of_symbols = weights[2 * len(self.scales) :].reshape(-1, 2)
        return [table.costs(*pair) for table, pair in zip(self.tables, of_symbols.tolist())]

    def _votes_by(self, weights: np.ndarray, costs: list[np.ndarray]) -> _native.KernelVotes:
        n = 2 * len(self.scales)
        return _native.KernelVotes(
            self.codes, self.places, self.labels.astype(np.uint32), self.weights, costs,
            weights[:n].astype(np.float32), len(self.prior),
        )  # fmt: skip

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the votes; the class frequencies vote a little."""
        votes, sums = self.native.votes(*self.question(asked), None, n_jobs)
        return self._mixed(votes, sums, self.prior)

    def question(self, asked: Inputs, labels: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the row of each symbolic value in the tables of costs, and the coordinates of the numbers."""
        rows = np.empty(asked.codes.shape, dtype=np.uint32)
        for row, codes, table in zip(rows, asked.codes, self.tables):
            row[:] = table.rows(codes, labels)
        return rows, coordinates(asked.numbers, self.scales)

    def _mixed(self, votes: np.ndarray, sums: np.ndarray, prior: np.ndarray) -> np.ndarray:
        votes = votes.reshape(len(sums), -1)
        mixed: np.ndarray = (votes + OF_FREQUENCY * prior) / (sums[:, np.newaxis] + OF_FREQUENCY)
        return mixed

    def held_out(self, stored: Stored, rows: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the votes of all other cases."""
        return self.held_out_by(self.native, stored, rows, n_jobs)

    def held_out_by(self, native: _native.KernelVotes, stored: Stored, rows: np.ndarray, n_jobs: int) -> np.ndarray:
        place = np.searchsorted(self.voters, rows)
        is_voter = self.voters[np.minimum(place, len(self.voters) - 1)] == rows
        left_out = np.where(is_voter, place, 0xFFFFFFFF).astype(np.uint32)
        question = self.question(stored.inputs.take(rows), stored.labels[rows])
        prior = stored.prior_without(rows)
        votes, sums = native.votes(*question, left_out, n_jobs)
        sums = np.where(sums + prior.sum(axis=1) > 0, sums, 1.0)
        return self._mixed(votes, sums, prior)

    def support(self, asked: Inputs, stored: Stored) -> np.ndarray:
        """Return the part of each case in the vote, and in the class frequencies."""
        each = self.native.each(*self.question(asked))
        parts = OF_FREQUENCY * stored.case_weights / stored.case_weights.sum()
        parts[self.voters] += each
        return np.asarray(parts / (each.sum() + OF_FREQUENCY))

    def arrays(self) -> Mapping[str, np.ndarray]:
        """Return the weights: all else is counted in the stored cases."""
        return {"weights": np.array(self.plan["weights"])}


@dataclass(frozen=True, eq=False)
class Differences:
    """Value differences of a symbolic feature: half the sum over classes of the differences of their shares.

    `apart` has a table for new cases and, before it, one for each class: for stored cases of that class, which are
    subtracted from the counts of their own value. The last row of a table is for a value that was never seen.
    """

    n_values: int
    apart: np.ndarray | None

    @staticmethod
    def of(counts: np.ndarray, prior: np.ndarray) -> "Differences":
        n_values, n_classes = counts.shape
        if (n_classes + 1) * (n_values + 1) * n_values * n_classes > MOST_COSTS * 8 or n_values > 256:
            return Differences(n_values, None)
        shares = (counts + prior) / (counts.sum(axis=1, keepdims=True) + 1.0)
        tables = np.empty((n_classes + 1, n_values + 1, n_values), dtype=np.float32)
        for label in range(n_classes + 1):
            own = np.maximum(counts - np.eye(n_classes)[label], 0.0) if label < n_classes else counts
            asked = np.vstack([(own + prior) / (own.sum(axis=1, keepdims=True) + 1.0), prior])
            tables[label] = 0.5 * np.abs(asked[:, np.newaxis] - shares[np.newaxis]).sum(axis=2)
            tables[label, np.arange(n_values), np.arange(n_values)] = 0.0
        return Differences(n_values, tables)

    def rows(self, codes: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
        """Return the rows of values in `costs`; `labels` are the classes of stored cases."""
        values = np.where(codes == NEVER_SEEN, self.n_values, codes % MOST_VALUES)
        values = np.minimum(values, self.n_values).astype(np.int64)
        if self.apart is None:
            return values
        table = len(self.apart) - 1 if labels is None else labels.astype(np.int64)
        return table * (self.n_values + 1) + values

    def costs(self, differ: float, apart: float) -> np.ndarray:
        """Return what each stored value costs, one row per value of a query."""
        unlike = np.ones((self.n_values + 1, self.n_values), dtype=np.float32)
        unlike[np.arange(self.n_values), np.arange(self.n_values)] = 0.0
        if self.apart is None:
            return np.float32(differ) * unlike
        costs: np.ndarray = np.float32(differ) * unlike + np.float32(apart) * self.apart
        return np.ascontiguousarray(costs.reshape(-1, self.n_values))


def coordinates(numbers: np.ndarray, scales: tuple[Scale, ...]) -> np.ndarray:
    """Return two coordinates per number: the place in the range, and the rank."""
    rows = [place for column, scale in zip(numbers, scales) for place in scale.places(column)]
    return np.ascontiguousarray(np.stack(rows)) if rows else np.zeros((0, numbers.shape[1]), np.float32)


def learn(stored: Stored, plan: Plan, n_jobs: int = 1) -> KernelVote:
    """Return the vote of the stored cases under the weights of a plan."""
    inputs, n = stored.inputs, stored.n_cases
    voters = drawn_rows(n, MOST_VOTERS, plan["seed"])
    counts = []
    for codes, n_codes in zip(inputs.codes, inputs.n_codes.tolist()):
        n_cells = min(n_codes, MOST_VALUES) * stored.n_classes
        counted = np.zeros(n_cells)
        for rows in blocks(n):
            cells = (codes[rows] % MOST_VALUES).astype(np.int64) * stored.n_classes + stored.labels[rows]
            counted += np.bincount(cells, minlength=n_cells)
        counts.append(counted.reshape(-1, stored.n_classes))
    return KernelVote(
        plan,
        voters,
        stored.labels[voters],
        None if stored.weights is None else stored.weights[voters],
        np.ascontiguousarray(inputs.codes[:, voters] % MOST_VALUES),
        np.ascontiguousarray(inputs.numbers[:, voters]),
        tuple(Scale.of(numbers) for numbers in inputs.numbers),
        tuple(counts),
        stored.prior,
    )


def choose(stored: Stored, judges: np.ndarray, seed: int, n_jobs: int = 1) -> tuple[KernelVote, np.ndarray]:
    """Return the kernel vote under learned weights, and held-out shares for the judges."""
    n_weights = 2 * stored.inputs.n_features
    drawn = np.random.default_rng(seed).permutation(stored.n_cases)
    part = np.empty(stored.n_cases, dtype=np.int64)
    part[drawn] = np.arange(stored.n_cases) % N_PARTS
    equal = learn(stored, {"weights": [1.0] * n_weights, "seed": seed}, n_jobs)
    by_part = []
    n_learners = int(min(MOST_LEARNERS, (MOST_DIFFERENCES / max(n_weights, 1)) ** 0.5))
    for i in range(N_PARTS):
        others = drawn[part[drawn] != i][:n_learners]
        by_part.append(_learned_weights(equal, stored, np.sort(others), n_jobs))
    weights = functions.exp(np.mean(functions.log(by_part), axis=0))
    shares = np.empty((len(judges), stored.n_classes))
    for i, some in enumerate(by_part):
        here = np.flatnonzero(part[judges] == i)
        if len(here):
            shares[here] = equal.held_out_by(equal.votes_by(some), stored, judges[here], n_jobs)
    found = learn(stored, {"weights": weights.tolist(), "seed": seed}, n_jobs)
    labels = stored.labels[judges]
    judged = [np.flatnonzero(part[judges] == i) for i in range(N_PARTS)]
    losses = [log_loss(shares[here], labels[here]) if len(here) else np.inf for here in judged]
    if log_loss(found.held_out(stored, judges, n_jobs), labels) > log_loss(shares, labels):
        # The parts found weights that work apart but not mixed: those that answer the cases they did not see best.
        found = learn(stored, {"weights": by_part[int(np.argmin(losses))].tolist(), "seed": seed}, n_jobs)
    return found, shares


def _learned_weights(kernel: KernelVote, stored: Stored, rows: np.ndarray, n_jobs: int) -> np.ndarray:
    """Return the weights with the least held-out loss on a sample, drawn towards equal ones."""
    from scipy.optimize import minimize

    n_weights, labels = 2 * stored.inputs.n_features, stored.labels[rows].astype(np.uint32)
    if len(rows) < 4 or len(np.unique(labels)) < 2:
        return np.ones(n_weights)
    some = stored.inputs.take(rows)
    differences = np.empty((n_weights, len(rows), len(rows)), dtype=np.float32)
    at = coordinates(some.numbers, kernel.scales)
    differences[: len(at)] = np.abs(at[:, :, np.newaxis] - at[:, np.newaxis, :])
    for i, (codes, table) in enumerate(zip(some.codes % MOST_VALUES, kernel.tables)):
        differences[len(at) + 2 * i] = codes[:, np.newaxis] != codes[np.newaxis, :]
        differences[len(at) + 2 * i + 1] = (
            0.0 if table.apart is None else table.apart[labels[:, np.newaxis], codes[:, np.newaxis], codes[np.newaxis]]
        )
    mean = float(differences.mean(axis=(1, 2), dtype=float).mean()) + 1e-3
    start = np.full(n_weights, functions.log(EQUAL / (n_weights / 2) / mean))
    strength = PENALTY / len(rows)

    def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = _native.kernel_loss(differences, labels, stored.n_classes, logs.copy(), n_jobs)
        away = logs - start
        return value + strength * float(away @ away) / 2, slope + strength * away

    bounds = [(-8.0, 6.0)] * n_weights
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": N_STEPS})
    return np.asarray(functions.exp(functions.on_grid(found.x)))


def read(arrays: Mapping[str, np.ndarray], plan: Plan, stored: Stored) -> KernelVote:
    """Return the kernel vote from the weights of a model file and the stored cases."""
    weights = arrays["weights"]
    if len(weights) != 2 * stored.inputs.n_features or (weights < 0).any():
        raise ValueError("the weights of the kernel vote do not match the features")
    if not is_whole(plan["seed"], 0, 2**64 - 1):
        raise ValueError("the seed of the kernel vote is no number")
    return learn(stored, {"weights": weights.tolist(), "seed": plan["seed"]})
