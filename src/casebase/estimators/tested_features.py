"""The features of a C4.5 tree as a scikit-learn selector."""

from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.estimators._parameters import take_settings
from casebase.estimators._selector import CaseSelector
from casebase.trees.c45 import TreeSettings
from casebase.trees.tested_features import select


class C45Selector(CaseSelector):
    """Select the features that a C4.5 tree tests, for a method that compares cases on these alone.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : whether each feature is tested.
    ranking_ : 1 for the features that are tested, 2 for the others.
    tested_ : the features of the tree, from the root down: feature, number of tests, first level, cases that they see.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import C45Selector
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]] * 2
    >>> C45Selector().fit(X, ["stay", "go", "stay", "go"] * 2).support_.tolist()
    [False, True]
    """

    tested_: list[dict[str, Any]]

    def _keep(self, cases: Cases) -> None:
        found = select(cases, TreeSettings(**{name: getattr(self, name) for name in TreeSettings.public()}))
        self.support_ = np.isin(np.arange(cases.n_features), found.features)
        self.ranking_ = 2 - self.support_.astype(int)
        self.tested_ = found.to_dict()["tested"]


take_settings(C45Selector, TreeSettings, {})
