"""Opinions: what the memory of each value, and of telling pairs of values, says of the classes, multiplied.

Each value has an opinion, the class frequencies of the stored cases with that value, drawn towards the frequencies of
all cases. The opinions are multiplied with exponents that fit the held-out answers best. Pairs of values come second:
their opinions are drawn towards the product of the first, so that a pair speaks only of what it adds. Naive Bayes is
the special case without pairs in which all exponents are 1. Numbers are values of bins.

A held-out answer is exact for given cuts and exponents: the case is subtracted from all counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any, ClassVar

import numpy as np

from casebase.autopilot.inputs import Inputs, Stored, binned, blocks, inner_edges, merged, parts_of
from casebase.autopilot.pool import FLOOR, Pool, fit_pool
from casebase.autopilot.reading import Plan
from casebase.base.files import HEAVIEST
from casebase.data.checks import is_whole
from casebase.measures import functions

N_BINS = (3, 5, 8, 14, 24, 40)  # that are tried for a number
OF_NUMBERS = (1.0, 4.0, 16.0)  # smoothings that are tried, in cases
OF_SYMBOLS = (0.5, 1.0, 2.0, 4.0, 16.0)
OF_PAIRS = 8.0
STRENGTH = 3.0  # of the penalty on exponents, in cases
MOST_PAIRS, MOST_PAIRED, MOST_TRIED = 40, 40, 50_000_000
N_PARTS = 3  # a case is judged with exponents that were fitted without its part
UNIT = 0.5  # cases of each class that are added to the class frequencies, so that no share is 0


@dataclass(frozen=True, eq=False)
class Opinion:
    """Class counts by the value of one feature, or of two; `bins` has the cuts of numbers, None for symbols.

    A pair of values has the code first × width + second; `codes` has those that occur, ascending.
    """

    features: tuple[int, ...]
    bins: tuple[int | None, ...]
    smoothing: float
    edges: tuple[np.ndarray | None, ...]
    widths: tuple[int, ...]
    codes: np.ndarray
    counts: np.ndarray

    @property
    def plan(self) -> Plan:
        return {"features": list(self.features), "bins": list(self.bins), "smoothing": self.smoothing}

    def places(self, inputs: Inputs) -> np.ndarray:
        """Return the row of `counts` for each case; -1 if no stored case has its value."""
        code = np.zeros(inputs.n_cases, dtype=np.int64)
        is_known = np.ones(inputs.n_cases, dtype=bool)
        for feature, edges, width in zip(self.features, self.edges, self.widths):
            values = feature_codes(inputs, feature, edges)
            is_known &= values < width
            code = code * width + values
        place = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
        return np.where(is_known & (self.codes[place] == code), place, -1)

    def like(self, asked: Inputs, stored: Inputs) -> np.ndarray:
        """Return whether stored cases have the same value as one query; numbers are compared with the ends of a bin."""
        is_like = np.ones(stored.n_cases, dtype=bool)
        for feature, edges in zip(self.features, self.edges):
            if edges is None:
                row = feature - stored.n_numbers
                is_like &= stored.codes[row] == asked.codes[row, 0]
                continue
            numbers = stored.numbers[feature]
            place = int(binned(asked.numbers[feature], edges)[0])
            if place == 0:
                is_like &= np.isnan(numbers)
                continue
            ends = np.concatenate([[-np.inf], edges, [np.inf]])
            is_like &= (numbers > ends[place - 1]) & (numbers <= ends[place])
        return is_like

    def found(self, inputs: Inputs) -> np.ndarray:
        """Return the class counts for each case; zeros if no stored case has its value."""
        places = self.places(inputs)
        counts: np.ndarray = self.counts[places]
        counts[places < 0] = 0.0
        return counts

    def logs(self, counts: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Return the opinion relative to a base: the logarithm of their ratio."""
        total = counts.sum(axis=1, keepdims=True)
        return np.asarray(functions.log((counts + self.smoothing * base) / ((total + self.smoothing) * base)))


def feature_codes(inputs: Inputs, feature: int, edges: np.ndarray | None) -> np.ndarray:
    """Return the codes of a feature; numeric features come first, and have bins."""
    if edges is not None:
        return binned(inputs.numbers[feature], edges)
    return np.asarray(inputs.codes[feature - inputs.n_numbers], dtype=np.int64)


