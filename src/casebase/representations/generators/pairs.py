"""Pairs of features: the values of two as one."""

from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.columns import text_column
from casebase.data.features import decode_column, new_feature
from casebase.errors import CasebaseError
from casebase.representations.generators.variants import View, with_features

JOIN = "*"


def pair_of(given: Any) -> tuple[str, str]:
    """Parse a pair of features, `a*b` or two names."""
    names = tuple(one.strip() for one in given.split(JOIN)) if isinstance(given, str) else tuple(given)
    if len(names) != 2 or not all(isinstance(name, str) and name for name in names) or names[0] == names[1]:
        raise CasebaseError(f"A pair is two features, 'a{JOIN}b' or ('a', 'b'); got {given!r}.")
    return names[0], names[1]


def pair(first: str, second: str) -> View:
    """Return the view with one more feature, whose values are those of two others together."""

    def view(cases: Cases) -> Cases:
        features = list(zip(cases.schema.features, cases.columns))
        positions = [cases.schema.position(name) for name in (first, second)]
        for i in positions:
            if cases.schema.features[i].kind != "symbolic":
                raise CasebaseError(
                    f"Feature {cases.schema.features[i].name!r} has numbers, and a pair is made of symbols: discretise "
                    "it first (bins=…)."
                )
        texts = [decode_column(cases.columns[i], cases.schema.features[i]).to_pylist() for i in positions]
        joined = [None if a is None or b is None else f"{a}{JOIN}{b}" for a, b in zip(*texts)]
        return with_features(cases, [*features, new_feature(f"{first}{JOIN}{second}", text_column(joined))])

    return view


def is_joined(cases: Cases, first: str, second: str) -> bool:
    """Return whether the cases have the pair already, in one order or the other."""
    names = set(cases.schema.names)
    return not names.isdisjoint({f"{first}{JOIN}{second}", f"{second}{JOIN}{first}"})


def are_symbols(cases: Cases) -> np.ndarray:
    """Return which features have symbols."""
    return np.array([feature.kind == "symbolic" for feature in cases.schema.features], dtype=bool)
