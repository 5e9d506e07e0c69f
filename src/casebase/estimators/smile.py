"""SMILE as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.data import Cases
from casebase.estimators._base import CaseClassifier
from casebase.methods import LEARNERS, Model


class SMILEClassifier(CaseClassifier):
    """Let every set of features speak on which enough stored cases agree with the question.

    Parameters
    ----------
    alpha : int or "auto", default="auto"
        A pool of cases that agree on a set of features is used if it has more than alpha cases. "auto" takes the alpha
        with the fewest errors when each stored case is asked without being there.
    discretise : {"mdlp", "equal_width", "equal_frequency", "none"}, default="mdlp"
        How numeric features are cut into intervals; with "none" two numbers agree if they are equal.
    n_bins : int, default=10
        The number of intervals of equal width or frequency.
    metric : str or dict, default="overlap"
        A dict may mark features as "numeric", to be cut into intervals, or "ignored"; "numeric" marks all.
    normalisation : "probability", "log_probability" or float, default="probability"
        As in `IB1Classifier`.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    alpha_ : the alpha that is used.
    alpha_errors_ : for every alpha that was tried, how many cases were answered wrongly; None if alpha was given.
    classes_ : the classes in ascending order.
    model_ : the frozen model of `casebase.learners` behind the estimator.
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

    def __init__(
        self,
        alpha="auto",
        discretise="mdlp",
        n_bins=10,
        metric="overlap",
        normalisation="probability",
        n_jobs=None,
    ):
        self.alpha = alpha
        self.discretise = discretise
        self.n_bins = n_bins
        self.metric = metric
        self.normalisation = normalisation
        self.n_jobs = n_jobs

    def _learn(self, cases: Cases) -> Model:
        parameters = self.get_params(deep=False)
        return LEARNERS[self.learner](cases, **parameters | {"n_jobs": self._n_threads})

    @property
    def alpha_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.alpha

    @property
    def alpha_errors_(self) -> dict[int, float] | None:
        check_is_fitted(self, "model_")
        return self.model_.alpha_errors