def learned_opinion(
    stored: Stored, features: tuple[int, ...], bins: tuple[int | None, ...], smoothing: float
) -> Opinion:
    """Return the counts of one feature's values, or of a pair's."""
    edges, widths = _edges_and_widths(stored.inputs, features, bins)
    codes, counts = np.empty(0, dtype=np.int64), np.empty((0, stored.n_classes))
    for rows in blocks(stored.n_cases):
        found, places = np.unique(_codes(stored.inputs.part(rows), features, edges, widths), return_inverse=True)
        weights = None if stored.weights is None else stored.weights[rows]
        here = class_counts(stored.labels[rows], weights, places, len(found), stored.n_classes)
        codes, counts = merged(codes, counts, found, here)
    return Opinion(features, bins, smoothing, edges, widths, codes, counts)


def _edges_and_widths(
    inputs: Inputs, features: tuple[int, ...], bins: tuple[int | None, ...]
) -> tuple[tuple[np.ndarray | None, ...], tuple[int, ...]]:
    edges = tuple(None if n is None else inner_edges(inputs.numbers[f], n) for f, n in zip(features, bins))
    widths = tuple(
        int(inputs.n_codes[f - inputs.n_numbers]) if cuts is None else len(cuts) + 2 for f, cuts in zip(features, edges)
    )
    return edges, widths


def _codes(
    inputs: Inputs, features: tuple[int, ...], edges: tuple[np.ndarray | None, ...], widths: tuple[int, ...]
) -> np.ndarray:
    code = np.zeros(inputs.n_cases, dtype=np.int64)
    for feature, cuts, width in zip(features, edges, widths):
        code = code * width + feature_codes(inputs, feature, cuts)
    return code


def opinion_of(
    stored: Stored, features: tuple[int, ...], bins: tuple[int | None, ...], smoothing: float
) -> tuple[Opinion, np.ndarray]:
    """Return the counts of one feature's values, or of a pair's, and the place of each stored case in them."""
    edges, widths = _edges_and_widths(stored.inputs, features, bins)
    codes, places = np.unique(_codes(stored.inputs, features, edges, widths), return_inverse=True)
    counts = class_counts(stored.labels, stored.weights, places, len(codes), stored.n_classes)
    return Opinion(features, bins, smoothing, edges, widths, codes, counts), places


def class_counts(
    labels: np.ndarray, weights: np.ndarray | None, places: np.ndarray, n: int, n_classes: int
) -> np.ndarray:
    cells = places * n_classes + labels
    return np.bincount(cells, weights, minlength=n * n_classes).reshape(n, -1).astype(float)


def base_shares(class_weights: np.ndarray) -> np.ndarray:
    """Return the shares of the classes, none of them 0; one row per case, or one for all."""
    total = class_weights.sum(axis=-1, keepdims=True) + UNIT * class_weights.shape[-1]
    return np.asarray((class_weights + UNIT) / total)


