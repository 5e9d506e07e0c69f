"""Perceptron trees as a scikit-learn classifier."""

import os
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._tree import TreeClassifier
from casebase.render.drawing import save
from casebase.trees.draw.perceptron_tree import draw_perceptron, draw_perceptron_tree
from casebase.trees.export.perceptron_tree import exported, text_of


class PerceptronTreeClassifier(TreeClassifier):
    """Perceptron tree: split until a perceptron separates the cases of a leaf, and let it answer.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_nodes_, n_leaves_ : how many nodes are stored, and how many of them are leaves.
    n_perceptrons_ : how many leaves have a perceptron.
    n_weights_ : how many weights they have together.
    depth_ : the largest number of tests on a path.
    n_contradictory_ : how many training cases no tree can get right, because equal cases have other classes.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import PerceptronTreeClassifier
    >>> X = [["sunny", "hot"], ["sunny", "cool"], ["rainy", "hot"], ["rainy", "cool"]]
    >>> clf = PerceptronTreeClassifier().fit(X, ["go", "go", "go", "stay"])
    >>> clf.n_nodes_, clf.n_perceptrons_, clf.predict([["foggy", "hot"]]).tolist()
    (1, 1, ['go'])
    """

    learner: ClassVar[str] = "perceptron_tree"
    _exported = staticmethod(exported)
    _text_of = staticmethod(text_of)
    _draw_tree = staticmethod(draw_perceptron_tree)

    def plot_perceptron(self, number: int = 0, path: str | os.PathLike[str] | None = None, *, ax: Any = None) -> Any:
        """Return a matplotlib figure of the weights of a perceptron, chosen by its number in `plot`."""
        check_is_fitted(self, "model_")
        figure = draw_perceptron(self.model_, number, ax)
        if path is not None:
            save(figure, path)
        return figure

    @property
    def n_perceptrons_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.n_perceptrons)

    @property
    def n_weights_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.n_weights)

    @property
    def n_contradictory_(self) -> float:
        check_is_fitted(self, "model_")
        return float(self.model_.n_contradictory)
