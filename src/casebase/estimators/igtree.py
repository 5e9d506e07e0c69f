"""IGTree as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._codelength import SaidInBits
from casebase.estimators._correctable import CorrectableClassifier


class IGTreeClassifier(SaidInBits, CorrectableClassifier):
    """Fold the memory into a tree, the most relevant feature first.

    Parameters
    ----------
    weighting : str or array, default="gain_ratio"
        What orders the features: "information_gain", "gain_ratio", "chi_squared", "shared_variance", "none" (columns in
        the order of their names, or as they stand if they have none), or one weight per feature, the heaviest first.
    metric : str or dict, default="overlap"
        A dict may mark features as "ignored" or, for weights from bins, "numeric"; the tree itself asks
        whether values are equal.
    normalisation, diversify, feature_limit
        As in `IB1Classifier`.
    missing : {"value", "unknown"}, default="value"
        Whether a missing value has branches like any other, or stops the walk.
    compat : {None, "timbl"}, default=None
        With "timbl", weights are TiMBL's to the last bit, and remaining class ties go to the class seen first in
        training.
    keep_cases : bool, default=True
        Whether the cases are kept beside the tree, so that it can be corrected (`insert`, `remove`, `update`).
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    n_nodes_ : the number of nodes, with the root.
    depth_ : the largest number of features asked about.
    compression_ : the share of the memory's values that the tree does without.
    ids_, fingerprint_ : as in `IB1Classifier`; not there without the cases (`keep_cases=False`).
    weights_, classes_, model_, n_features_in_, feature_names_in_ : as in `IB1Classifier`.

    Examples
    --------
    >>> from casebase import IGTreeClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = IGTreeClassifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.n_nodes_, clf.predict([["foggy", "hot"]]).tolist()
    (2, ['stay'])
    """

    learner: ClassVar[str] = "igtree"

    def __init__(
        self,
        weighting="gain_ratio",
        metric="overlap",
        normalisation="probability",
        diversify=False,
        feature_limit=None,
        missing="value",
        compat=None,
        keep_cases=True,
        n_jobs=None,
    ):
        self.weighting = weighting
        self.metric = metric
        self.normalisation = normalisation
        self.diversify = diversify
        self.feature_limit = feature_limit
        self.missing = missing
        self.compat = compat
        self.keep_cases = keep_cases
        self.n_jobs = n_jobs

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.tree.n_nodes

    @property
    def depth_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.tree.depth

    @property
    def compression_(self) -> float:
        check_is_fitted(self, "model_")
        return self.model_.compression
