"""ID3 and C4.5 against Weka's J48: growing a tree from cases in memory, and how the time grows with them.

J48's seconds are those it prints for building its model, without reading the file or starting Java; ours are those of
`fit` on coded cases. Sizes are compared where the methods coincide: C4.5 against J48 without subtree raising.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.trees import c45, id3
from lab.bench import data
from lab.bench.report import Row, beside, fitted_exponent, shown
from lab.bench.sizes import Sizes
from lab.bench.timing import ReportedSeconds, alternating, runs_of, side
from lab.peers import weka
from lab.peers.programs import PeerError

HEAP, LIMIT = "8g", 900  # what J48 is given: gigabytes, and seconds


def tree_speed(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    lines = [line.split() for line in files.middle.open(encoding="utf-8")]
    name = f"{files.name} {files.size(files.middle)} × 12"
    yield from _beside_j48(name, [line[:-1] for line in lines], [line[-1] for line in lines], 10, sizes)
    try:
        chess = cb.datasets.load_keel("chess")
    except CasebaseError:
        pass
    else:
        rows, labels = chess.data.tolist(), chess.target.tolist()
        yield from _beside_j48("king-rook-king-pawn 3,196 × 36", rows, labels, 5, sizes)
    yield from _growth(files, sizes)


def _beside_j48(name: str, rows: list[list[str]], labels: list[str], target: float, sizes: Sizes) -> Iterator[Row]:
    """Compare with J48, which is started for each run and reports its own time; slow ones run once."""
    cases = Cases.from_table(rows, y=labels)
    for work, options, fit in (
        ("ID3 against J48 unpruned (-U -M 1)", ["-U", "-M", "1"], id3.fit),
        ("C4.5 against J48 (-S)", ["-S"], c45.fit),
    ):
        nodes = fit(cases).nodes
        if not weka.is_installed():
            continue
        first = _j48(rows, labels, options)
        known = [first.seconds]

        def ask(options: list[str] = options, known: list[float] = known) -> ReportedSeconds:
            return ReportedSeconds(known.pop() if known else _j48(rows, labels, options).seconds)

        peer = side(ask, 1 if first.n_nodes is None or first.seconds > 60 else sizes.repeats)
        taken = alternating({"ours": side(partial(fit, cases), sizes.repeats), "peer": peer})
        row = beside(f"{work}, {name}: growing the tree", taken["ours"], taken["peer"], target)
        size = f"gave up, with {HEAP} of memory" if first.n_nodes is None else f"{first.n_nodes:,} nodes"
        yield replace(row, ours=f"{row.ours}, {nodes.n_nodes + nodes.n_empty:,} nodes", peer=f"{row.peer}, {size}")


@dataclass(frozen=True)
class _Grown:
    """J48's time and the size of its tree; without a size, the time until it gave up."""

    seconds: float
    n_nodes: int | None = None


def _j48(rows: list[list[str]], labels: list[str], options: list[str]) -> _Grown:
    start = time.perf_counter()
    try:
        tree = weka.j48(rows, labels, options, memory=HEAP, starts_fast=False, limit=LIMIT)
    except PeerError:
        return _Grown(time.perf_counter() - start)
    return _Grown(tree.seconds, tree.n_nodes)


def _growth(files: data.Files, sizes: Sizes) -> Iterator[Row]:
    cases = cb.read_cases(files.many)
    n_cases = [n for n in sizes.trees if n <= len(cases)]
    learners: dict[str, Callable[[Cases], object]] = {"ID3": id3.fit, "C4.5": c45.fit}
    for name, fit in learners.items():
        seconds = [runs_of(partial(fit, cases.take(np.arange(n))), sizes.repeats) for n in n_cases]
        exponent = fitted_exponent(n_cases, [runs.median for runs in seconds])
        assert exponent is not None
        yield Row(
            f"growth: {name}, {files.name}, from {n_cases[0]:,} to {n_cases[-1]:,} cases: time as a power of the cases",
            shown(seconds[-1], "s"),
            shown(seconds[0], "s"),
            exponent,
            1.25,
            True,
            n_ours=sizes.repeats,
        )
