"""The health of a table by its definitions: every record is answered by a plain loop over all the others.

Distances are unweighted overlap. The vote is IB1's at k = 1: the nearest others vote; a tie is repeated with the next
distance and counts if it is not tied; otherwise the class with more other records wins, then the first by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial

Row = Sequence[str]


def distance(a: Row, b: Row) -> int:
    return sum(x != y for x, y in zip(a, b))


def groups(rows: Sequence[Row], asked: int, there: Collection[int]) -> list[list[int]]:
    """Return the records that are there, without the asked one, by ascending distance."""
    by_distance: dict[int, list[int]] = {}
    for i in there:
        if i != asked:
            by_distance.setdefault(distance(rows[i], rows[asked]), []).append(i)
    return [by_distance[d] for d in sorted(by_distance)]


def answer(rows: Sequence[Row], labels: Sequence[str], asked: int, there: Collection[int]) -> str | None:
    """Return the vote of the records that are there; ties by the class frequencies of all but the asked record."""
    frequency = Counter(label for i, label in enumerate(labels) if i != asked)
    near = groups(rows, asked, there)
    if not near:
        return None

    def vote(members: Sequence[int]) -> tuple[str, bool]:
        votes = Counter(labels[i] for i in members)
        best = max(votes.values())
        tied = sorted((label for label in votes if votes[label] == best), key=lambda c: (-frequency[c], c))
        return tied[0], len(tied) > 1

    first, is_tied = vote(near[0])
    if is_tied and len(near) > 1:
        second, still_tied = vote([*near[0], *near[1]])
        if not still_tied:
            return second
    return first


def answers(rows: Sequence[Row], labels: Sequence[str], there: Collection[int]) -> list[str | None]:
    """Return the answer about every record, from those that are there."""
    return [answer(rows, labels, i, there) for i in range(len(rows))]


def n_decided(rows: Sequence[Row], labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return, for each record, how many answers about others change without it, and how many of them were right."""
    everyone = range(len(rows))
    before = answers(rows, labels, everyone)
    found = []
    for i in everyone:
        left = [j for j in everyone if j != i]
        changed = [j for j in left if answer(rows, labels, j, left) != before[j]]
        found.append((len(changed), sum(before[j] == labels[j] for j in changed)))
    return found


def shapley(rows: Sequence[Row], labels: Sequence[str], n_near: int | None = None) -> list[Fraction]:
    """Return the Shapley values of all records, summed over all asked records, by all coalitions of the others.

    With `n_near`, the records beyond the first distance up to which there are so many are equally far.
    """
    n = len(rows)
    total = [Fraction(0)] * n
    for asked in range(n):
        others = [i for i in range(n) if i != asked]

        place: dict[int, int] = {}
        for rank, group in enumerate(groups(rows, asked, others)):
            is_far = n_near is not None and len(place) >= n_near
            place |= dict.fromkeys(group, len(rows) if is_far else rank)

        def worth(members: Sequence[int], asked: int = asked, place: dict[int, int] = place) -> Fraction:
            if not members:
                return Fraction(0)
            near = [i for i in members if place[i] == min(place[j] for j in members)]
            return Fraction(sum(labels[i] == labels[asked] for i in near), len(near))

        for i in others:
            rest = [j for j in others if j != i]
            for size in range(len(rest) + 1):
                weight = Fraction(factorial(size) * factorial(len(rest) - size), factorial(len(others)))
                for members in combinations(rest, size):
                    total[i] += weight * (worth([*members, i]) - worth(members))
    return total


def ceiling(rows: Sequence[Row], labels: Sequence[str]) -> Fraction:
    """Return the share of the records that the most frequent class of each distinct row has."""
    by_row: dict[tuple[str, ...], Counter[str]] = {}
    for row, label in zip(rows, labels):
        by_row.setdefault(tuple(row), Counter())[label] += 1
    return Fraction(sum(max(counts.values()) for counts in by_row.values()), len(rows))