@dataclass(frozen=True, eq=False)
class OpinionPool:
    """Opinions of single features and of pairs, each with the pool that multiplies them."""

    singles: tuple[Opinion, ...]
    first: Pool
    pairs: tuple[Opinion, ...]
    second: Pool
    class_weights: np.ndarray
    bias: Mapping[str, float]  # by class, also of classes that have gone

    kind: ClassVar[str] = "opinions"

    @property
    def plan(self) -> Plan:
        return {
            "singles": [opinion.plan for opinion in self.singles],
            "pairs": [opinion.plan for opinion in self.pairs],
            "first": self.first.exponents.tolist(),
            "bias": self.bias,
            "second": self.second.exponents.tolist(),
        }

    def shares(self, asked: Inputs, n_jobs: int = 1) -> np.ndarray:
        """Return the product of the opinions about new cases."""
        base = np.tile(base_shares(self.class_weights), (asked.n_cases, 1))
        singles, pairs = ([o.found(asked) for o in opinions] for opinions in (self.singles, self.pairs))
        return self._pooled(base, singles, pairs, n_jobs)

    def held_out(self, stored: Stored, rows: np.ndarray, n_jobs: int = 1) -> np.ndarray:
        """Return the product of the opinions from which the case itself is subtracted."""
        some, own = stored.inputs.take(rows), own_counts(stored, rows)
        base = base_shares(self.class_weights - own)
        singles, pairs = ([o.found(some) - own for o in opinions] for opinions in (self.singles, self.pairs))
        return self._pooled(base, singles, pairs, n_jobs)

    def _pooled(self, base: np.ndarray, singles: list[np.ndarray], pairs: list[np.ndarray], n_jobs: int) -> np.ndarray:
        logs = [functions.log(base), *(o.logs(counts, base) for o, counts in zip(self.singles, singles))]
        shares = self.first.shares(np.stack(logs, axis=2), n_jobs)
        if not pairs:
            return shares
        base = np.maximum(shares, FLOOR)
        logs = [functions.log(base), *(o.logs(counts, base) for o, counts in zip(self.pairs, pairs))]
        return self.second.shares(np.stack(logs, axis=2), n_jobs)

    def support(self, asked: Inputs, stored: Stored) -> np.ndarray:
        """Return each case's part in the opinions about its class, weighted by their exponents.

        A case with the value counts once, and every case counts with the smoothing.
        """
        shares, weights = self.shares(asked)[0], stored.case_weights
        exponents = np.concatenate([self.first.exponents, self.second.exponents[1:]])
        of_class = stored.of_class(weights)
        everyone = weights / of_class[stored.labels]
        parts = exponents[0] * everyone
        for exponent, opinion in zip(exponents[1:], (*self.singles, *self.pairs)):
            if exponent == 0:
                continue
            like = weights * opinion.like(asked, stored.inputs)
            alike = like + opinion.smoothing * weights / weights.sum()
            parts = parts + exponent * alike / stored.of_class(alike)[stored.labels]
        parts = parts / exponents.sum() if exponents.sum() > 0 else everyone
        return np.asarray(parts * shares[stored.labels])

    def arrays(self) -> Mapping[str, np.ndarray]:
        opinions = (*self.singles, *self.pairs)
        edges = [cuts for opinion in opinions for cuts in opinion.edges if cuts is not None]
        return {
            "exponents": np.concatenate([self.first.exponents, self.second.exponents]),
            "bias": self.first.bias,
            "edges": np.concatenate([*edges, np.empty(0)]),
            "n_edges": np.array([len(cuts) for cuts in edges], dtype=np.uint32),
            "widths": np.array([width for opinion in opinions for width in opinion.widths], dtype=np.int64),
            "n_codes": np.array([len(opinion.codes) for opinion in opinions], dtype=np.uint32),
            "codes": np.concatenate([*(opinion.codes for opinion in opinions), np.empty(0, np.int64)]),
            "counts": np.concatenate([*(opinion.counts.ravel() for opinion in opinions), np.empty(0)]),
        }


def own_counts(stored: Stored, rows: np.ndarray) -> np.ndarray:
    """Return what each of some stored cases adds to the class counts."""
    own = np.zeros((len(rows), stored.n_classes))
    own[np.arange(len(rows)), stored.labels[rows]] = stored.weights_of(rows)
    return own


def learn(stored: Stored, plan: Plan, n_jobs: int = 1) -> OpinionPool:
    """Return the opinions of a plan, counted in these cases."""
    singles, pairs = (
        tuple(
            learned_opinion(stored, tuple(one["features"]), tuple(one["bins"]), one["smoothing"]) for one in plan[name]
        )
        for name in ("singles", "pairs")
    )
    first = Pool(np.array(plan["first"]), _bias(plan["bias"], stored))
    second = Pool(np.array(plan["second"]), np.zeros(stored.n_classes))
    return OpinionPool(singles, first, pairs, second, stored.class_weights, dict(plan["bias"]))


def _bias(bias: Mapping[str, float], stored: Stored) -> np.ndarray:
    """Return the bias of each class; a class that has come since the plan was made has none."""
    return np.array([float(bias.get(name, 0.0)) for name in stored.class_names])


