"""IGTree as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._codelength import Codelength
from casebase.estimators._correctable import CorrectableClassifier


class IGTreeClassifier(Codelength, CorrectableClassifier):
    """IGTree: compress the memory into a tree, the most relevant feature first.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_nodes_ : the number of nodes, including the root.
    depth_ : the largest number of tests on a path.
    compression_ : the share of the memory's values that the tree saves.
    ids_, fingerprint_, records_ : as in `IB1Classifier`; absent if `keep_cases=False`.
    log_ : as in `IB1Classifier`.
    weights_, classes_, kinds_, calibration_, model_, n_features_in_, feature_names_in_ : as in `IB1Classifier`.

    Examples
    --------
    >>> from casebase import IGTreeClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = IGTreeClassifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.n_nodes_, clf.predict([["foggy", "hot"]]).tolist()
    (2, ['stay'])
    """

    learner: ClassVar[str] = "igtree"

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.tree.n_nodes)

    @property
    def depth_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.tree.depth)

    @property
    def compression_(self) -> float:
        check_is_fitted(self, "model_")
        return float(self.model_.compression)
