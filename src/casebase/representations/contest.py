"""Counts of won and lost runs, pair by pair, and the verdict of the sign test."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isclose

from casebase.measures.trend import sign_test_p
from casebase.representations.ranking import rank, winner
from casebase.representations.record import Pair, Run, SizeVerdict

ROUNDING = 1e-9  # codelengths that differ by less are equal


class Contest:
    """The state of a comparison with one first size: add runs, read verdicts.

    A pair is counted until it is decided. A representation needs no more runs once all its pairs are decided.
    """

    def __init__(self, names: Sequence[str], first_size: int, confidence: float) -> None:
        self.names, self.first_size, self.alpha = tuple(names), first_size, 1.0 - confidence
        self.pairs = {pair: Pair(*pair, 0, 0, 0, 1.0, None) for pair in combinations(self.names, 2)}
        self.runs: list[Run] = []
        self.n_runs = 0

    @property
    def active(self) -> tuple[str, ...]:
        """The representations with an undecided pair."""
        are_open = {name for pair, found in self.pairs.items() if found.verdict is None for name in pair}
        return tuple(name for name in self.names if name in are_open)

    def add(self, found: Mapping[str, Run]) -> None:
        """Count one more run of all active representations; runs of others do not count."""
        runs = [found[name] for name in self.active]
        pairs = {
            names: self._count(pair, found) if pair.verdict is None else pair for names, pair in self.pairs.items()
        }
        # One assignment, so that an interruption finds the run either counted or not.
        self.runs, self.pairs, self.n_runs = [*self.runs, *runs], pairs, self.n_runs + 1

    def _count(self, pair: Pair, found: Mapping[str, Run]) -> Pair:
        one, other = found[pair.first].minimum, found[pair.second].minimum
        is_tie = isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
        wins, losses = pair.wins + (not is_tie and one < other), pair.losses + (not is_tie and one > other)
        p = sign_test_p(wins, losses)
        verdict = (pair.first if wins > losses else pair.second) if p < self.alpha * (1 - ROUNDING) else None
        return Pair(pair.first, pair.second, wins, losses, pair.ties + is_tie, p, verdict)

    def bits_per_example(self, n_examples: int) -> dict[str, float]:
        """Return the mean over runs of each representation's smallest total, per example."""
        least: dict[str, list[float]] = {name: [] for name in self.names}
        for run in self.runs:
            least[run.representation].append(run.minimum / n_examples)
        return {name: sum(bits) / len(bits) for name, bits in least.items()}

    def verdict(self, n_examples: int) -> SizeVerdict:
        """Return the verdict of the runs so far."""
        pairs = tuple(self.pairs.values())
        bits = self.bits_per_example(n_examples)
        return SizeVerdict(self.first_size, winner(self.names, pairs), rank(self.names, pairs, bits), pairs)


def fewest_runs(confidence: float) -> int:
    """Return the smallest number of runs that can decide a pair.

    >>> fewest_runs(0.99)
    7
    """
    n = 1
    while sign_test_p(n, 0) >= (1.0 - confidence) * (1 - ROUNDING):
        n += 1
    return n
