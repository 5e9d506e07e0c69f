"""IB1 and IB1-IG as a scikit-learn classifier."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.errors import CasebaseError
from casebase.estimators._correctable import CorrectableClassifier
from casebase.neighbours.search import checked_k


class IB1Classifier(CorrectableClassifier):
    """IB1: store every case and answer with the nearest ones.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : the classes in ascending order.
    weights_ : the relevance of each feature, in column order.
    ids_ : the ids of the stored cases.
    fingerprint_ : a hexadecimal fingerprint; memories of the same cases have the same one.
    records_ : the stored cases as an Arrow table.
    log_ : the corrections since the last `fit`.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import IB1Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = IB1Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.predict([["foggy", "cool"]]).tolist()
    ['go']
    """

    learner: ClassVar[str] = "ib1"

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the nearest stored cases, as scikit-learn's nearest neighbours do.

        There are exactly `n_neighbors` per case (k by default), nearest first, ties in the order of the training
        table. Indices are positions in `ids_`: rows of the training table, unless it had cases of weight zero, which
        are left out. Without X, return the neighbours of each stored case except itself.
        """
        check_is_fitted(self, "model_")
        model = self.model_
        memory = model.memory
        wanted = checked_k(self.k if n_neighbors is None else n_neighbors)
        available = memory.n_cases - (X is None)
        if wanted > available:
            raise CasebaseError(f"Expected n_neighbors <= {available}, the number of stored cases; got {wanted}.")
        stored = model.memory.in_given_order
        queries = model.nearby.stored_questions(stored) if X is None else model.questions(self._cases(X))
        found = model.nearby.nearest(queries, wanted, n_jobs=self._n_threads)
        # Neighbours come grouped by distance, with all ties: rank them per query and keep the first ones.
        n_rows = found.n_rows.astype(np.intp)
        n_groups = found.n_groups.astype(np.intp)
        distances = np.repeat(found.distance, n_rows)
        place = np.empty(memory.n_rows, dtype=np.intp)
        place[memory.in_given_order] = np.arange(memory.n_cases)
        rows = place[found.rows]
        per_query = np.add.reduceat(n_rows, np.cumsum(n_groups) - n_groups)
        query = np.repeat(np.arange(len(per_query)), per_query)
        ranked = np.lexsort((rows, distances, query))
        first = np.cumsum(per_query) - per_query
        chosen = ranked[(first[:, None] + np.arange(wanted)).ravel()].reshape(-1, wanted)
        return (distances[chosen], rows[chosen]) if return_distance else rows[chosen]
