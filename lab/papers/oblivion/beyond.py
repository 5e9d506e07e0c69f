"""What the paper leaves to future work: noise in the classes; and a search that keeps more than one set of features."""

from typing import Any

import numpy as np

from casebase import FocusSelector, OblivionClassifier
from lab.papers.judging import all_of, is_positive, lies_within, points
from lab.papers.oblivion.generated import N_RELEVANT, N_TEST, N_TRAINING, parity
from lab.papers.oblivion.methods import MAKERS, NEIGHBOUR, NOTES, OBLIVION, UNPRUNED, n_runs_of
from lab.papers.records import Claim, Curve, Figure, Panel, Part, Row
from lab.papers.running import Results

NOISE, BEAM = "Section 4 (noise)", "Beyond the paper (beam)"
FOCUS = "nearest neighbour, features by FOCUS"
LEVELS = (0, 5, 10, 20)  # percent of the training classes that are flipped
N_IRRELEVANT, N_MANY = 3, 10
COMPARED = (NEIGHBOUR, FOCUS, UNPRUNED, OBLIVION)
TESTED, LOST = 10, 5.0  # percent of noise, and the points that OBLIVION may lose
BEAMS = (1, 5, 20)
DATA = "five-bit parity"


def run_noise(seed: int, number: int) -> dict[Any, float]:
    """Return the accuracy on clean cases after learning from cases some of whose classes are flipped."""
    draw = np.random.default_rng([seed, number, N_IRRELEVANT])
    bits = draw.integers(2, size=(N_TRAINING + N_TEST, N_RELEVANT + N_IRRELEVANT))
    labels, threshold = parity(bits), draw.random(N_TRAINING)
    test, percent = slice(N_TRAINING, None), {}
    for level in LEVELS:
        given = np.where(threshold < level / 100, 1 - labels[:N_TRAINING], labels[:N_TRAINING])
        for method in COMPARED:
            is_kept = np.ones(bits.shape[1], dtype=bool)
            if method == FOCUS:
                is_kept = FocusSelector().fit(bits[:N_TRAINING], given).support_
            maker = MAKERS[NEIGHBOUR if method == FOCUS else method]
            fitted = maker().fit(bits[:N_TRAINING][:, is_kept], given)
            said = fitted.predict(bits[test][:, is_kept])
            percent[method, level] = 100.0 * float(np.mean(said == labels[test]))
    return percent


def of_noise(results: Results) -> Part:
    rows = tuple(
        Row(NOISE, f"{DATA}, 3 irrelevant features", method, f"{level} % noise", ours=results[method, level])
        for level in LEVELS
        for method in COMPARED
    )
    curves = tuple(
        Curve(f"{method[0].upper()}{method[1:]}", {level: results[method, level] for level in LEVELS})
        for method in COMPARED
    )
    caption = (
        f"Accuracy on clean test cases after learning from {N_TRAINING} cases whose classes are flipped with a "
        f"probability; means of {n_runs_of(results)}, with 95 % intervals."
    )
    panel = Panel("five-bit parity, 3 irrelevant features", "Noise (%)", "Accuracy (%)", curves, floor=45)
    lost = results[OBLIVION, 0].minus(results[OBLIVION, TESTED])
    leads = {other: results[OBLIVION, TESTED].minus(results[other, TESTED]) for other in (NEIGHBOUR, FOCUS)}
    claims = (
        Claim(
            NOISE,
            "Since OBLIVION uses the leave-one-out scheme to estimate accuracy, it should handle noise well.",
            f"with {TESTED} % noise it loses at most {LOST:g} points of its accuracy without noise",
            f"{points(lost)} lost.",
            lies_within(lost.interval, -100, LOST),
        ),
        Claim(
            NOISE,
            "OBLIVION handles noise better than nearest neighbour and FOCUS do.",
            f"with {TESTED} % noise it is above both",
            f"{points(leads[NEIGHBOUR])} above nearest neighbour, {points(leads[FOCUS])} above FOCUS.",
            all_of(map(is_positive, leads.values())),
            not_in_paper=True,
        ),
    )
    return Part(rows, claims, (Figure("oblivion-noise", "Section 4: noise", caption, (panel,)),), NOTES)


def run_beam(seed: int, number: int) -> dict[Any, float]:
    """Return the accuracy of OBLIVION among many irrelevant features, by the width of its beam."""
    draw = np.random.default_rng([seed, number, N_MANY])
    bits = draw.integers(2, size=(N_TRAINING + N_TEST, N_RELEVANT + N_MANY))
    labels, percent = parity(bits), {}
    for beam in BEAMS:
        fitted = OblivionClassifier(beam=beam).fit(bits[:N_TRAINING], labels[:N_TRAINING])
        percent[beam] = 100.0 * float(np.mean(fitted.predict(bits[N_TRAINING:]) == labels[N_TRAINING:]))
    return percent


def of_beam(results: Results) -> Part:
    data = f"{DATA}, {N_MANY} irrelevant features"
    rows = tuple(Row(BEAM, data, OBLIVION, f"beam {beam}", ours=results[beam]) for beam in BEAMS)
    lead = results[BEAMS[-1]].minus(results[1])
    claim = Claim(
        BEAM,
        "A beam finds relevant features that the greedy search drops.",
        f"accuracy with a beam of {BEAMS[-1]} is above that of the greedy search",
        f"{points(lead)}.",
        is_positive(lead),
        not_in_paper=True,
    )
    return Part(rows, (claim,))
