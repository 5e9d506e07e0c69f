"""Regularised discriminant analysis: a normal distribution per class, between its own covariance and the common one.

Symbolic features count as numbers, one 0 or 1 per value, as long as there are few values. A held-out answer is exact
for given scales and shrinkage: the case is taken out of the means and of the scatters.

Reference: Friedman, "Regularized discriminant analysis" (1989).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.autopilot.inputs import Inputs, Stored, blocks
from casebase.autopilot.pool import FLOOR
from casebase.autopilot.reading import Plan
from casebase.measures import functions

MOST_DIMENSIONS = 100
SHRINKAGES, RIDGES, SHARPNESSES = (0.0, 0.1, 0.5, 1.0), (0.1, 1.0, 10.0), (0.25, 0.5, 1.0)
MANY_CLASSES = 20  # then all classes share one covariance
MOST_WORK = 400_000_000  # multiplications when the shrinkage is chosen
FAR = 20.0  # standard deviations; larger numbers count as that


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Means, scatters and weights of the classes.

    The dimensions are numbers (feature, centre, scale) and values of symbols (feature, code, scale).
    """

    plan: Plan
    numbers: list[list[Any]]
    values: list[list[Any]]
    means: np.ndarray
    scatters: np.ndarray
    totals: np.ndarray

    kind: ClassVar[str] = "discriminant"

    @cached_property
    def native(self) -> _native.ClassDensities:
        return _native.ClassDensities(
            self.means, self.scatters, self.totals, self.plan["shrinkage"], self.plan["ridge"]
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the native factors, which a copy computes for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the classes by their densities."""
        logs = self.native.logs(self.points(asked), n_jobs).reshape(asked.n_cases, -1)
        return shares_of(logs, self.plan["sharpness"])

    def held_out(self, stored: Stored, rows: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the shares by densities from which the case itself is taken out."""
        return shares_of(self.held_out_logs(stored, rows, n_jobs), self.plan["sharpness"])

    def held_out_logs(self, stored: Stored, rows: np.ndarray, n_jobs: int) -> np.ndarray:
        weights = None if stored.weights is None else stored.weights[rows]
        some = self.points(stored.inputs.take(rows))
        logs: np.ndarray = self.native.held_out(some, stored.labels[rows].astype(np.uint32), weights, n_jobs)
        return logs.reshape(len(rows), -1)

    def support(self, asked: Inputs, stored: Stored) -> np.ndarray:
        """Return equal parts for all cases of a class: its density is theirs together."""
        shares, weights = self.shares(asked)[0], stored.case_weights
        parts: np.ndarray = (weights / stored.of_class(weights)[stored.labels]) * shares[stored.labels]
        return parts

    def points(self, inputs: Inputs) -> np.ndarray:
        return points(inputs, self.numbers, self.values)

    def arrays(self) -> Mapping[str, np.ndarray]:
        dimensions = np.array([*self.numbers, *self.values], dtype=float).reshape(-1, 3)
        return {
            "dimensions": dimensions.ravel(),
            "n_numbers": np.array([len(self.numbers)], dtype=np.uint32),
            "means": self.means.ravel(),
            "scatters": self.scatters.ravel(),
            "totals": self.totals,
        }


def shares_of(logs: np.ndarray, sharpness: float) -> np.ndarray:
    """Return shares in proportion to a power of the densities; equal shares if no class has one.

    >>> shares_of(functions.log([[0.3, 0.1], [1.0, 1.0]]) - [[0.0], [np.inf]], 1.0).round(2).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    logs = np.where(np.isneginf(logs).all(axis=1, keepdims=True), 0.0, logs)
    powers = functions.exp(np.maximum(sharpness * (logs - logs.max(axis=1, keepdims=True)), -700.0))
    powers[np.isneginf(logs)] = 0.0
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def points(inputs: Inputs, numbers: list[list[Any]], values: list[list[Any]]) -> np.ndarray:
    """Return cases as points: standardised numbers, then 0 or 1 for each value of the symbols in use."""
    columns = []
    for i, centre, scale in numbers:
        column = (inputs.numbers[i] - centre) / scale
        columns.append(np.where(np.isnan(column), 0.0, np.clip(column, -FAR, FAR)))
    for i, value, scale in values:
        columns.append((inputs.codes[i] == value) / scale)
    return np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.zeros((inputs.n_cases, 0))


def learn(stored: Stored, plan: Plan, n_jobs: int = 1) -> Discriminant:
    """Return the moments of the classes, to be used by a plan."""
    numbers, values = _dimensions(stored)
    n, n_classes = len(numbers) + len(values), stored.n_classes

    def parts() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
        for rows in blocks(stored.n_cases):
            weights = None if stored.weights is None else stored.weights[rows]
            yield points(stored.inputs.part(rows), numbers, values), stored.labels[rows].astype(np.uint32), weights

    totals, sums = np.zeros(n_classes), np.zeros(n_classes * n)
    for part in parts():
        totals, sums = _native.class_sums(*part, totals, sums)
    means = (sums.reshape(n_classes, n).T / np.where(totals > 0, totals, 1.0)).T.ravel()
    scatters = np.zeros(n_classes * n * n)
    for part in parts():
        scatters = _native.class_scatters(*part, means, scatters, n_classes, n_jobs)
    return Discriminant(plan, numbers, values, means.reshape(n_classes, n), scatters.reshape(n_classes, n, n), totals)


def choose(stored: Stored, judges: np.ndarray, seed: int, n_jobs: int = 1) -> tuple[Discriminant, np.ndarray]:
    """Return the discriminant whose held-out answers fit best, and held-out shares for the judges."""
    found = learn(stored, {"shrinkage": 1.0, "ridge": 1.0, "sharpness": 1.0}, n_jobs)
    n_classes, n = found.means.shape
    shrinkages = SHRINKAGES if n_classes <= MANY_CLASSES else SHRINKAGES[-1:]
    n_few = MOST_WORK // max(len(shrinkages) * len(RIDGES) * n_classes * n * n, 1)
    few = judges[np.linspace(0, len(judges) - 1, min(max(n_few, 100), len(judges))).astype(np.int64)]
    rows, labels = np.arange(len(few)), stored.labels[few]
    best, least = found, np.inf
    for shrinkage, ridge in product(shrinkages, RIDGES):
        tried = replace(found, plan=found.plan | {"shrinkage": shrinkage, "ridge": ridge})
        logs = tried.held_out_logs(stored, few, n_jobs)
        for sharpness in SHARPNESSES:
            own = shares_of(logs, sharpness)[rows, labels]
            loss = -float(functions.log(np.maximum(own, FLOOR)).mean())
            if loss < least - 1e-9:
                best, least = replace(tried, plan=tried.plan | {"sharpness": sharpness}), loss
    return best, best.held_out(stored, judges, n_jobs)


def _dimensions(stored: Stored) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the numbers with their centres and scales, and the values of symbols that become dimensions."""
    numbers = []
    for i, column in enumerate(stored.inputs.numbers):
        with np.errstate(over="ignore", invalid="ignore"):  # a scale that is not finite is no dimension
            centre = _mean(column, stored, 0.0, 1)
            scale = float(np.sqrt(_mean(column, stored, centre, 2)))
        if scale > 0 and np.isfinite(scale):
            numbers.append((_between(column, centre, scale, stored), [i, centre, scale]))
    # With very many numbers, those whose class means differ most.
    numbers = sorted(sorted(numbers, key=lambda one: -one[0])[:MOST_DIMENSIONS], key=lambda one: one[1][0])
    values: list[list[Any]] = []
    total = stored.class_weights.sum()
    for i, (codes, n_codes) in enumerate(zip(stored.inputs.codes, stored.inputs.n_codes.tolist())):
        shown = range(1 if n_codes == 2 else n_codes)
        if len(numbers) + len(values) + len(shown) > MOST_DIMENSIONS:
            continue
        weights = np.zeros(n_codes)
        for rows in blocks(stored.n_cases):
            weights += np.bincount(codes[rows], stored.weights_of(rows), minlength=n_codes)
        for value in shown:
            share = float(weights[value] / total)
            values.append([i, value, max((share * (1 - share)) ** 0.5, 0.05)])
    return [one for _, one in numbers], values


def _mean(column: np.ndarray, stored: Stored, centre: float, power: int) -> float:
    """Return the mean of a power of the known numbers less a centre; NaN if no number is known."""
    total = weight = 0.0
    for rows in blocks(stored.n_cases):
        known = ~np.isnan(column[rows])
        weights = stored.weights_of(rows)[known]
        total += float(((column[rows][known] - centre) ** power * weights).sum())
        weight += float(weights.sum())
    return total / weight if weight else float("nan")


def _between(column: np.ndarray, centre: float, scale: float, stored: Stored) -> float:
    """Return the variance of the class means of a column that is standardised by its centre and scale."""
    sums = np.zeros(stored.n_classes)
    for rows in blocks(stored.n_cases):
        here = (column[rows] - centre) / scale
        weighted = stored.weights_of(rows) * np.where(np.isnan(here), 0.0, here)
        sums += np.bincount(stored.labels[rows], weighted, minlength=stored.n_classes)
    means = sums / np.maximum(stored.class_weights, 1e-300)
    return float((stored.prior * means**2).sum())


def read(arrays: Mapping[str, np.ndarray], plan: Plan, stored: Stored) -> Discriminant:
    """Return the discriminant from the arrays of a model file; every index is checked."""
    dimensions = [[int(i), value, scale] for i, value, scale in arrays["dimensions"].reshape(-1, 3).tolist()]
    n, n_classes, inputs = len(dimensions), stored.n_classes, stored.inputs
    if len(arrays["n_numbers"]) != 1 or arrays["n_numbers"][0] > n:
        raise ValueError("the discriminant has fewer dimensions than numbers")
    n_numbers = int(arrays["n_numbers"][0])
    limits = [inputs.n_numbers] * n_numbers + [len(inputs.codes)] * (n - n_numbers)
    if any(not (0 <= i < limit and scale > 0) for (i, _, scale), limit in zip(dimensions, limits)):
        raise ValueError("a dimension of the discriminant is not a feature")
    if any(code not in range(int(inputs.n_codes[i])) for i, code, _ in dimensions[n_numbers:]):
        raise ValueError("a dimension of the discriminant is no value of its feature")
    if not 0 <= plan["shrinkage"] <= 1 or not 0 < plan["ridge"] < np.inf or not 0 < plan["sharpness"] < 1e6:
        raise ValueError("the plan of the discriminant is none")
    if len(arrays["totals"]) != n_classes or not np.allclose(arrays["totals"], stored.class_weights):
        raise ValueError("the weights of the classes do not match the classes")
    scatters = arrays["scatters"].reshape(n_classes, n, n)
    if (np.diagonal(scatters, axis1=1, axis2=2) < 0).any() or not np.allclose(scatters, scatters.transpose(0, 2, 1)):
        raise ValueError("a scatter of the discriminant is none")
    return Discriminant(
        plan,
        dimensions[:n_numbers],
        dimensions[n_numbers:],
        arrays["means"].reshape(n_classes, n),
        scatters,
        arrays["totals"],
    )
