"""Cases with other features, and lists of values to vary."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data import Cases
from casebase.data.features import Feature, new_feature
from casebase.errors import CasebaseError

View = Callable[[Cases], Cases]


def keep_features(cases: Cases, positions: Iterable[int]) -> Cases:
    """Return the cases with some of their features."""
    return with_features(cases, [(cases.schema.features[i], cases.columns[i]) for i in positions])


def with_columns(cases: Cases, columns: Iterable[tuple[str, pa.Array]]) -> Cases:
    """Return the cases with other features, from named columns."""
    return with_features(cases, [new_feature(name, column) for name, column in columns])


def with_features(cases: Cases, columns_of_features: Sequence[tuple[Feature, np.ndarray]]) -> Cases:
    """Return the cases with other features, each with its column of codes or numbers."""
    features, columns = zip(*columns_of_features)
    schema = replace(cases.schema, features=features, source=None)
    return replace(cases, schema=schema, columns=columns, source=None, notations=())


def as_list(given: Any, checked: Callable[[Any], Any] = lambda one: one) -> list[Any]:
    """Return the values to vary, checked and without duplicates; a single value needs no list."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    values = list(dict.fromkeys(checked(_hashable(one)) for one in ([given] if is_one else given)))
    if not values:
        raise CasebaseError("Nothing to vary: the list of values is empty.")
    return values


def _hashable(one: Any) -> Any:
    return tuple(one) if isinstance(one, Iterable) and not isinstance(one, str) else one


def whole(given: Any, what: str) -> int:
    """Return a whole number, also from text."""
    try:
        number = int(given)
    except (TypeError, ValueError):
        raise CasebaseError(f"{what} takes whole numbers; got {given!r}.") from None
    if isinstance(given, float) and given != number:
        raise CasebaseError(f"{what} takes whole numbers; got {given!r}.")
    return number
