"""TRIBL2 as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._correctable import CorrectableClassifier


class TRIBL2Classifier(CorrectableClassifier):
    """TRIBL2: descend the tree while the values of a case are known, and search the nearest cases from there.

    Features are tested by descending weight while some stored case shares all values so far; those cases are then
    compared on the other features.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    weights_, classes_, ids_, fingerprint_, records_, log_, kinds_, calibration_, model_ : as in `IB1Classifier`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import TRIBL2Classifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = TRIBL2Classifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.predict([["foggy", "hot"]]).tolist()
    ['stay']
    """

    learner: ClassVar[str] = "tribl2"
