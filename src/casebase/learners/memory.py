"""The memory: all cases, sorted by their features in order of relevance.

Cases that agree on the most relevant features lie side by side. IB1 searches this order, IGTree folds it
into a tree, TRIBL does the one above and the other below a switch point.
"""

from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.data import Cases, Schema
from casebase.measures.weights import used_features


@dataclass(frozen=True, eq=False)
class Memory:
    """Stored cases by column. Rank 0 is the feature the rows are sorted by first.

    `order[rank]` is the feature's position in the schema: symbolic features first, then numeric ones
    (which take no part in the sorting); `row_of[i]` is the row of the training table that is stored i-th.
    """

    order: np.ndarray
    columns: tuple[np.ndarray, ...]
    labels: np.ndarray
    counts: np.ndarray | None
    row_of: np.ndarray
    ids: np.ndarray

    @property
    def n_cases(self) -> int:
        return len(self.labels)

    def stored(self) -> list[np.ndarray]:
        """Return the columns in the order in which the cases were given."""
        given = np.argsort(self.row_of)
        return [column[given] for column in self.columns]


def as_questions(
    columns: list[np.ndarray], schema: Schema, order: np.ndarray, missing_agrees: bool
) -> list[np.ndarray]:
    """Return columns, given in some order of features, ready to be compared with stored ones.

    Where a missing value is to agree with nothing it is treated like one never seen.
    """
    asked = []
    for column, feature in zip(columns, order):
        vocabulary = schema.features[feature].vocabulary
        if vocabulary is not None and vocabulary.missing is not None and not missing_agrees:
            column = np.where(column == vocabulary.missing, vocabulary.unknown, column).astype(column.dtype)
        asked.append(np.ascontiguousarray(column))
    return asked


def question_columns(cases: Cases, order: np.ndarray, missing_agrees: bool) -> list[np.ndarray]:
    """Return the columns of new cases in an order of features."""
    return as_questions([cases.columns[feature] for feature in order], cases.schema, order, missing_agrees)


def relevance_order(schema: Schema, features: list[int], *keys: np.ndarray) -> list[int]:
    """Return features by descending keys, the first one first; equal ones by name where features have names.

    Columns without names keep their order. So a table with a header gives the same model whatever the
    order of its columns.
    """
    if schema.is_named:
        features = sorted(features, key=lambda i: schema.features[i].name)
    return sorted(features, key=lambda i: tuple(-key[i] for key in keys))


def remember(cases: Cases, weights: np.ndarray, then: np.ndarray, *, first: list[int] | None = None) -> Memory:
    """Return the cases sorted by descending weight, features `first` before all others.

    Equal weights go by `then`. Behind `first` the order decides how fast a search is, not what it finds.
    """
    first = first or []
    rest = [i for i in used_features(cases) if i not in first]
    is_numeric = [feature.kind == "numeric" for feature in cases.schema.features]
    order = first + sorted(relevance_order(cases.schema, rest, weights, then), key=lambda i: is_numeric[i])
    symbolic = [cases.columns[i] for i in order if not is_numeric[i]]
    rows = _native.lexicographic_order(symbolic, cases.n_cases)
    return Memory(
        np.array(order, dtype=np.int64),
        tuple(cases.columns[i][rows] for i in order),
        cases.known_labels[rows],
        None if cases.weights is None else cases.weights[rows],
        rows,
        cases.case_ids()[rows],
    )
