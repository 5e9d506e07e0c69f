"""OBLIVION against scikit-learn's backward selection, on growing tables, with a beam, and on a million cases."""

import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import casebase as cb
from casebase.base.threads import n_cores
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.distinct import AbstractCases
from casebase.oblivious.elimination import Selection, select
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import ReportedSeconds, Runs, alternating, bound_to_cores, command_seconds, side
from lab.paths import ROOT

N_BITS, N_RELEVANT = 20, 5
N_GROWING_BITS, N_KEPT = 12, 8
N_BEAM = 5


def bits(n_cases: int, n_bits: int, n_relevant: int, noise: float = 0.0, seed: int = 0) -> Cases:
    """Return random bits with the parity of the first ones as class; a fraction of the classes is flipped (`noise`)."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 2, (n_cases, n_bits))
    labels = (drawn[:, :n_relevant].sum(axis=1) + (rng.random(n_cases) < noise)) % 2
    return Cases.from_table(drawn.astype(np.int8), y=labels)


def oblivion_speed(sizes: Sizes) -> Iterator[Row]:
    yield from _chess(sizes)
    yield _growth(sizes)
    yield _beam(sizes)
    yield from _different(sizes)
    yield from _million(sizes)
    if n_cores() > 1:
        yield _threads(sizes)


def _chess(sizes: Sizes) -> Iterator[Row]:
    try:
        chess = cb.datasets.load_keel("chess")
    except CasebaseError:
        return
    cases = Cases.from_table(chess.data, y=chess.target)
    if not sizes.is_full:
        cases = cases.take(np.arange(0, cases.n_cases, cases.n_cases // sizes.few))
    found = select(cases)
    codes = np.stack([column.astype(np.int32) for column in cases.columns], axis=1)
    reckoned = partial(_sequential_selection_seconds, codes, cases.known_labels, found, sizes.held_out)
    taken = alternating({"ours": side(partial(select, cases), sizes.repeats), "peer": side(reckoned, sizes.repeats)})
    n_steps = len(found.trials) - 1
    yield beside(
        f"OBLIVION, leave-one-out, king-rook-king-pawn {cases.n_cases:,} × {cases.n_features}, {n_steps} steps, "
        f"against scikit-learn's backward selection over 1-NN (its time from {sizes.held_out} held-out cases a step)",
        taken["ours"],
        taken["peer"],
        200,
    )


def _sequential_selection_seconds(
    codes: np.ndarray, labels: np.ndarray, found: Selection, n_held_out: int
) -> ReportedSeconds:
    """Return what SequentialFeatureSelector(direction="backward", cv=LeaveOneOut()) would take for the same steps.

    It scores every candidate of a step by as many fits as there are cases. Here one candidate of each step is scored
    on a few of these fits; the others cost the same.
    """
    n = len(labels)
    held_out = np.random.default_rng(0).choice(n, n_held_out, replace=False)
    splits = [(np.delete(np.arange(n), i), np.array([i])) for i in held_out]
    dropped = [trial.feature for trial in found.trials[1:] if trial.feature is not None]
    features = list(range(codes.shape[1]))
    total = 0.0
    for feature in dropped:
        n_candidates = len(features)
        features.remove(feature)
        if not features:  # the peer keeps one at least
            break
        start = time.perf_counter()
        cross_val_score(KNeighborsClassifier(1, metric="hamming"), codes[:, features], labels, cv=splits)
        total += (time.perf_counter() - start) / n_held_out * n * n_candidates
    return ReportedSeconds(total)


def _growth(sizes: Sizes) -> Row:
    """Twice the cases with the same features: as many abstract cases, each with twice the cases."""
    n = sizes.bits_growing
    tables = {k: bits(k * n, N_GROWING_BITS, N_KEPT, noise=0.05) for k in (1, 2)}
    taken = alternating(
        {f"{k}": side(partial(select, cases, min_features=N_KEPT), sizes.repeats) for k, cases in tables.items()}
    )
    return beside(
        f"growth: OBLIVION, {N_GROWING_BITS} features, {N_KEPT} kept, {2 * n:,} cases against {n:,}",
        taken["2"],
        taken["1"],
        2.3,
        is_cost=True,
    )


def _beam(sizes: Sizes) -> Row:
    """Five sets after each step, whose smaller sets are counted once: at most five times the work of one set."""
    cases = bits(sizes.few, N_GROWING_BITS, N_KEPT, noise=0.05)
    taken = alternating({f"{k}": side(partial(select, cases, beam=k), sizes.repeats) for k in (1, N_BEAM)})
    what = f"OBLIVION, {sizes.few:,} × {N_GROWING_BITS} bits: a beam of {N_BEAM} against the greedy search"
    return beside(what, taken[f"{N_BEAM}"], taken["1"], N_BEAM, is_cost=True)


def words(n_cases: int, n_features: int = 12, seed: int = 0) -> Cases:
    """Return cases that nearly all differ: windows of words drawn by Zipf's law; the class goes by two of them."""
    drawn = np.random.default_rng(seed).zipf(1.05, (n_cases, n_features)) % 20_000
    return Cases.from_table(drawn.astype(str), y=(drawn[:, 5] + drawn[:, 6]) % 20)


