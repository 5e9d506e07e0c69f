"""Memory images: stored cases as rows of codes, equal rows merged, indexed for SMILE's search of the lattice."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from casebase import _native
from casebase.base.answers import Answers, Preference
from casebase.data.runs import begins_run

NO_CODE = 0xFFFFFFFF
FIRST_BLOCK, BLOCK = 64, 4096  # questions per native call; progress is reported, and Ctrl-C noticed, between calls
LONG = 0.5  # seconds that a call should take at most


@dataclass(frozen=True, eq=False)
class Images:
    """Distinct rows of codes in ascending order; row r has the classes `label[first_entry[r] : first_entry[r + 1]]`.

    `count` is the number of cases of each of these entries; `missing` has the code of a missing value for each column,
    or NO_CODE.
    """

    columns: tuple[np.ndarray, ...]
    first_entry: np.ndarray
    label: np.ndarray
    count: np.ndarray
    missing: np.ndarray
    preference: Preference

    @property
    def n_rows(self) -> int:
        return len(self.first_entry) - 1

    @cached_property
    def native(self) -> _native.MemoryImages:
        n_classes = len(self.preference.rank)
        return _native.MemoryImages(
            list(self.columns), self.n_rows, self.first_entry, self.label, self.count, n_classes
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the native index, which a copy builds for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def answer(self, columns: list[np.ndarray], n_questions: int, alpha: int, by_size: bool, n_jobs: int) -> Answers:
        """Return the class with the most votes in the pools of more than alpha cases, for every question.

        Pools weigh by the number of their features (`by_size`), or all the same.
        """
        preference = self.preference
        found = self.native.answer(columns, n_questions, alpha, by_size, preference.frequency, preference.rank, n_jobs)
        first_vote = np.zeros(n_questions + 1, dtype=np.uint64)
        found["n_votes"].cumsum(out=first_vote[1:])
        is_tied = found["is_tied"].view(bool)
        return Answers(found["label"], first_vote, found["vote_label"], found["votes"], was_tied=is_tied)

    def joints(self, columns: list[np.ndarray], alpha: int) -> np.ndarray:
        """Return the sets of columns that decide one question, the largest first: a row of words with a bit per column.

        A word has 64 bits, the lowest for the first column.
        """
        n_words = (len(self.columns) + 63) // 64
        return self.native.joints(columns, 1, 0, alpha).reshape(-1, n_words)

    def held_out_labels(self, entries: np.ndarray, alphas: list[int], by_size: bool, n_jobs: int) -> np.ndarray:
        """Return the leave-one-out class of entries: a row per entry, a column per alpha.

        An entry that stands for several cases loses one of them. The class is NO_CODE where no case is left.
        """
        preference, of_alphas = self.preference, np.array(alphas, dtype=float)
        parts = [
            self.native.leave_one_out(
                entries[block], self.missing, of_alphas, by_size, preference.frequency, preference.rank, n_jobs
            )
            for block in blocks(len(entries))
        ]
        return np.concatenate(parts).reshape(len(entries), len(alphas))


def blocks(n: int) -> Iterator[slice]:
    """Yield consecutive blocks of n questions, which grow as long as a block takes little time.

    >>> [len(range(300)[block]) for block in blocks(300)]
    [64, 236]
    """
    start, size = 0, FIRST_BLOCK
    while start < n:
        began = time.perf_counter()
        yield slice(start, start + size)
        start += size
        size = min(BLOCK, 4 * size) if time.perf_counter() - began < LONG / 4 else size


def merged(
    columns: list[np.ndarray], labels: np.ndarray, counts: np.ndarray | None, missing: np.ndarray, prefer: Preference
) -> Images:
    """Return the images of cases, given by column; equal cases are merged.

    >>> codes, labels = np.array([1, 0, 1], np.uint8), np.array([0, 0, 1], np.uint32)
    >>> images = merged([codes], labels, None, np.array([0xFFFFFFFF]), Preference(np.ones(2), np.arange(2)))
    >>> images.columns[0].tolist(), images.first_entry.tolist(), images.label.tolist(), images.count.tolist()
    ([0, 1], [0, 1, 3], [0, 0, 1], [1.0, 1.0, 1.0])
    """
    return merged_and_placed(columns, labels, counts, missing, prefer)[0]


def merged_and_placed(
    columns: list[np.ndarray], labels: np.ndarray, counts: np.ndarray | None, missing: np.ndarray, prefer: Preference
) -> tuple[Images, np.ndarray]:
    """Return the images of cases, and for every case the entry that it was merged into."""
    labels = labels.astype(np.uint32)
    rows = _native.lexicographic_order([*columns, labels], len(labels))
    columns, labels = [column[rows] for column in columns], labels[rows]
    # Sorted by values and then by class, equal cases are adjacent: a run is a row, a run of one class an entry.
    is_new_row = begins_run(columns, len(rows))
    first = np.flatnonzero(is_new_row)
    is_new_entry = is_new_row | begins_run([labels], len(rows))
    entries = np.flatnonzero(is_new_entry)
    entry_of = np.empty(len(rows), dtype=np.uint32)
    entry_of[rows] = np.cumsum(is_new_entry) - 1
    counts_of_rows = np.ones(len(rows)) if counts is None else counts[rows]
    images = Images(
        tuple(np.ascontiguousarray(column[first]) for column in columns),
        np.append(np.searchsorted(entries, first), len(entries)).astype(np.uint32),
        labels[entries],
        np.add.reduceat(counts_of_rows, entries),
        missing.astype(np.uint32),
        prefer,
    )
    return images, entry_of
