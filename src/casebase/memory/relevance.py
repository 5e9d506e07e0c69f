"""What every learner settles first: how features are compared, what they weigh, and in which order they come."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.measures.contingency import Contingency
from casebase.measures.counts import Counts
from casebase.measures.distances import compared_by
from casebase.measures.quirks import Quirks
from casebase.measures.timbl_weights import timbl_weights
from casebase.measures.weights import (
    diversified,
    feature_tables,
    feature_weights,
    given_weights,
    summation_key,
    weights_from,
)
from casebase.memory.segments import relevance_order


@dataclass(frozen=True, eq=False)
class Prepared:
    """Cases with each feature of its kind; per feature, in column order: its metric, its weight, its key.

    Costs are added up, and trees are asked, in the order of descending keys. `tables` has the counts of every feature
    in use.
    """

    cases: Cases
    metrics: list[str]
    tables: dict[int, Contingency]
    weights: np.ndarray
    keys: np.ndarray
    is_euclidean: bool


def prepared(
    cases: Cases,
    *,
    weighting: Any,
    metric: str | Mapping[str | int, str],
    diversify: bool,
    feature_limit: int | None,
    quirks: Quirks,
    order_by: Any,
) -> Prepared:
    """Return the cases with all that is decided about their features."""
    cases, metrics = compared_by(cases, metric)
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
        weights = diversified(weights, list(tables))
    return Prepared(cases, metrics, tables, weights, keys, "euclidean" in metrics)


def relevance(
    tables: Mapping[int, Counts], n_features: int, *, weighting: Any, diversify: bool, order_by: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight and the key of every feature from counts alone."""
    weights = weights_from(tables, n_features, weighting)
    keys = np.zeros(n_features) if order_by is None else given_weights(order_by, n_features)
    if order_by is None:
        for i, table in tables.items():
            keys[i] = summation_key(table)
    return diversified(weights, list(tables)) if diversify else weights, keys


def weights_of(cases: Cases, weighting: Any, tables: dict[int, Contingency], quirks: Quirks) -> np.ndarray:
    """Return one weight per feature; sums in the order of meeting are, bit for bit, TiMBL's."""
    if quirks.sums_as_met and isinstance(weighting, str):
        return timbl_weights(cases, weighting, tables)
    return feature_weights(cases, weighting, tables)


def summation_keys(cases: Cases, weighting: Any, tables: dict[int, Contingency], quirks: Quirks) -> np.ndarray:
    """Return gain ratio per value: the order in which costs are added decides the last bit of a distance."""
    keys = np.zeros(cases.n_features)
    if quirks.sums_as_met:
        if weighting == "standard_deviation":  # then TiMBL computes nothing else
            return keys
        ratios = timbl_weights(cases, "gain_ratio", tables)
        for i, table in tables.items():
            keys[i] = ratios[i] / max(table.n_seen, 1)
        return keys
    for i, table in tables.items():
        keys[i] = summation_key(table)
    return keys
