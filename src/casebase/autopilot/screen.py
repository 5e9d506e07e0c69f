"""Which changes of a query surely leave the answer of a kernel vote alone.

The distance is a sum over features, so a change multiplies the vote of each stored case by a factor of its own, and two
changes by two factors. The factors of all changes are computed once; a combination then costs one multiplication per
change and stored case, and no exponential. Where one class is ahead by less than rounding explains, the model is asked.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.autopilot.committee import Committee
from casebase.autopilot.inputs import Features
from casebase.autopilot.kernel import OF_FREQUENCY, KernelVote
from casebase.base.flips.columns import Options
from casebase.data import Cases

FEW = 64  # options: so many are asked as quickly
MOST_FACTORS = 16_000_000
AT_ONCE = 128_000  # products: what fits into a core's cache
ROUNDING = 1e-5  # of a vote, per unit of distance; single precision has 6e-8
LEAST = 1e-37  # a vote below this one may be counted as 0


@dataclass(frozen=True, eq=False)
class KernelScreen:
    """A query's distances from the stored cases, and what each option adds to them, a row per option."""

    kernel: KernelVote
    label: int
    away: np.ndarray
    added: np.ndarray

    @cached_property
    def _factors(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            factors: np.ndarray = np.exp(-self.added)
        return factors

    @cached_property
    def _largest(self) -> np.ndarray:
        """The largest factor of each option."""
        largest: np.ndarray = np.exp(-self.added.min(axis=1).astype(np.float64))
        return largest

    @cached_property
    def _votes(self) -> np.ndarray:
        """The votes of the stored cases before a change, in the column of their class."""
        kernel = self.kernel
        votes = np.zeros((len(self.away), len(kernel.prior)), dtype=np.float32)
        weights = 1.0 if kernel.weights is None else kernel.weights
        votes[np.arange(len(votes)), kernel.labels] = np.exp(self.away.min() - self.away) * weights
        return votes

    def stays(self, combinations: np.ndarray) -> np.ndarray:
        """Return which combinations of options surely leave the answer as it is."""
        votes = np.empty((len(combinations), self._votes.shape[1]))
        step = max(AT_ONCE // len(self.away), 1)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(combinations), step):
                here = combinations[start : start + step]
                product = self._factors[here[:, 0]]
                for slot in range(1, here.shape[1]):
                    product *= self._factors[here[:, slot]]
                votes[start : start + len(here)] = product @ self._votes
            return self._is_ahead(votes, self._largest[combinations].prod(axis=1))

    def _is_ahead(self, votes: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """Return where the answer's class is ahead by more than rounding and the class frequencies can change.

        The frequencies have a share of the nearest case's vote, which is at most the sum of all votes.
        """
        prior, weights = self.kernel.prior, self.kernel.weights
        total = votes.sum(axis=1)
        nearest = total if weights is None else total / min(float(weights.min()), 1.0)
        slack = ROUNDING * (1.0 + float(self.away.max()) + float(np.abs(self.added).max())) * total
        slack += LEAST * len(self.away) * largest * (1.0 if weights is None else max(float(weights.max()), 1.0))
        stays: np.ndarray = np.isfinite(total) & np.isfinite(nearest)
        for other in range(votes.shape[1]):
            if other != self.label:
                by_frequency = OF_FREQUENCY * max(float(prior[other] - prior[self.label]), 0.0) * nearest
                stays &= votes[:, self.label] - votes[:, other] > by_frequency + slack
        return stays


def screen_of(model: Committee, case: Cases, label: int, options: Options) -> KernelScreen | None:
    """Return the screen of a query; None if anything but a single kernel vote answers."""
    (*others, kernel) = model.readings.values() or (None,)
    if others or not isinstance(kernel, KernelVote) or not model.is_alone:
        return None
    if options.n_options < FEW or options.n_options * len(kernel.voters) > MOST_FACTORS:
        return None
    if kernel.weights is not None and float(kernel.weights.min()) <= 0.0:
        return None
    every = np.arange(options.n_options)[:, np.newaxis]
    asked, own = (_Costs(kernel, model.features, cases) for cases in (options.changed(case, every), case))
    added = np.zeros((options.n_options, len(kernel.voters)), dtype=np.float32)
    for i, column in enumerate(options.columns):
        here = slice(int(options.first[i]), int(options.first[i + 1]))
        for feature in column.features:
            if feature in model.features.positions:
                added[here] += asked.of(feature, here) - own.of(feature, slice(1))
    costs = np.concatenate([own.of(feature, slice(1)) for feature in model.features.positions])
    away = costs.sum(axis=0, dtype=np.float64)
    return KernelScreen(kernel, label, away, added)


class _Costs:
    """What the features of some cases add to their distances from the stored cases."""

    def __init__(self, kernel: KernelVote, features: Features, cases: Cases) -> None:
        self.kernel, self.features = kernel, features
        self.rows, self.places = kernel.question(features.inputs(cases))

    def of(self, feature: int, cases: slice) -> np.ndarray:
        """Return the costs of one feature, a row per case."""
        kernel, numeric = self.kernel, self.features.numeric
        if feature not in numeric:
            i = self.features.symbolic.index(feature)
            by_value: np.ndarray = kernel.costs[i][self.rows[i, cases]]
            return by_value[:, kernel.codes[i]]
        at = 2 * numeric.index(feature)  # the place in the range, then the rank
        apart = [np.abs(self.places[j, cases, np.newaxis] - kernel.places[j]) for j in (at, at + 1)]
        weights = np.array(kernel.plan["weights"][at : at + 2], dtype=np.float32)
        both: np.ndarray = weights[0] * apart[0] + weights[1] * apart[1]
        return both
