"""The lines of a result file: the test line, its answer, and the columns that options add."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from casebase.measures.votes import EPSILON
from casebase.timbl.notation import as_distance, as_votes

NO_DISTANCE = 1.7976931348623157e308


@dataclass(frozen=True, eq=False)
class Distributions:
    """Votes per case: those of case i are entries `first[i]` to `first[i + 1]`, classes in TiMBL's order."""

    first: np.ndarray
    label: np.ndarray
    votes: np.ndarray

    @classmethod
    def in_order(cls, first: np.ndarray, label: np.ndarray, votes: np.ndarray, rank: np.ndarray) -> "Distributions":
        """Return votes with each case's classes in the order of their rank."""
        first = first.astype(np.int64)
        case = np.repeat(np.arange(len(first) - 1), np.diff(first))
        ranks = rank[label].astype(np.int64)
        order = np.lexsort((ranks, case))
        return cls(first, ranks[order], votes[order])

    def without_none(self) -> "Distributions":
        """Return the votes without classes that have none."""
        kept = np.abs(self.votes) >= EPSILON
        n_kept = np.bincount(self.case_of_entry()[kept], minlength=len(self))
        return Distributions(np.concatenate([[0], np.cumsum(n_kept)]), self.label[kept], self.votes[kept])

    def __len__(self) -> int:
        return len(self.first) - 1

    def case_of_entry(self) -> np.ndarray:
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    def are_tied(self) -> np.ndarray:
        """Return for each case whether two classes share the most votes."""
        most = np.full(len(self), -np.inf)
        case = self.case_of_entry()
        np.maximum.at(most, case, self.votes)
        return np.bincount(case[self.votes == most[case]], minlength=len(self)) > 1

    def without_decay(self, cases: np.ndarray) -> "Distributions":
        """Return the votes with those of some cases at distance 0 as they were before inverse-distance weighting."""
        factor = np.where(cases[self.case_of_entry()] & (self.votes * EPSILON >= 1.0), EPSILON, 1.0)
        return Distributions(self.first, self.label, self.votes * factor)

    def texts(self, classes: Sequence[str], shown_as: "Shown") -> list[str]:
        """Return `{ P 1.00000, Q 0.500000 }` for every case; `classes` are in TiMBL's order."""
        shown = shown_as.apply(self, len(classes)).without_none()
        distinct, which = np.unique(shown.votes, return_inverse=True)
        numbers = [as_votes(number) for number in distinct.tolist()]
        entries = [f"{classes[c]} {numbers[v]}" for c, v in zip(shown.label.tolist(), which.ravel().tolist())]
        first = shown.first.tolist()
        return [f"{{ {', '.join(entries[a:b])} }}" for a, b in itertools.pairwise(first)]

    def shares_of(self, label: np.ndarray, shown_as: "Shown", n_classes: int) -> np.ndarray:
        """Return the normalised votes of one class per case."""
        shown = shown_as.apply(self, n_classes)
        case = shown.case_of_entry()
        is_it = shown.label == label[case]
        shares = np.zeros(len(self))
        shares[case[is_it]] = shown.votes[is_it]
        return shares


@dataclass(frozen=True)
class Shown:
    """How votes are printed: normalised or not, all classes or only those with the most votes."""

    normalisation: str | None = None
    added: float = 1.0
    beam: int | None = None

    def apply(self, given: Distributions, n_classes: int) -> Distributions:
        if self.beam is not None:
            return _best(given, self.beam)
        if self.normalisation is None:
            return given
        if self.normalisation == "add":
            dense = np.full((len(given), n_classes), self.added)
            dense[given.case_of_entry(), given.label] += given.votes
            first = np.arange(len(given) + 1) * n_classes
            given = Distributions(first, np.tile(np.arange(n_classes), len(given)), dense.ravel())
        votes = np.log1p(given.votes) if self.normalisation == "log_probability" else given.votes
        totals = np.bincount(given.case_of_entry(), votes, minlength=len(given))
        return Distributions(given.first, given.label, votes / totals[given.case_of_entry()])


def _best(given: Distributions, beam: int) -> Distributions:
    """Return the classes whose votes are among the `beam` largest distinct ones of their case."""
    kept: list[int] = []
    first = [0]
    for a, b in zip(given.first.tolist(), given.first[1:].tolist()):
        votes = given.votes[a:b]
        largest = np.unique(votes)[-beam:]
        kept.extend((a + np.flatnonzero(votes >= largest[0])).tolist() if len(largest) else [])
        first.append(len(kept))
    chosen = np.array(kept, dtype=np.int64)
    return Distributions(np.array(first), given.label[chosen], given.votes[chosen])


def distances(numbers: np.ndarray) -> list[str]:
    """Return distances as text; each distinct one is formatted once."""
    distinct, which = np.unique(numbers, return_inverse=True)
    texts = [as_distance(number) for number in distinct.tolist()]
    return [texts[i] for i in which.ravel().tolist()]


def confidences(shares: np.ndarray, after_distance: bool) -> list[str]:
    """Return confidences as text; like TiMBL's stream, they keep trailing zeros once a distance was written."""
    if not after_distance:
        return [f"{share:.6g}" for share in shares.tolist()]
    first, *others = shares.tolist()
    return [f"{first:.6g}", *(as_votes(share) for share in others)]


def result_lines(echoes: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a result file: echo, answer and further columns, joined without separators."""
    return map("".join, zip(echoes, *columns))
