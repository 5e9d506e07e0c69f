"""Subsets of the features: by name, by exclusion, or the most relevant ones."""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.weights import feature_weights
from casebase.representations.generators.variants import View, keep_features

BEST = "best"  # followed by a number: that many features with the largest gain ratio


def subset(given: Any) -> View:
    """Return the view of some of the features."""

    def view(cases: Cases) -> Cases:
        return keep_features(cases, _positions(cases, given))

    return view


def _positions(cases: Cases, given: Any) -> list[int]:
    names = cases.schema.names
    if isinstance(given, str):
        if given in names:
            return [cases.schema.position(given)]
        if given == "all":
            return list(range(len(names)))
        if (n := _n_best(given)) is not None:
            return _most_relevant(cases, n)
        left_out = given.startswith("-")
        named = {cases.schema.position(name.strip()) for name in given.removeprefix("-").split("+")}
        chosen = [i for i in range(len(names)) if (i in named) != left_out]
    elif isinstance(given, int | np.integer) and not isinstance(given, bool):
        return _most_relevant(cases, int(given))
    elif isinstance(given, Iterable):
        chosen = [cases.schema.position(name) for name in given]
    else:
        raise CasebaseError(f"A subset is a list of features, 'a+b', '-a', 'all', a number or 'best3'; got {given!r}.")
    if not chosen:
        raise CasebaseError(f"The subset {subset_name(given, names)!r} has no feature: at least one is needed.")
    return chosen


def _most_relevant(cases: Cases, n: int) -> list[int]:
    if not 1 <= n <= cases.n_features:
        raise CasebaseError(f"There are {cases.n_features} features to choose from; got {n}.")
    by_gain = np.argsort(-feature_weights(cases, "gain_ratio"), kind="stable")
    return sorted(by_gain[:n].tolist())


def _n_best(given: str) -> int | None:
    """Return 3 for `best3` and for `3`, None for other texts."""
    digits = given.removeprefix(BEST)
    return int(digits) if digits.isdecimal() else None


def subset_name(given: Any, names: Collection[str]) -> str:
    """Return the name of a subset of the features; a number is `best3`, a position `3`."""
    if isinstance(given, str):
        n = None if given in names else _n_best(given)
        return given if n is None else f"{BEST}{n}"
    return "+".join(map(str, given)) if isinstance(given, Iterable) else f"{BEST}{given}"
