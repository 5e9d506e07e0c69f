"""ID3 and C4.5 beside Weka's J48: growing a tree from cases that are in memory, and how the time grows with them.

J48's seconds are those it prints for building its model, without reading the file or starting Java; ours are those of
`fit` on coded cases. Sizes are compared where the methods coincide: C4.5 against J48 without subtree raising.
"""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from tests import weka

import casebase as cb
from benchmarks import data
from benchmarks.report import REPEATS, Row
from benchmarks.timing import median_seconds
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.learners import c45, id3

HEAP, LIMIT = "8g", 900  # what J48 is given: gigabytes, and seconds
CASES_TO_GROW = (12_500, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000)


def tree_speed() -> Iterator[Row]:
    files = data.windows()
    lines = [line.split() for line in files.train["100k"].open(encoding="utf-8")]
    yield from _beside_j48(f"{files.name} 100k × 12", [line[:-1] for line in lines], [line[-1] for line in lines], 10)
    try:
        chess = cb.datasets.load_keel("chess")
    except CasebaseError:
        pass
    else:
        yield from _beside_j48("king-rook-king-pawn 3,196 × 36", chess.data.tolist(), chess.target.tolist(), 5)
    yield from _growth(files)


def _beside_j48(name: str, rows: list[list[str]], labels: list[str], target: float) -> Iterator[Row]:
    cases = Cases.from_table(rows, y=labels)
    for work, options, fit in (
        ("ID3 against J48 unpruned (-U -M 1)", ["-U", "-M", "1"], id3.fit),
        ("C4.5 against J48 (-S)", ["-S"], c45.fit),
    ):
        nodes = fit(cases).nodes
        ours = median_seconds(partial(fit, cases), REPEATS)
        said = f"{ours:.4f} s, {nodes.n_nodes + nodes.n_empty:,} nodes"
        if not weka.is_available():
            continue
        peer = _j48(rows, labels, options)
        seconds = LIMIT if peer is None or peer.seconds is None else peer.seconds
        told = f"not within {LIMIT} s and {HEAP}" if peer is None else f"{seconds:.2f} s, {peer.n_nodes:,} nodes"
        yield Row(f"{work}, {name}: growing the tree", said, told, seconds / ours, target)


def _j48(rows: list[list[str]], labels: list[str], options: list[str]) -> weka.TreeSize | None:
    """Return what J48 says of its tree, None if it cannot within the time and memory that it has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        weka.write_arff(path, rows, labels)
        command = ["java", f"-Xmx{HEAP}", "-cp", str(weka.JAR), weka.J48, "-t", str(path), "-no-cv", *options]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
    return weka.size_in(ran.stdout)


def _growth(files: data.Files) -> Iterator[Row]:
    cases = cb.read_cases(files.train["1M"])
    learners: dict[str, Callable[[Cases], object]] = {"ID3": id3.fit, "C4.5": c45.fit}
    for name, fit in learners.items():
        seconds = [
            median_seconds(partial(fit, cases.take(np.arange(n))), REPEATS) for n in CASES_TO_GROW if n <= len(cases)
        ]
        exponent = float(np.polyfit(np.log(CASES_TO_GROW[: len(seconds)]), np.log(seconds), 1)[0])
        yield Row(
            f"growth: {name}, {files.name}, from {CASES_TO_GROW[0]:,} to {CASES_TO_GROW[len(seconds) - 1]:,} cases: "
            "time as a power of the cases",
            f"{seconds[-1]:.3f} s", f"{seconds[0]:.4f} s", exponent, 1.25, True,
        )  # fmt: skip
