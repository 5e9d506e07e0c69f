"""Smoothed probabilities: votes are mixed with the class frequencies, by as much as held-out cases need.

With V votes in all, of which v are for a class of frequency q, the probability of the class is

    p = (V ** power · s + amount · q) / (V ** power + amount)        s = v ** sharpness / sum of v ** sharpness

With sharpness and power 1 this is the m-estimate: the class frequencies count as `amount` more votes. With power 0 the
number of votes says nothing, and a fixed part of each probability comes from the class frequencies. A sharpness above 1
is for learners whose votes are more often right than their shares say. All three are those with the smallest log loss
on cases that the votes have not seen.

The prediction keeps the largest probability. Where smoothing would give it to more frequent classes, these and the
predicted class share what they have in equal parts, which is the nearest vector in which no class is above it.

References: Cestnik, "Estimating probabilities: a crucial task in machine learning" (1990); Provost, Domingos, "Tree
induction for probability-based ranking" (2003).
"""

from dataclasses import dataclass

import numpy as np

from casebase.measures import functions

SHARPNESSES = (1.0, 0.5, 2.0, 4.0)
POWERS = (1.0, 0.5, 0.0)
AMOUNTS = tuple(functions.power(10.0, (i - 6) / 3) for i in range(16))  # from 0.01 to 1000
MARGIN = 1e-9  # by which the prediction is above classes that are as probable
MOST_SHARES = 40_000  # held-out cases times classes that are looked at; more would not change the choice
MOST_VOTED = 400_000  # of these, shares with a vote: where thousands of classes all have votes, fewer cases are enough


@dataclass(frozen=True)
class Smoothing:
    """How votes are smoothed; a vote counts as one if it has the weight `unit`."""

    amount: float = 1.0
    power: float = 1.0
    sharpness: float = 1.0
    unit: float = 1.0

    def shares(
        self, votes: np.ndarray, answers: np.ndarray, frequency: np.ndarray, *, in_place: bool = False
    ) -> np.ndarray:
        """Return votes, one row per case and one column per class, as probabilities; the answer has the largest.

        Where nobody needs the votes afterwards, they are replaced `in_place`: with many classes a new array takes
        longer than the sums.

        >>> votes = np.array([[3.0, 1.0], [0.0, 1.0]])
        >>> Smoothing(amount=2.0).shares(votes, np.array([0, 1]), np.array([3.0, 1.0])).round(3).tolist()
        [[0.75, 0.25], [0.5, 0.5]]
        """
        prior = frequency / frequency.sum()
        n_votes = votes.sum(axis=1, keepdims=True)
        strength = functions.power(n_votes / self.unit, self.power)
        shares: np.ndarray = np.divide(votes, n_votes, out=votes if in_place else None)
        if self.sharpness != 1.0:
            voted = shares > 0.0  # most classes have no vote
            shares[voted] = functions.power(shares[voted], self.sharpness)
            shares /= shares.sum(axis=1, keepdims=True)
        shares *= strength
        shares += self.amount * prior
        shares /= strength + self.amount
        return with_largest(shares, answers)


