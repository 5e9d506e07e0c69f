"""ID3 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._tree import TreeClassifier


class ID3Classifier(TreeClassifier):
    """Grow a tree that asks the most informative question at each node, until all cases are told apart.

    Symbols have a branch for every value, numbers two: at most a threshold, and above it.

    Parameters
    ----------
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        The measure that chooses the test. Of equal tests the one on the earlier feature is asked: by name, if columns
        have names.
    metric : str or dict, default="overlap"
        A dict may mark features as "numeric" or "ignored". Floats are numbers, everything else are symbols.
    missing : "value"
        Nothing to choose, unlike in C4.5: a missing symbol is a value like any other, a missing number is below every
        number.
    max_depth : int, optional
        At most this many tests on a path.
    min_cases : float, default=1
        Two branches of a test need this many cases.
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
    >>> from casebase import ID3Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = ID3Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.n_nodes_, clf.n_leaves_, clf.depth_, clf.predict([["foggy", "hot"]]).tolist()
    (3, 2, 1, ['stay'])
    """

    learner: ClassVar[str] = "id3"

    def __init__(
        self,
        criterion="information_gain",
        metric="overlap",
        missing="value",
        max_depth=None,
        min_cases=1,
        normalisation="probability",
        n_jobs=None,
    ):
        self.criterion = criterion
        self.metric = metric
        self.missing = missing
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.normalisation = normalisation
        self.n_jobs = n_jobs
