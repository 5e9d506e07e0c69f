"""OBLIVION as scikit-learn has it: a classifier, and a selector of features."""

import os
import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.data import Cases, Schema
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import SaidInBits
from casebase.estimators._input import n_threads
from casebase.estimators._selecting import CaseSelector
from casebase.methods import Model
from casebase.oblivious import oblivion
from casebase.oblivious.draw.selection import draw_selection
from casebase.oblivious.draw.tree import MAX_LEAVES, draw_tree
from casebase.oblivious.elimination import Selection, select
from casebase.oblivious.export.tree import text_of
from casebase.render.drawing import save
from casebase.render.progress_bar import progress_to
from casebase.render.words import plural


class OblivionClassifier(SaidInBits, CaseClassifier):
    """Drop the features that do not matter, and answer with abstract cases.

    An abstract case stands for all cases that agree on the features kept, with the counts of their classes. A case is
    answered by the abstract case that it matches; if there is none, by the nearest ones together.

    Parameters
    ----------
    direction : {"backward", "forward"}, default="backward"
        Whether features are dropped from all of them, as long as no more cases are answered wrongly, or added to none,
        as long as fewer are.
    cv : "loo", int or list of splits, default="loo"
        How answers are estimated: each case from all others, in so many folds, or by pairs of row numbers to learn from
        and to ask, such as `list(KFold(5).split(X))` gives.
    max_steps : int, optional
        Drop, or add, at most this many features.
    min_features : int, default=0
        Keep at least this many features.
    missing : {"value", "unknown"}, default="value"
        Whether a missing value is a value like any other, or agrees with nothing.
    random_state : int, default=0
        Where the folds come from.
    normalisation : "probability", "log_probability" or float, default="probability"
        How counts become the shares of `predict_proba`.
    progress : bool, default=False
        Whether a bar on the terminal shows how far the search is. Ctrl-C ends it and keeps the best so far.
    n_jobs : int, optional
        Number of threads; 1 unless given, -1 for all.

    Attributes
    ----------
    support_ : whether each feature is kept.
    ranking_ : 1 for the features kept; of the others, the one that was dropped last has 2.
    history_ : the steps of the search, each with its feature, the number of features then, errors and accuracy.
    n_abstract_cases_ : how many abstract cases there are.
    model_ : the frozen model of `casebase.learners` behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import OblivionClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = OblivionClassifier().fit(X, ["stay", "go", "stay", "go"])
    >>> clf.support_.tolist(), clf.predict([["foggy", "hot"]]).tolist()
    ([False, True], ['stay'])
    >>> print(clf.export_text(), end="")
    asks f2: 2 abstract cases
    f2 = cool: go 2
    f2 = hot: stay 2
    """

    learner: ClassVar[str] = "oblivion"

    def __init__(
        self,
        direction="backward",
        cv="loo",
        max_steps=None,
        min_features=0,
        missing="value",
        random_state=0,
        normalisation="probability",
        progress=False,
        n_jobs=None,
    ):
        self.direction = direction
        self.cv = cv
        self.max_steps = max_steps
        self.min_features = min_features
        self.missing = missing
        self.random_state = random_state
        self.normalisation = normalisation
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, ids: Any = None) -> Self:
        """Drop the features that do not matter, and sum the cases over the others.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows; missing values are allowed.
            Numbers are equal or not: cut them into intervals first.
        y : array-like of shape (n_cases,)
            The class of each case.
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases.
        ids : array-like of shape (n_cases,), optional
            What cases are called: whole numbers or text. Abstract cases have no use for it.
        """
        self._splits = _counted(self.cv, sample_weight)
        return super().fit(X, y, sample_weight, ids=ids)

    def _learn(self, cases: Cases) -> Model:
        parameters = _search_parameters(self) | {"normalisation": self.normalisation}
        with progress_to("OBLIVION", shown=bool(self.progress)) as progress:
            model = oblivion.fit(cases, **parameters, progress=progress)
        _warn_of_interruption(model.selection)
        return model

    @property
    def support_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        return self.model_.weights > 0

    @property
    def ranking_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        return self.model_.selection.ranking

    @property
    def history_(self) -> list[dict[str, Any]]:
        check_is_fitted(self, "model_")
        return history_of(self.model_.selection, self.model_.schema)

    @property
    def n_abstract_cases_(self) -> int:
        check_is_fitted(self, "model_")
        return self.model_.n_abstract_cases

    def export_text(self, max_leaves: int = 100) -> str:
        """Return the oblivious tree as text: levels are features, leaves are abstract cases with their classes."""
        check_is_fitted(self, "model_")
        return text_of(self.model_, max_leaves)

    def plot(self, path: str | os.PathLike[str] | None = None, max_leaves: int = MAX_LEAVES) -> Any:
        """Return a matplotlib figure of the oblivious tree; with a path (SVG, PNG, PDF) also save it."""
        check_is_fitted(self, "model_")
        return _saved(draw_tree(self.model_, max_leaves), path)


