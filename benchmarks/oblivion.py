"""OBLIVION beside scikit-learn's backward selection, on growing tables, on a million cases, on two threads."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import casebase as cb
from benchmarks.report import REPEATS, Row
from benchmarks.timing import bound_to_cores, command_seconds, median_seconds
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.learners.eliminating import Selection, select

N_HELD_OUT = 40  # of the cases that the peer would hold out, to tell its time
MILLION, N_BITS, N_RELEVANT = 1_000_000, 20, 5
N_GROWING, N_GROWING_BITS, N_KEPT = 200_000, 12, 8


def bits(n_cases: int, n_bits: int, n_relevant: int, noise: float = 0.0, seed: int = 0) -> Cases:
    """Return random bits, classed by the parity of the first; a share of the classes is turned round."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 2, (n_cases, n_bits))
    labels = (drawn[:, :n_relevant].sum(axis=1) + (rng.random(n_cases) < noise)) % 2
    return Cases.from_table(drawn.astype(np.int8), y=labels)


def oblivion_speed() -> Iterator[Row]:
    yield from _chess()
    yield _growth()
    yield _million()
    if (os.cpu_count() or 1) > 1:
        yield _threads()


def _chess() -> Iterator[Row]:
    try:
        chess = cb.datasets.load_keel("chess")
    except CasebaseError:
        return
    cases = Cases.from_table(chess.data, y=chess.target)
    found: list[Selection] = []
    ours = median_seconds(lambda: found.append(select(cases)), REPEATS)
    codes = np.stack([column.astype(np.int32) for column in cases.columns], axis=1)
    theirs = _sequential_selection_seconds(codes, cases.known_labels, found[-1])
    n_steps = len(found[-1].trials) - 1
    yield Row(
        f"OBLIVION, leave-one-out, king-rook-king-pawn {cases.n_cases:,} × {cases.n_features}, {n_steps} steps, "
        f"against scikit-learn's backward selection over 1-NN (its time from {N_HELD_OUT} held-out cases a step)",
        f"{ours:.3f} s", f"{theirs:,.0f} s", theirs / ours, 200,
    )  # fmt: skip


def _sequential_selection_seconds(codes: np.ndarray, labels: np.ndarray, found: Selection) -> float:
    """Return what SequentialFeatureSelector(direction="backward", cv=LeaveOneOut()) would take for the same steps.

    It scores every candidate of a step by as many fits as there are cases. Here one candidate of each step is scored
    on a few of these fits; the others cost the same.
    """
    n = len(labels)
    held_out = np.random.default_rng(0).choice(n, N_HELD_OUT, replace=False)
    splits = [(np.delete(np.arange(n), i), np.array([i])) for i in held_out]
    dropped = [trial.feature for trial in found.trials[1:]]
    features = list(range(codes.shape[1]))
    total = 0.0
    for feature in dropped:
        n_candidates = len(features)
        features.remove(feature)
        start = time.perf_counter()
        cross_val_score(KNeighborsClassifier(1, metric="hamming"), codes[:, features], labels, cv=splits)
        total += (time.perf_counter() - start) / N_HELD_OUT * n * n_candidates
    return total


def _growth() -> Row:
    """Twice the cases with the same features: as many abstract cases, each with twice the cases."""
    times: dict[int, list[float]] = {1: [], 2: []}
    tables = {k: bits(k * N_GROWING, N_GROWING_BITS, N_KEPT, noise=0.05) for k in times}
    for _ in range(REPEATS):
        for k, cases in tables.items():
            times[k].append(median_seconds(lambda cases=cases: select(cases, min_features=N_KEPT), 1))
    one, two = (float(np.median(times[k])) for k in (1, 2))
    return Row(
        f"growth: OBLIVION, {N_GROWING_BITS} features, {N_KEPT} kept, {2 * N_GROWING:,} cases against {N_GROWING:,}",
        f"{two:.2f} s", f"{one:.2f} s", two / one, 2.3, True,
    )  # fmt: skip


SCRIPT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from benchmarks.oblivion import MILLION, N_BITS, N_RELEVANT, bits
from casebase.learners.eliminating import select
cases = bits(MILLION, N_BITS, N_RELEVANT)
start = time.perf_counter()
found = select(cases)
assert found.kept == tuple(range(N_RELEVANT)), found.kept
open(sys.argv[2], "w").write(str(time.perf_counter() - start))
"""


def _million() -> Row:
    """A process of its own, so that the peak of its memory is that of this work (and of reading the cases)."""
    root = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "seconds"
        _, peak = command_seconds([sys.executable, "-c", SCRIPT, root, str(out)])
        seconds = float(out.read_text())
    return Row(
        f"OBLIVION, {MILLION:,} × {N_BITS} bits, parity of {N_RELEVANT}: seconds, one thread (beside: peak memory)",
        f"{seconds:.1f} s", f"{peak / 1e9:.2f} GB", seconds, 600, True,
    )  # fmt: skip


def _threads() -> Row:
    cases = bits(50_000, N_BITS, N_RELEVANT)
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):
        times[1].append(median_seconds(lambda: select(cases), 1))
        with bound_to_cores(2):
            times[2].append(median_seconds(lambda: select(cases, n_jobs=2), 1))
    one, two = (float(np.median(times[k])) for k in (1, 2))
    return Row("OBLIVION, 50,000 × 20: two threads against one", f"{two:.2f} s", f"{one:.2f} s", one / two, 1.7)
