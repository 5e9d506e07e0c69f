"""Settings of methods that discretise numbers, and the cuts in a model file."""

from typing import Any

from casebase.base import common
from casebase.base.files import Arrays, CheckedArrays
from casebase.base.parts import read_cuts
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.measures.cuts import DISCRETISERS, N_INTERVALS, checked_n_bins
from casebase.measures.distances import OF_WHOLE_ROWS, resolve_metrics
from casebase.memory.intervals import Discretisation, with_intervals

MANY_NUMBERS = 20  # different ones: more can hardly be codes
NOT_CUT = {"discretise": "none", "n_bins": N_INTERVALS}
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


def cuts_first() -> Any:
    """Return the setting of methods that learn from intervals as from any other symbols."""
    takes = '{"none", "mdlp", "equal_width", "equal_frequency"}'
    text = (
        "How numbers are cut into intervals, which are then symbols: where the classes differ most (mdlp), or into "
        "n_bins intervals of equal width or frequency. The cuts are learned from the training cases."
    )
    return setting("none", takes, text, check_discretise, kind="choice", choices=("none", *DISCRETISERS))


class CutsFirst:
    """Part of the settings of methods that know nothing of intervals: numbers are cut before they learn."""

    discretise: str
    n_bins: int

    def before_fit(self, cases: Cases) -> Cases:
        """Return the cases that the method learns from."""
        if self.discretise == "none":
            return cases
        metric = getattr(self, "metric", "overlap")
        if isinstance(metric, str) and metric in OF_WHOLE_ROWS:
            raise CasebaseError(
                f"The metric {metric!r} compares whole rows of numbers, and discretise={self.discretise!r} makes "
                "symbols of them: leave out one of the two."
            )
        return with_intervals(resolve_metrics(cases, metric)[0], self.discretise, self.n_bins)


def notice_of_numbers(schema: Schema, settings: object, option: str, numeric: str) -> str | None:
    """Return a sentence if a model tests many different numbers for equality, or has no numbers to cut; else None.

    `option` is how the caller asks for intervals, `numeric` how columns become numbers. Methods that cut numbers unless
    they are asked not to need no notice.
    """
    if not isinstance(settings, CutsFirst):
        return None
    if settings.discretise != "none":
        if any(feature.cuts is not None for feature in schema.features):
            return None
        return f"There were no numbers to cut into intervals: whole numbers are symbols. {numeric} makes them numbers."
    many = [
        (len(feature.vocabulary), feature.name)
        for feature in schema.features
        if feature.of_numbers and feature.kind == "symbolic" and feature.vocabulary is not None
    ]
    many = [(n, name) for n, name in many if n > MANY_NUMBERS]
    if not many:
        return None
    n_values, name = max(many)
    others = f" and {len(many) - 1} other column{'s' * (len(many) > 2)} of numbers" if len(many) > 1 else ""
    return (
        f"{name!r} ({n_values} different numbers){others} {'are' if others else 'is'} compared as symbols: equal or "
        f"not. {option} cuts numbers into intervals."
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
            read_cuts(arrays, f"cuts.{i}") if feature.kind == "numeric" else None
            for i, feature in enumerate(schema.features)
        )
    )
