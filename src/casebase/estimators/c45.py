"""C4.5 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._tree import TreeClassifier


class C45Classifier(TreeClassifier):
    """C4.5: grow a decision tree by gain ratio, on symbols, numbers and missing values, and prune it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_nodes_, n_leaves_ : how many nodes are stored, and how many of them are leaves.
    depth_ : the largest number of tests on a path.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
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
