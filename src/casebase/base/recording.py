"""A model remembers how it was fitted, so that it can be fitted again when its cases change."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
M = TypeVar("M")


def recorded(fit: Callable[P, M]) -> Callable[P, M]:
    """Return a function that fits, and keeps the parameters with the model."""

    @wraps(fit)
    def fitted(*cases: P.args, **parameters: P.kwargs) -> M:
        model: Any = fit(*cases, **parameters)
        return replace(model, parameters=dict(parameters))

    return fitted
