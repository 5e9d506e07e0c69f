"""Codelengths (minimum description length): the bits to encode a hypothesis and its exceptions.

A short model with few errors has captured a regularity. Model and errors are measured in the same unit: the bits of a
message from which a receiver, who has the examples without their classes, can reconstruct the classes. Every function
takes only numbers, so that it can be checked by hand; docs/codelengths.md has the formulas, their reasons and a worked
example of each.

References: Quinlan, Rivest, "Inferring decision trees using the minimum description length principle" (1989);
Saxena, "An algorithm to evaluate instance representations" (1991).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, repeat
from math import fsum, isfinite, lgamma, log, log1p, log2

from casebase.errors import CasebaseError

PRECISION_BITS = 5  # encode the precision of a perceptron's weights, 1 to 32 bits
LARGEST_EXACT = 2.0**26  # above this, the difference of two log-factorials has lost too many digits


def exceptions(n: float, k: float, *, bound: float | None = None, n_classes: int = 2) -> float:
    """Bits to encode which k of n items are exceptions, and their classes.

    L(n, k, b) = log2(b + 1) + log2 binomial(n, k): first the number of exceptions, at most `bound`, then which items
    they are. With C > 2 classes each exception takes log2(C - 1) bits more, for one of the other classes.

    >>> round(exceptions(14, 9), 3)
    14.874
    """
    bound = n if bound is None else bound
    if not 0 <= k <= bound <= n:
        raise CasebaseError(
            f"k of n items are exceptions, at most `bound`: 0 <= k <= bound <= n; got n = {n}, k = {k}, "
            f"bound = {bound}."
        )
    _check_classes(n_classes)
    if k and n_classes < 2:
        raise CasebaseError(f"With one class there are no exceptions; got {k}.")
    return log2(bound + 1) + log2_binomial(n, k) + (k * log2(n_classes - 1) if k else 0.0)


def ideal(n: float, k: float) -> float:
    """Bits to encode n independent binary marks, k of them set: n times the entropy of k / n.

    >>> ideal(8, 4), ideal(8, 0)
    (8.0, 0.0)
    """
    if not 0 <= k <= n:
        raise CasebaseError(f"k of n marks are set: 0 <= k <= n; got n = {n}, k = {k}.")
    return fsum(-count * log2(count / n) for count in (k, n - k) if count)


def tree(choices: Iterable[float], n_leaves: int, n_classes: int) -> float:
    """Bits of a decision tree: one bit per node for its type, the test of each test node, the class of each leaf.

    `choices` has one number per test node: how many tests were possible there. Empty branches are leaves.

    >>> round(tree([4, 3, 3], n_leaves=5, n_classes=2), 3)
    18.17
    """
    tests = _choices(choices)
    return len(tests) + n_leaves + fsum(map(log2, tests)) + n_leaves * _class_bits(n_classes)


def igtree(
    branching: Iterable[tuple[int, int]] | Mapping[tuple[int, int], int],
    n_features: int,
    depth: int,
    n_leaves: int,
    n_classes: int,
) -> float:
    """Bits of an IGTree: the order of its features, the branches of its nodes, and their default classes.

    `branching` has, for each inner node, the number of values of its feature and how many of them have a branch; or how
    many nodes have the same numbers. A leaf is stored only if its class differs from its parent's default, so its class
    is one of C - 1.

    >>> round(igtree([(2, 1)], n_features=2, depth=1, n_leaves=1, n_classes=2), 3)  # log2 3 + 1, 2, log2 3 + 1, 1
    8.17
    """
    inner = Counter(branching)
    n_inner = inner.total()
    shape = log2(n_features + 1) + log2_arrangements(n_features, depth) + n_inner + n_leaves
    if not inner:
        return shape + _class_bits(n_classes)
    # Added one by one, since a product would round; the sum is exact, so that their order does not matter.
    branches = fsum(chain.from_iterable(repeat(exceptions(*node), times) for node, times in inner.items()))
    return shape + branches + n_inner * _class_bits(n_classes) + n_leaves * _class_bits(max(n_classes - 1, 1))


def rules(n_rules: Sequence[int], n_tests: float, n_classes: int) -> float:
    """Bits of hierarchical rules: the number of levels, the tests of each level, and the default class.

    `n_rules` has the number of rules on each level. With two classes the levels alternate, so their classes take no
    bits; with more classes a rule is one of tests × classes.

    >>> round(rules([1, 2], n_tests=4, n_classes=2), 3)  # 3 for the levels, 1 for the default
    13.229
    """
    _check_classes(n_classes)
    n_possible = n_tests * (n_classes if n_classes > 2 else 1)
    return len(n_rules) + 1 + fsum(exceptions(n_possible, n) for n in n_rules) + _class_bits(n_classes)


def cuts(n_places: Iterable[int], n_cuts: Iterable[int]) -> float:
    """Bits to encode the cuts of numeric features: for each feature, which of the gaps between its numbers.

    >>> round(cuts([9], [2]), 3)
    8.492
    """
    return fsum(exceptions(places, n) for places, n in zip(n_places, n_cuts, strict=True))


def abstract_cases(
    n_values: Sequence[int], n_features: int, counts: Iterable[Sequence[float]], n_classes: int
) -> float:
    """Bits of abstract cases: the features kept, the combinations of values that occur, and their class counts.

    `n_values` has the number of values of each kept feature, `counts` the class counts of each abstract case (counts
    of 0 may be left out). Fractional weights are rounded up.

    >>> bits = abstract_cases([2], n_features=2, counts=[[3], [2]], n_classes=2)
    >>> round(bits, 3)  # log2 3 + 1 for the feature, log2 3 for both values, 5 for 5 cases, 2 for 3 + 2, 2 + log2 3
    14.755
    """
    totals = [sum(-int(-count // 1) for count in one) for one in counts]
    combinations = fsum(log2(n) for n in n_values)
    values = exceptions(n_features, len(n_values)) + _exceptions_of_power(combinations, len(totals))
    # Stars and bars: ways to divide all cases among the abstract cases, and each one's cases among the classes.
    sizes = log2_binomial(sum(totals) - 1, len(totals) - 1) + whole_number(sum(totals))
    return values + sizes + fsum(log2_binomial(total + n_classes - 1, n_classes - 1) for total in totals)


def whole_number(n: int) -> int:
    """Bits of a positive integer without an upper bound, in Elias' gamma code.

    >>> [whole_number(n) for n in (1, 2, 3, 4, 14)]
    [1, 3, 3, 5, 7]
    """
    if n < 1:
        raise CasebaseError(f"Elias' gamma code is for positive whole numbers; got {n}.")
    return 2 * n.bit_length() - 1


def perceptron(
    n_inputs: int,
    n_units: int = 1,
    precision: float = 8,
    *,
    n_available: int | None = None,
    n_classes: int = 2,
    n_present: int | None = None,
) -> float:
    """Bits of a perceptron: the classes it distinguishes, its inputs, and its weights and thresholds.

    Each weight takes `precision` bits, and the precision itself takes 5. `n_available` is the number of possible
    inputs (by default those it has): one bit each says whether it is used. `n_present` is the number of classes that
    it distinguishes (by default all): the code says how many, and which.

    >>> perceptron(n_inputs=3, precision=8)  # 3 inputs; 5; 4 weights
    40.0
    """
    n_available = n_inputs if n_available is None else n_available
    n_present = n_classes if n_present is None else n_present
    if not 1 <= precision <= 2**PRECISION_BITS:
        raise CasebaseError(f"A weight takes 1 to {2**PRECISION_BITS} bits; got {precision}.")
    if not (2 <= n_present <= n_classes and 0 <= n_inputs <= n_available):
        raise CasebaseError(
            f"A perceptron distinguishes at least two of the classes and uses some of the available inputs; got "
            f"{n_present} of {n_classes} classes and {n_inputs} of {n_available} inputs."
        )
    classes = log2(n_classes - 1) + log2_binomial(n_classes, n_present)
    return classes + n_available + PRECISION_BITS + n_units * (n_inputs + 1) * precision


def perceptron_tree(choices: Iterable[float], n_leaves: int, perceptrons: Iterable[float], n_classes: int) -> float:
    """Bits of a tree with perceptrons at some leaves: one more bit per leaf says which kind it is.

    `n_leaves` counts the leaves with a class, `perceptrons` has the bits of each perceptron.

    >>> perceptron_tree([4], n_leaves=1, perceptrons=[perceptron(3)], n_classes=2)
    48.0
    """
    units = list(perceptrons)
    return tree(choices, n_leaves, n_classes) + n_leaves + 2 * len(units) + fsum(units)


def oblivious_graph(
    level_sizes: Sequence[int],
    n_values: Sequence[int],
    n_features: int,
    n_classes: int,
    n_thresholds: Sequence[int] | None = None,
    *,
    skips: bool = False,
) -> float:
    """Bits of an oblivious decision graph: its features in order, the size of each level, the target of each branch.

    `level_sizes` has the number of nodes on each level that tests a feature, from the root on, `n_values` the number of
    values of that feature. A branch leads to a node of the next level, to a class, or nowhere; every node has a
    default class. With `n_thresholds`, the number of possible thresholds of each level, 0 for symbols, a feature may
    have several levels: each names its feature and its threshold, and one bit says that another level follows. In a
    graph that `skips` levels, a branch may lead to a node of any later level, and the default is a branch, not a class.

    >>> round(oblivious_graph([1, 2], [2, 2], n_features=2, n_classes=2), 3)  # log2 3 + 1; 1; 2 log2 5, 4 log2 3; 3
    17.569
    """
    if len(level_sizes) != len(n_values):
        raise CasebaseError(
            f"Expected as many numbers of nodes as of values, one per level; got {len(level_sizes)} and "
            f"{len(n_values)}."
        )
    if n_thresholds is None:
        order = log2(n_features + 1) + log2_arrangements(n_features, len(level_sizes))
    else:
        order = 1 + len(level_sizes) + fsum(log2(n_features * max(n, 1)) for n in n_thresholds)
    if not level_sizes:
        return order + _class_bits(n_classes)
    n_branches = [n_nodes * values for n_nodes, values in zip(level_sizes, n_values)]
    above = accumulate(n_branches) if skips else n_branches
    sizes = fsum(log2(n) for n in [*above][:-1])  # a level has at most one node per branch above it
    later = [*accumulate(reversed(level_sizes[1:]), initial=0)][::-1] if skips else [*level_sizes[1:], 0]
    targets = [n_nodes + n_classes + 1 for n_nodes in later]
    branches = fsum(n * log2(to) for n, to in zip(n_branches, targets))
    if skips:
        return order + sizes + branches + fsum(n * log2(to) for n, to in zip(level_sizes, targets))
    return order + sizes + branches + sum(level_sizes) * _class_bits(n_classes)


def log2_binomial(n: float, k: float) -> float:
    """Bits to encode a subset of k out of n items.

    >>> round(log2_binomial(4, 2), 12) == round(log2(6), 12)
    True
    """
    k = min(k, n - k)
    if k <= 0:
        return 0.0
    if n > LARGEST_EXACT and k < LARGEST_EXACT:
        return _log2_large_binomial(log2(n), k, n)
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


def log2_arrangements(n: int, k: int) -> float:
    """Bits to encode a sequence of k out of n items.

    >>> log2_arrangements(4, 2) == log2(12)
    True
    """
    return fsum(log2(n - i) for i in range(k))


def _exceptions_of_power(bits: float, k: int) -> float:
    """Return `exceptions(2**bits, k)`, also where 2**bits exceeds the range of a double."""
    n = 2.0**bits if bits < 1000 else float("inf")
    if n <= LARGEST_EXACT:
        return exceptions(round(n), k)
    return bits + _log2_large_binomial(bits, k, n)  # log2(n + 1) is log2(n) here


def _log2_large_binomial(bits: float, k: float, n: float) -> float:
    """Return log2 binomial(n, k) for large n, with `bits` = log2(n): the product of n - i for i < k, over k!."""
    if not isfinite(n):
        return k * bits - lgamma(k + 1) / log(2)
    # The sum over i < k of log2(1 - i / n) as an integral: Stirling's formula without its cancelling terms.
    lost = (n - k) * -log1p(-k / n) - k
    return k * bits + (lost - 0.5 * log1p(-k / n)) / log(2) - lgamma(k + 1) / log(2)


def _class_bits(n_classes: int) -> float:
    _check_classes(n_classes)
    return log2(n_classes)


def _check_classes(n_classes: int) -> None:
    if n_classes < 1:
        raise CasebaseError(f"n_classes is at least 1; got {n_classes}.")


def _choices(choices: Iterable[float]) -> list[float]:
    tests = [float(choice) for choice in choices]
    if any(choice < 1 for choice in tests):
        raise CasebaseError("Every test is chosen from at least one: all numbers in `choices` must be 1 or more.")
    return tests
