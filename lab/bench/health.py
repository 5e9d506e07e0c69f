"""The checkup: the time and memory of a whole report, and how well it finds wrong classes beside cleanlab."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from casebase.base.threads import n_cores
from lab.bench import data, label_noise
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, casebase_command, command_seconds

SMALL_TABLES = ("monks-1",)


def health(sizes: Sizes) -> Iterator[Row]:
    """A report on 100,000 × 12 cases, by the command line; then wrong classes of clean tables."""
    files = data.windows(sizes)
    seconds, peaks = [], []
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "findings.csv")
        for _ in range(min(sizes.repeats, 2)):
            taken, peak = command_seconds(casebase_command("health", str(files.middle), "--csv", out))
            seconds.append(taken)
            peaks.append(peak / 1e6)
    what = f"health of {files.name} {files.size(files.middle)} × 12, {n_cores()} cores"
    yield alone(f"{what}: all findings as CSV, in s", Runs(tuple(seconds)), 60, "s")
    yield alone(f"{what}: peak memory, in MB", Runs(tuple(peaks)), 1000, "MB")
    if label_noise.HAS_CLEANLAB:
        yield from _beside_cleanlab(sizes)


def _beside_cleanlab(sizes: Sizes) -> Iterator[Row]:
    names = tuple(label_noise.TABLES) if sizes.is_full else SMALL_TABLES
    sides = (label_noise.OURS, label_noise.FOREST)
    figures = list(label_noise.measured(names, (0.1,), seeds=(label_noise.SEEDS[0],), sides=sides))
    ours, peer = ([each for each in figures if each.side == side] for side in sides)
    what = f"wrong classes, 10 % of {len(names)} tables, beside cleanlab with a random forest"

    def precision(part: list[label_noise.Figures]) -> Runs:
        return Runs((float(np.mean([each.precision for each in part])),))

    def seconds(part: list[label_noise.Figures]) -> Runs:
        return Runs((sum(each.seconds for each in part),))

    yield beside(f"{what}: precision at the number changed", precision(ours), precision(peer), 1.0, "")
    yield beside(f"{what}: CPU time of the ranking", seconds(ours), seconds(peer), 0.1, is_cost=True)
