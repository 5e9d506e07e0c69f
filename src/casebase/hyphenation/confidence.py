"""How far a decision can be trusted: how often patterns like the one that decided were right on held-out words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casebase.hyphenation.patterns import Pattern
from casebase.measures import functions

MANY = 16  # supports from here on are one bin
TRUST = 2.0  # a bin counts as this many more places at its level's share


@dataclass(frozen=True)
class Record:
    """How often patterns of a level, with a support of `at_least` to that of the next record, were right."""

    level: int
    at_least: int
    n_right: float
    n: float


@dataclass(frozen=True)
class Confidence:
    """The records of held-out places by the level and the support of the pattern that decided; level 0: the default."""

    records: tuple[Record, ...]

    def of(self, pattern: Pattern | None) -> float:
        """Return the share of right decisions to expect from a pattern, or from the default.

        The share of a bin with few places is drawn towards that of its level, and that towards the share of all.

        >>> round(Confidence((Record(1, 1, 8, 10), Record(1, 2, 10, 10))).of(None), 3)
        0.864
        """
        at = bin_of(pattern)
        everything = self._share(self.records, 0.5)
        level = self._share([r for r in self.records if r.level == at[0]], everything)
        return self._share([r for r in self.records if (r.level, r.at_least) == at], level)

    @staticmethod
    def _share(records: Sequence[Record], prior: float) -> float:
        n_right, n = (sum(getattr(record, name) for record in records) for name in ("n_right", "n"))
        return float((n_right + TRUST * prior) / (n + TRUST)) if n else prior


def bin_of(pattern: Pattern | None) -> tuple[int, int]:
    """Return the level, and the support rounded down to a power of 2."""
    if pattern is None:
        return 0, 0
    return pattern.level, int(min(MANY, 2 ** np.floor(functions.log2(max(pattern.support, 1.0)))))
