"""Classifiers whose model has a codelength."""

from typing import Any

from sklearn.utils.validation import check_is_fitted


class Codelength:
    """Mixin that adds `codelength` to a classifier."""

    model_: Any

    def codelength(self) -> float:
        """Return the codelength of the fitted model in bits; docs/codelengths.md has the formulas."""
        check_is_fitted(self, "model_")
        bits: float = self.model_.codelength()
        return bits
