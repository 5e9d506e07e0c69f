"""The sample by content, for calibration: which cases come first in the shuffle of `case_keys`.

Equal cases must meet, so that they are told apart in the order given: cases are put into groups by their hashes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.data import Cases
from casebase.data.notation import recorded
from casebase.memory.fingerprints import content_keys, told_apart, value_keys
from casebase.scale.coding import Given
from casebase.scale.stored import Run, StoredBlock

N_DRAWN = 105_000  # the most cases that a calibration draws
LARGEST = 2**64 - 1


@dataclass(frozen=True)
class Drawn:
    """Cases with the smallest keys, ascending, and their numbers in the order given."""

    keys: np.ndarray
    rows: np.ndarray


def keep_hashes(given: Given, path: Path) -> None:
    """Write the hashes of all values to a file."""
    known = {str(i): keys for i, keys in enumerate(value_keys(given.schema)) if keys is not None}
    with open(path, "wb") as file:
        np.savez(file, allow_pickle=False, **known)


def hash_part(given: Given, hashes: Path, n_groups: int, start: int, end: int, path: Path) -> Run:
    """Write the hashes of the cases of a part, group by group."""
    columns, labels = given.read(start, end)
    with np.load(hashes) as known:
        values = [known.get(str(i)) for i in range(len(columns))]
    numbers = [None if stored is None else stored.read(start, end) for stored in given.recorded]
    notations = tuple(None if one is None else recorded(None, one) for one in numbers)
    cases = Cases(given.schema, tuple(columns), labels, n_cases=len(labels), notations=notations)
    keys = content_keys(cases, values)
    group = keys % np.uint64(n_groups)
    by_group = np.argsort(group.astype(np.uint16 if n_groups < 2**16 else np.uint32), kind="stable")
    block = StoredBlock(path, ("uint64", "uint32"), len(keys))
    block.write([keys[by_group], start + by_group])
    sizes = np.bincount(group.astype(np.int64), minlength=n_groups)
    return Run(block, np.concatenate([[0], np.cumsum(sizes)]))


def draw_group(runs: list[Run], largest: int, n_at_once: int, which: int) -> Drawn:
    """Return the first cases of a group whose keys do not exceed the largest that may be drawn.

    About so many cases are looked at, at a time: equal cases may make a group large.
    """
    drawn = Drawn(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64))
    distinct, n_seen = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    for keys, rows, is_last in _pieces(runs, n_at_once, which):
        n_before = None
        if len(distinct):
            place = np.minimum(np.searchsorted(distinct, keys), len(distinct) - 1)
            n_before = np.where(distinct[place] == keys, n_seen[place], 0)
        told = told_apart(keys, n_before)
        few = np.flatnonzero(told <= np.uint64(largest))
        drawn = first_of([drawn, Drawn(told[few], rows[few].astype(np.int64))])
        if is_last:  # most groups are one piece, and counting its keys takes as long as all the rest
            break
        distinct, which_key = np.unique(np.concatenate([distinct, keys]), return_inverse=True)
        n_seen = np.bincount(which_key, np.concatenate([n_seen, np.ones(len(keys))])).astype(np.int64)
    return drawn


def _pieces(runs: list[Run], n_at_once: int, which: int) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Yield the hashes and numbers of the cases of a group, those of several runs together, and which come last."""
    held: list[list[np.ndarray]] = []
    for i, run in enumerate(runs):
        held.append(run.read(which))
        is_last = i == len(runs) - 1
        if is_last or sum(len(keys) for keys, _ in held) >= n_at_once:
            keys, rows = (np.concatenate(each) for each in zip(*held))
            yield keys, rows, is_last
            held.clear()


def likely_largest(n_cases: int) -> int:
    """Return a key below which there are more cases than are drawn: keys are spread evenly, so twice as many."""
    return min(LARGEST, LARGEST // n_cases * 2 * N_DRAWN)


def first_of(drawn: list[Drawn]) -> Drawn:
    """Return the first cases of all groups."""
    keys, rows = (np.concatenate(each) for each in zip(*((one.keys, one.rows) for one in drawn)))
    first = np.lexsort([rows, keys])[:N_DRAWN]
    return Drawn(keys[first], rows[first])
