"""The vocabulary of a feature: its values and their integer codes.

Values are text and sorted, so that codes depend on which values occur but not on the order of the rows. A missing
value is a value like any other and comes first. The largest code of the integer type stands for unknown values: it
equals no stored code.

When a memory is corrected, its codes stay valid. New values are appended after the sorted ones. A value that lost its
last case keeps its code, but is encoded as unknown, until the memory is sorted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.data.arrays import as_integers, as_numpy, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.listening import listening
from casebase.data.texts import Texts

Codes = np.ndarray


SMALL = 8  # fewer than one eighth of the vocabulary's size are looked up one by one, without building Arrow's index


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Distinct values in ascending order, a missing value (null) first, then the values added later.

    `added` maps values added later to their codes; `gone` are the codes of values that no case has any more.
    `ordered_codes` maps the ordered values to their codes, if that is known already. The ordered values are `given` as
    an Arrow array, or as the texts of a model file: a model that is only asked for a few plain rows needs no array.

    >>> vocabulary = Vocabulary(pa.array([None, "blue", "red"]))
    >>> vocabulary.encode(pa.array(["red", "green", None]))
    array([  2, 255,   0], dtype=uint8)
    >>> vocabulary.value(2)
    'red'
    >>> vocabulary.with_values(["black"]).without([1]).encode(pa.array(["black", "blue"]))
    array([  3, 255], dtype=uint8)
    """

    given: pa.Array | Texts
    added: Mapping[str | None, int] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()
    ordered_codes: Mapping[str | None, int] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.given) + len(self.added)

    def __getstate__(self) -> dict[str, list[str | None] | list[int]]:
        """Return the values as plain texts: Arrow arrays restored by other means than pickle are not usable."""
        return {"given": self.given.to_pylist(), "added": list(self.added), "gone": sorted(self.gone)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        added = {value: len(state["given"]) + i for i, value in enumerate(state["added"])}
        self.__init__(as_strings(state["given"]), added, frozenset(state["gone"]))  # type: ignore[misc]

    @property
    def ordered(self) -> pa.Array:
        """The values in order, without those added later."""
        return self.given.array if isinstance(self.given, Texts) else self.given

    @cached_property
    def values(self) -> pa.Array:
        """All values by code, including those that are gone."""
        if not self.added:
            return self.ordered
        return pa.concat_arrays([self.ordered, as_strings(list(self.added))])

    @property
    def is_ordered(self) -> bool:
        """Whether it has the values in order alone: no correction has changed it."""
        return not self.added and not self.gone

    @cached_property
    def dtype(self) -> np.dtype:
        """The narrowest unsigned type that holds every code and the code for unknown values."""
        return np.dtype(np.uint8 if len(self) < 2**8 else np.uint16 if len(self) < 2**16 else np.uint32)

    @cached_property
    def unknown(self) -> int:
        return int(np.iinfo(self.dtype).max)

    @cached_property
    def missing(self) -> int | None:
        """The code of a missing value, or None if no value is missing."""
        code = 0 if len(self.given) and self.given.null_count else self.added.get(None)
        return None if code in self.gone else code

    def value(self, code: int) -> str | None:
        if code >= len(self.given):
            return self.texts[code]
        value: str | None = self.given.value(code) if isinstance(self.given, Texts) else self.given[code].as_py()
        return value

    def values_of(self, codes: Codes) -> list[str | None]:
        """Return the values for an array of codes."""
        return [self.texts[code] for code in codes.tolist()]

    @cached_property
    def texts(self) -> list[str | None]:
        """All values by code as Python strings: converting one from Arrow takes microseconds."""
        return [*self._ordered_codes, *self.added]

    @cached_property
    def _ordered_codes(self) -> Mapping[str | None, int]:
        if self.ordered_codes is not None:
            return self.ordered_codes
        return {value: code for code, value in enumerate(self.given.to_pylist())}

    def code(self, value: str | None) -> int | None:
        """Return the code of a value, whether or not cases have it now; None if it has no code."""
        code = self._ordered_codes.get(value)
        return self.added.get(value) if code is None else code

    def encode(self, array: pa.Array) -> Codes:
        """Return the code of every value; values that are not in the vocabulary are unknown."""
        if len(array) * SMALL < len(self):
            return self.encode_few(array.to_pylist())
        n = max(len(array), len(self))
        indices = listening(n, pc.index_in, array, value_set=self.values).cast(pa.int64())
        codes = as_numpy(indices, null=self.unknown).astype(self.dtype)
        if self.gone:
            codes[np.isin(codes, list(self.gone))] = self.unknown
        return codes

    def encode_few(self, values: Iterable[str | None]) -> Codes:
        """Return the code of every value as `encode` does, with one dictionary lookup per value."""
        unknown, gone = self.unknown, self.gone
        if self.is_ordered:
            code_of = self._ordered_codes.get
            return np.array([code_of(value, unknown) for value in values], dtype=self.dtype)
        codes = map(self.code, values)
        return np.array([unknown if code is None or code in gone else code for code in codes], dtype=self.dtype)

    def encode_one(self, value: str | None) -> Codes:
        """Return the code of one value, in an array as `encode_few` returns it."""
        code = self._ordered_codes.get(value)
        if code is None:
            code = self.added.get(value)
        return np.array((self.unknown if code is None or code in self.gone else code,), self.dtype)

    def with_values(self, values: Iterable[str | None]) -> Vocabulary:
        """Return a vocabulary that has codes for these values too, with new values after the existing ones."""
        added = dict(self.added)
        for value in values:
            if value not in self._ordered_codes and value not in added:
                added[value] = len(self.given) + len(added)
        # All vocabularies derived from this one share the dictionary of its ordered codes.
        return self if len(added) == len(self.added) else replace(self, added=added, ordered_codes=self._ordered_codes)

    def without(self, codes: Iterable[int], revived: Iterable[int] = ()) -> Vocabulary:
        """Return a vocabulary in which these codes have no cases, and `revived` ones have cases again."""
        gone = self.gone.union(codes).difference(revived)
        return self if gone == self.gone else replace(self, gone=gone, ordered_codes=self._ordered_codes)


def in_order(vocabulary: Vocabulary, codes: Codes) -> tuple[Vocabulary, Codes]:
    """Return a vocabulary of the values that occur, sorted, and the codes translated to it.

    >>> vocabulary, codes = in_order(Vocabulary(pa.array(["b", "c"]), {"a": 2}), np.array([2, 0], np.uint8))
    >>> vocabulary.values.to_pylist(), codes.tolist()
    (['a', 'b'], [0, 1])
    """
    is_used = np.bincount(codes, minlength=len(vocabulary)) > 0
    if is_used.all() and not vocabulary.added:
        return Vocabulary(vocabulary.given), codes
    used = np.flatnonzero(is_used)
    values = vocabulary.values.take(as_integers(used))
    ascending = listening(len(values), pc.array_sort_indices, values, null_placement="at_start").to_numpy()
    tidy = Vocabulary(values.take(as_integers(ascending)))
    new_code = np.zeros(len(vocabulary), dtype=tidy.dtype)
    new_code[used[ascending]] = np.arange(len(used))
    return tidy, new_code[codes]


def vocabulary_of(column: pa.DictionaryArray) -> tuple[Vocabulary, Codes]:
    """Return the vocabulary of a column, and the column in its codes.

    >>> vocabulary, codes = vocabulary_of(pa.array(["red", None, "blue", "red"]).dictionary_encode())
    >>> vocabulary.values.to_pylist(), codes.tolist()
    ([None, 'blue', 'red'], [2, 0, 1, 2])
    """
    has_missing = column.null_count > 0
    n_entries = len(column.dictionary)
    if column.dictionary.null_count or (n_entries > 1 and _n_distinct(column.dictionary) < n_entries):
        # Nulls inside the dictionary become nulls of the column, equal entries one entry.
        column = listening(len(column), lambda: column.dictionary_decode().dictionary_encode())
        has_missing = column.null_count > 0
    n_entries = len(column.dictionary)
    if (
        n_entries == 1 and len(column) and not has_missing
    ):  # constant, as all columns of a table of one row are, however many
        return Vocabulary(column.dictionary.cast(pa.string())), np.zeros(len(column), np.uint8)
    entries = entries_of(column)
    is_used = np.bincount(entries, minlength=n_entries + 1)[:n_entries] > 0
    ascending = as_numpy(listening(n_entries, pc.array_sort_indices, column.dictionary))
    ascending = ascending[is_used[ascending]]
    values = column.dictionary.take(as_integers(ascending)).cast(pa.string())
    if has_missing:
        values = pa.concat_arrays([pa.nulls(1, pa.string()), values])
    vocabulary = Vocabulary(values)
    code_of_entry = np.zeros(n_entries + 1, dtype=vocabulary.dtype)  # the last entry stands for missing: code 0
    code_of_entry[ascending] = np.arange(len(ascending)) + has_missing
    return vocabulary, code_of_entry[entries]


def _n_distinct(values: pa.Array) -> int:
    n: int = listening(len(values), pc.count_distinct, values).as_py()
    return n


def entries_of(column: pa.DictionaryArray) -> np.ndarray:
    """Return the dictionary index of each value; a missing value gets the index after the last.

    >>> entries_of(pa.array(["red", None, "red"]).dictionary_encode()).tolist()
    [0, 1, 0]
    """
    # The index after the last entry may not fit into the column's narrow index type.
    return as_numpy(column.indices.cast(pa.int64()), null=len(column.dictionary))
