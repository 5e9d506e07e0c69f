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
    k : int, default=1
        How many distinct distances vote; all cases at those distances do.
    weighting : str or array, default="gain_ratio"
        Relevance of the features: "none" (IB1), "information_gain" or "gain_ratio" (IB1-IG), "chi_squared",
        "shared_variance", "standard_deviation" (where all features are numbers), "relief" (from near cases), or one
        weight per feature.
    metric : str or dict, default="overlap"
        How values are compared. Symbols: "overlap" (equal or not), "mvdm", "jeffrey", "jensen_shannon" (by the classes
        with which they occur), "levenshtein", "dice" (by their letters); columns of floats are numeric all the same.
        Numbers: "numeric", "euclidean", and, of whole rows, "cosine", "dot". Or a dict from feature names or positions
        to a metric or "ignored"; features that it does not name are compared by "overlap", floats by "numeric".
    vote : {"equal", "inverse_distance", "inverse_linear", "exponential"}, default="equal"
        How much a case counts by its distance.
    decay_alpha, decay_beta : float, default=1.0
        The exponential vote counts a case exp(-alpha · distance ** beta).
    threshold : int, default=1
        How many cases a value needs to be judged by its classes ("mvdm", "jeffrey", "jensen_shannon"); rarer ones are
        1 away from all others.
    exact_match : bool or "never", default=False
        Whether identical stored cases answer alone whatever k; with False they do at k = 1, with "never" not even then.
    normalisation : "probability", "log_probability" or float, default="probability"
        How votes become the shares of `predict_proba`: as they are, by the logarithm of 1 + votes, or with this number
        added to the votes of every class.
    diversify : bool, default=False
        Take the smallest weight off all weights, so that they differ more.
    feature_limit : int, optional
        Use only this many features, the most relevant ones.
    missing : {"value", "unknown"}, default="value"
        Whether a missing value is a value like any other, or agrees with nothing.
    compat : {None, "timbl"}, default=None
        With "timbl", do as TiMBL does where it departs from the usual definitions; see the page on ties and unknown
        values.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    classes_ : the classes in ascending order.
    weights_ : the relevance of each feature, in column order.
    ids_ : the ids of the stored cases.
    fingerprint_ : a number, in hexadecimal digits, that all memories of the same cases have.
    model_ : the frozen model of `casebase.learners` behind the estimator.
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
        decay_alpha=1.0,
        decay_beta=1.0,
        threshold=1,
        exact_match=False,
        normalisation="probability",
        diversify=False,
        feature_limit=None,
        missing="value",
        compat=None,
        n_jobs=None,
    ):
        self.k = k
        self.weighting = weighting
        self.metric = metric
        self.vote = vote
        self.decay_alpha = decay_alpha
        self.decay_beta = decay_beta
        self.threshold = threshold
        self.exact_match = exact_match
        self.normalisation = normalisation
        self.diversify = diversify
        self.feature_limit = feature_limit
        self.missing = missing
        self.compat = compat
        self.n_jobs = n_jobs

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
