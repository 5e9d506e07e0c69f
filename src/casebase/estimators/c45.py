"""C4.5 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._tree import TreeClassifier


class C45Classifier(TreeClassifier):
    """Grow a tree by gain ratio, with numbers and gaps taken as they are, and prune it.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence level of the pessimistic error estimate; lower values prune more. At most 0.5.
    min_cases : float, default=2
        Two branches of a test need this many cases.
    criterion : {"gain_ratio", "information_gain"}, default="gain_ratio"
        The measure that chooses the test; by gain ratio, only tests that gain at least the average are considered.
    pruned : bool, default=True
        Whether tests become leaves that are not expected to err less than a leaf.
    subtree_raising : bool, default=False
        Whether the heaviest branch of a test may take its place.
    collapse : bool, default=True
        Whether tests become leaves, before any pruning and without it, that answer no training case better.
    max_depth : int, optional
        At most this many tests on a path.
    metric : str or dict, default="overlap"
        A dict may mark features as "numeric" or "ignored". Floats are numbers, everything else are symbols.
    missing : {"fractional", "value"}, default="fractional"
        Whether a case without a value goes down every branch, with a part of its weight; or a missing symbol is a value
        like any other, and a missing number below every number.
    normalisation : "probability", "log_probability" or float, default="probability"
        How counts become the shares of `predict_proba`.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    n_nodes_, n_leaves_ : how many nodes are stored, and how many of them are leaves.
    depth_ : the largest number of tests on a path.
    model_ : the frozen model of `casebase.learners` behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import C45Classifier
    >>> X = [["sunny", 30.0], ["sunny", 31.0], ["sunny", 15.0], ["rainy", 12.0], ["rainy", 29.0], ["rainy", 14.0]]
    >>> clf = C45Classifier().fit(X, ["stay", "stay", "go", "go", "stay", "go"])
    >>> print(clf.export_text(), end="")
    any case (6 cases: go 3, stay 3)
    f2 ≤ 15 → go (3 cases)
    f2 > 15 → stay (3 cases)
    """

    learner: ClassVar[str] = "c45"

    def __init__(
        self,
        confidence=0.25,
        min_cases=2,
        criterion="gain_ratio",
        pruned=True,
        subtree_raising=False,
        collapse=True,
        max_depth=None,
        metric="overlap",
        missing="fractional",
        normalisation="probability",
        n_jobs=None,
    ):
        self.confidence = confidence
        self.min_cases = min_cases
        self.criterion = criterion
        self.pruned = pruned
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.max_depth = max_depth
        self.metric = metric
        self.missing = missing
        self.normalisation = normalisation
        self.n_jobs = n_jobs
