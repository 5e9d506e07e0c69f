"""ID3 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._tree import TreeClassifier


class ID3Classifier(TreeClassifier):
    """ID3: grow a decision tree with the most informative test at each node, until the classes are separated.

    A symbolic feature has a branch for each value, a numeric one two: up to a threshold, and above it.

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
    >>> from casebase import ID3Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = ID3Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.n_nodes_, clf.n_leaves_, clf.depth_, clf.predict([["foggy", "hot"]]).tolist()
    (3, 2, 1, ['stay'])
    """

    learner: ClassVar[str] = "id3"
