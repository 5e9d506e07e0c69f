"""Redundant records: a set whose removal changes no leave-one-out answer as long as the distances are held.

An answer stays as long as the records that support it are not used up:

- where all records at the nearest distances have the class of the answer, one of them must stay;
- where the records at the nearest distance have several classes, the answer must keep its lead of at least one vote;
- where the first vote was tied, all records of the first two distances stay.

So every answer has some records that may be removed, and a greedy search removes the records on which the fewest
answers depend first. The distances are held: feature weights are those of the whole table. The condition is sufficient,
so that the set is valid, but it need not be the largest one.
"""

from dataclasses import dataclass, field

import numpy as np

from casebase.checkup.held_out import HeldOut, Ranks

DEPTH = 32  # the nearest records that are considered as support of an answer, at least those at one distance


@dataclass(eq=False)
class Support:
    """The records that support each answer, and how many of them it can lose, block by block."""

    held_out: HeldOut
    spare: np.ndarray = field(init=False)
    pairs: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spare = np.zeros(self.held_out.distinct.n_kinds, dtype=np.int64)

    def add(self, ranks: Ranks, answer: np.ndarray, is_tied: np.ndarray, lead: np.ndarray) -> None:
        """Add a block, given the answers about the asked kinds."""
        query, rank = ranks.entry_query, ranks.rank[ranks.group]
        supports = self.held_out.labels[ranks.kind] == answer[query]
        n_supporting = np.bincount(ranks.group, ranks.count * supports, minlength=len(ranks.distance))
        is_pure = n_supporting == ranks.size
        # The number of groups before the first one with another class; the deeper ones may be left out.
        first_mixed = np.full(len(ranks.asked), np.iinfo(np.int64).max)
        np.minimum.at(first_mixed, ranks.query[~is_pure], ranks.rank[~is_pure])
        is_used = (ranks.rank < first_mixed[ranks.query]) & ((ranks.reached <= DEPTH) | (ranks.rank == 0))
        n_pure = np.bincount(ranks.query, ranks.size * is_used, minlength=len(ranks.asked))
        is_mixed = first_mixed == 0
        self.spare[ranks.asked] = np.where(is_tied, 0, np.where(is_mixed, lead - 1, n_pure - 1))
        entries = np.where(
            is_tied[query], rank < 2, np.where(is_mixed[query], (rank == 0) & supports, is_used[ranks.group])
        )
        self.pairs.append((ranks.kind[entries].astype(np.int32), ranks.asked[query[entries]].astype(np.int32)))

    def redundant(self) -> np.ndarray:
        """Return how many records of each kind can be removed, all together."""
        count = self.held_out.distinct.count
        kind = np.concatenate([pair[0] for pair in self.pairs])
        asked = np.concatenate([pair[1] for pair in self.pairs])
        order = np.argsort(kind, kind="stable")
        asked, first = asked[order], np.searchsorted(kind[order], np.arange(len(count) + 1))
        spare, removed = self.spare.copy(), np.zeros(len(count), dtype=np.int64)
        for each in np.argsort(first[1:] - first[:-1], kind="stable").tolist():
            dependent = asked[first[each] : first[each + 1]]
            n = min(int(count[each]), int(spare[dependent].min(initial=count[each])))
            if n > 0:
                spare[dependent] -= n
                removed[each] = n
        # A memory of no records answers nothing.
        if removed.sum() == count.sum():
            removed[0] -= 1
        return removed
