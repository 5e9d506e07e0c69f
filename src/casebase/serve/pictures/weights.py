"""Models without a picture: the weights of their features, and how far the values of a feature are apart."""

from typing import Any

import numpy as np

from casebase.base.model import Model
from casebase.measures.counts import Counts
from casebase.neighbours.ib1 import IB1
from casebase.render.words import format_value

MOST_VALUES = 12  # of a grid of distances: the most frequent


def weights_of(model: Model) -> list[dict[str, Any]]:
    """Return the features, the heaviest first, with the share of the greatest weight."""
    features = [feature for feature in model.summary().features if feature["kind"] != "ignored"]
    greatest = max((abs(feature["weight"] or 0.0) for feature in features), default=0.0) or 1.0
    found = [
        dict(feature) | {"share": None if feature["weight"] is None else abs(feature["weight"]) / greatest}
        for feature in features
    ]
    return sorted(found, key=lambda one: -(one["weight"] or 0.0))


def distances_of(model: Model) -> list[dict[str, Any]]:
    """Return for each feature that is compared by MVDM how far its most frequent values are apart, from 0 to 1."""
    if not isinstance(model, IB1) or model.comparing.threshold > 1:
        return []
    grids = []
    for rank, position in enumerate(model.memory.order.tolist()):
        table = model.comparing.tables[rank]
        if model.comparing.metrics[rank] != "mvdm" or table is None:
            continue
        feature = model.schema.features[position]
        shares, frequency = _class_shares(table)
        values = np.argsort(-frequency, kind="stable")[:MOST_VALUES]
        values = values[frequency[values] > 0]
        apart = np.abs(shares[values][:, None, :] - shares[values][None, :, :]).sum(axis=2) / 2
        stored = model.memory.segments[0].columns[rank]
        names = [format_value(feature.value(code)) for code in values.astype(stored.dtype)]
        grids.append(
            {
                "feature": feature.name,
                "values": names,
                "distances": apart.tolist(),
                "n_left_out": int((frequency > 0).sum()) - len(names),
            }
        )
    return grids


def _class_shares(table: Counts) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of each class among the cases with each value, and the number of these cases."""
    counts = np.zeros((table.n_values, table.n_classes))
    np.add.at(counts, (table.value, table.label), table.count)
    frequency = counts.sum(axis=1)
    return counts / np.maximum(frequency, 1e-300)[:, None], frequency
