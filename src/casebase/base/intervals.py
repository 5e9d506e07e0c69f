"""Settings of methods that discretise numbers, and the cuts in a model file."""

from typing import Any

import numpy as np

from casebase.base import common
from casebase.base.files import Arrays, CheckedArrays
from casebase.base.settings import setting
from casebase.data import Schema
from casebase.errors import CasebaseError
from casebase.measures.cuts import DISCRETISERS, N_INTERVALS, checked_n_bins
from casebase.memory.intervals import Discretisation

WAYS = (*DISCRETISERS, "none")


def discretise(help: str) -> Any:
    takes = '{"mdlp", "equal_width", "equal_frequency", "none"}'
    text = f"How numeric features are cut into intervals; {help}"
    return setting("mdlp", takes, text, check_discretise, kind="choice", choices=WAYS)


def n_bins() -> Any:
    help = "The number of intervals of equal width or frequency."
    return setting(N_INTERVALS, "int", help, checked_n_bins, kind="whole")


def metric() -> Any:
    return common.metric(
        'Which features are "numeric", to be cut into intervals, or "ignored": a dict by feature, or one name for all.'
    )


def check_discretise(discretise: object) -> None:
    if not isinstance(discretise, str) or discretise not in WAYS:
        raise CasebaseError(
            f"discretise is the method that cuts numbers into intervals: {', '.join(WAYS)} (numbers are equal or not); "
            f"got {discretise!r}."
        )


def write_discretisation(discretisation: Discretisation, arrays: Arrays) -> None:
    """Add arrays `cuts.0`, `cuts.1`, … for the numeric features."""
    for i, cuts in enumerate(discretisation.cuts):
        if cuts is not None:
            arrays[f"cuts.{i}"] = cuts


def read_discretisation(arrays: CheckedArrays, schema: Schema) -> Discretisation:
    """Return the cuts of the numeric features of a schema, which must be finite and ascend."""
    return Discretisation(
        tuple(
            _ascending(arrays, f"cuts.{i}") if feature.kind == "numeric" else None
            for i, feature in enumerate(schema.features)
        )
    )


def _ascending(arrays: CheckedArrays, name: str) -> np.ndarray:
    cuts = arrays.get(name, "float64")
    if not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ValueError(f"the cuts in array {name!r} do not ascend")
    return cuts