class OblivionSelector(CaseSelector):
    """Select the features that matter, by what abstract cases over them get wrong.

    Parameters
    ----------
    direction, cv, max_steps, min_features, missing, random_state, progress, n_jobs
        As in `OblivionClassifier`.

    Attributes
    ----------
    support_, ranking_, history_ : as in `OblivionClassifier`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import OblivionSelector
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> OblivionSelector().fit_transform(X, ["stay", "go", "stay", "go"]).tolist()
    [['hot'], ['cool'], ['hot'], ['cool']]
    """

    def __init__(
        self,
        direction="backward",
        cv="loo",
        max_steps=None,
        min_features=0,
        missing="value",
        random_state=0,
        progress=False,
        n_jobs=None,
    ):
        self.direction = direction
        self.cv = cv
        self.max_steps = max_steps
        self.min_features = min_features
        self.missing = missing
        self.random_state = random_state
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find out which features matter; X, y and sample_weight as in `OblivionClassifier`."""
        self._splits = _counted(self.cv, sample_weight)
        return super().fit(X, y, sample_weight)

    def _keep(self, cases: Cases) -> None:
        with progress_to("OBLIVION", shown=bool(self.progress)) as progress:
            selection = select(cases, **_search_parameters(self), progress=progress)
        _warn_of_interruption(selection)
        self._selection, self._schema = selection, cases.schema
        self.support_ = np.isin(np.arange(cases.n_features), selection.kept)
        self.ranking_ = selection.ranking
        self.history_ = history_of(selection, cases.schema)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a matplotlib figure of the accuracy after each step; with a path (SVG, PNG, PDF) also save it."""
        check_is_fitted(self, "support_")
        return _saved(draw_selection(self._selection, self._schema, self.direction), path)


def _search_parameters(estimator: Any) -> dict[str, Any]:
    names = ("direction", "max_steps", "min_features", "missing", "random_state")
    parameters = {name: getattr(estimator, name) for name in names}
    return parameters | {"cv": estimator._splits, "n_jobs": n_threads(estimator.n_jobs)}


def _counted(cv: Any, sample_weight: Any) -> Any:
    """Return splits that number only the cases that count: those of weight zero are not learned from."""
    if sample_weight is None or not isinstance(cv, list | tuple):
        return cv
    counts = np.asarray(sample_weight) > 0
    place = np.cumsum(counts) - 1
    return [tuple(place[np.asarray(rows)[counts[rows]]] for rows in split) for split in cv]


def _warn_of_interruption(selection: Selection) -> None:
    if selection.was_interrupted:
        n = len(selection.trials) - 1
        warnings.warn(f"The search was interrupted after {plural(n, 'step')}; the best so far is kept.", stacklevel=4)


def _saved(figure: Any, path: str | os.PathLike[str] | None) -> Any:
    if path is not None:
        save(figure, path)
    return figure


def history_of(selection: Selection, schema: Schema) -> list[dict[str, Any]]:
    """Return the steps of a search, with the names of the features; the first is the start, and has none."""
    return [
        {
            "feature": None if trial.feature is None else schema.features[trial.feature].name,
            "n_features": trial.n_features,
            "errors": trial.errors,
            "accuracy": selection.accuracy(trial),
        }
        for trial in selection.trials
    ]
