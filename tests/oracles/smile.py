"""SMILE: the sets of features on which stored cases agree with the query, and their pools of cases.

Han and Lam, "Lazy learning by scanning memory image lattice". `explore` follows Figure 2 line by
line: the largest joints M(d, t) first; a joint is accepted if its pool has more than alpha cases, and
only then are the cases it covers removed. `maximal_joints` is a second way, by the properties of U
(Equations 3.4 to 3.6) in the complete lattice: of all the joints that some case has for its
maximal overlap and whose pool is large enough, those that no other such joint covers. Both give
the same joints, as tests/oracle_checks/test_selection_examples.py checks.

Equation 4.14 counts every case once for each pool it is in (`"cases"`). Another reading, `"size"`, weighs a pool by
2^|U_i|, the number of subsets of its joint, in each of which the paper's lattice has a copy of every case of the pool.

A missing value agrees with nothing. A case of weight n counts as n cases, in alpha too. If no joint
is accepted, all cases vote. Equal likelihoods: the class more frequent in the memory,
then the earlier label.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Row = Sequence[Hashable]
Weights = Sequence[float]
Joint = frozenset[int]
Distribution = dict[str, float]


@dataclass
class Answer:
    """A class, its likelihood score and those of the others, and the joints with their pools' classes."""

    label: str
    likelihood: Distribution  # Equation 4.14, or its weighted reading, for every class of the memory
    pools: dict[Joint, Distribution]  # U, and |S(U_i, t, c)|


def maximal_overlap(d: Row, t: Row) -> Joint:
    """Return M(d, t): the features on which two cases agree.

    >>> sorted(maximal_overlap(["a", "x", None], ["a", "y", None]))
    [0]
    """
    return frozenset(f for f in range(len(t)) if d[f] is not None and t[f] is not None and d[f] == t[f])


def pool(rows: Sequence[Row], joint: Joint, t: Row) -> list[int]:
    """Return S(A, t): the cases that agree with t on every feature of the joint."""
    return [i for i, d in enumerate(rows) if all(d[f] is not None and d[f] == t[f] for f in joint)]


def size(cases: Sequence[int], weights: Weights) -> float:
    """Return |S|, a case of weight n counting as n."""
    return sum(weights[i] for i in cases)


def explore(
    rows: Sequence[Row], t: Row, alpha: float, weights: Weights | None = None, *, is_active_only: bool = False
) -> list[Joint]:
    """Return U by Figure 2, line by line; `is_active_only` counts the pool in E instead of the memory."""
    weights = [1] * len(rows) if weights is None else weights
    chosen: list[Joint] = []  # 2
    m = {i: maximal_overlap(d, t) for i, d in enumerate(rows)}
    e = [i for i in m if weights[i] > 0 and len(m[i]) > 0]  # 3 to 5
    e_max = max((len(m[i]) for i in e), default=0)  # 6
    for j in range(e_max, 0, -1):  # 7
        for i in [i for i in e if len(m[i]) == j]:  # 8
            if i not in e:
                continue
            members = pool(rows, m[i], t)
            if is_active_only:
                members = [k for k in members if k in e]
            if size(members, weights) > alpha:  # 9
                chosen.append(m[i])  # 10
                for k in list(e):  # 11
                    if m[k] <= m[i]:  # 12
                        e.remove(k)  # 13
    return chosen


def lattice(n_features: int) -> list[Joint]:
    """Return every joint but the empty one: the nodes of Figure 1."""
    return [frozenset(joint) for n in range(1, n_features + 1) for joint in combinations(range(n_features), n)]


def maximal_joints(rows: Sequence[Row], t: Row, alpha: float, weights: Weights | None = None) -> set[Joint]:
    """Return U by its properties, from the whole lattice."""
    weights = [1] * len(rows) if weights is None else weights
    images = [maximal_overlap(d, t) for i, d in enumerate(rows) if weights[i] > 0]
    candidates = [node for node in lattice(len(t)) if node in images and size(pool(rows, node, t), weights) > alpha]
    return {node for node in candidates if not any(node < other for other in candidates)}


def classify(
    rows: Sequence[Row],
    labels: Sequence[str],
    t: Row,
    alpha: float,
    weights: Weights | None = None,
    by: str = "cases",
) -> Answer:
    """Return the likelihood of every class by Equation 4.14, and the most likely one.

    >>> classify([["a"], ["a"], ["b"]], list("PQQ"), ["a"], 0).likelihood
    {'P': 0.5, 'Q': 0.5}
    >>> classify([["a", "x", "r"], ["b", "x", "s"]], list("PQ"), ["a", "x", "s"], 0, by="size").likelihood
    {'P': 0.5, 'Q': 0.5}
    >>> classify([["a", "x", "r"], ["b", "y", "s"]], list("PQ"), ["a", "x", "s"], 0, by="size").likelihood["P"] * 3
    2.0
    """
    weights = [1] * len(rows) if weights is None else weights
    memory = count(range(len(rows)), labels, weights)
    pools = {joint: count(pool(rows, joint, t), labels, weights) for joint in explore(rows, t, alpha, weights)}
    weighed = [
        {c: n * Fraction(2) ** len(joint) if by == "size" else n for c, n in counts.items()}
        for joint, counts in pools.items()
    ]
    distributions = weighed or [memory]
    total = sum(sum(distribution.values()) for distribution in distributions)
    likelihood = {
        c: float(sum(distribution.get(c, 0) for distribution in distributions) / total) for c in sorted(memory)
    }
    label = min(memory, key=lambda c: (-sum(d.get(c, 0) for d in distributions), -memory[c], c))
    return Answer(label, likelihood, pools)


def count(cases: Sequence[int], labels: Sequence[str], weights: Weights) -> Distribution:
    """Return how often each class occurs among the cases."""
    counts: Distribution = {}
    for i in cases:
        if weights[i] > 0:
            counts[labels[i]] = counts.get(labels[i], 0) + weights[i]
    return counts


def leave_one_out_errors(
    rows: Sequence[Row],
    labels: Sequence[str],
    alpha: float,
    weights: Weights | None = None,
    leave_out: str = "one",
    by: str = "cases",
) -> float:
    """Return the weight of the cases that the others answer wrongly; a case without others counts as an error.

    Of a case of weight n, `"one"` leaves out one of the n cases it stands for, `"case"` all of them.
    """
    weights = [1] * len(rows) if weights is None else weights
    errors = 0.0
    for i, row in enumerate(rows):
        rest = list(weights)
        rest[i] = max(rest[i] - 1, 0) if leave_out == "one" else 0
        if sum(rest) == 0 or classify(rows, labels, row, alpha, rest, by).label != labels[i]:
            errors += weights[i]
    return errors


def choose_alpha(
    rows: Sequence[Row],
    labels: Sequence[str],
    candidates: Sequence[int],
    weights: Weights | None = None,
    leave_out: str = "one",
    by: str = "cases",
) -> int:
    """Return the candidate that makes the fewest leave-one-out errors, the smallest of equal ones."""
    return min(candidates, key=lambda a: (leave_one_out_errors(rows, labels, a, weights, leave_out, by), a))
