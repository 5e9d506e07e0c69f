"""Conversion of parameters to JSON and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters that JSON can represent; a dict by feature keeps the types of its keys.

    >>> plain_parameters({"k": 3, "metric": {0: "numeric"}})
    {'k': 3, 'metric': {'per_feature': [[0, 'numeric']]}}
    """
    return {name: _plain(value) for name, value in parameters.items()}


def restored_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that `plain_parameters` converted."""
    return {name: _restore(value) for name, value in parameters.items()}


def parameters_for(parameters: dict[str, Any], classes: Sequence[Any]) -> dict[str, Any]:
    """Return the parameters of a model file, adapted to the classes of a corrected model.

    NumPy's text type has the width of the longest class: it must not reveal a class that was removed.
    """
    if not str(parameters.get("class_dtype", "")).startswith("<U"):
        return parameters
    return parameters | {"class_dtype": np.array(classes).dtype.str}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {"per_feature": [[_plain(key), item] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _restore(value: Any) -> Any:
    return dict(value["per_feature"]) if isinstance(value, dict) and "per_feature" in value else value
