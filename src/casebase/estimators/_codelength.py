"""Classifiers whose model can be said in bits."""

from typing import Any

from sklearn.utils.validation import check_is_fitted


class SaidInBits:
    """Adds `codelength` to a classifier whose model has one."""

    model_: Any

    def codelength(self) -> float:
        """Return how many bits it takes to say the fitted model; docs/codelengths.md has the formulas."""
        check_is_fitted(self, "model_")
        return self.model_.codelength()
