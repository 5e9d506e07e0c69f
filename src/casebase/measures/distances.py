"""Which metric compares which feature.

Of symbols: `overlap` is 0 if two values are the same, 1 otherwise; `mvdm`, `jeffrey` and `jensen_shannon` compare
the classes with which two values occur; `levenshtein` and `dice` compare their letters. Of numbers: `numeric` is the
difference as a share of the range of the stored numbers, `euclidean` its square, of whose sum the root is taken;
`cosine` and `dot` compare whole rows of numbers. `ignored`: not compared at all.

A metric is one name for all features, or a name per feature. Under a global metric of symbols, columns of
floating-point numbers are numeric all the same.
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


def compared_by(cases: Cases, metric: MetricNames) -> tuple[Cases, list[str]]:
    """Return the cases with each feature of the kind that its metric compares, and each feature's metric."""
    if isinstance(metric, str):
        if _kind(metric) == "ignored":
            raise CasebaseError("All features are ignored: at least one must be compared.")
        if METRICS[metric] == "numeric":
            cases = cases.with_kinds({i: "numeric" for i in range(cases.n_features) if not _is_ignored(cases, i)})
        asked, default = {}, metric
    elif isinstance(metric, Mapping):
        asked = {cases.schema.position(feature): name for feature, name in metric.items()}
        for name in asked.values():
            if _kind(name) and name in OF_WHOLE_ROWS:
                raise CasebaseError(f"The metric {name!r} compares whole rows: give it for all features, not for one.")
        cases = cases.with_kinds({i: METRICS[name] for i, name in asked.items()})
        default = "overlap"
    else:
        raise CasebaseError(f"metric is the name of a metric, or a name per feature; got {metric!r}.")
    return cases, [asked.get(i) or _own_metric(cases, i, default) for i in range(cases.n_features)]


def _own_metric(cases: Cases, feature: int, default: str) -> str:
    kind = cases.schema.features[feature].kind
    return default if METRICS[default] == kind else {"symbolic": "overlap"}.get(kind, kind)


def _is_ignored(cases: Cases, feature: int) -> bool:
    return cases.schema.features[feature].kind == "ignored"


def _kind(metric: object) -> Kind:
    if not isinstance(metric, str) or metric not in METRICS:
        raise CasebaseError(unknown_name("metric", metric, METRICS))
    return METRICS[metric]
