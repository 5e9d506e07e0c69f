"""Files of ids, one per line."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from casebase.base.leave_out import memory_of
from casebase.errors import CasebaseError
from casebase.memory.lookup import are_numbers

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def read_ids(path: str, n_cases: int | None = None) -> list[str]:
    """Return the non-empty lines of a file ('-' is standard input); with `n_cases`, check that there are that many."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise CasebaseError(f"Cannot read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise CasebaseError(f"{path} is not UTF-8 text (byte {error.start}).") from error
    ids = [line.strip() for line in text.splitlines()]
    ids = [line for line in ids if line]
    if not ids:
        raise CasebaseError(f"{path} has no ids: expected one per line.")
    if n_cases is not None and len(ids) != n_cases:
        raise CasebaseError(f"{path}: expected one id per line for each of the {n_cases:,} cases; got {len(ids):,}.")
    return ids


def new_ids(path: str | None, n_cases: int) -> np.ndarray | None:
    """Return the ids of a file for a new memory: integers if all are whole numbers, text otherwise."""
    if path is None:
        return None
    ids = read_ids(path, n_cases)
    are_numbers = all(WHOLE_NUMBER.fullmatch(text) for text in ids)
    return np.array([int(text) for text in ids]) if are_numbers else np.array(ids, dtype=object)


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
