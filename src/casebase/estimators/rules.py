"""Hierarchical rules as a scikit-learn classifier."""

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.base.evidence import AskedRule
from casebase.base.model import Model
from casebase.data import Cases
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import Codelength
from casebase.progress import warn_user
from casebase.render.words import number, plural
from casebase.rules.evidence import asked_rule
from casebase.rules.export import exported
from casebase.rules.table import Rules


class HierarchicalRuleClassifier(Codelength, CaseClassifier):
    """Find short rules with exceptions, and exceptions to those, that are right on every case.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rules_ : the rules in the order in which they are tried, the default last.
    n_levels_ : the number of levels above the default.
    cost_ : the total cost of the rules; exceptions shared by two rules count twice.
    n_unexplained_ : how many training cases the rules misclassify.
    rounds_ : for each window, its number of distinct cases and how many other cases were misclassified.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import HierarchicalRuleClassifier
    >>> X = [["bird", "sparrow"], ["bird", "penguin"], ["bird", "tit"], ["cat", "tabby"], ["dog", "pug"]]
    >>> clf = HierarchicalRuleClassifier().fit(X, ["flies", "walks", "flies", "walks", "walks"])
    >>> print(clf.export("text"), end="")
    otherwise walks (5 cases, 2 exceptions)
      f1 = bird: flies (3 cases, 1 exception)
        f2 = penguin: walks (1 case)
    """

    learner: ClassVar[str] = "rules"

    def _learn(self, cases: Cases) -> Model:
        model = super()._learn(cases)
        assert isinstance(model, Rules)
        if self.noise == "auto" and model.n_unexplained:
            warn_user(
                f"The rules get {number(model.n_unexplained)} of {plural(model.counts.sum(), 'case')} wrong: no rule "
                f"of depth {self.depth} is right on all. Try depth='auto' or pairs=True, or set the noise level."
            )
        return model

    def export(self, to: str = "text") -> str:
        """Return the rules as "text", "markdown", "json", "sql" (CASE WHEN) or "python" source."""
        check_is_fitted(self, "model_")
        return exported(self.model_, to)

    @property
    def rules_(self) -> list[AskedRule]:
        check_is_fitted(self, "model_")
        return [asked_rule(self.model_, i) for i in range(len(self.model_.rules) + 1)]

    @property
    def n_levels_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.n_levels)

    @property
    def cost_(self) -> float:
        check_is_fitted(self, "model_")
        return float(self.model_.cost)

    @property
    def n_unexplained_(self) -> float:
        check_is_fitted(self, "model_")
        return float(self.model_.n_unexplained)

    @property
    def rounds_(self) -> tuple[Any, ...]:
        check_is_fitted(self, "model_")
        return tuple(self.model_.rounds)
