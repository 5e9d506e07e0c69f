"""What is stored with the cases and never compared: whether ids are whole numbers, and the texts that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.ids import N_NAMED
from casebase.formats.ids import IdsFile
from casebase.scale.coding import Given
from casebase.scale.counting import Counted
from casebase.scale.reading import Shape
from casebase.scale.sorting import Sorted
from casebase.scale.stored import Run, StoredArray, StoredBlock


@dataclass(frozen=True, eq=False)
class Names:
    """What all parts show of the ids, and the distinct texts of each column that is kept."""

    has_whole_ids: bool
    provenance: tuple[pa.Array, ...]

    @classmethod
    def of(cls, parts: Sequence[Counted], shape: Shape) -> "Names":
        has_whole = shape.id_column is not None and all(part.has_whole_ids for part in parts)
        texts = (pc.unique(pa.concat_arrays(column)) for column in zip(*(part.provenance for part in parts)))
        return cls(has_whole, tuple(texts))


def write_ids(file: IdsFile, ids: StoredArray) -> None:
    """Write the ids of a file, which are whole numbers."""
    start = 0
    for texts in file.blocks():
        ids.write(start, np.array([int(text) for text in texts], dtype=np.int64))
        start += len(texts)


def name_part(given: Given, out: Sorted, start: int, end: int) -> None:
    """Write the ids of a part of the sorted memory."""
    assert given.ids is not None
    out.ids.write(start, given.ids.mapped()[out.row_of.read(start, end)])


def divide_ids(given: Given, n_groups: int, start: int, end: int, path: Path) -> Run:
    """Write the ids of a part by groups, so that equal ids meet in one."""
    assert given.all_ids is not None
    ids = given.all_ids.read(start, end)
    group = ids % n_groups
    by_group = np.argsort(group, kind="stable")
    block = StoredBlock(path, ("int64", "uint32"), len(ids))
    block.write([ids[by_group], start + by_group])
    return Run(block, np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))]))


def repeated_ids(runs: list[Run], which: int) -> tuple[int, list[tuple[int, int]]]:
    """Return how many ids of a group occur more than once, and the first few of them: where, and which."""
    ids, rows = (np.concatenate(each) for each in zip(*(run.read(which) for run in runs)))
    order = np.lexsort([rows, ids])
    ids, rows = ids[order], rows[order]
    is_first = np.concatenate([[True], ids[1:] != ids[:-1]])
    twice = np.flatnonzero(is_first & np.concatenate([~is_first[1:], [False]]))
    first = sorted(zip(rows[twice].tolist(), ids[twice].tolist()))
    return len(first), first[:N_NAMED]
