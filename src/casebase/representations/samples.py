"""One run of one representation: hypotheses from growing samples, their codelengths, and the stopping rule."""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor

import numpy as np

from casebase.measures import codelengths
from casebase.measures.trend import SHARE, increase_p, share_outside
from casebase.representations.reasons import ALL_EXAMPLES, INCREASING, INDEPENDENT, NO_ERRORS
from casebase.representations.record import Run

# From the rows of a sample to the errors of its hypothesis on all examples, and its codelength.
Learn = Callable[[np.ndarray], tuple[np.ndarray, float]]


@dataclass(frozen=True, eq=False)
class Examples:
    """The examples in one representation, as a learner sees them; `order` is that of the error vector."""

    name: str
    learn: Learn
    order: np.ndarray | None
    n_examples: int
    n_classes: int


@dataclass(frozen=True)
class Measurement:
    """A hypothesis from one sample: its codelength, that of its errors, and the autocorrelation of these."""

    hypothesis_bits: float
    error_bits: float
    n_errors: int
    share_outside: float | None


def sample_sizes(n_examples: int, first_size: int, growth: float) -> list[int]:
    """Return the sample sizes of a run: each is `growth` times the one before, and the last has all examples.

    >>> sample_sizes(100, 10, 2.0)
    [10, 20, 40, 80, 100]
    """
    sizes: list[int] = []
    power = 0
    while not sizes or sizes[-1] < n_examples:
        size = min(floor(first_size * growth**power + 0.5 + 1e-9), n_examples)
        if not sizes or size > sizes[-1]:
            sizes.append(size)
        power += 1
    return sizes


def sampling_order(seed: int, number: int, n_examples: int) -> np.ndarray:
    """Return the examples in the order in which a run draws them; each sample is a prefix of the next."""
    return np.random.default_rng([seed, number]).permutation(n_examples)


def measure(examples: Examples, rows: np.ndarray) -> Measurement:
    """Learn from some of the examples and return the codelengths over all of them."""
    is_wrong, bits = examples.learn(rows)
    n_errors = int(np.count_nonzero(is_wrong))
    in_order = is_wrong if examples.order is None else is_wrong[examples.order]
    return Measurement(
        bits,
        codelengths.exceptions(examples.n_examples, n_errors, n_classes=examples.n_classes),
        n_errors,
        share_outside(in_order),
    )


def run(
    examples: Examples, number: int, seed: int, sizes: list[int], known: dict[int, Measurement], alpha: float = 0.01
) -> Run:
    """Run over samples of these sizes until the codelength cannot decrease any more.

    `known` caches the measurements of this run's samples by size.
    """
    order = sampling_order(seed, number, examples.n_examples)
    steps: list[Measurement] = []
    increases: list[float | None] = []
    stopped = ALL_EXAMPLES
    for size in sizes:
        if size not in known:
            known[size] = measure(examples, order[:size])
        steps.append(known[size])
        increases.append(increase_p([step.hypothesis_bits + step.error_bits for step in steps]))
        why = _reason(steps[-1], increases[-1], examples.n_examples, alpha)
        if why is not None:
            stopped = why
            break
    return Run(
        number,
        examples.name,
        tuple(sizes[: len(steps)]),
        tuple(step.hypothesis_bits for step in steps),
        tuple(step.error_bits for step in steps),
        tuple(step.n_errors for step in steps),
        tuple(step.share_outside for step in steps),
        tuple(increases),
        stopped,
    )


def _reason(step: Measurement, p_increase: float | None, n_examples: int, alpha: float) -> str | None:
    """Return why a run ends here, None if it continues."""
    if step.n_errors in (0, n_examples):
        return NO_ERRORS
    if step.share_outside is not None and step.share_outside < SHARE:
        return INDEPENDENT
    if p_increase is not None and p_increase < alpha:
        return INCREASING
    return None
