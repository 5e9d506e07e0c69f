"""The large arrays of a model file are written by tasks, each a piece to its place, and hashed on the way."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from casebase.base.checksums import BLOCK, digest
from casebase.errors import CasebaseError
from casebase.scale import stored
from casebase.scale.stored import stored_array

PIECE = 16 * BLOCK  # bytes that a task writes


@dataclass(frozen=True)
class WrittenByTasks:
    """Writes arrays that are mapped from files; `run` runs the tasks, `run_here` those that workers cannot."""

    run: Callable[..., Any]
    run_here: Callable[..., Any]

    def takes(self, array: np.ndarray) -> bool:
        """Return whether an array is a file: its bytes are those that the model file has."""
        return stored_array(array) is not None and sys.byteorder == "little"

    def copy(self, target: Path, arrays: Sequence[tuple[np.ndarray, int]]) -> list[list[bytes]]:
        """Write arrays, each to a place in the file, and return the digests of their blocks."""
        pieces: list[tuple[Path, int, int, Path, int]] = []
        n_pieces = []
        for array, at in arrays:
            known = stored_array(array)
            assert known is not None
            begins = range(0, array.nbytes, PIECE)
            n_pieces.append(len(begins))
            pieces += [(known.path, begin, min(begin + PIECE, array.nbytes), target, at + begin) for begin in begins]
        try:
            found = self.run("saving", copy_piece, (), pieces)
        except CasebaseError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            found = self.run_here("saving", copy_piece, (), pieces)  # the workers do not see the folder of the model
        digests = iter(found)
        return [[one for piece in islice(digests, n) for one in piece] for n in n_pieces]


def copy_piece(source: Path, begin: int, end: int, target: Path, at: int) -> list[bytes]:
    """Write a piece of a file to its place in another one, and return the digests of its blocks."""
    digests = []
    with open(source, "rb") as file, open(target, "r+b", buffering=0) as out:
        file.seek(begin)
        for start in range(begin, end, BLOCK):
            block = file.read(min(BLOCK, end - start))
            digests.append(digest(block))
            stored.write_at(out, at + start - begin, memoryview(block))
        os.fsync(out.fileno())  # this may be another machine than the one that gives the file its name
    return digests
