"""Feature weights by all measures, and the orders of features that follow from them."""

from dataclasses import dataclass

import numpy as np

from casebase.data import Cases
from casebase.data.arrays import as_strings
from casebase.data.numbers import numbers_in
from casebase.formats.weights import MEASURES
from casebase.measures.contingency import Contingency, bin_sizes, contingency, feature_contingency
from casebase.measures.distances import MetricNames, resolve_metrics
from casebase.measures.timbl_weights import timbl_weights
from casebase.measures.weights import entropy, split_info, used_features
from casebase.timbl.symbols import Symbols

NAMES = {
    "nw": "No Weighting",
    "gr": "GainRatio",
    "ig": "InfoGain",
    "x2": "Chi-square",
    "sv": "Shared Variance",
    "sd": "Standard Deviation",
}
ORDER_NAMES = {
    "DO": "Default Ordering",
    "UDO": "Data File Ordering",
    "GRO": "GainRatio",
    "IGO": "InformationGain",
    "X2O": "Chi-Squared",
    "SVO": "Shared Variance",
    "SDO": "Standard Deviation",
    "1/V": "Inverse Values",
    "G/V": "GainRatio/Values",
    "I/V": "InformationGain/Values",
    "X/V": "Chi-Squared/Values",
    "S/V": "Shared Variance/Values",
    "SD/V": "Standard Deviation/Values",
    "GxE": "GainRatio*Entropy",
    "IxE": "InformationGain*Entropy",
    "1/S": "Inverse SplitInfo",
}
ORDER_OF_WEIGHTING = {"gr": "GRO", "ig": "IGO", "x2": "X2O", "sv": "SVO", "sd": "SDO", "nw": "DO"}


@dataclass(frozen=True, eq=False)
class Relevance:
    """The weight of each feature, by measure; ignored features have 0."""

    measures: dict[str, np.ndarray]
    split_info: np.ndarray
    n_values: np.ndarray
    entropy: float
    computed: frozenset[str]

    def keys(self, order: str, given: np.ndarray | None) -> np.ndarray | None:
        """Return the keys by which a tree order sorts features; None for the order of the columns.

        Weights from a file take the place of every measure.
        """
        if order in ("DO", "UDO"):
            return None
        measure = {"G": "gr", "I": "ig", "X": "x2", "S": "sv"}.get(order[0], "")
        measure = "sd" if order.startswith("SD") else measure
        if order == "1/V":
            return self._per(np.ones(len(self.n_values)), self.n_values)
        if order == "1/S":
            return self._per(np.ones(len(self.n_values)), self.split_info)
        weights = self.measures[measure] if given is None else given
        if order.endswith("/V"):
            return self._per(weights, self.n_values)
        return weights * self.split_info if order.endswith("xE") else weights

    @staticmethod
    def _per(weights: np.ndarray, divisor: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(divisor > 0, weights / divisor, 0.0)


def relevance_of(cases: Cases, metric: MetricNames, symbols: Symbols, wanted: set[str], n_bins: int) -> Relevance:
    """Return the weights of features by the wanted measures, bit for bit TiMBL's."""
    cases, _ = resolve_metrics(cases, metric)
    tables = {i: _table(cases, i, symbols, n_bins) for i in used_features(cases)}
    n = cases.n_features
    measures = {name: np.zeros(n) for name in MEASURES} | {"nw": np.ones(n)}
    place = {label: i for i, label in enumerate(symbols.classes)}
    class_rank = np.array([place[label] for label in cases.schema.classes])
    for name in wanted:
        measures[name] = timbl_weights(cases, MEASURES[name], tables, class_rank) + 0.0  # no -0
    splits = np.zeros(n)
    for i, table in tables.items():
        splits[i] = split_info(table)
    return Relevance(measures, splits, symbols.n_values, entropy(cases.class_counts), frozenset(wanted))


def _table(cases: Cases, feature: int, symbols: Symbols, n_bins: int) -> Contingency:
    values, codes = symbols.values[feature], symbols.codes[feature]
    if cases.schema.features[feature].kind != "numeric" or values is None or codes is None:
        return feature_contingency(cases, feature)
    # TiMBL distributes spellings over the bins, not numbers: 1 and 1.0 may fall into two.
    ascending = np.argsort(numbers_in(as_strings(values))[0], kind="stable")
    bin_of_value = np.empty(len(values), dtype=np.uint32)
    bin_of_value[ascending] = np.repeat(np.arange(n_bins, dtype=np.uint32), bin_sizes(len(values), n_bins))
    return contingency(bin_of_value[codes], cases, n_bins)


def permutation(keys: np.ndarray | None, ignored: set[int], n_features: int) -> list[int]:
    """Return features by descending key, equal ones by column, ignored ones last."""
    used = [i for i in range(n_features) if i not in ignored]
    if keys is not None:
        used.sort(key=lambda i: -keys[i])
    return used + sorted(ignored)
