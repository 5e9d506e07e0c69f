"""TRIBL as a scikit-learn classifier."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.estimators._correctable import CorrectableClassifier


class TRIBLClassifier(CorrectableClassifier):
    """TRIBL: test the most relevant features in a tree, and search the nearest cases below it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    switch_ : the number of features in the tree.
    n_nodes_ : the number of nodes of the tree, including the root.
    weights_below_ : the weights of the features below the tree, in column order.
    weights_, classes_, ids_, fingerprint_, records_, log_, kinds_, calibration_, model_ : as in `IB1Classifier`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import TRIBLClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = TRIBLClassifier(switch=1).fit(X, ["stay", "go", "stay", "go"])
    >>> clf.switch_, clf.predict([["foggy", "hot"]]).tolist()
    (1, ['stay'])
    """

    learner: ClassVar[str] = "tribl"

    @property
    def switch_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.switch)

    @property
    def weights_below_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        weights: np.ndarray = self.model_.below.weights
        return weights

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.tree.n_nodes)
