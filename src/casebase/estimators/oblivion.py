"""OBLIVION as a scikit-learn classifier and as a feature selector."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from casebase.data import Cases
from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import Codelength
from casebase.estimators._input import n_threads
from casebase.estimators._parameters import KINDS, N_JOBS, Own, take_settings
from casebase.estimators._selector import CaseSelector
from casebase.oblivious import oblivion
from casebase.oblivious.draw.selection import draw_selection
from casebase.oblivious.draw.tree import MAX_LEAVES, draw_tree
from casebase.oblivious.elimination import SearchSettings, Selection, select
from casebase.oblivious.export.tree import text_of
from casebase.oblivious.oblivion import Oblivion
from casebase.progress import warn_user
from casebase.render.drawing import save
from casebase.render.progress_bar import progress_bar
from casebase.render.words import plural

OWN = {
    "progress": Own(
        False,
        "bool",
        "Whether to show a progress bar on the terminal. Ctrl-C stops the search and keeps the best result so far.",
    ),
    **N_JOBS,
}


class OblivionClassifier(Codelength, CaseClassifier):
    """OBLIVION: drop the irrelevant features and answer with abstract cases.

    An abstract case stands for all cases that agree on the kept features, with their class counts. The abstract case
    that matches a new case answers it; if none does, the nearest ones vote.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : whether each feature is kept.
    ranking_ : 1 for the kept features; of the others, the one dropped last has 2.
    history_ : the steps of the search, each with its feature, the number of features, errors and accuracy.
    n_abstract_cases_ : how many abstract cases there are.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
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

    _own_parameters: ClassVar[Mapping[str, Own]] = KINDS | OWN
    learner: ClassVar[str] = "oblivion"

    cv: Any
    progress: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, ids: Any = None) -> Self:
        """Drop the irrelevant features and count the cases over the others.

        Parameters
        ----------
        X : table of shape (n_cases, n_features)
            A data frame (pandas, polars, pyarrow, duckdb), numpy array or list of rows; missing values are allowed.
            Numbers only match if they are equal: discretise them first.
        y : array-like of shape (n_cases,)
            The class of each case.
        sample_weight : array-like of shape (n_cases,), optional
            A case of weight n counts as n cases.
        ids : array-like of shape (n_cases,), optional
            Names of the cases, whole numbers or text; abstract cases do not use them.
        """
        self._splits = _renumber_splits(self.cv, sample_weight)
        return super().fit(X, y, sample_weight, ids=ids)

    def _learn(self, cases: Cases) -> Oblivion:
        settings = self._settings()
        assert isinstance(settings, oblivion.Settings)
        settings = replace(settings, cv=self._splits)
        with progress_bar("OBLIVION", shown=bool(self.progress)) as progress:
            model = oblivion.fit(cases, settings, n_jobs=self._n_threads, progress=progress)
        _warn_of_interruption(model.selection)
        return model

    @property
    def support_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        is_kept: np.ndarray = self.model_.weights > 0
        return is_kept

    @property
    def ranking_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        ranking: np.ndarray = self.model_.selection.ranking
        return ranking

    @property
    def history_(self) -> list[dict[str, Any]]:
        check_is_fitted(self, "model_")
        steps: list[dict[str, Any]] = self.model_.selection.steps(self.model_.schema)
        return steps

    @property
    def n_abstract_cases_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.n_abstract_cases)

    def export_text(self, max_leaves: int = 100) -> str:
        """Return the oblivious tree as text: levels are features, leaves are abstract cases with their classes."""
        check_is_fitted(self, "model_")
        return text_of(self.model_, max_leaves)

    def plot(self, path: str | os.PathLike[str] | None = None, max_leaves: int = MAX_LEAVES) -> Any:
        """Return a matplotlib figure of the oblivious tree; with a path (SVG, PNG, PDF) also save it."""
        check_is_fitted(self, "model_")
        return _save_figure(draw_tree(self.model_, max_leaves), path)


class OblivionSelector(CaseSelector):
    """OBLIVION's search: select the features with which abstract cases make the fewest errors.

    Parameters
    ----------
    {parameters}

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

    direction: str
    cv: Any
    progress: bool
    n_jobs: int | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the features that matter; X, y and sample_weight as in `OblivionClassifier`."""
        self._splits = _renumber_splits(self.cv, sample_weight)
        return super().fit(X, y, sample_weight)

    def _keep(self, cases: Cases) -> None:
        with progress_bar("OBLIVION", shown=bool(self.progress)) as progress:
            settings = SearchSettings(**{name: getattr(self, name) for name in SearchSettings.public()})
            settings = replace(settings, cv=self._splits)
            selection = select(cases, settings, n_jobs=n_threads(self.n_jobs), progress=progress)
        _warn_of_interruption(selection)
        self._selection, self._schema = selection, cases.schema
        self.support_ = np.isin(np.arange(cases.n_features), selection.kept)
        self.ranking_ = selection.ranking
        self.history_ = selection.steps(cases.schema)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a matplotlib figure of the accuracy after each step; with a path (SVG, PNG, PDF) also save it."""
        check_is_fitted(self, "support_")
        return _save_figure(draw_selection(self._selection, self._schema, self.direction), path)


take_settings(OblivionSelector, SearchSettings, OWN)


def _renumber_splits(cv: Any, sample_weight: Any) -> Any:
    """Return explicit splits with rows renumbered: cases of weight zero are left out of the training table."""
    if sample_weight is None or not isinstance(cv, list | tuple):
        return cv
    counts = np.asarray(sample_weight) > 0
    place = np.cumsum(counts) - 1
    return [tuple(place[np.asarray(rows)[counts[rows]]] for rows in split) for split in cv]


def _warn_of_interruption(selection: Selection) -> None:
    if selection.was_interrupted:
        n = len(selection.trials) - 1
        warn_user(f"The search was interrupted after {plural(n, 'step')}; it keeps the best result so far.")


def _save_figure(figure: Any, path: str | os.PathLike[str] | None) -> Any:
    if path is not None:
        save(figure, path)
    return figure
