"""Learned weights against selected features, for nearest neighbours: `python -m lab.bench.weights_or_selection`.

Langley and Sage (1994) call it an open question which of the two is more accurate. All methods are IB1 at k = 1 on the
same stratified folds; whatever is learned or selected comes from the training part of a fold. The tables were chosen,
and written down here, before any of them was measured; other tables (monk-2, hayes-roth, led7digit, splice, tae) served
to settle how weights are learned.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp, wilcoxon

import casebase as cb
from casebase.data.folds import folds
from casebase.datasets import DataNotFoundError, Dataset
from lab.local import load_local

N_FOLDS, N_DRAWN = 10, 500
GENERATED = "parity of 5 bits, 3 irrelevant"  # not among the tables of the test
TABLES: dict[str, Callable[[], Dataset]] = {
    "votes": partial(load_local, "votes"),
    "zoo": partial(load_local, "zoo", symbolic=True),
    "soybean": partial(load_local, "soybean"),
    "breast": partial(cb.datasets.load_keel, "breast", symbolic=True),
    "tic-tac-toe": partial(cb.datasets.load_keel, "tic-tac-toe"),
    "chess": partial(cb.datasets.load_keel, "chess"),
    "mushroom": partial(cb.datasets.load_keel, "mushroom"),
    GENERATED: partial(cb.datasets.load_parity, 5, n_irrelevant=3),
}

Fit = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, Any]]  # the features kept, and the fitted memory


def weighted(weighting: str, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    return np.ones(X.shape[1], dtype=bool), cb.IB1Classifier(weighting=weighting).fit(X, y)


def selected(selector: Callable[[], Any], X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    kept = selector().fit(X, y).support_
    if not kept.any():  # a memory compares one feature at least
        kept[:] = True
    return kept, cb.IB1Classifier(weighting="none").fit(X[:, kept], y)


METHODS: dict[str, Fit] = {
    "equal weights": partial(weighted, "none"),
    "gain ratio": partial(weighted, "gain_ratio"),
    "relief": partial(weighted, "relief"),
    "learned": partial(weighted, "learned"),
    "features of OBLIVION": partial(selected, cb.OblivionSelector),
    "features of OBLIVION, beam 5": partial(selected, partial(cb.OblivionSelector, beam=5)),
    "features of C4.5": partial(selected, cb.C45Selector),
}

LEARNED, SELECTED = list(METHODS).index("learned"), list(METHODS).index("features of OBLIVION")


def drawn(data: Dataset, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the table as symbols, or as many of its cases as are used, drawn by chance."""
    rows = np.array([[str(value) for value in row] for row in data.data], dtype=object)
    chosen = np.random.default_rng(seed).permutation(len(rows))[:N_DRAWN]
    return rows[chosen], np.asarray(data.target)[chosen]


def measure(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Return the accuracy of each method in percent."""
    fold = folds(np.unique(y, return_inverse=True)[1].astype(np.uint32), N_FOLDS, seed)
    found = {}
    for name, fit in METHODS.items():
        n_right = 0
        for i in range(N_FOLDS):
            kept, model = fit(X[fold != i], y[fold != i])
            n_right += int((model.predict(X[fold == i][:, kept]) == y[fold == i]).sum())
        found[name] = 100 * n_right / len(y)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="how often cases and folds are drawn")
    seeds = range(parser.parse_args().seeds)
    print("| table |", " | ".join(METHODS), "| learned less OBLIVION's, seed by seed |")
    print("|---|" + "---|" * (len(METHODS) + 1))
    differences = []
    for name, load in TABLES.items():
        try:
            data = load()
        except DataNotFoundError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        found = np.array([list(measure(*drawn(data, seed), seed).values()) for seed in seeds])
        difference = found[:, LEARNED] - found[:, SELECTED]
        cells = [f"{percent:.1f}" for percent in found.mean(axis=0)]
        print(f"| {name} |", " | ".join(cells), "|", ", ".join(f"{n:+.1f}" for n in difference), "|", flush=True)
        if name != GENERATED:
            differences.append(float(difference.mean()))
    test = ttest_1samp(differences, 0.0)
    low, high = test.confidence_interval()
    print(
        f"Learned weights less OBLIVION's features over {len(differences)} tables: {np.mean(differences):+.2f} points, "
        f"95 % interval {low:+.2f} to {high:+.2f} (t-test over the tables, p = {test.pvalue:.2f}); "
        f"Wilcoxon's signed ranks p = {wilcoxon(differences).pvalue:.2f}."
    )


if __name__ == "__main__":
    main()
