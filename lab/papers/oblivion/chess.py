"""Figure 2a: king-rook against king-pawn."""

from functools import cache
from typing import Any

import numpy as np

from casebase.datasets import Dataset, load_keel
from lab.papers.judging import all_of, at_sizes, is_positive, lies_within, points
from lab.papers.oblivion.methods import (
    AXES,
    IN_TREE,
    J48,
    NEIGHBOUR,
    NOTES,
    OBLIVION,
    TREE,
    curves_of,
    learning_curves,
    n_runs_of,
    rows_of,
    ties_wrong,
)
from lab.papers.records import Claim, Figure, Panel, Part, Row, mean_over
from lab.papers.running import Results
from lab.peers import weka

DATA = "king-rook against king-pawn"
SIZES = (50, 100, 200, 300, 500)
ABOUT = 2.0  # the tolerance of “about ten”
STRICT, MANY = (NEIGHBOUR, OBLIVION), 200

# Percent right, by a prototype of the same reading of the paper.
ORIENTATION = {
    (NEIGHBOUR, 50): 71.0,
    (NEIGHBOUR, 200): 80.5,
    (NEIGHBOUR, 300): 82.9,
    (NEIGHBOUR, 500): 86.1,
    (OBLIVION, 50): 79.0,
    (OBLIVION, 200): 87.4,
    (OBLIVION, 300): 91.7,
    (OBLIVION, 500): 94.2,
}

LEAVES, LEVELS, KEPT = "leaves", "levels", "features kept"


@cache
def _data() -> Dataset:
    return load_keel("chess")


def run(seed: int, number: int) -> dict[Any, float]:
    """Return the curves for cases drawn anew; cases beyond the largest training set are the test set."""
    data = _data()
    order = np.random.default_rng([seed, number]).permutation(len(data.target))
    sizes: dict[Any, float] = {}

    def watch(method: str, n: int, fitted: Any) -> None:
        if n == SIZES[-1] and method == OBLIVION:
            sizes[KEPT] = float(np.sum(fitted.support_))
        elif n == SIZES[-1] and method == TREE:
            nodes = fitted.model_.nodes
            sizes[IN_TREE] = float(len(set(nodes.feature[nodes.feature >= 0].tolist())))
            sizes[LEAVES], sizes[LEVELS] = float(fitted.n_leaves_), float(fitted.depth_ + 1)

    test = np.arange(SIZES[-1], len(order))
    curves = learning_curves(data.data[order], data.target[order], test, SIZES, watch=watch, strict=STRICT)
    return curves | sizes | _by_j48(order)


def _by_j48(order: np.ndarray) -> dict[Any, float]:
    """Return Weka's curve, on the same cases, where Weka is installed."""
    if not weka.is_installed():
        return {}
    percent: dict[Any, float] = {}
    for n in SIZES:
        with weka.Fold(_data().data, _data().target, order[:n], order[SIZES[-1] :]) as fold:
            percent[J48, n] = fold.ask(weka.J48).percent
    return percent


def summary(results: Results) -> Part:
    panel = Panel("(a) chess endgames", *AXES, curves_of(results, SIZES), floor=60)
    caption = (
        f"Accuracy on king-rook against king-pawn, means of {n_runs_of(results)}, with 95 % intervals; tested on the "
        f"cases that no training set of the run has."
    )
    figure = Figure("oblivion-figure2a", "Figure 2a: chess endgames", caption, (panel,))
    rows = rows_of("Figure 2a", DATA, results, SIZES, orientation=ORIENTATION)
    strict = rows_of("Figure 2a", DATA, results, SIZES, [ties_wrong(method) for method in STRICT])
    return Part((*rows, *strict, *_sizes(results)), _claims(results), (figure,), NOTES)


def _sizes(results: Results) -> list[Row]:
    """Return the claims on the sizes of the trees after 500 instances, and on OBLIVION's features."""
    where, data = "Sizes in the text", f"chess, {SIZES[-1]} training cases"
    return [
        Row(
            where,
            data,
            TREE,
            IN_TREE,
            10.0,
            ABOUT,
            results[IN_TREE],
            unit="",
            note="“About ten of the 35 attributes”; the ± is ours, and not the paper's.",
        ),
        Row(
            where,
            data,
            TREE,
            "leaves less levels",
            ours=results[LEAVES].minus(results[LEVELS]),
            unit="",
            note="“Only a few more”.",
        ),
        Row(where, data, OBLIVION, KEPT, ours=results[KEPT], unit="", note="Not told."),
    ]


def _claims(results: Results) -> tuple[Claim, ...]:
    leads = {n: results[OBLIVION, n].minus(results[NEIGHBOUR, n]) for n in SIZES}
    tree = {n: results[TREE, n].minus(results[OBLIVION, n]) for n in SIZES}
    strict = {n: results[ties_wrong(OBLIVION), n].minus(results[ties_wrong(NEIGHBOUR), n]) for n in SIZES}
    late = {n: difference for n, difference in strict.items() if n >= MANY}
    lead, strict_lead, late_lead, ahead = (mean_over(list(each.values())) for each in (leads, strict, late, tree))
    return (
        Claim(
            "Figure 2a",
            "OBLIVION's accuracy is consistently higher than that for nearest neighbour: that it is.",
            "it is above nearest neighbour's at every size",
            f"OBLIVION less nearest neighbour: {at_sizes(leads)}.",
            all_of(map(is_positive, leads.values())),
        ),
        Claim(
            "Figure 2a",
            "OBLIVION's accuracy is consistently higher than that for nearest neighbour: by about ten percent.",
            f"the difference of the mean heights is {10 - ABOUT:g} to {10 + ABOUT:g} points",
            f"OBLIVION less nearest neighbour: {points(lead)}; {at_sizes(leads)}.",
            lies_within(lead.interval, 10 - ABOUT, 10 + ABOUT),
        ),
        Claim(
            "Figure 2a",
            "OBLIVION's accuracy is consistently higher than that for nearest neighbour: by about ten percent, if a "
            f"tied vote is an error, from {MANY} cases on.",
            f"the difference of the mean heights is {10 - ABOUT:g} to {10 + ABOUT:g} points",
            f"OBLIVION less nearest neighbour: {points(late_lead)}; at all sizes {points(strict_lead)}; "
            f"{at_sizes(strict)}.",
            lies_within(late_lead.interval, 10 - ABOUT, 10 + ABOUT),
            not_in_paper=True,
        ),
        Claim(
            "Figure 2a",
            "C4.5 reaches a high level of accuracy even more rapidly than OBLIVION.",
            "the mean height of its curve is above OBLIVION's",
            f"C4.5 less OBLIVION: {points(ahead)}; {at_sizes(tree)}.",
            is_positive(ahead),
        ),
    )
