"""Oblivious decision graphs as a scikit-learn classifier."""

import os
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from casebase.estimators._base import CaseClassifier
from casebase.estimators._codelength import Codelength
from casebase.oblivious.draw.graph import MAX_NODES, draw_graph
from casebase.oblivious.export.graph import exported, text_of
from casebase.render.drawing import save


class ObliviousGraphClassifier(Codelength, CaseClassifier):
    """Oblivious decision graph: test the same feature at each level, and merge nodes that answer alike.

    Grown as Kohavi and Li's EODG, or until all training cases are told apart.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    order_ : the positions of the tested features, level by level.
    method_ : how the graph was grown.
    n_nodes_ : the number of nodes, including one leaf for each class it answers.
    n_leaves_ : the number of leaves.
    n_edges_ : the number of branches.
    depth_ : the largest number of tests on a path.
    n_tree_nodes_ : the number of nodes before merging.
    kinds_ : the kind of each column with its reason, if `kinds` is given.
    calibration_ : how votes are smoothed, and how that was found out.
    model_ : the frozen model behind the estimator.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from casebase import ObliviousGraphClassifier
    >>> X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    >>> clf = ObliviousGraphClassifier(merge="equal").fit(X, ["same", "other", "other", "same"])
    >>> clf.n_nodes_, clf.n_tree_nodes_, clf.depth_
    (5, 7, 2)
    >>> print(clf.export_text(), end="")
    asks f1, f2: 5 nodes, of which 2 name a class
    node 1 asks f1 (4 cases: other 2, same 2)
      f1 = a: node 2
      f1 = b: node 3
      otherwise: other
    node 2 asks f2 (2 cases: other 1, same 1)
      f2 = x: same
      f2 = y: other
      otherwise: other
    node 3 asks f2 (2 cases: other 1, same 1)
      f2 = x: other
      f2 = y: same
      otherwise: other
    """

    learner: ClassVar[str] = "oblivious_graph"

    def export(self, to: str = "text") -> str:
        """Return the graph as "text", "json" or "sql" (a query per level)."""
        check_is_fitted(self, "model_")
        return exported(self.model_, to)

    def export_text(self, max_nodes: int | None = None) -> str:
        """Return the graph as text, node by node with their class counts; `max_nodes` of them, or all."""
        check_is_fitted(self, "model_")
        return text_of(self.model_, max_nodes)

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Any = None, max_nodes: int = MAX_NODES) -> Any:
        """Return a matplotlib figure of the graph; with a path (SVG, PNG, PDF) also save it, with `ax` draw there."""
        check_is_fitted(self, "model_")
        figure = draw_graph(self.model_, max_nodes, ax)
        if path is not None:
            save(figure, path)
        return figure

    @property
    def method_(self) -> str:
        check_is_fitted(self, "model_")
        return str(self.model_.settings.method_used)

    @property
    def order_(self) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.order

    @property
    def n_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.graph.n_nodes)

    @property
    def n_leaves_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.graph.n_leaves)

    @property
    def n_edges_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.graph.n_edges)

    @property
    def depth_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.graph.depth)

    @property
    def n_tree_nodes_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.n_tree_nodes)
