"""SMILE as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._base import CaseClassifier


class SMILEClassifier(CaseClassifier):
    """Let every set of features speak on which enough stored cases agree with the question.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    alpha_ : the alpha that is used.
    alpha_errors_ : for every alpha that was tried, how many cases were answered wrongly; None if alpha was given.
    classes_ : the classes in ascending order.
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
        return self.model_.alpha

    @property
    def alpha_errors_(self) -> dict[int, float] | None:
        check_is_fitted(self, "model_")
        return self.model_.alpha_errors
