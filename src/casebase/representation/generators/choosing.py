"""Some of the features: named, left out, or the most relevant ones."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.weights import feature_weights
from casebase.representation.generators.making import View, kept


def subset(given: Any) -> View:
    """Return the view of some of the features."""

    def view(cases: Cases) -> Cases:
        return kept(cases, _positions(cases, given))

    return view


def _positions(cases: Cases, given: Any) -> list[int]:
    names = cases.schema.names
    if isinstance(given, str):
        if given in names:
            return [cases.schema.position(given)]
        if given == "all":
            return list(range(len(names)))
        if given.isdigit():
            return _most_relevant(cases, int(given))
        left_out = given.startswith("-")
        named = {cases.schema.position(name.strip()) for name in given.removeprefix("-").split("+")}
        chosen = [i for i in range(len(names)) if (i in named) != left_out]
    elif isinstance(given, int | np.integer) and not isinstance(given, bool):
        return _most_relevant(cases, int(given))
    elif isinstance(given, Iterable):
        chosen = [cases.schema.position(name) for name in given]
    else:
        raise CasebaseError(f"A subset is a list of features, 'a+b', '-a', a number or 'all'; got {given!r}.")
    if not chosen:
        raise CasebaseError(f"The subset {spelled(given)!r} has no feature: at least one is needed.")
    return chosen


def _most_relevant(cases: Cases, n: int) -> list[int]:
    if not 1 <= n <= cases.n_features:
        raise CasebaseError(f"There are {cases.n_features} features to choose from; got {n}.")
    by_gain = np.argsort(-feature_weights(cases, "gain_ratio"), kind="stable")
    return sorted(by_gain[:n].tolist())


def spelled(given: Any) -> str:
    """Return how a subset is written."""
    return given if isinstance(given, str) else "+".join(map(str, given)) if isinstance(given, Iterable) else str(given)
