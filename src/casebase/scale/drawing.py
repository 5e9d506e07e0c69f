"""The sample by content, for calibration: which cases come first in the shuffle of `case_keys`.

Equal cases must meet, so that they are told apart in the order given: cases are put into groups by their hashes.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.data import Cases
from casebase.memory.fingerprints import content_keys, told_apart, value_keys
from casebase.scale.stored import StoredBlock
from casebase.scale.tasks import Given, Run

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
    keys = content_keys(Cases(given.schema, tuple(columns), labels, n_cases=len(labels)), values)
    group = keys % np.uint64(n_groups)
    by_group = np.argsort(group.astype(np.uint16 if n_groups < 2**16 else np.uint32), kind="stable")
    block = StoredBlock(path, ("uint64", "uint32"), len(keys))
    block.write([keys[by_group], start + by_group])
    sizes = np.bincount(group.astype(np.int64), minlength=n_groups)
    return Run(block, np.concatenate([[0], np.cumsum(sizes)]))


def draw_group(runs: list[Run], largest: int, which: int) -> Drawn:
    """Return the cases of a group whose keys do not exceed the largest that may be drawn."""
    keys, rows = (np.concatenate(each) for each in zip(*(run.read(which) for run in runs)))
    keys = told_apart(keys)
    few = np.flatnonzero(keys <= np.uint64(largest))
    first = few[np.argsort(keys[few], kind="stable")[:N_DRAWN]]
    return Drawn(keys[first], rows[first].astype(np.int64))


def likely_largest(n_cases: int) -> int:
    """Return a key below which there are more cases than are drawn: keys are spread evenly, so twice as many."""
    return min(LARGEST, LARGEST // n_cases * 2 * N_DRAWN)


def first_of(drawn: list[Drawn]) -> np.ndarray | None:
    """Return the numbers of the first cases of all groups; None if the largest key was too small for so many."""
    keys, rows = (np.concatenate(each) for each in zip(*((one.keys, one.rows) for one in drawn)))
    return rows[np.lexsort([rows, keys])[:N_DRAWN]] if len(rows) >= N_DRAWN else None
