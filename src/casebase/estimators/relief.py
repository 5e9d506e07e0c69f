"""RELIEF and ReliefF as a scikit-learn selector."""

import numpy as np

from casebase.data import Cases
from casebase.estimators._input import n_threads
from casebase.estimators._parameters import N_JOBS, take_settings
from casebase.estimators._selector import CaseSelector
from casebase.selection.relief import Settings, select


class ReliefSelector(CaseSelector):
    """RELIEF: select the features that differ between near cases of different classes but not of the same class.

    Parameters
    ----------
    {parameters}

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

    n_jobs: int | None

    def _keep(self, cases: Cases) -> None:
        settings = Settings(**{name: getattr(self, name) for name in Settings.public()})
        found = select(cases, settings, n_jobs=n_threads(self.n_jobs))
        self.weights_ = found.weights
        self.support_ = np.isin(np.arange(cases.n_features), found.features)
        self.ranking_ = np.empty(cases.n_features, dtype=int)
        self.ranking_[list(found.ranked)] = 1 + np.arange(len(found.ranked))


take_settings(ReliefSelector, Settings, N_JOBS)
