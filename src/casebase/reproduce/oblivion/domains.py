"""Four natural domains on which the paper found little difference between the methods, without showing curves."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from casebase.datasets import Dataset, load_keel, load_local
from casebase.reproduce.judging import lies_within, points
from casebase.reproduce.oblivion.methods import (
    FORWARD,
    NEIGHBOUR,
    NOTES,
    OBLIVION,
    PEER_TREE,
    TREE,
    learning_curves,
    rows_of,
)
from casebase.reproduce.records import Claim, Part
from casebase.reproduce.running import Results

NOT_SHOWN = "Not shown (natural domains)"
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
    """Return the curves for cases drawn anew; those beyond the largest training set are the test."""
    data = _data(domain.load)
    order = np.random.default_rng([seed, number]).permutation(len(data.target))
    test = np.arange(domain.sizes[-1], len(order))
    return dict(learning_curves(data.data[order], data.target[order], test, domain.sizes, MEASURED))


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
    return Part(tuple(rows), claims, notes=NOTES)
