"""The distance between two cases where each feature may have its own metric.

A `Metric` holds the statistics of the training cases: how often each value occurs, with which
classes, and the ranges of the numbers. It computes the weighted distance between a stored case and
a query. With `compat="timbl"` it reproduces TiMBL's deviations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

from tests.oracles import differences
from tests.oracles.ib1 import value_ranges
from tests.oracles.weights import EPS, Counts, Row, Value

VALUE_DIFFERENCES = {
    "mvdm": differences.value_difference,
    "jeffrey": differences.jeffrey,
    "jensen_shannon": differences.jensen_shannon,
}
NUMBERS = {"numeric", "euclidean", "cosine", "dot"}
SIMILARITIES = {"cosine", "dot"}
LARGEST_INT = 2147483647


class Metric:
    """A metric with the statistics of the training cases."""

    def __init__(
        self,
        rows: Sequence[Row],
        labels: Sequence[str],
        names: str | Mapping[int, str] = "overlap",
        counts: Counts | None = None,
        *,
        threshold: int = 1,
        missing: str = "value",
        compat: str | None = None,
        label_order: Sequence[str] | None = None,
        seen: tuple[Sequence[Row], Sequence[str]] | None = None,
        clip: float = 10,
    ):
        """`names` is one name for all features, or a name by column; the other columns have overlap.

        `label_order` is the order in which sums over classes are taken, and `seen` are all the rows
        and labels ever read, where those that are learnt from are a part of them. `clip` is TiMBL's -c.
        """
        if counts is None:
            counts = [1] * len(rows)
        if label_order is None:
            label_order = list(dict.fromkeys(labels))
        n_features = len(rows[0])
        self.names = [names if isinstance(names, str) else names.get(f, "overlap") for f in range(n_features)]
        self.threshold = threshold
        self.missing = missing
        self.compat = compat
        # Text has no range: a feature with text is compared by overlap.
        numbers = [f for f, name in enumerate(self.names) if name in {"numeric", "euclidean"}]
        self.ranges = value_ranges(rows, numbers, counts)
        self.frequencies: list[dict[Value, float]] = [{} for _ in range(n_features)]
        self.shares: list[dict[Value, dict[str, float]]] = [{} for _ in range(n_features)]
        for f in range(n_features):
            occurrences: dict[Value, dict[str, float]] = {}
            for row, label, n in zip(rows, labels, counts, strict=True):
                if n > 0:
                    of_value = occurrences.setdefault(row[f], {})
                    of_value[label] = of_value.get(label, 0) + n
            for value, by_class in occurrences.items():
                total = sum(by_class.values())
                self.frequencies[f][value] = total
                self.shares[f][value] = {c: n / total for c, n in by_class.items()}
        self.label_order = label_order
        self.seen: list[set[Value]] = [set() for _ in range(n_features)]
        for row, label in zip(*(seen or (rows, labels))):
            for f, value in enumerate(row):
                self.seen[f].add(value)
                if seen and compat == "timbl" and value in self.shares[f]:
                    self.shares[f][value].setdefault(label, 0.0)
        # TiMBL keeps a table of the differences of values that occur at least this often.
        self.n_tabled = [round(clip * math.log(len(known))) if known else 0 for known in self.frequencies]
        self.now = [dict(known) for known in self.frequencies]
        self.cost = functools.cache(self._cost)

    @property
    def is_similarity(self) -> bool:
        return self.names[0] in SIMILARITIES

    def count_again(self, row: Row) -> None:
        """Count the values of a case once more, without changing their class distributions."""
        for f, value in enumerate(row):
            self.now[f][value] = self.now[f].get(value, 0) + 1
        self.cost.cache_clear()

    def distance(self, stored: Row, query: Row, weights: Sequence[float], sum_order: Sequence[int]) -> float:
        """Return the weighted distance over the features of `sum_order`, added up in that order."""
        used = [f for f in sum_order if self.names[f] != "ignored"]
        if self.is_similarity:
            return self._dissimilarity(stored, query, weights, used)
        total = 0.0
        for f in used:
            total += weights[f] * self.cost(f, stored[f], query[f])
        if self.compat != "timbl" and "euclidean" in self.names:
            return math.sqrt(total)
        return total

    def _dissimilarity(self, stored: Row, query: Row, weights: Sequence[float], used: Sequence[int]) -> float:
        """Return one minus the cosine, or the distance of the dot product to the largest integer."""
        product = own = asked = 0.0
        for f in used:
            x, y = number_or_zero(stored[f]), number_or_zero(query[f])
            # Multiplied from left to right as TiMBL does: identical vectors are 0 or 1.1e-16 apart by this.
            product += x * y * weights[f]
            own += x * x * weights[f]
            asked += y * y * weights[f]
        if self.names[0] == "dot":
            return (LARGEST_INT - product) / LARGEST_INT
        if self.compat != "timbl":
            if all(stored[f] == query[f] for f in used):
                return 0.0
            return max(0.0, 1 - product / math.sqrt(own * asked)) if own * asked > 0 else 1.0
        return 1 - product / (math.sqrt(own * asked) + EPS)

    def _cost(self, f: int, x: Value, y: Value) -> float:
        """Return the difference of two values of a feature, before weighting."""
        name = self.names[f]
        if x is None or y is None:
            if self.missing == "unknown":
                return 1.0
            if name not in VALUE_DIFFERENCES:
                return 0.0 if x is y else 1.0
        if x == y:
            return 0.0
        if name == "overlap" or (name in NUMBERS and f not in self.ranges):
            return 1.0
        if name == "numeric":
            return differences.scaled_difference(float(x), float(y), self.ranges[f])
        if name == "euclidean":
            if self.compat == "timbl":
                return differences.timbl_euclidean(float(x), float(y), self.ranges[f])
            return differences.scaled_difference(float(x), float(y), self.ranges[f]) ** 2
        if self.compat == "timbl" and self._is_missing_in_table(f, x, y):
            return 0.0
        if name in VALUE_DIFFERENCES:
            if min(self.now[f].get(x, 0), self.now[f].get(y, 0)) < max(self.threshold, EPS):
                return 1.0
            return VALUE_DIFFERENCES[name](self.shares[f][x], self.shares[f][y], self.label_order)
        if name == "levenshtein":
            if self.compat == "timbl":
                return float(differences.levenshtein(as_bytes(x), as_bytes(y), first_swap=2))
            return float(differences.levenshtein(str(x), str(y)))
        if name == "dice":
            if self.compat == "timbl":
                return differences.dice(as_bytes(x), as_bytes(y))
            return differences.dice(str(x), str(y))
        raise ValueError(f"Unknown metric {name!r} of feature {f}.")

    def _is_missing_in_table(self, f: int, x: Value, y: Value) -> bool:
        """Return whether TiMBL finds no entry for two values in its table; it then takes their difference as 0.

        TiMBL looks them up if both are frequent enough now, but they were not when it built the table:
        one of them was counted again since, or did not occur while a single known value made every
        frequency sufficient.
        """
        looks_up = min(self.now[f].get(x, 0), self.now[f].get(y, 0)) >= self.n_tabled[f]
        has_both = (
            {x, y} <= self.seen[f]
            if self.n_tabled[f] == 0
            else (min(self.frequencies[f].get(x, 0), self.frequencies[f].get(y, 0)) >= self.n_tabled[f])
        )
        return looks_up and not has_both


def number_or_zero(value: Value) -> float:
    """Return the value as a number, 0 if it is not one."""
    return float(value) if isinstance(value, int | float) else 0.0


def as_bytes(value: Value) -> bytes:
    """Return the characters of a value as TiMBL 6.5 sees them."""
    return str(value).encode("utf-8", errors="surrogateescape")
