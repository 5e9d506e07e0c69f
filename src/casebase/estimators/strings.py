"""Rules over strings as a scikit-learn classifier."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from casebase.base.evidence import Explanations
from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.state import StateIsFile
from casebase.data.labels import label_array
from casebase.errors import CasebaseError
from casebase.estimators._input import n_threads
from casebase.estimators._parameters import N_JOBS, take_settings
from casebase.progress import warn_user
from casebase.render.words import number, plural
from casebase.rules.windows import Round
from casebase.strings.evidence import AskedPiece, StringEvidence, asked_piece
from casebase.strings.export import exported
from casebase.strings.files import save_strings, strings_from
from casebase.strings.inputs import AskedStrings, asked_strings
from casebase.strings.rules import StringRules, fit
from casebase.strings.settings import Settings


class StringRuleClassifier(StateIsFile, ClassifierMixin, BaseEstimator):
    """Find short rules over substrings, with exceptions, and exceptions to those.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rules_ : the rules in the order in which they are tried, the default last.
    n_levels_ : the number of levels above the default.
    cost_ : the total cost of the rules; exceptions shared by two rules count twice.
    n_unexplained_ : how many training strings the rules misclassify.
    rounds_ : for each window, its number of distinct strings and how many other strings were misclassified.
    model_ : the frozen model behind the estimator.
    classes_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import StringRuleClassifier
    >>> words = ["|cat", "|cut", "|city", "|cell", "bla|ck", "|chip"]
    >>> clf = StringRuleClassifier().fit(words, ["K", "K", "S", "S", "K", "CH"])
    >>> print(clf.export(), end="")
    otherwise K (6 strings, 3 exceptions)
      |ce: S (1 string)
      |ch: CH (1 string)
      |ci: S (1 string)
    >>> clf.predict(["|cider", ("pact", 2)]).tolist()
    ['S', 'K']
    """

    model_: StringRules
    depth: int | str
    noise: float | str
    mark: str
    n_jobs: int | None

    _in_file: ClassVar[frozenset[str]] = frozenset({"model_", "classes_"})

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from strings and their classes.

        Parameters
        ----------
        X : list of strings, or of (string, position)
            The strings. If all have the `mark` once, or come with a position, that is the place asked about: before
            the letter of this number, counted from 0. A column of a data frame, or two columns, are accepted as well.
        y : array-like
            The class of each string.
        sample_weight : array-like, optional
            A string of weight n counts as n strings; one of weight 0 not at all.
        """
        settings = self._settings()
        asked, labels = asked_strings(X, settings.mark), label_array(y)
        if len(labels) != len(asked):
            raise CasebaseError(f"X has {len(asked):,} strings and y {len(labels):,} classes: expected one per string.")
        self.model_ = fit(asked, labels, settings, weights=sample_weight, n_jobs=n_threads(self.n_jobs))
        self.classes_ = np.array(self.model_.classes, dtype=labels.dtype if labels.dtype.kind != "O" else object)
        if self.noise == "auto" and self.model_.n_unexplained:
            warn_user(
                f"The rules get {number(self.model_.n_unexplained)} of {plural(self.model_.counts.sum(), 'string')} "
                f"wrong: no rule of depth {self.depth} is right on all. Try depth='auto', or set the noise level."
            )
        return self

    def _settings(self) -> Settings:
        return Settings(**{name: getattr(self, name) for name in Settings.public()})

    def _asked(self, X: Any) -> AskedStrings:
        check_is_fitted(self, "model_")
        return asked_strings(X, self.model_.settings.mark)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each string."""
        asked = self._asked(X)
        labels: np.ndarray = self.classes_[self.model_.answer(asked, n_threads(self.n_jobs))]
        return labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the shares of the classes among the training strings that the deciding rule decides."""
        asked = self._asked(X)
        return self.model_.shares(asked, n_threads(self.n_jobs))

    def explain(self, X: Any, limit: int = 5) -> Explanations[StringEvidence]:
        """Return a list of the evidence for each prediction; each lists at most `limit` training strings."""
        asked = self._asked(X)
        model = self.model_
        about = {"Class": model.target, "Learner": f"rules over strings, {plural(len(model.rules), 'rule')}"}
        return Explanations(model.explain(asked, limit), about)

    def export(self, to: str = "text") -> str:
        """Return the rules as "text", "markdown" or "json"."""
        check_is_fitted(self, "model_")
        return exported(self.model_, to)

    def save(self, path: Target) -> None:
        """Write the fitted model to a file; `casebase.load` reads it."""
        check_is_fitted(self, "model_")
        with self._saving(path):
            save_strings(path, self.model_, {"class_dtype": self.classes_.dtype.str, "n_jobs": self.n_jobs})

    @classmethod
    def _of(cls, model: StringRules, extras: dict[str, Any]) -> Self:
        """Return the classifier of a model that was saved."""
        settings = {name: getattr(model.settings, name) for name in Settings.public()}
        estimator = cls(**settings, n_jobs=extras.get("n_jobs"))
        estimator.model_ = model
        dtype = extras.get("class_dtype")
        estimator.classes_ = np.array(model.classes, dtype=None if dtype is None else np.dtype(dtype))
        return estimator

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        return cls._of(*strings_from(name, header, arrays))

    @property
    def rules_(self) -> list[AskedPiece]:
        check_is_fitted(self, "model_")
        return [asked_piece(self.model_, i) for i in range(len(self.model_.rules) + 1)]

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
    def rounds_(self) -> tuple[Round, ...]:
        check_is_fitted(self, "model_")
        return self.model_.rounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


take_settings(StringRuleClassifier, Settings, N_JOBS)
