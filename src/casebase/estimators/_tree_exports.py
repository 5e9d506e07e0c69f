"""Exports and pictures of the classifiers that are decision trees."""

import os
from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from casebase.render.drawing import save
from casebase.trees.draw.decision_tree import MAX_LEAVES, draw_tree
from casebase.trees.export.decision_tree import exported, text_of


class TreeExports:
    """Mixin that exports the tree in `model_` as text, JSON or SQL, and draws it."""

    model_: Any
    _exported: Callable[..., str] = staticmethod(exported)
    _text_of: Callable[..., str] = staticmethod(text_of)
    _draw_tree: Callable[..., Any] = staticmethod(draw_tree)

    def export(self, to: str = "text") -> str:
        """Return the tree as "text", "json" or "sql" (nested CASE WHEN)."""
        check_is_fitted(self, "model_")
        return self._exported(self.model_, to)

    def export_text(self, max_depth: int | None = None) -> str:
        """Return the tree as text, a line per node with its class counts, down to `max_depth` tests or all of it."""
        check_is_fitted(self, "model_")
        return self._text_of(self.model_, max_depth)

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Any = None, max_leaves: int = MAX_LEAVES) -> Any:
        """Return a matplotlib figure of the tree; with a path (SVG, PNG, PDF) also save it, with `ax` draw there."""
        check_is_fitted(self, "model_")
        figure = self._draw_tree(self.model_, max_leaves, ax)
        if path is not None:
            save(figure, path)
        return figure
