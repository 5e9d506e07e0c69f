"""The cuts of numeric features in a model file: one array for each of them."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays
from casebase.data import Schema
from casebase.memory.intervals import Discretisation


def write_discretisation(discretisation: Discretisation, arrays: Arrays) -> None:
    """Add the arrays `cuts.0`, `cuts.1`, … of the features that are numeric."""
    for i, cuts in enumerate(discretisation.cuts):
        if cuts is not None:
            arrays[f"cuts.{i}"] = cuts


def read_discretisation(arrays: CheckedArrays, schema: Schema) -> Discretisation:
    """Return the cuts of the numeric features of a schema; they must be finite and ascend."""
    return Discretisation(
        tuple(
            _ascending(arrays, f"cuts.{i}") if feature.kind == "numeric" else None
            for i, feature in enumerate(schema.features)
        )
    )


def _ascending(arrays: CheckedArrays, name: str) -> np.ndarray:
    cuts = arrays.get(name, "float64")
    if not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ValueError(f"array {name!r} does not hold ascending cuts")
    return cuts
