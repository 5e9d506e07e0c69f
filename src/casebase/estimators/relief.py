"""RELIEF and ReliefF as a scikit-learn selector."""

import numpy as np

from casebase.data import Cases
from casebase.estimators._input import n_threads
from casebase.estimators._selecting import CaseSelector
from casebase.measures.relief import by_weight, relief, selected
from casebase.measures.weights import used_features


class ReliefSelector(CaseSelector):
    """Select the features that differ between near cases of different classes, and not between those of one.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many near cases of its own class, and of every other class, each case is compared with.
    n_samples : int, optional
        How many cases are compared with their neighbours; all of them unless given.
    threshold : float, default=0.0
        Features with a larger weight are selected.
    n_features_to_select : int, optional
        Select so many features, those with the largest weights, whatever the threshold.
    random_state : int, default=0
        Where the sample comes from.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    weights_ : the weight of each feature, from -1 to 1, in column order.
    support_ : whether each feature is selected.
    ranking_ : 1 for the feature with the largest weight, 2 for the next, and so on.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import ReliefSelector
    >>> X = [["0", "0", "a"], ["0", "1", "a"], ["1", "0", "a"], ["1", "1", "a"]] * 5
    >>> selector = ReliefSelector(n_neighbors=1).fit(X, ["even", "odd", "odd", "even"] * 5)
    >>> selector.weights_.tolist(), selector.support_.tolist()
    ([0.5, 0.5, 0.0], [True, True, False])
    """

    def __init__(
        self,
        n_neighbors=10,
        n_samples=None,
        threshold=0.0,
        n_features_to_select=None,
        random_state=0,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _keep(self, cases: Cases) -> None:
        used = used_features(cases)
        self.weights_ = relief(
            cases,
            used,
            n_neighbours=self.n_neighbors,
            n_samples=self.n_samples,
            random_state=self.random_state,
            n_jobs=n_threads(self.n_jobs),
        )
        ranked = by_weight(cases, used, self.weights_)
        kept = selected(self.weights_, ranked, self.threshold, self.n_features_to_select)
        self.support_ = np.isin(np.arange(cases.n_features), kept)
        self.ranking_ = np.empty(cases.n_features, dtype=int)
        self.ranking_[ranked] = 1 + np.arange(len(ranked))
