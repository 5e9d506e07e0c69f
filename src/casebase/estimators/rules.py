"""Hierarchical rules as a scikit-learn classifier."""

import warnings
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.base.evidence import AskedRule
from casebase.data import Cases
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import SaidInBits
from casebase.methods import Model
from casebase.render.words import number, plural
from casebase.rules import table
from casebase.rules.evidence import asked_rule
from casebase.rules.export import exported


class HierarchicalRuleClassifier(SaidInBits, CaseClassifier):
    """Find a short rule with exceptions, and exceptions to those, that is right on every case.

    Parameters
    ----------
    depth : int or "auto", default=2
        How many levels of exceptions there are: 1 makes exceptions to the default, 2 exceptions to these too. "auto"
        takes the smallest depth with which the rule is right on every case.
    cost : {"unit", "length"}, default="unit"
        What a rule costs: 1, or 1 for every test in it.
    pairs : bool, default=False
        Whether rules may ask for two values at once.
    noise : float or "auto", default="auto"
        The share of the cases that the rules may get wrong. "auto" leaves as few as there must be, with a warning if
        there are any. With 0, `fit` raises an error that names cases in conflict when no rule is right on all.
    window : float, optional
        Learn from this share of the cases first, add those that are answered wrongly, and so on until none are. The
        rules may be others than from all cases at once, and are found faster.
    forbid : list of str, optional
        Concepts not to be used, such as "outlook = sunny", or features not to be asked for.
    force : list of (concept, class) or (concept, class, level), optional
        Rules that must be used; the others are learnt around them.
    discretise : {"mdlp", "equal_width", "equal_frequency", "none"}, default="mdlp"
        How numeric features are cut into intervals; with "none" rules ask for single numbers.
    n_bins : int, default=10
        The number of intervals of equal width or frequency.
    metric : str or dict, default="overlap"
        A dict may mark features as "numeric", to be cut into intervals, or "ignored"; "numeric" marks all.
    random_state : int, default=0
        Where the first window comes from.
    normalisation : "probability", "log_probability" or float, default="probability"
        How counts become the shares of `predict_proba`.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    rules_ : the rules in the order in which they are asked, the default last.
    n_levels_ : how many levels there are before the default.
    cost_ : what the search paid for the rules; exceptions that two rules share are paid twice.
    n_unexplained_ : how many training cases the rules get wrong.
    rounds_ : of each window, its number of different cases, and how many others were then wrong.
    model_ : the frozen model of `casebase.learners` behind the estimator.
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

    def __init__(
        self,
        depth=2,
        cost="unit",
        pairs=False,
        noise="auto",
        window=None,
        forbid=None,
        force=None,
        discretise="mdlp",
        n_bins=10,
        metric="overlap",
        random_state=0,
        normalisation="probability",
        n_jobs=None,
    ):
        self.depth = depth
        self.cost = cost
        self.pairs = pairs
        self.noise = noise
        self.window = window
        self.forbid = forbid
        self.force = force
        self.discretise = discretise
        self.n_bins = n_bins
        self.metric = metric
        self.random_state = random_state
        self.normalisation = normalisation
        self.n_jobs = n_jobs

    def _learn(self, cases: Cases) -> Model:
        model = table.fit(cases, **self.get_params(deep=False) | {"n_jobs": self._n_threads})
        if self.noise == "auto" and model.n_unexplained:
            warnings.warn(
                f"The rules get {number(model.n_unexplained)} of {plural(model.counts.sum(), 'case')} wrong: no rule "
                f"of depth {self.depth} is right on all. Try depth='auto' or pairs=True, or say how much noise "
                "there may be.",
                UserWarning,
                stacklevel=3,
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
        return self.model_.n_levels

    @property
    def cost_(self) -> float:
        check_is_fitted(self, "model_")
        return self.model_.cost

    @property
    def n_unexplained_(self) -> float:
        check_is_fitted(self, "model_")
        return self.model_.n_unexplained

    @property
    def rounds_(self) -> tuple[Any, ...]:
        check_is_fitted(self, "model_")
        return self.model_.rounds
