"""The pool of opinions as a scikit-learn classifier."""

from typing import ClassVar

from casebase.estimators._committee import CommitteeClassifier


class OpinionPoolClassifier(CommitteeClassifier):
    """Opinions of values and of pairs of values, multiplied with learned exponents.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    readings_, weights_of_readings_ : the readings in use, and the exponent of each.
    held_out_log_loss_, held_out_accuracy_ : of stored cases, each answered as if it had not been stored.
    kinds_ : the kind of each column, with its reason.
    calibration_ : how votes are smoothed, and how that was found out.
    classes_ : the classes in ascending order.
    ids_, fingerprint_, records_, log_ : as in `IB1Classifier`.
    model_ : the frozen model behind the estimator.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import OpinionPoolClassifier
    >>> X = [["sunny", 30.5], ["sunny", 12.5], ["rainy", 29.5], ["rainy", 11.5]] * 5
    >>> clf = OpinionPoolClassifier().fit(X, ["out", "in", "in", "in"] * 5)
    >>> clf.predict([["sunny", 31.0]]).tolist()
    ['out']
    """

    learner: ClassVar[str] = "opinions"