def choose(
    stored: Stored, judges: np.ndarray, seed: int, n_jobs: int = 1, *, with_pairs: bool = True
) -> tuple[OpinionPool, np.ndarray]:
    """Return the opinions whose held-out answers fit best, and held-out shares for the judges."""
    part = np.random.default_rng(seed).permutation(len(judges)) % N_PARTS
    labels, own = stored.labels[judges], own_counts(stored, judges)
    weights = None if stored.weights is None else stored.weights[judges]
    base = base_shares(stored.class_weights - own)
    chosen = [_best_single(stored, judges, feature, base, own) for feature in range(stored.inputs.n_features)]
    singles = tuple(opinion for opinion, _, _ in chosen)
    logs = np.stack([functions.log(base), *(log for _, log, _ in chosen)], axis=2)
    start = np.array([1.0, *[0.5] * len(singles)])
    first = fit_pool(logs, labels, weights, start, STRENGTH, with_bias=True, n_jobs=n_jobs)
    shares = _cross_fitted(logs, labels, weights, first, start, STRENGTH, part, True, n_jobs)

    pairs: tuple[Opinion, ...] = ()
    second = Pool(np.ones(1), np.zeros(stored.n_classes))
    found = _best_pairs(stored, judges, shares, own, [loss for _, _, loss in chosen]) if with_pairs else []
    if found:
        pairs = tuple(opinion for opinion, _ in found)
        logs = np.stack([functions.log(np.maximum(shares, FLOOR)), *(log for _, log in found)], axis=2)
        start = np.array([1.0, *[0.0] * len(pairs)])
        second = fit_pool(logs, labels, weights, start, 3 * STRENGTH, n_jobs=n_jobs)
        shares = _cross_fitted(logs, labels, weights, second, start, 3 * STRENGTH, part, False, n_jobs)
        used = second.exponents[1:] > 0  # a pair without an exponent says nothing
        pairs = tuple(opinion for opinion, is_used in zip(pairs, used) if is_used)
        second = Pool(np.concatenate([second.exponents[:1], second.exponents[1:][used]]), second.bias)
    bias = dict(zip(stored.class_names, first.bias.tolist()))
    return OpinionPool(singles, first, pairs, second, stored.class_weights, bias), shares


def _cross_fitted(
    logs: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    pool: Pool,
    start: np.ndarray,
    strength: float,
    part: np.ndarray,
    with_bias: bool,
    n_jobs: int,
) -> np.ndarray:
    """Return shares with exponents that were fitted without the case's part."""
    shares = pool.shares(logs, n_jobs)
    if len(labels) < 2 * N_PARTS:
        return shares
    for i in range(N_PARTS):
        others, here = part != i, part == i
        some = None if weights is None else weights[others]
        fitted = fit_pool(logs[others], labels[others], some, start, strength, with_bias=with_bias, n_jobs=n_jobs)
        shares[here] = fitted.shares(logs[here], n_jobs)
    return shares


def _best_single(
    stored: Stored, judges: np.ndarray, feature: int, base: np.ndarray, own: np.ndarray
) -> tuple[Opinion, np.ndarray, float]:
    """Return the opinion of a feature with the bins and the smoothing that fit held-out answers best."""
    best: tuple[Opinion, np.ndarray, float] | None = None
    labels, rows = stored.labels[judges], np.arange(len(judges))
    is_number = feature < stored.inputs.n_numbers
    for n_bins in N_BINS if is_number else (None,):
        opinion, places = opinion_of(stored, (feature,), (n_bins,), 1.0)
        counts = opinion.counts[places[judges]] - own
        for smoothing in OF_NUMBERS if is_number else OF_SYMBOLS:
            tried = Opinion(
                opinion.features, opinion.bins, smoothing, opinion.edges, opinion.widths, opinion.codes, opinion.counts
            )
            logs = tried.logs(counts, base)
            shares = base * functions.exp(logs)
            loss = -float(functions.log(shares[rows, labels] / shares.sum(axis=1)).mean())
            if best is None or loss < best[2] - 1e-9:
                best = tried, logs, loss
        if is_number and n_bins is not None and len(opinion.codes) < n_bins:
            break  # more bins than values
    assert best is not None
    return best


def _best_pairs(
    stored: Stored, judges: np.ndarray, shares: np.ndarray, own: np.ndarray, losses: list[float]
) -> list[tuple[Opinion, np.ndarray]]:
    """Return the pairs of features whose opinions lower the held-out loss most, by a Newton step each."""
    n_numbers, n_classes = stored.inputs.n_numbers, stored.n_classes
    telling = sorted(np.argsort(losses, kind="stable")[:MOST_PAIRED].tolist())
    base = np.maximum(shares, FLOOR)
    n_bins = int(np.clip(round((stored.n_cases / (8 * n_classes)) ** 0.5), 3, 8))
    error = -shares
    error[np.arange(len(judges)), stored.labels[judges]] += 1.0
    found = []
    for pair in _affordable(list(combinations(telling, 2)), len(judges) * n_classes):
        bins = tuple(n_bins if feature < n_numbers else None for feature in pair)
        opinion, places = opinion_of(stored, pair, bins, OF_PAIRS)
        logs = opinion.logs(opinion.counts[places[judges]] - own, base)
        slope = float((error * logs).sum())
        mean = (shares * logs).sum(axis=1)
        curvature = float((shares * logs**2).sum() - (mean**2).sum()) + STRENGTH
        if slope > 0:
            found.append((slope * slope / curvature, opinion, logs))
    found.sort(key=lambda one: -one[0])
    return [(opinion, logs) for _, opinion, logs in found[:MOST_PAIRS]]


