"""Stored cases as SMILE compares them: codes only, equal cases merged, able to say on what they agree with others."""

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
FIRST_BLOCK, BLOCK = 64, 4096  # questions answered between two looks at the progress (and at Ctrl-C)
LONG = 0.5  # seconds between two looks


@dataclass(frozen=True, eq=False)
class Images:
    """Distinct rows of codes in ascending order; row r has the classes `label[first_entry[r] : first_entry[r + 1]]`.

    `count` says how many cases there are of each of these entries; `missing` has, per column, the code of a missing
    value, or NO_CODE.
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
        """Return what a copy needs: it compares for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def answer(self, columns: list[np.ndarray], n_questions: int, alpha: int, n_jobs: int) -> Answers:
        """Return the class with most votes in the pools of more than alpha cases, for every question."""
        preference = self.preference
        found = self.native.answer(columns, n_questions, alpha, preference.frequency, preference.rank, n_jobs)
        first_vote = np.concatenate([[0], np.cumsum(found["n_votes"], dtype=np.uint64)]).astype(np.uint64)
        is_tied = found["is_tied"].astype(bool)
        return Answers(found["label"], first_vote, found["vote_label"], found["votes"], was_tied=is_tied)

    def joints(self, columns: list[np.ndarray], alpha: int) -> list[list[int]]:
        """Return the sets of columns that decide one question, those with most columns first."""
        n_words = (len(self.columns) + 63) // 64
        words = self.native.joints(columns, 1, 0, alpha).reshape(-1, n_words).tolist()
        places = [(f, f // 64, 1 << f % 64) for f in range(len(columns))]
        return [[f for f, word, bit in places if joint[word] & bit] for joint in words]

    def held_out_labels(self, entries: np.ndarray, alphas: list[int], n_jobs: int) -> np.ndarray:
        """Return the class of entries from a memory without them, a row each and a column for every alpha.

        Of an entry that counts for more than one case, one is left out. NO_CODE where nothing is left to ask.
        """
        preference, of_alphas = self.preference, np.array(alphas, dtype=float)
        parts = [
            self.native.leave_one_out(
                entries[block], self.missing, of_alphas, preference.frequency, preference.rank, n_jobs
            )
            for block in blocks(len(entries))
        ]
        return np.concatenate(parts).reshape(len(entries), len(alphas))


def blocks(n: int) -> Iterator[slice]:
    """Give parts of n questions, one after the other, larger ones as long as they take little time.

    >>> [len(range(300)[block]) for block in blocks(300)]
    [64, 236]
    """
    start, size = 0, FIRST_BLOCK
    while start < n:
        begun = time.perf_counter()
        yield slice(start, start + size)
        start += size
        size = min(BLOCK, 4 * size) if time.perf_counter() - begun < LONG / 4 else size


def merged(
    columns: list[np.ndarray], labels: np.ndarray, counts: np.ndarray | None, missing: np.ndarray, prefer: Preference
) -> Images:
    """Return cases, given by column, with equal ones merged.

    >>> codes, labels = np.array([1, 0, 1], np.uint8), np.array([0, 0, 1], np.uint32)
    >>> images = merged([codes], labels, None, np.array([0xFFFFFFFF]), Preference(np.ones(2), np.arange(2)))
    >>> images.columns[0].tolist(), images.first_entry.tolist(), images.label.tolist(), images.count.tolist()
    ([0, 1], [0, 1, 3], [0, 0, 1], [1.0, 1.0, 1.0])
    """
    return merged_and_placed(columns, labels, counts, missing, prefer)[0]


def merged_and_placed(
    columns: list[np.ndarray], labels: np.ndarray, counts: np.ndarray | None, missing: np.ndarray, prefer: Preference
) -> tuple[Images, np.ndarray]:
    """Return the same, and for every case the entry that it was merged into."""
    labels = labels.astype(np.uint32)
    rows = _native.lexicographic_order([*columns, labels], len(labels))
    columns, labels = [column[rows] for column in columns], labels[rows]
    is_new_row = begins_run(columns, len(rows))
    first = np.flatnonzero(is_new_row)
    is_new_entry = is_new_row | begins_run([labels], len(rows))
    entries = np.flatnonzero(is_new_entry)
    entry_of = np.empty(len(rows), dtype=np.uint32)
    entry_of[rows] = np.cumsum(is_new_entry) - 1
    counted = np.ones(len(rows)) if counts is None else counts[rows]
    images = Images(
        tuple(np.ascontiguousarray(column[first]) for column in columns),
        np.append(np.searchsorted(entries, first), len(entries)).astype(np.uint32),
        labels[entries],
        np.add.reduceat(counted, entries),
        missing.astype(np.uint32),
        prefer,
    )
    return images, entry_of
