"""IB1 and IB1-IG as a scikit-learn classifier."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.errors import CasebaseError
from casebase.estimators._base import MemoryClassifier
from casebase.learners import neighbours
from casebase.learners.memory import as_questions


class IB1Classifier(MemoryClassifier):
    """Keep every case and answer with the nearest ones.

    Parameters
    ----------
    k : int, default=1
        How many distinct distances vote; all cases at those distances do.
    weighting : str or array, default="gain_ratio"
        Relevance of the features: "none" (IB1), "information_gain" or "gain_ratio" (IB1-IG), "chi_squared",
        "shared_variance", or one weight per feature.
    metric : str or dict, default="overlap"
        How values are compared: "overlap" for symbols (columns of floats are numeric all the same), "numeric"
        for all features, or a dict from feature names or positions to "overlap", "numeric" or "ignored".
    vote : str, default="equal"
        How much a case counts by its distance.
    missing : {"value", "unknown"}, default="value"
        Whether a missing value is a value like any other, or agrees with nothing.
    compat : {None, "timbl"}, default=None
        With "timbl", remaining class ties go to the class seen first in training, as in TiMBL, instead of
        the first in the order of the labels.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    classes_ : the classes in ascending order.
    weights_ : the relevance of each feature, in column order.
    ids_ : the ids of the stored cases.
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

    def __init__(
        self,
        k=1,
        weighting="gain_ratio",
        metric="overlap",
        vote="equal",
        missing="value",
        compat=None,
        n_jobs=None,
    ):
        self.k = k
        self.weighting = weighting
        self.metric = metric
        self.vote = vote
        self.missing = missing
        self.compat = compat
        self.n_jobs = n_jobs

    @property
    def ids_(self) -> np.ndarray:
        """The ids of the stored cases, in the order in which they were given."""
        check_is_fitted(self, "model_")
        memory = self.model_.memory
        return memory.ids[np.argsort(memory.row_of)]

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the nearest stored cases, as scikit-learn's nearest neighbours do.

        Exactly `n_neighbors` per case (k if not given), nearest first, equal distances in the order of
        the training table; indices are positions in `ids_`: rows of that table, unless cases of weight
        zero were left out of it. Without X, the neighbours of every stored case, not counting itself.
        """
        check_is_fitted(self, "model_")
        memory, voting = self.model_.memory, self.model_.voting
        wanted = neighbours.checked_k(self.k if n_neighbors is None else n_neighbors)
        available = memory.n_cases - (X is None)
        if wanted > available:
            raise CasebaseError(f"Expected n_neighbors <= {available}, the number of stored cases; got {wanted}.")
        if X is None:
            scopes = np.tile(neighbours.whole_memory(memory), (memory.n_cases, 1))
            scopes[:, 3] = np.argsort(memory.row_of)  # where each case is stored: it is not its own neighbour
            columns = as_questions(memory.stored(), self.model_.schema, memory.order, voting.missing_agrees)
            asked = neighbours.Questions(columns, self.model_.metric, scopes)
        else:
            asked = self.model_.questions(self._cases(X))
        found = neighbours.nearest(
            memory, asked, wanted, exact_first=False, missing_agrees=voting.missing_agrees, n_jobs=self._n_threads
        )  # fmt: skip
        n_rows = found.n_rows.astype(np.intp)
        n_groups = found.n_groups.astype(np.intp)
        distances = np.repeat(found.distance, n_rows)
        rows = memory.row_of[found.rows].astype(np.intp)
        per_query = np.add.reduceat(n_rows, np.cumsum(n_groups) - n_groups)
        query = np.repeat(np.arange(len(per_query)), per_query)
        ranked = np.lexsort((rows, distances, query))
        first = np.cumsum(per_query) - per_query
        taken = ranked[(first[:, None] + np.arange(wanted)).ravel()].reshape(-1, wanted)
        return (distances[taken], rows[taken]) if return_distance else rows[taken]
