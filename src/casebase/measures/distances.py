"""Which metric compares which feature.

`overlap`: 0 if two values are the same, 1 otherwise. `numeric`: the difference as a share of the range
of the stored numbers; a missing number is 1 away from every other. `ignored`: not compared at all.
A metric is one name for all features, or a name per feature. Under the default, `overlap`, columns of
floating-point numbers are numeric all the same unless they are named.
"""

from collections.abc import Mapping

from casebase.data import Cases, Kind
from casebase.errors import CasebaseError, unknown_name

METRICS: dict[str, Kind] = {"overlap": "symbolic", "numeric": "numeric", "ignored": "ignored"}


def compared_by(cases: Cases, metric: str | Mapping[str | int, str]) -> Cases:
    """Return the cases with each feature of the kind that its metric compares."""
    if isinstance(metric, str):
        if _kind(metric) == "ignored":
            raise CasebaseError("All features are ignored: at least one must be compared.")
        if metric == "overlap":
            return cases
        return cases.with_kinds({i: _kind(metric) for i in range(cases.n_features)})
    if not isinstance(metric, Mapping):
        raise CasebaseError(f"metric is the name of a metric, or a name per feature; got {metric!r}.")
    return cases.with_kinds({feature: _kind(name) for feature, name in metric.items()})


def _kind(metric: object) -> Kind:
    if not isinstance(metric, str) or metric not in METRICS:
        raise CasebaseError(unknown_name("metric", metric, METRICS))
    return METRICS[metric]
