"""C4.5's rules from paths, without shortcuts: everything is counted anew for every rule and every subset.

Quinlan, "C4.5: programs for machine learning" (1993), chapter 5.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb, factorial, log2
from typing import Any

from tests.oracles.c45 import added_errors

Test = Callable[[Sequence[Any]], bool]


def rate(tests: Sequence[Test], label: Any, rows: Sequence[Sequence[Any]], labels: Sequence[Any], cf: float) -> float:
    """Return the pessimistic error rate of a rule."""
    held = [i for i, row in enumerate(rows) if all(test(row) for test in tests)]
    errors = sum(labels[i] != label for i in held)
    return (errors + added_errors(len(held), errors, cf)) / len(held) if held else 1.0


def generalise(
    tests: Sequence[Test], label: Any, rows: Sequence[Sequence[Any]], labels: Sequence[Any], cf: float
) -> list[int]:
    """Return the positions of the tests that remain after generalisation."""
    kept = list(range(len(tests)))
    while kept:
        now = rate([tests[i] for i in kept], label, rows, labels, cf)
        without = {i: rate([tests[j] for j in kept if j != i], label, rows, labels, cf) for i in kept}
        least = min(without.values())
        if least > now + 1e-9:
            break
        kept.remove(max(i for i in kept if without[i] <= least + 1e-9))
    return kept


def cost(subset: Sequence[int], held: Sequence[set[int]], own: set[int], n: int, bits: Sequence[float]) -> float:
    """Return the bits of the exceptions to the rules of a class, plus half the bits of the rules."""
    covered = set().union(*(held[i] for i in subset))
    theory = sum(bits[i] for i in subset) - log2(factorial(len(subset)))
    wrong, missed = len(covered - own), len(own - covered)
    return 0.5 * theory + log2(comb(len(covered), wrong)) + log2(comb(n - len(covered), missed))


def select(held: Sequence[set[int]], own: set[int], n: int, bits: Sequence[float]) -> list[int]:
    """Return the subset of a class's rules with the lowest cost; ties go to the smaller subset, then the first."""
    subsets = [list(s) for size in range(len(held) + 1) for s in combinations(range(len(held)), size)]
    return min(subsets, key=lambda s: (round(cost(s, held, own, n, bits), 6), len(s), s))
