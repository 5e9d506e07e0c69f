"""The votes about many records at once, and their winners under IB1's rule for ties."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Votes:
    """The amount that each class has in each case: one entry per case and class with votes, sorted by both."""

    case: np.ndarray
    label: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True, eq=False)
class Preference:
    """The rule for ties: the class with more records, without the one that is asked about; then the first class.

    `frequency` counts the records of each class, `own` is the class of each case that is asked about.
    """

    frequency: np.ndarray
    own: np.ndarray

    def of(self, case: np.ndarray, label: np.ndarray) -> np.ndarray:
        """Return how many records each class has in each case; the more the better."""
        records: np.ndarray = self.frequency[label] - (self.own[case] == label)
        return records

    def take(self, cases: np.ndarray) -> "Preference":
        return Preference(self.frequency, self.own[cases])


def tally(case: np.ndarray, label: np.ndarray, amount: np.ndarray, n_classes: int) -> Votes:
    """Return the votes of some entries, summed by case and class.

    >>> votes = tally(np.array([0, 0, 1]), np.array([2, 2, 0]), np.array([1.0, 3.0, 1.0]), 3)
    >>> votes.case.tolist(), votes.label.tolist(), votes.amount.tolist()
    ([0, 1], [2, 0], [4.0, 1.0])
    """
    keys, which = np.unique(case.astype(np.int64) * n_classes + label, return_inverse=True)
    return Votes(keys // n_classes, keys % n_classes, np.bincount(which.ravel(), amount, minlength=len(keys)))


def leaders(votes: Votes, n_cases: int, preference: Preference) -> tuple[np.ndarray, np.ndarray]:
    """Return the class that wins each case, -1 without votes, and its lead over the next class; 0 is a tie.

    >>> votes = tally(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1.0, 3.0, 2.0, 2.0]), 2)
    >>> winner, lead = leaders(votes, 2, Preference(np.array([5, 9]), np.array([0, 0])))
    >>> winner.tolist(), lead.tolist()
    ([1, 1], [2.0, 0.0])
    """
    order = np.lexsort([votes.label, -preference.of(votes.case, votes.label), -votes.amount, votes.case])
    case, label, amount = votes.case[order], votes.label[order], votes.amount[order]
    winner, lead = np.full(n_cases, -1), np.zeros(n_cases)
    first = np.flatnonzero(np.diff(case, prepend=-1))
    winner[case[first]] = label[first]
    lead[case[first]] = amount[first]
    second = first + 1
    second = second[second < len(case)]
    second = second[case[second] == case[second - 1]]
    lead[case[second]] -= amount[second]
    return winner, lead


def decide(
    case: np.ndarray, rank: np.ndarray, label: np.ndarray, amount: np.ndarray, n_cases: int, preference: Preference
) -> tuple[np.ndarray, np.ndarray]:
    """Return IB1's answer at k = 1 in each case, -1 without votes, and whether the first vote was tied.

    An entry is an amount of votes for a class at the distance of a rank. The first rank that has votes decides; if it
    is tied, the first two together, unless they are tied, too.
    """
    n_classes = len(preference.frequency)
    there = amount > 0
    case, rank, label, amount = case[there], rank[there], label[there], amount[there]
    none = np.iinfo(np.int64).max
    first, second = np.full(n_cases, none), np.full(n_cases, none)
    np.minimum.at(first, case, rank)
    later = rank > first[case]
    np.minimum.at(second, case[later], rank[later])
    near = rank == first[case]
    answer, lead = leaders(tally(case[near], label[near], amount[near], n_classes), n_cases, preference)
    is_tied = (lead == 0) & (answer >= 0)
    again = is_tied[case] & (rank <= second[case])
    other, other_lead = leaders(tally(case[again], label[again], amount[again], n_classes), n_cases, preference)
    return np.where(is_tied & (other_lead > 0), other, answer), is_tied
