"""Metrics: the names of the distances, and which metric compares which feature.

For symbols: `overlap` is 0 for equal values and 1 otherwise; `mvdm`, `jeffrey` and `jensen_shannon` compare the class
distributions of two values; `levenshtein` and `dice` compare their letters. For numbers: `numeric` is the difference
divided by the range of the stored numbers; `euclidean` is the root of the sum of its squares; `cosine` and `dot`
compare whole rows of numbers. `ignored` features are not compared.

A metric is one name for all features, or one name per feature. With one symbolic metric for all features, columns of
floating-point numbers are still compared as numeric.
"""

from collections.abc import Mapping

from casebase.data import Cases, Kind
from casebase.errors import CasebaseError, unknown_name

METRICS: dict[str, Kind] = {
    "overlap": "symbolic",
    "mvdm": "symbolic",
    "jeffrey": "symbolic",
    "jensen_shannon": "symbolic",
    "levenshtein": "symbolic",
    "dice": "symbolic",
    "numeric": "numeric",
    "euclidean": "numeric",
    "cosine": "numeric",
    "dot": "numeric",
    "ignored": "ignored",
}
NUMERIC = tuple(name for name, kind in METRICS.items() if kind == "numeric")
BY_CLASSES = ("mvdm", "jeffrey", "jensen_shannon")
BY_LETTERS = ("levenshtein", "dice")
OF_WHOLE_ROWS = ("cosine", "dot")


MetricNames = str | Mapping[str | int, str]  # one metric for all features, or one per feature


def resolve_metrics(cases: Cases, metric: MetricNames) -> tuple[Cases, list[str]]:
    """Return the cases with each feature converted to the kind that its metric needs, and the metrics by feature."""
    if isinstance(metric, str):
        if _kind(metric) == "ignored":
            raise CasebaseError("All features are ignored: at least one must be compared.")
        if METRICS[metric] == "numeric":
            numbers = [i for i in range(cases.n_features) if not _is_ignored(cases, i) and not _is_cut(cases, i)]
            cases = cases.with_kinds(dict.fromkeys(numbers, "numeric"))
        by_feature, default = {}, metric
    elif isinstance(metric, Mapping):
        by_feature = {cases.schema.position(feature): name for feature, name in metric.items()}
        for name in by_feature.values():
            if _kind(name) and name in OF_WHOLE_ROWS:
                raise CasebaseError(f"The metric {name!r} compares whole rows: use it for all features, not for one.")
        # Numbers that were cut into intervals are symbols.
        by_feature = {
            i: _default_metric(cases, i, name) if _is_cut(cases, i) else name for i, name in by_feature.items()
        }
        cases = cases.with_kinds({i: METRICS[name] for i, name in by_feature.items()})
        default = "overlap"
    else:
        raise CasebaseError(f"metric is the name of a metric, or a name per feature; got {metric!r}.")
    return cases, [by_feature.get(i) or _default_metric(cases, i, default) for i in range(cases.n_features)]


def _default_metric(cases: Cases, feature: int, default: str) -> str:
    kind = cases.schema.features[feature].kind
    return default if METRICS[default] == kind else {"symbolic": "overlap"}.get(kind, kind)


def _is_ignored(cases: Cases, feature: int) -> bool:
    return cases.schema.features[feature].kind == "ignored"


def _is_cut(cases: Cases, feature: int) -> bool:
    return cases.schema.features[feature].is_cut


def _kind(metric: object) -> Kind:
    if not isinstance(metric, str) or metric not in METRICS:
        raise CasebaseError(unknown_name("metric", metric, METRICS))
    return METRICS[metric]
