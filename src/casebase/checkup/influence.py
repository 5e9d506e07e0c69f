"""Leave-one-out answers, and for each record the other records whose answer it decides.

A record decides the answer to another if that answer changes when it is taken away, with the distances and the rule for
ties held.
"""

from dataclasses import dataclass, field

import numpy as np

from casebase.checkup.held_out import N_VOTING, HeldOut, Ranks
from casebase.checkup.votes import decide, tally


@dataclass(eq=False)
class Influence:
    """The answers about all kinds of records and the numbers of decided answers, block by block.

    `n_decided` counts, for a record of each kind, the others whose answer it decides, and `n_decided_right` those of
    them whose answer is right. `lead` is that of the first vote, `distance` the nearest one.
    """

    held_out: HeldOut
    answer: np.ndarray = field(init=False)
    lead: np.ndarray = field(init=False)
    distance: np.ndarray = field(init=False)
    n_decided: np.ndarray = field(init=False)
    n_decided_right: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n = self.held_out.distinct.n_kinds
        self.answer, self.lead, self.distance = np.full(n, -1), np.zeros(n), np.full(n, np.inf)
        self.n_decided, self.n_decided_right = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)

    def add(self, ranks: Ranks) -> tuple[np.ndarray, np.ndarray]:
        """Add a block; return the answers about the asked kinds, and whether their first votes were tied."""
        held_out, n = self.held_out, len(ranks.asked)
        rank = ranks.rank[ranks.group]
        chosen = np.flatnonzero(rank < N_VOTING)
        query, rank, kind = ranks.entry_query[chosen], rank[chosen], ranks.kind[chosen]
        # Kinds of one class at one distance have the same effect: they are counted as one entry.
        keys, which = np.unique(
            (query * N_VOTING + rank) * held_out.n_classes + held_out.labels[kind], return_inverse=True
        )
        amount = np.bincount(which, ranks.count[chosen], minlength=len(keys))
        at, label = keys // held_out.n_classes, keys % held_out.n_classes
        case, place = at // N_VOTING, at % N_VOTING
        preference = held_out.preference(ranks.asked)
        answer, is_tied = decide(case, place, label, amount, n, preference)
        lead = _leads(case[place == 0], label[place == 0], amount[place == 0], answer, n, held_out.n_classes)
        self.answer[ranks.asked], self.lead[ranks.asked] = answer, lead
        self.distance[ranks.asked] = ranks.distance[ranks.first_group[:-1]]
        # An untied answer can change only without a supporter at the nearest distance, and only if its lead is 1.
        is_close = ~is_tied & (lead <= 1)
        tried = np.flatnonzero(
            (is_close[case] & (place == 0) & (label == answer[case])) | (is_tied[case] & (place < N_VOTING - 1))
        )
        changes = np.zeros(len(keys), dtype=bool)
        changes[tried] = self._changes(case, place, label, amount, answer, tried, ranks.asked)
        deciding = changes[which]
        times = held_out.distinct.count[ranks.asked][query] - (kind == ranks.asked[query])
        is_right = answer == held_out.labels[ranks.asked]
        self._count(kind[deciding], times[deciding], is_right[query[deciding]])
        return answer, is_tied

    def _changes(
        self,
        case: np.ndarray,
        place: np.ndarray,
        label: np.ndarray,
        amount: np.ndarray,
        answer: np.ndarray,
        tried: np.ndarray,
        asked: np.ndarray,
    ) -> np.ndarray:
        """Return whether the answer changes without one vote of an entry, for some entries."""
        first = np.searchsorted(case, np.arange(len(answer) + 1))
        of = case[tried]  # each trial is a case of its own, with the entries of the case that it is about
        lengths = (first[1:] - first[:-1])[of]
        ends = np.cumsum(lengths)
        entries = np.repeat(first[of] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
        trial = np.repeat(np.arange(len(tried)), lengths)
        left = amount[entries] - (entries == tried[trial])
        preference = self.held_out.preference(asked[of])
        without, _ = decide(trial, place[entries], label[entries], left, len(tried), preference)
        changed: np.ndarray = without != answer[of]
        return changed

    def _count(self, kind: np.ndarray, times: np.ndarray, is_right: np.ndarray) -> None:
        n = len(self.n_decided)
        self.n_decided += np.bincount(kind, times, minlength=n).astype(np.int64)
        self.n_decided_right += np.bincount(kind, times * is_right, minlength=n).astype(np.int64)


def _leads(
    case: np.ndarray, label: np.ndarray, amount: np.ndarray, answer: np.ndarray, n_cases: int, n_classes: int
) -> np.ndarray:
    """Return by how many votes each answer is ahead of the strongest other class in the first vote."""
    votes = tally(case, label, amount, n_classes)
    is_answer = votes.label == answer[votes.case]
    own, other = np.zeros(n_cases), np.zeros(n_cases)
    own[votes.case[is_answer]] = votes.amount[is_answer]
    np.maximum.at(other, votes.case[~is_answer], votes.amount[~is_answer])
    return own - other
