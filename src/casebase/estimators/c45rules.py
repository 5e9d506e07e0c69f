"""C4.5's rules as a scikit-learn classifier."""

from typing import ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.base.evidence import AskedRule
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import SaidInBits
from casebase.trees.export.c45rules import exported


class C45RulesClassifier(SaidInBits, CaseClassifier):
    """Make rules of the paths of a decision tree: shorter, fewer, and each to be read by itself.

    Every path of an unpruned tree of C4.5 becomes a rule and loses the conditions that it can do without. Of each class
    those rules stay with which they and their exceptions are said in the fewest bits. Classes are asked in turn, the
    one whose rules are wrong for the fewest cases first; the rest has a default.

    Parameters
    ----------
    confidence : float, default=0.25
        How sure the estimates of errors are to be: with less, more errors are feared, and rules become shorter.
    min_cases : float, default=2
        At least two branches of each test of the tree have this many cases.
    criterion : {"gain_ratio", "information_gain"}, default="gain_ratio"
        By what the tests of the tree are chosen.
    theory_weight : float, default=0.5
        What a bit of the rules counts, against one of the exceptions to them: with more, fewer rules stay.
    metric : str or dict, default="overlap"
        A dict may mark features as "numeric", to be cut in two, or "ignored"; "numeric" marks all.
    normalisation : "probability", "log_probability" or float, default="probability"
        How counts become the shares of `predict_proba`.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all. Rules are asked by one.

    Attributes
    ----------
    rules_ : the rules in the order in which they are asked, the default last.
    model_ : the frozen model of `casebase.learners` behind the estimator.
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

    def __init__(
        self,
        confidence=0.25,
        min_cases=2,
        criterion="gain_ratio",
        theory_weight=0.5,
        metric="overlap",
        normalisation="probability",
        n_jobs=None,
    ):
        self.confidence = confidence
        self.min_cases = min_cases
        self.criterion = criterion
        self.theory_weight = theory_weight
        self.metric = metric
        self.normalisation = normalisation
        self.n_jobs = n_jobs

    def export(self, to: str = "text") -> str:
        """Return the rules as "text", "json", "sql" (CASE WHEN) or "python" source."""
        check_is_fitted(self, "model_")
        return exported(self.model_, to)

    @property
    def rules_(self) -> list[AskedRule]:
        check_is_fitted(self, "model_")
        return [self.model_.asked_rule(i) for i in range(len(self.model_.rules) + 1)]