def _affordable(pairs: list[tuple[int, int]], price: int) -> Iterator[tuple[int, int]]:
    """Return the pairs that can be tried: with many classes and cases, only some, evenly chosen."""
    most = max(1, MOST_TRIED // max(price, 1))
    step = max(1, -(-len(pairs) // most))
    return iter(pairs[::step])


def read(arrays: Mapping[str, Any], plan: Plan, stored: Stored) -> OpinionPool:
    """Return the opinions from the arrays of a model file; every index and count is checked."""
    n_numbers, n_classes, n_singles = stored.inputs.n_numbers, stored.n_classes, len(plan["singles"])
    specs = [*plan["singles"], *plan["pairs"]]
    features = [feature for one in specs for feature in one["features"]]
    if any(not is_whole(feature, 0) or feature >= stored.inputs.n_features for feature in features):
        raise ValueError("an opinion is about no feature")
    if [len(one["features"]) for one in specs] != [1] * n_singles + [2] * len(plan["pairs"]):
        raise ValueError("an opinion is about one feature, or about two")
    cuts = iter(parts_of(arrays["edges"], arrays["n_edges"], sum(feature < n_numbers for feature in features)))
    edges = [next(cuts) if feature < n_numbers else None for feature in features]
    widths = [int(stored.inputs.n_codes[f - n_numbers]) if e is None else len(e) + 2 for f, e in zip(features, edges)]
    if widths != arrays["widths"].tolist():
        raise ValueError("the widths of the opinions do not match the features")
    codes = parts_of(arrays["codes"], arrays["n_codes"], len(specs))
    counts = parts_of(arrays["counts"].reshape(-1, n_classes), arrays["n_codes"], len(specs))
    opinions, at = [], 0
    for one, some, counted in zip(specs, codes, counts):
        here = slice(at, at := at + len(one["features"]))
        opinion = Opinion(
            tuple(features[here]), tuple(one["bins"]), float(one["smoothing"]), tuple(edges[here]),
            tuple(widths[here]), some, counted,
        )  # fmt: skip
        _check(opinion, stored)
        opinions.append(opinion)
    exponents, bias = arrays["exponents"], arrays["bias"]
    if not np.array_equal(bias, _bias(plan["bias"], stored)) or not np.isfinite(list(plan["bias"].values())).all():
        raise ValueError("the bias of the classes is not that of the plan")
    if len(exponents) != len(specs) + 2 or (exponents < 0).any():
        raise ValueError("the opinions do not match their exponents")
    return OpinionPool(
        tuple(opinions[:n_singles]),
        Pool(exponents[: n_singles + 1], bias),
        tuple(opinions[n_singles:]),
        Pool(exponents[n_singles + 1 :], np.zeros(n_classes)),
        stored.class_weights,
        plan["bias"],
    )


def _check(opinion: Opinion, stored: Stored) -> None:
    """Refuse an opinion whose cuts, codes or counts cannot be those of the stored cases."""
    if len(opinion.bins) != len(opinion.features) or not 0 < opinion.smoothing <= HEAVIEST:
        raise ValueError("the plan of an opinion is none")
    for n_bins, cuts in zip(opinion.bins, opinion.edges):
        if (n_bins is None) != (cuts is None) or (cuts is not None and (np.diff(cuts) <= 0).any()):
            raise ValueError("the cuts of an opinion do not ascend")
        if n_bins is not None and not is_whole(n_bins, 1):
            raise ValueError("the bins of an opinion are no number")
    codes, counts = opinion.codes, opinion.counts
    if not len(codes) or codes[0] < 0 or (np.diff(codes) <= 0).any() or codes[-1] >= prod(opinion.widths):
        raise ValueError("the codes of an opinion do not ascend")
    if (counts < 0).any() or not np.allclose(counts.sum(axis=0), stored.class_weights):
        raise ValueError("an opinion does not count the stored cases")
