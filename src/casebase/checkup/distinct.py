"""Equal records: those that agree on all features in use, with and without their class.

Records that also agree on the class get the same leave-one-out answer and are worth the same, so that every pass works
on *kinds* of records, each with a count.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casebase.data import Cases
from casebase.data.runs import begins_run


@dataclass(frozen=True, eq=False)
class Distinct:
    """The kinds of records of a table: equal features, equal class.

    `first` is the first record of each kind and `count` its number of records; `which` is the kind of each record.
    `row` numbers the distinct rows, so that kinds with one number differ in the class alone.
    """

    cases: Cases
    first: np.ndarray
    count: np.ndarray
    which: np.ndarray
    row: np.ndarray

    @property
    def n_kinds(self) -> int:
        return len(self.first)

    @cached_property
    def labels(self) -> np.ndarray:
        """The class of each kind."""
        labels: np.ndarray = self.cases.known_labels[self.first].astype(np.int64)
        return labels

    @cached_property
    def kinds(self) -> Cases:
        """One case per kind; its weight is the number of records, if some number is not 1."""
        weights = None if (self.count == 1).all() else self.count.astype(float)
        return self.cases.take(self.first).with_weights(weights)

    @cached_property
    def _by_kind(self) -> tuple[np.ndarray, np.ndarray]:
        return np.argsort(self.which, kind="stable"), np.concatenate([[0], np.cumsum(self.count)])

    def records(self, kind: int) -> np.ndarray:
        """Return the records of a kind, in the order given."""
        order, start = self._by_kind
        members: np.ndarray = order[start[kind] : start[kind + 1]]
        return members

    def contradicting(self) -> list[np.ndarray]:
        """Return the kinds of each distinct row that occurs with several classes."""
        order = np.argsort(self.row, kind="stable")
        order = order[np.bincount(self.row)[self.row[order]] > 1]
        return np.split(order, np.flatnonzero(np.diff(self.row[order])) + 1) if len(order) else []

    @cached_property
    def _ids(self) -> list[int | str]:
        return [each if isinstance(each, int | str) else str(each) for each in self.cases.case_ids().tolist()]

    def ids(self, records: np.ndarray | list[int]) -> tuple[int | str, ...]:
        """Return the ids of some records as plain values."""
        ids = self._ids
        return tuple(ids[i] for i in np.asarray(records, dtype=np.int64).tolist())


def distinct_records(cases: Cases) -> Distinct:
    """Return the kinds of records.

    >>> cases = Cases.from_table([["a", "P"], ["b", "Q"], ["a", "Q"], ["a", "P"]], target=-1)
    >>> found = distinct_records(cases)
    >>> found.first.tolist(), found.count.tolist(), found.which.tolist(), found.row.tolist()
    ([0, 2, 1], [2, 1, 1], [0, 2, 1, 0], [0, 0, 1])
    """
    used = [i for i, feature in enumerate(cases.schema.features) if feature.kind != "ignored"]
    columns = [_codes(cases.columns[i]) for i in used]
    labels = cases.known_labels
    order = np.lexsort([labels, *columns[::-1]])  # stable: the first record of a kind comes first
    sorted_columns = [column[order] for column in columns]
    begins_row = begins_run(sorted_columns, cases.n_cases)
    begins = begins_row | begins_run([labels[order]], cases.n_cases)
    starts = np.flatnonzero(begins)
    which = np.empty(cases.n_cases, dtype=np.int64)
    which[order] = np.cumsum(begins) - 1
    count = np.diff(np.append(starts, cases.n_cases))
    return Distinct(cases, order[starts], count, which, (np.cumsum(begins_row) - 1)[starts])


def _codes(column: np.ndarray) -> np.ndarray:
    """Return numbers as codes, so that two missing numbers are equal; codes stay as they are."""
    if column.dtype.kind != "f":
        return column
    codes: np.ndarray = np.unique(column, return_inverse=True)[1].ravel()
    return codes
