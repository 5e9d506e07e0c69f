"""Codelengths: how many bits it takes to say a hypothesis, and where it is wrong.

A model that is short and seldom wrong has understood something. Both parts are measured in the same unit: the bits of
a message from which somebody who has the examples without their classes could write the classes down. Every function
takes numbers only, so that it can be checked with a pencil; the formulas, their reasons and a worked example each are
in docs/codelengths.md.

References: Quinlan, Rivest, "Inferring decision trees using the minimum description length principle" (1989);
Saxena, "An algorithm to evaluate instance representations" (1991).
"""

from collections.abc import Iterable, Sequence
from math import fsum, isfinite, lgamma, log, log1p, log2

from casebase.errors import CasebaseError

PRECISION_BITS = 5  # to say with how many bits, 1 to 32, a perceptron's weights are said
LARGEST_EXACT = 2.0**26  # above, the difference of two logarithms of factorials has lost too many digits


def exceptions(n: float, k: float, *, bound: float | None = None, n_classes: int = 2) -> float:
    """Bits to say which k of n things are exceptions, and what they are instead.

    L(n, k, b) = log2(b + 1) + log2 binomial(n, k): first how many there are, at most `bound`, then which ones. With
    more than two classes each needs log2(C - 1) bits more: one of the others.

    >>> round(exceptions(14, 9), 3)
    14.874
    """
    bound = n if bound is None else bound
    if not 0 <= k <= bound <= n:
        raise CasebaseError(
            f"Of n things k are exceptions, at most `bound`: 0 <= k <= bound <= n; got n = {n}, k = {k}, "
            f"bound = {bound}."
        )
    _check_classes(n_classes)
    if k and n_classes < 2:
        raise CasebaseError(f"With one class nothing can be an exception, but there are {k}.")
    return log2(bound + 1) + log2_binomial(n, k) + (k * log2(n_classes - 1) if k else 0.0)


def ideal(n: float, k: float) -> float:
    """Bits to say n independent marks of which k are set: n times the entropy of their share.

    >>> ideal(8, 4), ideal(8, 0)
    (8.0, 0.0)
    """
    if not 0 <= k <= n:
        raise CasebaseError(f"Of n marks k are set: 0 <= k <= n; got n = {n}, k = {k}.")
    return fsum(-count * log2(count / n) for count in (k, n - k) if count)


def tree(choices: Iterable[float], n_leaves: int, n_classes: int) -> float:
    """Bits of a decision tree: one per node, which test at each test node, which class at each leaf.

    `choices` has one number per test node: how many tests could have stood there. Empty branches are leaves.

    >>> round(tree([4, 3, 3], n_leaves=5, n_classes=2), 3)
    18.17
    """
    tests = _choices(choices)
    return len(tests) + n_leaves + fsum(map(log2, tests)) + n_leaves * _class_bits(n_classes)


def igtree(branching: Iterable[tuple[int, int]], n_features: int, depth: int, n_leaves: int, n_classes: int) -> float:
    """Bits of an IGTree: the order of its features, the branches of its nodes, and their default classes.

    `branching` has, for every node with branches, how many values its feature has and how many of them are stored. A
    leaf is stored only if it differs from its parent's default, so its class is one of C - 1.

    >>> round(igtree([(2, 1)], n_features=2, depth=1, n_leaves=1, n_classes=2), 3)  # log2 3 + 1, 2, log2 3 + 1, 1
    8.17
    """
    inner = list(branching)
    said = log2(n_features + 1) + log2_arrangements(n_features, depth) + len(inner) + n_leaves
    if not inner:
        return said + _class_bits(n_classes)
    branches = fsum(exceptions(n_values, n_stored) for n_values, n_stored in inner)
    return said + branches + len(inner) * _class_bits(n_classes) + n_leaves * _class_bits(max(n_classes - 1, 1))


def rules(n_rules: Sequence[int], n_tests: float, n_classes: int) -> float:
    """Bits of hierarchical rules: how many levels, which tests at each of them, and the default.

    `n_rules` has the number of rules of every level. With two classes, levels alternate and the classes say themselves;
    with more, a rule is one of tests × classes.

    >>> round(rules([1, 2], n_tests=4, n_classes=2), 3)  # 3 for the levels, 1 for the default
    13.229
    """
    _check_classes(n_classes)
    n_possible = n_tests * (n_classes if n_classes > 2 else 1)
    return len(n_rules) + 1 + fsum(exceptions(n_possible, n) for n in n_rules) + _class_bits(n_classes)


def cuts(n_places: Iterable[int], n_cuts: Iterable[int]) -> float:
    """Bits to say where numeric features are cut: for each, which of the places between two of its numbers.

    >>> round(cuts([9], [2]), 3)
    8.492
    """
    return fsum(exceptions(places, n) for places, n in zip(n_places, n_cuts, strict=True))


