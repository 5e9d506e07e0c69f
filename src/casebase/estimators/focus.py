"""FOCUS as a scikit-learn selector."""

from casebase.data import Cases
from casebase.estimators._parameters import take_settings
from casebase.estimators._selector import CaseSelector
from casebase.progress import warn_user
from casebase.selection.focus import Focus, Settings, focus


class FocusSelector(CaseSelector):
    """FOCUS: select the smallest set of features that separates the classes as well as all features do.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : whether each feature is selected.
    ranking_ : 1 for selected features, 2 for the others.
    n_conflicts_ : how many cases even all features misclassify, because equal cases have other classes.
    n_subsets_ : how many sets a search by size visits before this one.
    result_ : the record of the search.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import FocusSelector
    >>> X = [["0", "0", "a"], ["0", "1", "a"], ["1", "0", "a"], ["1", "1", "a"]]
    >>> FocusSelector().fit(X, ["even", "odd", "odd", "even"]).support_.tolist()
    [True, True, False]
    """

    result_: Focus
    max_size: int | None
    missing: str

    def _keep(self, cases: Cases) -> None:
        self.result_ = focus(cases, max_size=self.max_size, missing=self.missing)
        self.support_ = self.result_.support
        self.ranking_ = 2 - self.support_.astype(int)
        self.n_conflicts_ = self.result_.n_conflicts
        self.n_subsets_ = self.result_.n_subsets
        if self.result_.was_interrupted:
            warn_user(
                f"Interrupted: the {len(self.result_.features)} features found so far suffice, but a smaller set may "
                f"exist; only sets of fewer than {len(self.result_.sizes)} are ruled out."
            )


take_settings(FocusSelector, Settings, {})
