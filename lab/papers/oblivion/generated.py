"""Figure 1, and the paper's results on a conjunction: strings of bits, with and without irrelevant ones."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lab.papers.judging import all_of, cases_needed, is_positive, lies_within, points, ratio_of_needs
from lab.papers.oblivion.methods import (
    AXES,
    FULL_TREE,
    IB1,
    NEIGHBOUR,
    NOTES,
    OBLIVION,
    PEER_NEIGHBOUR,
    PEER_TREE,
    UNPRUNED,
    curves_of,
    learning_curves,
    n_runs_of,
    rows_of,
)
from lab.papers.records import Claim, Figure, Measured, Panel, Part, Row, mean_over
from lab.papers.running import Results

N_TRAINING, N_TEST = 200, 100
N_RELEVANT = 5
IRRELEVANT = {0: "no irrelevant feature", 3: "3 irrelevant features"}
SIZES = (10, 20, 40, 60, 80, 100, 150, 200)
MEASURED = (NEIGHBOUR, IB1, PEER_NEIGHBOUR, UNPRUNED, FULL_TREE, PEER_TREE, OBLIVION)
SHOWN = (NEIGHBOUR, IB1, UNPRUNED, FULL_TREE, OBLIVION)
DRAWN = {NEIGHBOUR: "Nearest neighbour", UNPRUNED: "C4.5", OBLIVION: "OBLIVION"}
EARLY = SIZES[:3]
LEARNED = 90.0  # accuracy at which the learning rates are compared, in percent
NOT_SHOWN = "Not shown (conjunction)"
UNHURT = 1.0  # points of the mean height of a curve

# Percent right, by a prototype of the same reading of the paper.
ORIENTATION = {
    0: {
        (NEIGHBOUR, 60): 86.9,
        (NEIGHBOUR, 100): 97.4,
        (NEIGHBOUR, 200): 100.0,
        (OBLIVION, 60): 86.9,
        (OBLIVION, 100): 97.4,
        (OBLIVION, 200): 100.0,
    },
    3: {
        (NEIGHBOUR, 60): 50.8,
        (NEIGHBOUR, 100): 55.1,
        (NEIGHBOUR, 200): 65.4,
        (OBLIVION, 60): 64.4,
        (OBLIVION, 100): 95.9,
        (OBLIVION, 200): 99.8,
    },
}

Concept = Callable[[np.ndarray], np.ndarray]


def parity(bits: np.ndarray) -> np.ndarray:
    """Return whether the number of ones among the relevant bits is odd.

    >>> parity(np.array([[1, 1, 1, 0, 0, 1], [1, 1, 0, 0, 0, 1]])).tolist()
    [1, 0]
    """
    parities: np.ndarray = bits[:, :N_RELEVANT].sum(axis=1) % 2
    return parities


def conjunction(bits: np.ndarray) -> np.ndarray:
    """Return whether all relevant bits are one, as in one string of 32.

    >>> conjunction(np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 1]])).tolist()
    [1, 0]
    """
    return bits[:, :N_RELEVANT].all(axis=1).astype(int)


def run(concept: Concept, seed: int, number: int) -> dict[Any, float]:
    """Return the curves on one set of cases for each number of irrelevant features."""
    results: dict[Any, float] = {}
    for n_irrelevant in IRRELEVANT:
        draw = np.random.default_rng([seed, number, n_irrelevant])
        bits = draw.integers(2, size=(N_TRAINING + N_TEST, N_RELEVANT + n_irrelevant))
        curves = learning_curves(bits, concept(bits), np.arange(N_TRAINING, len(bits)), SIZES, MEASURED)
        results |= {(n_irrelevant, *key): percent for key, percent in curves.items()}
    return results


def of_parity(results: Results) -> Part:
    caption = (
        "Learning curves for nearest neighbour, C4.5 without pruning and OBLIVION on the five-bit parity "
        f"concept, given (a) zero and (b) three irrelevant features; means of {n_runs_of(results)}, with 95 % "
        "intervals."
    )
    figure = Figure(
        "oblivion-figure1", "Figure 1: five-bit parity", caption, _panels("five-bit parity", results, floor=30)
    )
    rows = _rows({0: "Figure 1a", 3: "Figure 1b"}, "five-bit parity", results, ORIENTATION)
    return Part(rows, _parity_claims(_split(results)), (figure,), NOTES)


def of_conjunction(results: Results) -> Part:
    caption = (
        "What the paper describes but does not show: a conjunction of five features, given (a) zero and (b) three "
        f"irrelevant ones; means of {n_runs_of(results)}, with 95 % intervals. One string in 32 is positive, so that "
        "always saying no is right in 96.9 %."
    )
    lowest = min(part[method, n].mean for part in _split(results).values() for method in DRAWN for n in SIZES)
    panels = _panels("five-feature conjunction", results, floor=2 * (lowest // 2) - 2)
    figure = Figure("oblivion-conjunction", "Not shown in the paper: a conjunction", caption, panels)
    rows = _rows(dict.fromkeys(IRRELEVANT, NOT_SHOWN), "five-feature conjunction", results, {})
    return Part(rows, _conjunction_claims(_split(results)), (figure,), NOTES)


def _split(results: Results) -> dict[int, dict[Any, Measured]]:
    """Return the results by number of irrelevant features."""
    return {n: {key[1:]: measured for key, measured in results.items() if key[0] == n} for n in IRRELEVANT}


def _rows(names: Mapping[int, str], concept: str, results: Results, orientation: Mapping[int, Any]) -> tuple[Row, ...]:
    return tuple(
        row
        for n, part in _split(results).items()
        for row in rows_of(names[n], f"{concept}, {IRRELEVANT[n]}", part, SIZES, SHOWN, orientation.get(n))
    )


def _panels(concept: str, results: Results, floor: float) -> tuple[Panel, ...]:
    return tuple(
        Panel(f"({letter}) {concept}, {IRRELEVANT[n]}", *AXES, curves_of(part, SIZES, DRAWN), floor)
        for letter, (n, part) in zip("ab", _split(results).items())
    )


def _height(part: Mapping[Any, Measured], method: str, sizes: tuple[int, ...] = SIZES) -> Measured:
    """The mean height of a curve, run by run."""
    return mean_over([part[method, n] for n in sizes])


def _parity_claims(results: Mapping[int, Mapping[Any, Measured]]) -> tuple[Claim, ...]:
    without, given = results[0], results[3]
    apart = {n: without[OBLIVION, n].minus(without[NEIGHBOUR, n]) for n in SIZES}
    farthest = max(SIZES, key=lambda n: abs(apart[n].mean))
    lead, full_lead = (_height(without, tree).minus(_height(without, OBLIVION)) for tree in (UNPRUNED, FULL_TREE))
    fallen = {m: given[m, N_TRAINING].minus(without[m, N_TRAINING]) for m in DRAWN}
    curves = {(i, m): {n: results[i][m, n] for n in SIZES} for i in results for m in DRAWN}
    same_rate = ratio_of_needs(curves[0, OBLIVION], curves[0, NEIGHBOUR], LEARNED)
    slower = ratio_of_needs(curves[3, OBLIVION], curves[0, OBLIVION], LEARNED)
    needed = {(i, m): cases_needed({n: results[i][m, n].mean for n in SIZES}, LEARNED) for i in results for m in DRAWN}
    return (
        Claim(
            "Figure 1a",
            "Nearest neighbour and OBLIVION increase their accuracy at the same rate.",
            f"cases needed for {LEARNED:.0f} %, read off the lines through the means, differ by at most a tenth",
            f"{_cases(needed[0, NEIGHBOUR])} for nearest neighbour, {_cases(needed[0, OBLIVION])} for "
            f"OBLIVION{_times(same_rate)}. The "
            f"curves are farthest apart at {farthest} cases: {points(apart[farthest])}.",
            lies_within(same_rate, 1 / 1.1, 1.1),
        ),
        Claim(
            "Figure 1a",
            "C4.5 actually learns somewhat more rapidly.",
            "the mean height of its curve is above OBLIVION's",
            f"C4.5 less OBLIVION: {points(lead)}.",
            is_positive(lead),
        ),
        Claim(
            "Figure 1a",
            "C4.5 actually learns somewhat more rapidly: if its tree is grown to the end.",
            "the mean height of ID3's curve is above OBLIVION's: ID3 goes on where no feature has a gain",
            f"ID3 less OBLIVION: {points(full_lead)}.",
            is_positive(full_lead),
            not_in_paper=True,
        ),
        Claim(
            "Figure 1b",
            "The learning curves for both nearest neighbour and C4.5 have flattened considerably.",
            "both lose 10 points or more at 200 cases",
            f"Nearest neighbour {points(fallen[NEIGHBOUR])}, C4.5 {points(fallen[UNPRUNED])}.",
            all_of(lies_within(fallen[method].interval, -100, -10) for method in (NEIGHBOUR, UNPRUNED)),
        ),
        Claim(
            "Figure 1b",
            "The learning rate for OBLIVION is almost unaffected: where it arrives.",
            "loses at most 2 points at 200 cases",
            f"{points(fallen[OBLIVION])}.",
            lies_within(fallen[OBLIVION].interval, -2, 100),
        ),
        Claim(
            "Figure 1b",
            "The learning rate for OBLIVION is almost unaffected: how fast.",
            f"needs at most a quarter more cases for {LEARNED:.0f} %, read off the lines through the means",
            f"{_cases(needed[0, OBLIVION])} without and {_cases(needed[3, OBLIVION])} with irrelevant "
            f"features{_times(slower)}.",
            lies_within(slower, 0, 1.25),
        ),
    )


def _cases(needed: float | None) -> str:
    return f"{LEARNED:.0f} % not reached" if needed is None else f"{needed:.0f} cases"


def _times(ratio: tuple[float, float] | None) -> str:
    return "" if ratio is None else f", {ratio[0]:.2f} to {ratio[1]:.2f} times as many"


def _conjunction_claims(results: Mapping[int, Mapping[Any, Measured]]) -> tuple[Claim, ...]:
    without, given = results[0], results[3]
    last = {method: without[method, N_TRAINING].mean for method in DRAWN}
    leads = [_height(without, NEIGHBOUR, EARLY).minus(_height(without, other, EARLY)) for other in (UNPRUNED, OBLIVION)]
    loss = {method: _height(without, method).minus(_height(given, method)) for method in DRAWN}
    lost = (
        "Mean heights fall by " + ", ".join(f"{loss[m].mean:.2f} ({label})" for m, label in DRAWN.items()) + " points."
    )
    rather = [loss[NEIGHBOUR].minus(loss[other]) for other in (UNPRUNED, OBLIVION)]
    less = loss[OBLIVION].minus(loss[UNPRUNED])
    return (
        Claim(
            NOT_SHOWN,
            "Without irrelevant features all three require about the same number of instances to reach perfect "
            "accuracy.",
            "all within 1 point of 100 % at 200 cases",
            ", ".join(f"{label} {last[m]:.1f} %" for m, label in DRAWN.items()) + ".",
            all_of(lies_within(without[m, N_TRAINING].interval, 99, 101) for m in DRAWN),
        ),
        Claim(
            NOT_SHOWN,
            "Nearest neighbour takes a surprise lead in the early part of training.",
            f"its mean height up to {EARLY[-1]} cases is above both others'",
            f"{points(leads[0])} before C4.5, {points(leads[1])} before OBLIVION.",
            all_of(map(is_positive, leads)),
        ),
        Claim(
            NOT_SHOWN,
            "The introduction of irrelevant attributes affects nearest neighbour the most.",
            "its curve loses more of its mean height than both others",
            f"{lost} Nearest neighbour's loss less C4.5's: {points(rather[0])}; less OBLIVION's: {points(rather[1])}.",
            all_of(map(is_positive, rather)),
        ),
        Claim(
            NOT_SHOWN,
            "C4.5's learning curve is somewhat less degraded than that for OBLIVION.",
            "its curve loses less of its mean height",
            f"{lost} OBLIVION's loss less C4.5's: {points(less)}.",
            is_positive(less),
        ),
        *(
            Claim(
                "Section 3",
                f"Irrelevant attributes do not hurt {label} on the conjunction.",
                f"its curve loses at most {UNHURT:g} point of its mean height",
                f"{points(loss[method])} lost.",
                lies_within(loss[method].interval, -100, UNHURT),
            )
            for method, label in ((UNPRUNED, "C4.5"), (OBLIVION, "OBLIVION"))
        ),
        Claim(
            "Section 3",
            "The rate of learning of nearest neighbour decreases greatly with irrelevant features, regardless of the "
            "concept: on the conjunction, too.",
            f"its curve loses more than {UNHURT:g} point of its mean height",
            f"{points(loss[NEIGHBOUR])} lost.",
            lies_within(loss[NEIGHBOUR].interval, UNHURT, 100),
        ),
    )
