"""IB1 and IB1-IG as a scikit-learn classifier."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.errors import CasebaseError
from casebase.estimators._correctable import CorrectableClassifier
from casebase.neighbours.search import checked_k


class IB1Classifier(CorrectableClassifier):
    """Keep every case and answer with the nearest ones.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : the classes in ascending order.
    weights_ : the relevance of each feature, in column order.
    ids_ : the ids of the stored cases.
    fingerprint_ : a number, in hexadecimal digits, that all memories of the same cases have.
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

        Exactly `n_neighbors` per case (k if not given), nearest first, equal distances in the order of
        the training table; indices are positions in `ids_`: rows of that table, unless cases of weight
        zero were left out of it. Without X, the neighbours of every stored case, not counting itself.
        """
        check_is_fitted(self, "model_")
        model = self.model_
        memory = model.memory
        wanted = checked_k(self.k if n_neighbors is None else n_neighbors)
        available = memory.n_cases - (X is None)
        if wanted > available:
            raise CasebaseError(f"Expected n_neighbors <= {available}, the number of stored cases; got {wanted}.")
        asked = model.nearby.stored_questions() if X is None else model.questions(self._cases(X))
        found = model.nearby.nearest(asked, wanted, n_jobs=self._n_threads)
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
        taken = ranked[(first[:, None] + np.arange(wanted)).ravel()].reshape(-1, wanted)
        return (distances[taken], rows[taken]) if return_distance else rows[taken]
