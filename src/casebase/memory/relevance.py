"""Preparation of cases for a learner: the metric, the weight and the order of the features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.measures.contingency import Contingency
from casebase.measures.distances import resolve_metrics
from casebase.measures.quirks import Quirks
from casebase.measures.timbl_weights import keys_as_met, timbl_weights
from casebase.measures.weights import (
    feature_tables,
    feature_weights,
    given_weights,
    subtract_smallest,
    summation_key,
)
from casebase.memory.segments import relevance_order


@dataclass(frozen=True, eq=False)
class Prepared:
    """Cases with each feature converted to the kind of its metric; and, in column order, metrics, weights and keys.

    Distances add up features, and trees test them, in the order of descending keys. `tables` has the contingency
    tables of the features in use.
    """

    cases: Cases
    metrics: list[str]
    tables: dict[int, Contingency]
    weights: np.ndarray
    keys: np.ndarray
    is_euclidean: bool


def prepare(
    cases: Cases,
    *,
    weighting: Any,
    metric: str | Mapping[str | int, str],
    diversify: bool,
    feature_limit: int | None,
    quirks: Quirks,
    order_by: Any,
) -> Prepared:
    """Return the cases with the metric, weight and key of each feature."""
    cases, metrics = resolve_metrics(cases, metric)
    tables = feature_tables(cases)
    weights = weights_of(cases, weighting, tables, quirks)
    keys = (
        summation_keys(cases, weighting, tables, quirks)
        if order_by is None
        else given_weights(order_by, cases.n_features)
    )
    if feature_limit is not None:
        ranking = keys if quirks.limit_by_key else weights
        dropped = relevance_order(cases.schema, list(tables), ranking)[feature_limit:]
        cases = cases.with_kinds(dict.fromkeys(dropped, "ignored"))
        metrics = ["ignored" if i in dropped else name for i, name in enumerate(metrics)]
        tables = {i: table for i, table in tables.items() if i not in dropped}
        weights = np.where(np.isin(np.arange(cases.n_features), dropped), 0.0, weights)
    if diversify:
        weights = subtract_smallest(weights, list(tables))
    return Prepared(cases, metrics, tables, weights, keys, "euclidean" in metrics)


def weights_of(cases: Cases, weighting: Any, tables: dict[int, Contingency], quirks: Quirks) -> np.ndarray:
    """Return one weight per feature; sums in order of first appearance give TiMBL's weights, bit for bit."""
    if quirks.sums_as_met and isinstance(weighting, str):
        return timbl_weights(cases, weighting, tables)
    return feature_weights(cases, weighting, tables)


def summation_keys(cases: Cases, weighting: Any, tables: dict[int, Contingency], quirks: Quirks) -> np.ndarray:
    """Return the gain ratio per value of each feature, as `summation_key` does; or TiMBL's."""
    keys = np.zeros(cases.n_features)
    if quirks.sums_as_met:
        if weighting == "standard_deviation":  # TiMBL computes no other measure then
            return keys
        return keys_as_met(timbl_weights(cases, "gain_ratio", tables), tables)
    of_table: dict[int, float] = {}  # features may share a table
    for i, table in tables.items():
        if id(table) not in of_table:
            of_table[id(table)] = summation_key(table)
        keys[i] = of_table[id(table)]
    return keys