def _different(sizes: Sizes) -> Iterator[Row]:
    """One step where nearly all cases differ: by their values, and by comparing all with all."""
    cases = words(sizes.few)
    runs = {
        "lists": side(partial(select, cases, max_steps=1), sizes.repeats),
        "all": side(partial(_without_lists, cases), sizes.repeats),
    }
    taken = alternating(runs)
    what = f"OBLIVION, one step with {sizes.few:,} windows of 12 words"
    yield beside(f"{what}: cases found by their values against comparing all with all", taken["lists"], taken["all"], 2)
    growing = {k: words(k * sizes.few // 2) for k in (1, 2)}
    taken = alternating(
        {f"{k}": side(partial(select, table, max_steps=1), sizes.repeats) for k, table in growing.items()}
    )
    yield beside(f"growth: {what} against {sizes.few // 2:,}", taken["2"], taken["1"], 4, is_cost=True)


def _without_lists(cases: Cases) -> None:
    with patch.object(AbstractCases, "is_diverse", False):
        select(cases, max_steps=1)


SCRIPT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from lab.bench.oblivion import N_BITS, N_RELEVANT, bits
from casebase.oblivious.elimination import select
cases = bits(int(sys.argv[3]), N_BITS, N_RELEVANT)
start = time.perf_counter()
found = select(cases)
assert len(cases) < 100_000 or found.kept == tuple(range(N_RELEVANT)), found.kept
open(sys.argv[2], "w").write(str(time.perf_counter() - start))
"""


def _million(sizes: Sizes) -> Iterator[Row]:
    """A process of its own, so that the peak of its memory is that of this work (and of reading the cases)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "seconds"
        _, peak = command_seconds([sys.executable, "-c", SCRIPT, str(ROOT), str(out), str(sizes.bits)])
        seconds = float(out.read_text())
    what = f"OBLIVION, {sizes.bits:,} × {N_BITS} bits, parity of {N_RELEVANT}"
    yield alone(f"{what}: seconds, one thread", Runs((seconds,)), 600)
    yield alone(f"{what}: peak memory, in GB", Runs((peak / 1e9,)), unit="GB")


def _threads(sizes: Sizes) -> Row:
    cases = bits(sizes.bits_of_threads, N_BITS, N_RELEVANT)
    taken = alternating(
        {
            "one": side(partial(select, cases), sizes.repeats),
            "two": side(partial(select, cases, n_jobs=2), sizes.repeats, partial(bound_to_cores, 2)),
        }
    )
    what = f"OBLIVION, {sizes.bits_of_threads:,} × {N_BITS}: two threads against one"
    return beside(what, taken["two"], taken["one"], 1.7)
