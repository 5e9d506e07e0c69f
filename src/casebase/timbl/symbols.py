"""TiMBL's numbering of classes and values: the order of their first occurrence in the training file."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from casebase.data.arrays import as_numpy


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols of training columns, the class last; ignored features have none.

    `codes[f]` points, per line, into the values of feature f, which are in order of first appearance.
    """

    values: tuple[list[str] | None, ...]
    codes: tuple[np.ndarray | None, ...]
    classes: list[str]
    labels: np.ndarray
    known: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: list[pa.DictionaryArray], ignored: set[int]) -> "Symbols":
        """Return the symbols of columns whose dictionaries are in order of first appearance."""
        codes = [as_numpy(column.indices) for column in columns]
        values: list[list[str] | None] = [column.dictionary.to_pylist() for column in columns]
        for feature in ignored:
            values[feature] = None
        labels = values.pop()
        assert labels is not None
        kept = tuple(None if i in ignored else one for i, one in enumerate(codes[:-1]))
        return cls(tuple(values), kept, labels, codes[-1])

    def with_order(self, classes: list[str], values: list[str]) -> "Symbols":
        """Return the same symbols with classes in another order, and with some values numbered before all others."""
        place = {label: i for i, label in enumerate(classes)}
        moved = np.array([place[label] for label in self.classes], dtype=np.int64)
        return replace(self, classes=classes, labels=moved[self.labels], known=tuple(values))

    @property
    def n_lines(self) -> int:
        return len(self.labels)

    @cached_property
    def index(self) -> dict[str, int]:
        """Every value's number, from 0: all features share one table, filled line by line, left to right."""
        first_seen = []
        for feature, (values, codes) in enumerate(zip(self.values, self.codes)):
            if values is None or codes is None:
                continue
            _, first = np.unique(codes, return_index=True)
            present = codes[np.sort(first)]
            first_seen += [(int(line), feature, values[code]) for line, code in zip(np.sort(first), present)]
        index: dict[str, int] = {value: i for i, value in enumerate(self.known)}
        for _, _, value in sorted(first_seen, key=lambda seen: seen[:2]):
            index.setdefault(value, len(index))
        return index

    def index_of_codes(self, feature: int) -> np.ndarray:
        """Return the number of every value of a feature."""
        return np.array([self.index.get(value, -1) for value in self.values[feature] or []], dtype=np.int64)

    @cached_property
    def n_values(self) -> np.ndarray:
        """How many values each feature has; 0 for ignored ones."""
        return np.array([0 if values is None else len(values) for values in self.values])
