"""The ids of cases: given, from a column of the table, or from the index of a data frame.

Ids are whole numbers or text. Stored cases have distinct ids; queries may share one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from casebase.data.arrays import as_booleans
from casebase.data.arrow import pa, pc
from casebase.data.columns import as_text, spelling
from casebase.errors import CasebaseError
from casebase.progress import warn_user

LARGEST_ID = int(np.iinfo(np.int64).max)
N_NAMED = 3  # of the ids that occur twice

WHOLE_NUMBER = r"0|-?[1-9][0-9]{0,17}"  # 007 is a text: as a number it would be another id
_WHOLE_NUMBER = re.compile(WHOLE_NUMBER, re.ASCII)


def index_ids(frame: Any) -> np.ndarray | None:
    """Return the ids in the index of a pandas frame; None for the index 0, 1, 2, … that every new frame has.

    Whole numbers stay numbers, everything else becomes text; the levels of a MultiIndex are joined by a slash.
    """
    index = getattr(frame, "index", None)
    if index is None or not hasattr(index, "to_numpy") or not len(index):
        return None
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    if isinstance(index.dtype, np.dtype) and index.dtype.kind in "iu" and index.max() <= LARGEST_ID:
        whole: np.ndarray = index.to_numpy().astype(np.int64)
        return whole
    values = index.tolist()
    if getattr(index, "nlevels", 1) > 1:
        return ids_of(["/".join(_text(part) for part in value) for value in values], are_texts=True)
    return ids_of([_text(value) for value in values], are_texts=not all(type(value) is int for value in values))


def _text(value: Any) -> str:
    return spelling(value) or ""


def ids_of(texts: Sequence[str], *, are_texts: bool = False) -> np.ndarray:
    """Return texts as ids: whole numbers if all of them are, and none has leading zeros.

    >>> ids_of(["7", "12"]).tolist(), ids_of(["007", "12"]).tolist()
    ([7, 12], ['007', '12'])
    """
    if not are_texts and all(_WHOLE_NUMBER.fullmatch(text) for text in texts):
        return np.array([int(text) for text in texts], dtype=np.int64)
    ids = np.empty(len(texts), dtype=object)
    ids[:] = texts
    return ids


def are_whole(texts: pa.Array) -> bool:
    """Return whether all ids are whole numbers, as `ids_of` does."""
    return pc.all(pc.match_substring_regex(texts, f"^({WHOLE_NUMBER})$")).as_py() is not False


def column_ids(name: str, column: pa.Array, *, are_stored: bool) -> np.ndarray:
    """Return the ids in a column of a table; a stored case must have one."""
    texts = id_texts(name, column).to_pylist() if are_stored else as_text(column).to_pylist()
    return ids_of([text or "" for text in texts])


def id_texts(name: str, column: pa.Array) -> pa.Array:
    """Return the ids of stored cases as texts; an error if one is missing."""
    texts = as_text(column)
    if texts.null_count:
        row = int(np.flatnonzero(as_booleans(pc.is_null(texts)))[0])
        raise CasebaseError(f"Column {name!r} has the ids of the cases, but row {row + 1} of {len(texts)} has none.")
    return texts


def distinct_ids(ids: Any, n_cases: int) -> np.ndarray:
    """Return the ids of stored cases as an array; an error that names those which occur twice."""
    array = np.asarray(ids)
    if array.shape != (n_cases,):
        raise CasebaseError(f"Expected one id per case: {n_cases} cases, ids of shape {array.shape}.")
    if array.dtype.kind in "iu" and n_cases and array.max() > LARGEST_ID:
        raise CasebaseError(f"Ids are whole numbers up to {LARGEST_ID}, or text; got {array.max()}.")
    twice = repeated(array)
    if twice:
        raise same_ids(twice, len(twice))
    return array


def same_ids(twice: Sequence[int | str], n: int) -> CasebaseError:
    """Return the error that n ids occur more than once, of which these are the first."""
    return CasebaseError(
        f"Two cases have the same id, {_listed(twice, n)}: ids of stored cases must be distinct. Give each case its "
        "own id, or none."
    )


def ids_of_frame(ids: np.ndarray) -> np.ndarray | None:
    """Return the ids of a data frame's index if they are distinct; otherwise warn, and None: cases are numbered."""
    twice = repeated(ids)
    if not twice:
        return ids
    warn_user(
        f"The index of the data frame has {_listed(twice, len(twice))} more than once, so the cases are numbered 0, 1, "
        "2, …. Pass ids, or give the frame an index without repetitions."
    )
    return None


def repeated(ids: np.ndarray) -> list[int | str]:
    """Return the ids that occur more than once; texts and other values are equal if their texts are.

    >>> repeated(np.array([3, 1, 3])), repeated(np.array(["a", "b"]))
    ([3], [])
    """
    values = ids.tolist() if ids.dtype.kind in "iu" else [str(value) for value in ids.tolist()]
    if len(set(values)) == len(values):
        return []
    return [value for value, n in Counter(values).items() if n > 1]


def _listed(ids: Sequence[int | str], n: int) -> str:
    named = ", ".join(repr(value) for value in ids[:N_NAMED])
    return named + (f", … ({n} ids in all)" if n > N_NAMED else "")
