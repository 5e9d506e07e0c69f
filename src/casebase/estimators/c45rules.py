"""C4.5's rules as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.base.evidence import AskedRule
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import Codelength
from casebase.trees.export.c45rules import exported


class C45RulesClassifier(Codelength, CaseClassifier):
    """C4.5rules: turn the paths of a decision tree into fewer and shorter rules that can be read on their own.

    Each path of an unpruned C4.5 tree becomes a rule, which drops the conditions that do not help it. Of each class,
    the rules stay that minimise the codelength of rules and exceptions. Classes are tried in turn, the one with the
    fewest false positives first; a default answers the rest.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rules_ : the rules in the order in which they are tried, the default last.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import C45RulesClassifier
    >>> X = 3 * [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = C45RulesClassifier().fit(X, 3 * ["no", "no", "yes", "yes"])
    >>> print(clf.export("text"), end="")
    no, if
      f1 = sunny (6 cases)
    yes, if
      f1 = rainy (6 cases)
    otherwise no (0 cases)
    """

    learner: ClassVar[str] = "c45rules"

    def export(self, to: str = "text") -> str:
        """Return the rules as "text", "json", "sql" (CASE WHEN) or "python" source."""
        check_is_fitted(self, "model_")
        return exported(self.model_, to)

    @property
    def rules_(self) -> list[AskedRule]:
        check_is_fitted(self, "model_")
        return [self.model_.asked_rule(i) for i in range(len(self.model_.rules) + 1)]
