"""Four natural domains on which the paper found little difference between the methods, without showing curves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from casebase.datasets import Dataset, load_keel
from lab.local import load_local
from lab.papers.judging import lies_within, points
from lab.papers.oblivion.methods import (
    FORWARD,
    IN_TREE,
    NEIGHBOUR,
    NOTES,
    OBLIVION,
    PEER_TREE,
    TREE,
    learning_curves,
    rows_of,
)
from lab.papers.records import Claim, Part, Row
from lab.papers.running import Results

NOT_SHOWN = "Not shown (natural domains)"
SIZES, FEW = "Sizes in the text", 5
KEY = (SIZES, IN_TREE)
MEASURED = (NEIGHBOUR, TREE, PEER_TREE, OBLIVION, FORWARD)


@dataclass(frozen=True)
class Domain:
    """A data set, how to load it, and the numbers of training cases."""

    name: str
    load: Callable[[], Dataset]
    sizes: tuple[int, ...]


DOMAINS = (
    Domain("congressional voting", partial(load_local, "votes"), (25, 50, 100, 200)),
    Domain("mushroom", partial(load_keel, "mushroom"), (25, 50, 100, 200)),
    Domain("DNA promoters", partial(load_local, "promoters"), (20, 40, 60, 80)),
    Domain("breast cancer", partial(load_keel, "breast", symbolic=True), (25, 50, 100, 200)),
)


@cache
def _data(load: Callable[[], Dataset]) -> Dataset:
    return load()


def run(domain: Domain, seed: int, number: int) -> dict[Any, float]:
    """Return the curves for cases drawn anew; cases beyond the largest training set are the test set."""
    data = _data(domain.load)
    order = np.random.default_rng([seed, number]).permutation(len(data.target))
    test = np.arange(domain.sizes[-1], len(order))
    sizes: dict[Any, float] = {}

    def watch(method: str, n: int, fitted: Any) -> None:
        if n == domain.sizes[-1] and method == TREE:
            sizes[IN_TREE] = float(len(set(fitted.model_.nodes.feature.tolist()) - {-1}))

    return learning_curves(data.data[order], data.target[order], test, domain.sizes, MEASURED, watch) | sizes


def summary(domain: Domain, results: Results) -> Part:
    n = domain.sizes[-1]
    apart = {
        pair: results[pair[0], n].minus(results[pair[1], n]) for pair in combinations((NEIGHBOUR, TREE, OBLIVION), 2)
    }
    farthest = max(apart, key=lambda pair: abs(apart[pair].mean))
    forward = results[FORWARD, n].minus(results[OBLIVION, n])
    claims = (
        Claim(
            f"Section 3, {domain.name}",
            "Little difference in the behaviour of OBLIVION, C4.5 and nearest neighbour.",
            f"all within 5 points at {n} cases",
            f"{farthest[0][0].upper()}{farthest[0][1:]} less {farthest[1]}: {points(apart[farthest], 2)}.",
            lies_within(apart[farthest].interval, -5, 5),
        ),
        Claim(
            f"Footnote 1, {domain.name}",
            "A forward-selection variant of OBLIVION produced very similar curves.",
            f"within 5 points at {n} cases",
            f"Forward less backward: {points(forward, 2)}.",
            lies_within(forward.interval, -5, 5),
        ),
    )
    rows = rows_of(NOT_SHOWN, domain.name, results, domain.sizes, (NEIGHBOUR, TREE, OBLIVION, FORWARD))
    size = Row(SIZES, f"{domain.name}, {n} training cases", TREE, IN_TREE, ours=results[IN_TREE], unit="")
    return Part((*rows, size), claims, notes=NOTES)


def overall(parts: Sequence[Part]) -> Part:
    """Return the claims on the trees of several domains."""
    found = {row.data: row.ours for part in parts for row in part.rows if (row.experiment, row.setting) == KEY}
    few = [name for name, measured in found.items() if measured is not None and measured.mean <= FEW]
    shown = "; ".join(f"{name}: {measured.mean:.1f}" for name, measured in found.items() if measured is not None)
    claim = Claim(
        "Section 3",
        "The decision trees in two of these domains contain only a few attributes.",
        f"in two domains or more, {FEW:g} or fewer on average",
        f"{shown}.",
        len(few) >= 2,
    )
    return Part(claims=(claim,) * bool(found))
