"""Files of ids, one per line."""

from collections.abc import Sequence

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.errors import CasebaseError
from casebase.formats.ids import WHOLE_NUMBER, IdsFile
from casebase.formats.stored import Scratch
from casebase.memory.lookup import are_numbers


def read_ids(path: str, n_cases: int | None = None) -> list[str]:
    """Return the non-empty lines of a file ('-' is standard input); with `n_cases`, check that there are that many."""
    return _texts(_opened(path, n_cases))


def new_ids(path: str | None, n_cases: int) -> np.ndarray | None:
    """Return the ids of a file for a new memory: integers if all are whole numbers, text otherwise."""
    if path is None:
        return None
    file = _opened(path, n_cases)
    return np.array([int(text) for text in _texts(file)]) if file.are_whole else np.array(_texts(file), dtype=object)


def _opened(path: str, n_cases: int | None) -> IdsFile:
    file = IdsFile.opened(path, Scratch())
    if n_cases is not None:
        file.check(n_cases)
    return file


def _texts(file: IdsFile) -> list[str]:
    return [text for block in file.blocks() for text in block]


def ids_for(model: object, path: str | None, n_cases: int | None = None) -> np.ndarray | None:
    """Return the ids of a file in the type of the model's ids."""
    if path is None:
        return None
    return convert_ids(model, read_ids(path, n_cases), path)


def convert_ids(model: object, ids: Sequence[str], where: str) -> np.ndarray:
    """Return ids in the type of the model's ids: whole numbers or text."""
    if not are_numbers(memory_of(model)):
        return np.array(ids, dtype=object)
    for number, text in enumerate(ids, 1):
        if not WHOLE_NUMBER.fullmatch(text):
            raise CasebaseError(f"{where}: the ids of this model are whole numbers; got {text!r} as id {number}.")
    return np.array([int(text) for text in ids], dtype=np.int64)
