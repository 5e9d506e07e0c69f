"""SMILE as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._base import CaseClassifier


class SMILEClassifier(CaseClassifier):
    """SMILE: let every set of features vote on which enough stored cases agree with the query.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    alpha_ : the value of alpha in use.
    alpha_errors_ : for each alpha tried, the number of misclassified cases; None if alpha was given.
    classes_ : the classes in ascending order.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import SMILEClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = SMILEClassifier(alpha=1).fit(X, ["stay", "go", "stay", "go"])
    >>> clf.predict([["foggy", "cool"]]).tolist()
    ['go']
    """

    learner: ClassVar[str] = "smile"

    @property
    def alpha_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.alpha)

    @property
    def alpha_errors_(self) -> dict[int, float] | None:
        check_is_fitted(self, "model_")
        errors: dict[int, float] | None = self.model_.alpha_errors
        return errors
