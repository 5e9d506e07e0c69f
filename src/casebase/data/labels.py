"""Class labels: the distinct classes in ascending order, and a code for each case."""

from __future__ import annotations

from typing import Any

import numpy as np

from casebase.data.arrow import pa
from casebase.data.columns import as_text, spelling, text_column
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import CasebaseError

FEW = 1_000  # labels; Arrow is faster for more


def label_array(y: Any) -> np.ndarray:
    """Return labels as an array, with missing labels kept missing."""
    array = np.asarray(y)
    # NumPy turns None and NaN in a list of strings into the texts "None" and "nan".
    if array.dtype.kind == "U" and isinstance(y, list | tuple) and any(spelling(label) is None for label in y):
        return np.array(y, dtype=object)
    return array


def coded_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in ascending order, and every case's class as a code.

    >>> coded_labels(np.array(["b", "a", "b"]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1], dtype=uint32))
    """
    if y.ndim != 1:
        raise CasebaseError(f"Expected one class per case, got an array of shape {y.shape}.")
    if y.dtype.kind in "mM":  # they would be numbers of nanoseconds in a model file, and in evidence
        raise CasebaseError("The classes are times or durations. Make them text: y.astype(str), for example.")
    if y.dtype == object:
        is_missing = np.array([spelling(label) is None for label in y], dtype=bool)
        if is_missing.any():
            row = int(np.flatnonzero(is_missing)[0])
            raise CasebaseError(
                f"The class is missing in {_cases(int(is_missing.sum()))}, the first in row {row + 1} of {len(y)}."
            )
    if y.dtype.kind == "U" or (y.dtype == object and all(isinstance(label, str) for label in y)):
        if len(y) <= FEW:
            ascending = sorted(set(y.tolist()))
            place = {label: code for code, label in enumerate(ascending)}
            return np.array(ascending, dtype=y.dtype), np.array([place[label] for label in y.tolist()], dtype=np.uint32)
        vocabulary, codes = vocabulary_of(text_column(y.tolist()))
        return np.array(vocabulary.values.to_pylist(), dtype=y.dtype), codes.astype(np.uint32)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise CasebaseError("The class contains NaN or infinity: every case needs a class.")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise CasebaseError("The classes mix types that cannot be put in order; make them all text.") from error
    return classes, codes.astype(np.uint32)


def _cases(n: int) -> str:
    return "1 case" if n == 1 else f"{n} cases"


def labels_for(schema_classes: tuple[Any, ...], column: pa.Array) -> list[Any]:
    """Return the labels in a file's class column with the type of a model's classes.

    >>> labels_for((1, 2), pa.array(["2", "3"]).dictionary_encode())
    [2, 3]
    """
    texts = as_text(column).to_pylist()
    if None in texts:
        raise CasebaseError(
            f"The class is missing in {_cases(texts.count(None))}, the first in row {texts.index(None) + 1} of "
            f"{len(texts)}."
        )
    known = {spelling(label): label for label in schema_classes}
    return [known[text] if text in known else _label(text, schema_classes[0]) for text in texts]


def _label(text: str, example: Any) -> Any:
    if isinstance(example, str):
        return text
    try:
        if isinstance(example, bool):
            raise ValueError
        return type(example)(text)
    except ValueError:
        raise CasebaseError(
            f"The stored classes are of the type of {example!r}; {text!r} cannot be converted to it."
        ) from None


def labels_in(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in a table's class column, as text, and every row's class as a code."""
    column = column if pa.types.is_dictionary(column.type) else as_text(column).dictionary_encode()
    vocabulary, codes = vocabulary_of(column)
    if vocabulary.missing is not None:
        row = int(np.flatnonzero(codes == vocabulary.missing)[0])
        raise CasebaseError(
            f"The class is missing in {_cases(int((codes == 0).sum()))}, the first in row {row + 1} of {len(codes)}."
        )
    return np.array(vocabulary.values.to_pylist(), dtype=object), codes.astype(np.uint32)
