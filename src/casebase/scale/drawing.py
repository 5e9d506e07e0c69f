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


def draw_group(runs: list[Run], which: int) -> Drawn:
    """Return the first cases of a group."""
    keys, rows = (np.concatenate(each) for each in zip(*(run.read(which) for run in runs)))
    keys = told_apart(keys)
    first = np.argsort(keys, kind="stable")[:N_DRAWN]
    return Drawn(keys[first], rows[first].astype(np.int64))


def first_of(drawn: list[Drawn]) -> np.ndarray:
    """Return the numbers of the first cases of all groups."""
    keys, rows = (np.concatenate(each) for each in zip(*((one.keys, one.rows) for one in drawn)))
    return rows[np.lexsort([rows, keys])[:N_DRAWN]]