def with_largest(shares: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return shares in which each row's answer is the largest: it and the classes above it become equal.

    The answer gets a little more than the others, so that the class of the largest share is the answer.

    >>> with_largest(np.array([[0.5, 0.1, 0.4]]), np.array([1])).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """
    every = np.arange(len(shares))
    own = shares[every, answers]
    shares[every, answers] = -1.0
    is_largest = shares.max(axis=1) < own
    shares[every, answers] = own
    if is_largest.all():
        return shares
    rows = np.flatnonzero(~is_largest)
    mine, answer, others = own[rows], answers[rows], shares[rows].copy()
    others[np.arange(len(rows)), answer] = -1.0
    falling = -np.sort(-others, axis=1)[:, :-1]
    # The mean of the answer and the k largest others, for every k: pool until the next one is below the mean.
    sizes = np.arange(2, shares.shape[1] + 1)
    means = (mine[:, None] + np.cumsum(falling, axis=1)) / sizes
    is_next_below = np.hstack([falling[:, 1:] < means[:, :-1], np.ones((len(rows), 1), dtype=bool)])
    n_pooled = is_next_below.argmax(axis=1) + 1
    level = means[np.arange(len(rows)), n_pooled - 1]
    lowest = falling[np.arange(len(rows)), n_pooled - 1]
    pooled = np.where(others >= lowest[:, None], level[:, None] * (1 - MARGIN), others)
    pooled[np.arange(len(rows)), answer] = level * (1 + MARGIN * n_pooled)
    smoothed = shares.copy()
    smoothed[rows] = pooled
    return smoothed


def log_losses(shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the negative logarithm of the probability of each case's class."""
    losses: np.ndarray = -functions.log(np.maximum(shares[np.arange(len(labels)), labels], 1e-300))
    return losses


def fit_smoothing(
    votes: np.ndarray,
    answers: np.ndarray,
    labels: np.ndarray,
    frequency: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    unit: float = 1.0,
    are_counts: bool = True,
) -> Smoothing:
    """Return the smoothing with the smallest log loss on held-out cases: their votes, answers, classes and weights.

    Votes that are no counts of cases, because they depend on distances, are smoothed with power 0.

    >>> votes = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> fit_smoothing(votes, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), np.array([3.0, 1.0])).amount > 0.01
    True
    """
    some = _looked_at(votes)
    held_out = HeldOutVotes(votes[some], answers[some], labels[some], frequency)
    weights = None if weights is None else weights[some]
    candidates = [
        Smoothing(amount, power, sharpness, unit)
        for sharpness in SHARPNESSES
        for power in (POWERS if are_counts else POWERS[-1:])
        for amount in AMOUNTS
    ]
    losses = [np.average(held_out.log_losses(candidate), weights=weights) for candidate in candidates]
    # To the last digits the order of the cases decides a sum, and must not decide the choice.
    return candidates[int(np.argmin(np.round(losses, 9)))]


def _looked_at(votes: np.ndarray) -> np.ndarray:
    """Return the positions of the held-out cases by which a smoothing is chosen."""
    n_most = max(1_000, MOST_SHARES // votes.shape[1])
    some = np.arange(len(votes))[:: max(1, -(-len(votes) // n_most))]
    return some[:: max(1, -(-np.count_nonzero(votes[some]) // MOST_VOTED))]


class HeldOutVotes:
    """The votes for held-out cases without the classes that nobody voted for, which are nearly all if there are many.

    The loss of a smoothing needs the share of one class per case, and the level at which the answer is pooled with the
    classes above it. Of the classes without a vote this needs only how many are above a level and what they add up to:
    the class frequencies, sorted and summed once, say both.
    """

    def __init__(self, votes: np.ndarray, answers: np.ndarray, labels: np.ndarray, frequency: np.ndarray) -> None:
        prior = frequency / frequency.sum()
        self.row, label = np.nonzero(votes)
        self.n_votes = votes.sum(axis=1)
        self.voted_share = votes[self.row, label] / self.n_votes[self.row]
        self.prior, self.prior_of_answer, self.prior_of_label = prior[label], prior[answers], prior[labels]
        self.is_answer, self.is_label = label == answers[self.row], label == labels[self.row]
        self.answer_has_votes = self._sums(self.is_answer) > 0
        self.is_right = answers == labels
        self.rising = np.sort(prior)
        self.rest = np.append(np.cumsum(self.rising[::-1])[::-1], 0.0)  # the sum of each frequency and all above it

    def _sums(self, amounts: np.ndarray) -> np.ndarray:
        return np.bincount(self.row, amounts, minlength=len(self.n_votes))

    def log_losses(self, smoothing: Smoothing) -> np.ndarray:
        """Return the negative logarithm of the probability of each case's class, as `Smoothing.shares` has it."""
        strength = functions.power(self.n_votes / smoothing.unit, smoothing.power)
        power = functions.power(self.voted_share, smoothing.sharpness)
        by_votes = power * (strength / (strength + smoothing.amount) / self._sums(power))[self.row]
        by_prior = smoothing.amount / (strength + smoothing.amount)
        own = by_prior * self.prior_of_answer + self._sums(by_votes * self.is_answer)
        wanted = by_prior * self.prior_of_label + self._sums(by_votes * self.is_label)
        level, n_pooled = self._pooled(own, by_votes + by_prior[self.row] * self.prior, by_prior)
        found = np.where(self.is_right, level * (1 + MARGIN * n_pooled), np.minimum(wanted, level))
        losses: np.ndarray = -functions.log(np.maximum(found, 1e-300))
        return losses

    def _pooled(self, own: np.ndarray, shares: np.ndarray, by_prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean of each answer and the classes above that mean, and how many they are.

        A mean of too many classes is too low, and leaves fewer above it: repeated from the share of the answer, it
        rises until it leaves all of them.
        """
        level, n_above = own, np.full(len(own), -1.0)
        while True:
            limit = level / by_prior  # the frequency of a class without votes at this level
            first = np.searchsorted(self.rising, limit, side="right")
            counts, sums = (len(self.rising) - first).astype(float), by_prior * self.rest[first]
            # All classes were counted as if they had no votes: those that have are taken out, and in with their votes.
            was_counted = self.prior > limit[self.row]
            is_above = (shares > level[self.row]) & ~self.is_answer
            counts += self._sums(is_above.astype(float) - was_counted)
            sums += self._sums(is_above * shares - was_counted * by_prior[self.row] * self.prior)
            answer_counted = ~self.answer_has_votes & (self.prior_of_answer > limit)
            counts -= answer_counted
            sums -= answer_counted * by_prior * self.prior_of_answer
            if np.array_equal(counts, n_above):
                return level, counts
            level, n_above = np.maximum(level, (own + sums) / (1.0 + counts)), counts
