"""A subset of the features by name."""

from collections.abc import Collection

from casebase.data import Cases
from casebase.measures.weights import used_features


def kept_and_dropped(features: Collection[int], cases: Cases) -> dict[str, list[str]]:
    """Return the names of the features that are selected, and of those that are not.

    >>> kept_and_dropped([1], Cases.from_table([["a", "b", "P"]], target=-1))
    {'kept': ['f2'], 'dropped': ['f1']}
    """
    used, names = used_features(cases), cases.schema.names
    return {
        "kept": [names[i] for i in used if i in features],
        "dropped": [names[i] for i in used if i not in features],
    }
