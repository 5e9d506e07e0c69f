"""The relevance of every feature by all measures, side by side."""

from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.measures.contingency import feature_contingency
from casebase.measures.weights import MEASURES, RELIEF, split_info, used_features

MEASURES_OF_COUNTS = [name for name in MEASURES if name != "none"]


def relevance_table(cases: Cases, relief_weights: np.ndarray) -> list[dict[str, Any]]:
    """Return a record per feature, as `casebase weights --json` prints it; RELIEF's weights are in column order.

    >>> cases = Cases.from_table([["a", "P"], ["b", "Q"]], target=-1)
    >>> relevance_table(cases, np.array([1.0]))[0]["information_gain"]
    1.0
    """
    records = []
    for i in used_features(cases):
        table, feature = feature_contingency(cases, i), cases.schema.features[i]
        record: dict[str, Any] = {"feature": feature.name, "kind": feature.kind, "n_values": table.n_seen}
        record |= {name: MEASURES[name](table) for name in MEASURES_OF_COUNTS}
        records.append(record | {RELIEF: float(relief_weights[i]), "split_info": split_info(table)})
    return records
