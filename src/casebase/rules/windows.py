"""Windowing: learn from a sample, add the examples that are predicted wrongly, and repeat until there are none.

A rule for a tenth of the examples is often nearly right on all of them, and is found in a fraction of the time. The
examples that it gets wrong join the window. The window grows in every round, so the process ends, at the latest when
the window contains all examples.

Reference: Quinlan, "Induction of decision trees" (1986); Kivinen, Mannila, Ukkonen, Vilo (1994), section 3.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from casebase.data.checks import is_number
from casebase.data.folds import checked_seed
from casebase.errors import CasebaseError

FRACTION = 0.1

Result = TypeVar("Result")


@dataclass(frozen=True)
class Round:
    """The size of a window, and the number of other examples that its result got wrong."""

    n_examples: int
    n_wrong: int


def windowed(
    n_examples: int,
    learn: Callable[[np.ndarray], Result],
    wrong: Callable[[Result], np.ndarray],
    *,
    fraction: float = FRACTION,
    seed: int = 0,
    max_rounds: int | None = None,
    start: np.ndarray | None = None,
) -> tuple[Result, tuple[Round, ...]]:
    """Return the result of the last window, which has no errors outside it, and the rounds.

    The first window is a random sample of at least one example, or the examples of `start`. `learn` gets the ascending
    positions of a window; `wrong` returns the positions of the examples that the result gets wrong. Errors inside the
    window do not count, because a learner that allows noise would otherwise never finish. After `max_rounds` windows,
    the last window is all examples.

    >>> windowed(10, learn=lambda window: set(window.tolist()), wrong=lambda known: np.array([7, 8]))[1]
    (Round(n_examples=1, n_wrong=2), Round(n_examples=3, n_wrong=0))
    """
    check_window(fraction)
    in_window = np.zeros(n_examples, dtype=bool)
    if start is None:
        drawn = np.random.default_rng(checked_seed(seed)).permutation(n_examples)
        start = drawn[: max(1, round(n_examples * fraction))]
    in_window[start] = True
    rounds: list[Round] = []
    while True:
        result = learn(np.flatnonzero(in_window))
        missed = np.asarray(wrong(result), dtype=np.int64)
        missed = missed[~in_window[missed]]
        rounds.append(Round(int(in_window.sum()), len(missed)))
        if not len(missed):
            return result, tuple(rounds)
        if max_rounds is not None and len(rounds) >= max_rounds:
            in_window[:] = True
        else:
            in_window[missed] = True


def check_window(fraction: object) -> None:
    if not is_number(fraction) or not 0.0 < fraction <= 1.0:
        raise CasebaseError(
            f"The window is the share of examples to start with, above 0 and at most 1; got {fraction!r}."
        )
