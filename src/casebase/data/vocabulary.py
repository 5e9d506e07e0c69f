"""The values of one feature and their codes.

A symbolic feature is stored as small integers. The vocabulary translates: values are text, sorted, so
that codes depend on which values occur and never on the order of the rows; a missing value is a value
like any other (the first one). The largest code of the chosen width stands for "never seen": it equals
nothing that is stored.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.arrays import as_integers, as_numpy

Codes = np.ndarray


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Distinct values in ascending order, a missing value (null) first.

    >>> vocabulary = Vocabulary(pa.array([None, "blue", "red"]))
    >>> vocabulary.encode(pa.array(["red", "green", None]))
    array([  2, 255,   0], dtype=uint8)
    >>> vocabulary.value(2)
    'red'
    """

    values: pa.Array

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def dtype(self) -> np.dtype:
        """The narrowest unsigned type that holds every code and the one for "never seen"."""
        return np.dtype(np.uint8 if len(self) < 2**8 else np.uint16 if len(self) < 2**16 else np.uint32)

    @property
    def unknown(self) -> int:
        return int(np.iinfo(self.dtype).max)

    @cached_property
    def missing(self) -> int | None:
        """The code of a missing value, or None when no value was missing."""
        return 0 if len(self) and self.values.null_count else None

    def value(self, code: int) -> str | None:
        return self.values[code].as_py()

    def encode(self, array: pa.Array) -> Codes:
        """Return the code of every value; values that are not in the vocabulary are unknown."""
        found = pc.index_in(array, value_set=self.values).cast(pa.int64())
        return as_numpy(found, null=self.unknown).astype(self.dtype)


def vocabulary_of(column: pa.DictionaryArray) -> tuple[Vocabulary, Codes]:
    """Return the values that occur in a column, sorted, and the column in their codes.

    >>> vocabulary, codes = vocabulary_of(pa.array(["red", None, "blue", "red"]).dictionary_encode())
    >>> vocabulary.values.to_pylist(), codes.tolist()
    ([None, 'blue', 'red'], [2, 0, 1, 2])
    """
    has_missing = column.null_count > 0
    if column.dictionary.null_count or pc.count_distinct(column.dictionary).as_py() < len(column.dictionary):
        # Nulls inside the dictionary become nulls of the column, equal entries one entry.
        column = column.dictionary_decode().dictionary_encode()
        has_missing = column.null_count > 0
    n_entries = len(column.dictionary)
    entries = entries_of(column)
    is_used = np.bincount(entries, minlength=n_entries + 1)[:n_entries] > 0
    ascending = as_numpy(pc.array_sort_indices(column.dictionary))
    ascending = ascending[is_used[ascending]]
    values = column.dictionary.take(as_integers(ascending)).cast(pa.string())
    if has_missing:
        values = pa.concat_arrays([pa.nulls(1, pa.string()), values])
    vocabulary = Vocabulary(values)
    code_of_entry = np.zeros(n_entries + 1, dtype=vocabulary.dtype)  # the last one: missing, code 0
    code_of_entry[ascending] = np.arange(len(ascending)) + has_missing
    return vocabulary, code_of_entry[entries]


def entries_of(column: pa.DictionaryArray) -> np.ndarray:
    """Return which entry of its dictionary each value is; a missing value is one past the last.

    >>> entries_of(pa.array(["red", None, "red"]).dictionary_encode()).tolist()
    [0, 1, 0]
    """
    # Wide enough for one past the last: narrow indices may be full.
    return as_numpy(column.indices.cast(pa.int64()), null=len(column.dictionary))
