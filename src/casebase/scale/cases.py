"""Cases that are not in memory, as the methods take them.

Methods learn from counts, and from cases that are sorted. `CountedCases` have both without being in memory: the counts
were made part by part, and the cases are sorted on the disk when a method asks for it. What a method saves is then the
ordinary model, whose arrays are files.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from casebase.data import Cases, Schema
from casebase.data.features import as_kind
from casebase.errors import CasebaseError
from casebase.measures.contingency import Contingency
from casebase.memory.segments import Segment
from casebase.scale.coding import Given
from casebase.scale.counting import ColumnCounts, contingency_of

Sort = Callable[[Schema, list[int]], Segment]


@dataclass(frozen=True, eq=False)
class CountedCases(Cases):
    """Cases by their counts; the columns have every distinct value once, so that kinds can be changed as usual."""

    counts: tuple[ColumnCounts, ...] = ()
    per_class: np.ndarray = field(default_factory=lambda: np.empty(0))
    sort: Sort | None = None

    @property
    def class_counts(self) -> np.ndarray:
        return self.per_class

    @property
    def known_labels(self) -> np.ndarray:
        raise CasebaseError(
            "This setting needs all cases in memory at once: leave out --memory, or choose another one."
        )

    def contingency(self, feature: int) -> Contingency:
        """Return the contingency table of a feature."""
        distinct, n_classes = self.columns[feature], len(self.schema.classes)
        return contingency_of(self.schema.features[feature], distinct, self.counts[feature], n_classes)

    def times(self, feature: int) -> np.ndarray:
        """Return how many cases have each distinct value of a feature."""
        return self.counts[feature].times

    def cells(self, feature: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the distinct numbers of a feature with the classes they occur with, and how often."""
        counts = self.counts[feature]
        return self.columns[feature][counts.value], counts.label, counts.count

    def sorted_segment(self, order: Sequence[int]) -> Segment:
        """Return the cases, sorted on the disk by the features in this order."""
        assert self.sort is not None
        return self.sort(self.schema, list(order))


@dataclass(frozen=True, eq=False)
class GivenCases(Cases):
    """Coded cases on the disk, in the order given, of which a few can be taken."""

    given: Given | None = None
    per_class: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def class_counts(self) -> np.ndarray:
        return self.per_class

    @property
    def known_labels(self) -> np.ndarray:
        assert self.labels is not None
        return self.labels

    def take(self, rows: np.ndarray) -> Cases:
        """Return the cases at these rows, in that order, in memory."""
        assert self.given is not None
        order = np.argsort(rows, kind="stable")
        ascending = np.asarray(rows)[order]
        back = np.argsort(order, kind="stable")
        columns = [column.take(ascending)[back] for column in self.given.columns]
        for i, (feature, stored) in enumerate(zip(self.schema.features, self.given.schema.features)):
            if feature.kind == "numeric" and stored.of_numbers:  # the method tests numbers for equality
                columns[i] = as_kind(stored, columns[i], "numeric")[1]
            numbers = self.given.recorded[i]
            if numbers is not None:
                columns[i] = numbers.take(ascending)[back]
        labels = self.given.labels.take(ascending)[back]
        return Cases(
            self.schema,
            tuple(columns),
            labels,
            ids=np.asarray(rows) if self.ids is None else np.asarray(self.ids[rows]),
            n_cases=len(rows),
            provenance=None if self.provenance is None else self.provenance[rows],
            notations=self.given.notations(ascending, back),
        )

    def plain(self) -> Cases:
        """Return the cases as mapped files, for methods that read all of them."""
        return Cases(
            self.schema,
            self.columns,
            self.labels,
            ids=self.ids,
            n_cases=self.n_cases,
            provenance=self.provenance,
            drawn=self.drawn,
        )


def given_cases(
    given: Given,
    schema: Schema,
    per_class: np.ndarray,
    ids: np.ndarray | None = None,
    provenance: np.ndarray | None = None,
) -> GivenCases:
    """Return the coded cases, as mapped files, with the features that were counted."""
    return GivenCases(
        schema,
        tuple(column.mapped() for column in given.columns),
        given.labels.mapped(),
        ids=ids,
        n_cases=given.n_cases,
        provenance=provenance,
        given=given,
        per_class=per_class,
    )
