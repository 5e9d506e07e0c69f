"""All stored cases vote with exp(-distance): two loops, over questions and over stored cases.

A case is (numbers, None if missing; symbols). A weight has two parts per feature: numbers by place in the range and by
rank, symbols by being different and by the difference of their classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

OF_FREQUENCY = 0.02


@dataclass
class Scale:
    """The range of a number, the number that stands for a missing one, and numbers to take a rank among."""

    low: float
    width: float
    middle: float
    ranked: Sequence[float]

    def places(self, number: float | None) -> tuple[float, float]:
        x = self.middle if number is None else number
        place = min(max((x - self.low) / self.width, -1.0), 2.0)
        return place, sum(other < x for other in self.ranked) / len(self.ranked)


def class_shares(cases, labels, feature: int, value, prior, without: int | None) -> list[float]:
    """Return the classes that occur with a value, as if one more case with the class frequencies had it."""
    counts = [0] * len(prior)
    for i, (_, symbols) in enumerate(cases):
        if symbols[feature] == value and i != without:
            counts[labels[i]] += 1
    return [(n + p) / (sum(counts) + 1) for n, p in zip(counts, prior)]


def distance(asked, other, cases, labels, scales, weights, prior, without: int | None) -> float:
    total, at = 0.0, 0
    for scale, x, z in zip(scales, asked[0], other[0]):
        for a, b in zip(scale.places(x), scale.places(z)):
            total += weights[at] * abs(a - b)
            at += 1
    for feature, (x, z) in enumerate(zip(asked[1], other[1])):
        if x != z:
            mine = class_shares(cases, labels, feature, x, prior, without)
            theirs = class_shares(cases, labels, feature, z, prior, None)
            apart = sum(abs(a - b) for a, b in zip(mine, theirs)) / 2
            total += weights[at] + weights[at + 1] * apart
        at += 2
    return total


def shares(asked, cases, labels, case_weights, voters, scales, weights, n_classes: int, without=None) -> list[float]:
    """Return the shares of the votes; the nearest case has vote 1, and the class frequencies vote a little.

    A case that is left out does not vote, does not count in the frequencies, and is subtracted from the counts of its
    own values; the frequencies that smooth these counts are those of all cases.
    """
    prior = frequencies(labels, case_weights, n_classes, None)
    far = {i: distance(asked, cases[i], cases, labels, scales, weights, prior, without) for i in voters if i != without}
    nearest = min(far.values())
    votes = [OF_FREQUENCY * share for share in frequencies(labels, case_weights, n_classes, without)]
    for i, d in far.items():
        votes[labels[i]] += case_weights[i] * exp(nearest - d)
    return [vote / sum(votes) for vote in votes]


def frequencies(labels, case_weights, n_classes: int, without: int | None) -> list[float]:
    sums = [0.0] * n_classes
    for i, label in enumerate(labels):
        if i != without:
            sums[label] += case_weights[i]
    return [s / sum(sums) for s in sums]


def loss(differences, labels, weights, n_classes: int) -> float:
    """Return the mean log loss of cases that are answered by the others; a thousandth of the vote is uniform."""
    total, n = 0.0, len(labels)
    for i in range(n):
        far = {z: sum(w * float(d[i][z]) for w, d in zip(weights, differences)) for z in range(n) if z != i}
        votes = {z: exp(min(far.values()) - d) for z, d in far.items()}
        own = sum(vote for z, vote in votes.items() if labels[z] == labels[i])
        share = own / sum(votes.values())
        total -= log((share + 0.001 / n_classes) / 1.001)
    return total / n
