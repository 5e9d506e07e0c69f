"""The answers of a model: for each case a class, and the votes for it and for other classes."""

from dataclasses import dataclass, replace

import numpy as np

from casebase.data import Cases
from casebase.measures.quirks import USUAL, Quirks
from casebase.measures.votes import Normalisation, shares

DETAILS = ("distance", "was_tied", "depth", "at_leaf")


@dataclass(frozen=True, eq=False)
class Answers:
    """A label code per case; the votes of case i are entries `first_vote[i]` to `first_vote[i + 1]`.

    Some learners add details: the distance to the nearest case (for a tree, the sum of the weights of the features that
    did not match), whether the first vote was tied, how many features matched, and whether a walk ended at a leaf.
    """

    label: np.ndarray
    first_vote: np.ndarray
    vote_label: np.ndarray
    votes: np.ndarray
    distance: np.ndarray | None = None
    was_tied: np.ndarray | None = None
    depth: np.ndarray | None = None
    at_leaf: np.ndarray | None = None

    @property
    def n_votes(self) -> np.ndarray:
        """The number of classes with votes, per case."""
        first = self.first_vote.astype(np.int64)
        return first[1:] - first[:-1]

    @staticmethod
    def none() -> "Answers":
        return Answers(np.empty(0, np.uint32), np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0))

    def distribution(self, n_classes: int, normalisation: Normalisation = "probability") -> np.ndarray:
        """Return one row per case and one column per class; each row sums to 1."""
        n_cases = len(self.label)
        case = np.repeat(np.arange(n_cases), self.n_votes)
        dense = np.zeros((n_cases, n_classes))
        dense[case, self.vote_label] = self.votes
        return shares(dense, normalisation)

    def votes_of(self, case: int) -> dict[int, float]:
        entries = slice(int(self.first_vote[case]), int(self.first_vote[case + 1]))
        return dict(zip(self.vote_label[entries].tolist(), self.votes[entries].tolist()))

    def with_details(
        self,
        distance: np.ndarray | None = None,
        was_tied: np.ndarray | None = None,
        depth: np.ndarray | None = None,
        at_leaf: np.ndarray | None = None,
    ) -> "Answers":
        """Return these answers with some details added or changed."""
        return Answers(
            self.label,
            self.first_vote,
            self.vote_label,
            self.votes,
            self.distance if distance is None else distance,
            self.was_tied if was_tied is None else was_tied,
            self.depth if depth is None else depth,
            self.at_leaf if at_leaf is None else at_leaf,
        )

    def replace_at(self, cases: np.ndarray, other: "Answers") -> "Answers":
        """Return these answers with the answers for some cases replaced; `other` has them in the order of `cases`."""
        if len(self.label) == len(cases) == 1:  # a single query is frequent, and needs none of the index arithmetic
            details = [
                one if theirs is None or one is None else theirs
                for one, theirs in zip(self._details(), other._details())
            ]
            return Answers(other.label, other.first_vote, other.vote_label, other.votes, *details)
        lengths = self.n_votes
        new_lengths = lengths.copy()
        new_lengths[cases] = other.n_votes
        first = np.concatenate([[0], np.cumsum(new_lengths)])
        is_kept = np.ones(len(lengths), dtype=bool)
        is_kept[cases] = False
        # Votes are stored in one row of entries: mark the old entries to keep, and their places in the new row.
        is_kept_entry = np.repeat(is_kept, lengths)
        is_old = np.repeat(is_kept, new_lengths)
        vote_label = np.empty(first[-1], dtype=self.vote_label.dtype)
        votes = np.empty(first[-1])
        vote_label[is_old], votes[is_old] = self.vote_label[is_kept_entry], self.votes[is_kept_entry]
        vote_label[~is_old], votes[~is_old] = other.vote_label, other.votes
        label = self.label.copy()
        label[cases] = other.label
        merged = {}
        for name in DETAILS:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None:
                merged[name] = mine.copy()
                merged[name][cases] = theirs
        return replace(
            self, label=label, first_vote=first.astype(np.uint64), vote_label=vote_label, votes=votes, **merged
        )

    def take(self, cases: np.ndarray) -> "Answers":
        """Return the answers for these cases, in that order."""
        details = [None if d is None else d[cases] for d in self._details()]
        if len(cases) == 1:
            case = int(cases[0])
            votes = slice(int(self.first_vote[case]), int(self.first_vote[case + 1]))
            first = np.array([0, votes.stop - votes.start], dtype=np.uint64)
            return Answers(self.label[cases], first, self.vote_label[votes], self.votes[votes], *details)
        begin = self.first_vote[cases].astype(np.int64)
        # The lengths of these cases only: a tree has one record with the answers of all its nodes.
        lengths = self.first_vote[cases.astype(np.int64) + 1].astype(np.int64) - begin
        first = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.repeat(begin - first[:-1], lengths) + np.arange(first[-1])
        return Answers(
            self.label[cases], first.astype(np.uint64), self.vote_label[entries], self.votes[entries], *details
        )

    def _details(self) -> list[np.ndarray | None]:
        return [getattr(self, name) for name in DETAILS]

    @staticmethod
    def concat(parts: list["Answers"]) -> "Answers":
        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([part.n_votes for part in parts])
        return Answers(
            np.concatenate([part.label for part in parts]),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64),
            np.concatenate([part.vote_label for part in parts]),
            np.concatenate([part.votes for part in parts]),
            *(None if any(d is None for d in ds) else np.concatenate(ds) for ds in zip(*(p._details() for p in parts))),
        )


def rule_answers(labels: np.ndarray, decided: np.ndarray) -> Answers:
    """Return the answer of each rule: its class, with the class counts of the training cases that it decides as votes.

    If another class has more of these cases, the rule's class gets all votes, so that the answer has the most votes.
    """
    rows = []
    for label, counts in zip(labels.tolist(), decided):
        votes = decided_votes(label, counts)
        is_most = votes.get(label, 0.0) >= max(votes.values())
        rows.append(votes if is_most else {label: float(counts.sum())})
    return Answers(
        labels,
        np.cumsum([0, *map(len, rows)]).astype(np.uint64),
        np.array([label for votes in rows for label in votes], dtype=np.uint32),
        np.array([n for votes in rows for n in votes.values()], dtype=float),
    )


def decided_votes(label: int, counts: np.ndarray) -> dict[int, float]:
    """Return the class counts of the cases that a rule decides; one vote for its class if it decides none."""
    return {int(c): float(counts[c]) for c in np.flatnonzero(counts)} or {label: 1.0}


@dataclass(frozen=True, eq=False)
class Preference:
    """The rule for ties between classes: the more frequent class in training wins, then the lower rank.

    The rank is the order of the labels or, as a quirk, the order of first appearance.
    """

    frequency: np.ndarray
    rank: np.ndarray

    def without(self, label: int, weight: float) -> "Preference":
        """Return the rule for a memory that lacks one case, of this class and weight."""
        frequency = self.frequency.copy()
        frequency[label] -= weight
        return Preference(frequency, self.rank)


def preference_of(cases: Cases, quirks: Quirks = USUAL) -> Preference:
    """Return the rule for class ties in a memory of these cases."""
    rank = np.arange(cases.n_classes, dtype=np.uint32)
    if quirks.classes_as_met:
        first_row = np.full(cases.n_classes, cases.n_cases)
        present, at = np.unique(cases.known_labels, return_index=True)
        first_row[present] = at
        rank[np.argsort(first_row, kind="stable")] = np.arange(cases.n_classes, dtype=np.uint32)
    return Preference(cases.class_counts, rank)
