"""Discretisation of numbers, by several methods and numbers of bins."""

from collections.abc import Iterator
from typing import Any

from casebase.data import Cases
from casebase.data.features import decode_column, new_feature
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.cuts import DISCRETISERS, N_INTERVALS, checked_n_bins
from casebase.memory.intervals import discretisation_of
from casebase.representations.generators.variants import View, as_list, whole, with_features

AS_GIVEN = "none"  # among the methods of discretisation: numbers stay numbers
METHODS = (*DISCRETISERS, AS_GIVEN)
WITH_BINS = ("equal_width", "equal_frequency")


def cuts(method: Any, bins: Any) -> Iterator[tuple[str, View]]:
    """Yield the discretisations, each with its name."""
    methods = ["equal_frequency"] if method is None else as_list(method, _method)
    numbers = [N_INTERVALS] if bins is None else as_list(bins, _n_bins)
    if bins is not None and not any(name in WITH_BINS for name in methods):
        raise CasebaseError(f"A number of bins has no meaning for {' and '.join(methods)}: they find their own cuts.")
    for name in methods:
        for n_bins in numbers if name in WITH_BINS else [N_INTERVALS]:
            parts = [f"method={name}"] * (method is not None)
            parts += [f"bins={n_bins}"] * (bins is not None and name in WITH_BINS)
            yield " ".join(parts), _discretise(name, n_bins)


def _discretise(method: str, n_bins: int) -> View:
    def view(cases: Cases) -> Cases:
        if not any(feature.kind == "numeric" for feature in cases.schema.features):
            raise CasebaseError(
                "There are no numbers to discretise: all features are symbols. Whole numbers in a file are "
                "symbols too, unless you declare them numeric (kinds=…, --metric numeric or --metric age=numeric)."
            )
        if method == AS_GIVEN:
            return cases
        cut = discretisation_of(cases, method, n_bins).apply(cases)
        # A value that no example has would lengthen the code of every test on the feature.
        occurring = [
            (new, column) if old is new else new_feature(new.name, decode_column(column, new))
            for old, new, column in zip(cases.schema.features, cut.schema.features, cut.columns)
        ]
        return with_features(cases, occurring)

    return view


def _method(name: Any) -> str:
    if name not in METHODS:
        raise CasebaseError(unknown_name("discretisation", name, METHODS))
    return str(name)


def _n_bins(given: Any) -> int:
    return checked_n_bins(whole(given, "bins"))
