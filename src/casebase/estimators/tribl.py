"""TRIBL as a scikit-learn classifier."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.estimators._correctable import CorrectableClassifier


class TRIBLClassifier(CorrectableClassifier):
    """Ask the features that stand out in a tree, and the nearest cases below it.

    Parameters
    ----------
    switch : int or "auto", default="auto"
        How many features, by relevance, form the tree; "auto" takes those whose relevance exceeds the mean
        by more than one standard deviation.
    k : int, default=1
        How many distinct distances vote below the tree.
    weighting : str or array, default="gain_ratio"
        What orders the features, and decides the automatic switch.
    weighting_below : str or array, default="none"
        The weights with which cases are compared below the tree.
    metric, vote, decay_alpha, decay_beta, threshold, exact_match
        As in `IB1Classifier`.
    normalisation, diversify, feature_limit, missing, compat, n_jobs
        As in `IB1Classifier`.

    Attributes
    ----------
    switch_ : the number of features in the tree.
    n_nodes_ : the number of nodes of the tree, with the root.
    weights_below_ : the weights with which cases are compared below the tree, in column order.
    weights_, classes_, ids_, fingerprint_, model_, n_features_in_, feature_names_in_ : as in `IB1Classifier`.

    Examples
    --------
    >>> from casebase import TRIBLClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = TRIBLClassifier(switch=1).fit(X, ["stay", "go", "stay", "go"])
    >>> clf.switch_, clf.predict([["foggy", "hot"]]).tolist()
    (1, ['stay'])
    """

    learner: ClassVar[str] = "tribl"

    def __init__(
        self,
        switch="auto",
        k=1,
        weighting="gain_ratio",
        weighting_below="none",
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
        self.switch = switch
        self.k = k
        self.weighting = weighting
        self.weighting_below = weighting_below
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

    @property
    def switch_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.switch

    @property
    def weights_below_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        return self.model_.below.weights

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.tree.n_nodes