def abstract_cases(
    n_values: Sequence[int], n_features: int, counts: Iterable[Sequence[float]], n_classes: int
) -> float:
    """Bits of abstract cases: the features kept, the combinations of values that occur, and their class counts.

    `n_values` has the number of values of each feature kept, `counts` the class counts of each abstract case (those
    that are 0 may be left out). Weights that are not whole are rounded up.

    >>> said = abstract_cases([2], n_features=2, counts=[[3], [2]], n_classes=2)
    >>> round(said, 3)  # log2 3 + 1 for the feature, log2 3 for both values, 5 for 5 cases, 2 for 3 + 2, 2 + log2 3
    14.755
    """
    totals = [sum(-int(-count // 1) for count in one) for one in counts]
    combinations = fsum(log2(n) for n in n_values)
    said = exceptions(n_features, len(n_values)) + _marked(combinations, len(totals))
    sizes = log2_binomial(sum(totals) - 1, len(totals) - 1) + whole_number(sum(totals))
    return said + sizes + fsum(log2_binomial(total + n_classes - 1, n_classes - 1) for total in totals)


def whole_number(n: int) -> int:
    """Bits of a whole number from 1 on that nothing bounds, by Elias' gamma code.

    >>> [whole_number(n) for n in (1, 2, 3, 4, 14)]
    [1, 3, 3, 5, 7]
    """
    if n < 1:
        raise CasebaseError(f"This code is for whole numbers from 1 on; got {n}.")
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
    """Bits of a perceptron: the classes it tells apart, its inputs, and its weights and thresholds.

    Every weight is said with `precision` bits, and 5 bits say how many those are. `n_available` is how many inputs it
    could have (all that it has, unless said): one bit each says whether it has it. Of the classes it may know only
    `n_present`: how many, and which.

    >>> perceptron(n_inputs=3, precision=8)  # 3 inputs; 5; 4 weights
    40.0
    """
    n_available = n_inputs if n_available is None else n_available
    n_present = n_classes if n_present is None else n_present
    if not 1 <= precision <= 2**PRECISION_BITS:
        raise CasebaseError(f"Weights are said with 1 to {2**PRECISION_BITS} bits each; got {precision}.")
    if not (2 <= n_present <= n_classes and 0 <= n_inputs <= n_available):
        raise CasebaseError(
            f"A perceptron tells two or more of the classes apart and has some of the inputs that there are; got "
            f"{n_present} of {n_classes} classes and {n_inputs} of {n_available} inputs."
        )
    classes = log2(n_classes - 1) + log2_binomial(n_classes, n_present)
    return classes + n_available + PRECISION_BITS + n_units * (n_inputs + 1) * precision


def perceptron_tree(choices: Iterable[float], n_leaves: int, perceptrons: Iterable[float], n_classes: int) -> float:
    """Bits of a tree of which some leaves are perceptrons: one more at each leaf says whether it is one.

    `n_leaves` counts the leaves that name a class, `perceptrons` has the bits of the others.

    >>> perceptron_tree([4], n_leaves=1, perceptrons=[perceptron(3)], n_classes=2)
    48.0
    """
    units = list(perceptrons)
    return tree(choices, n_leaves, n_classes) + n_leaves + 2 * len(units) + fsum(units)


def oblivious_graph(level_sizes: Sequence[int], n_values: Sequence[int], n_features: int, n_classes: int) -> float:
    """Bits of an oblivious decision graph: its features in order, the nodes of each level, where their branches lead.

    `level_sizes` has the nodes of every level that asks a feature, from the root's on, `n_values` the values of that
    feature. A branch leads to a node of the next level, to a class, or nowhere; every node has a default class.

    >>> round(oblivious_graph([1, 2], [2, 2], n_features=2, n_classes=2), 3)  # log2 3 + 1; 1; 2 log2 5, 4 log2 3; 3
    17.569
    """
    if len(level_sizes) != len(n_values):
        raise CasebaseError(
            f"Every level has a number of nodes and of values; got {len(level_sizes)} and {len(n_values)}."
        )
    said = log2(n_features + 1) + log2_arrangements(n_features, len(level_sizes))
    if not level_sizes:
        return said + _class_bits(n_classes)
    n_branches = [n_nodes * values for n_nodes, values in zip(level_sizes, n_values)]
    sizes = fsum(log2(branches) for branches in n_branches[:-1])  # a level has at most a node per branch above it
    targets = [n_nodes + n_classes + 1 for n_nodes in [*level_sizes[1:], 0]]
    branches = fsum(n * log2(to) for n, to in zip(n_branches, targets))
    return said + sizes + branches + sum(level_sizes) * _class_bits(n_classes)


def log2_binomial(n: float, k: float) -> float:
    """Bits to say which k of n things are meant.

    >>> round(log2_binomial(4, 2), 12) == round(log2(6), 12)
    True
    """
    k = min(k, n - k)
    if k <= 0:
        return 0.0
    if n > LARGEST_EXACT and k < LARGEST_EXACT:
        return _from_many(log2(n), k, n)
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


def log2_arrangements(n: int, k: int) -> float:
    """Bits to say k of n things in order.

    >>> log2_arrangements(4, 2) == log2(12)
    True
    """
    return fsum(log2(n - i) for i in range(k))


def _marked(bits: float, k: int) -> float:
    """Return what `exceptions` does, where the number of things is a power of two too large to be written out."""
    n = 2.0**bits if bits < 1000 else float("inf")
    if n <= LARGEST_EXACT:
        return exceptions(round(n), k)
    return bits + _from_many(bits, k, n)  # log2(n + 1) is log2(n) here


def _from_many(bits: float, k: float, n: float) -> float:
    """Return log2 binomial(n, k) for many things, of which log2 is given: the product of n - i, over k!."""
    if not isfinite(n):
        return k * bits - lgamma(k + 1) / log(2)
    # sum over i < k of log2(1 - i / n), as an integral: Stirling's formula without its cancelling terms
    lost = (n - k) * -log1p(-k / n) - k
    return k * bits + (lost - 0.5 * log1p(-k / n)) / log(2) - lgamma(k + 1) / log(2)


def _class_bits(n_classes: int) -> float:
    _check_classes(n_classes)
    return log2(n_classes)


def _check_classes(n_classes: int) -> None:
    if n_classes < 1:
        raise CasebaseError(f"There is at least one class; got {n_classes}.")


def _choices(choices: Iterable[float]) -> list[float]:
    tests = [float(choice) for choice in choices]
    if any(choice < 1 for choice in tests):
        raise CasebaseError("Every test was chosen from at least one: all numbers of `choices` are 1 or more.")
    return tests
