"""Tables larger than memory: learning in parts, alone and on a local Dask cluster, and answers from the largest file.

The cases are generated: twelve symbolic features with 40 to 30,000 values, whose frequencies are Zipf's, and twenty
classes, in Parquet files. Every training is a `casebase train` of its own, whose peak memory is that of the process,
mapped files included.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from lab.bench.data import CACHE
from lab.bench.report import Curve, Row, alone, beside, fitted_exponent
from lab.bench.sizes import Sizes, short
from lab.bench.timing import Runs, casebase_command, command_seconds, core_clock
from lab.paths import ROOT
from lab.peers import timbl

LEARNERS = {"ib1": "IB1", "igtree": "IGTree"}
N_VALUES = (50, 200, 1_000, 5_000, 30_000, 30_000, 2_000, 2_000, 500, 500, 40, 40)
N_CLASSES = 20
ZIPF = 1.3  # the exponent
NOISE = 0.1  # the share of classes that are drawn at random
MEMORY = "2GB"
GIGABYTE = 1e9
DISK_PER_CASE = 160  # bytes that a training may need at the same time, its model file included
IN_MEMORY_PER_CASE = 200  # bytes that a training in memory takes, as measured with 10⁷ cases
FREE_SHARE = 0.9  # of the memory that is free


def scale(sizes: Sizes) -> Iterator[Row | Curve]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        place = Path(folder)
        largest: dict[str, Spent] = {}
        for learner in LEARNERS:
            spent: dict[int, Spent] = {}
            yield from _growth(learner, sizes, place, spent)
            if spent:
                largest[learner] = spent[max(spent)]
            if learner == "ib1" and spent:
                yield from _answers(place / "model.cb", max(spent), sizes)
        for learner in LEARNERS:
            yield from _against_memory(learner, sizes.scale_compared, sizes.repeats // 2, sizes, place)
        if timbl.is_installed():
            for learner, spent_on_largest in largest.items():
                yield from _against_timbl(learner, spent_on_largest, sizes, place)


def scale_workers(sizes: Sizes) -> Iterator[Row]:
    """Learn on a local cluster of one process and of two, which run already."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        yield from _workers(sizes, Path(folder))


def scale_memory(sizes: Sizes) -> Iterator[Row]:
    """Compare the files of parts and of memory for as many cases as memory holds: 10⁸ need some 20 GB of it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    n = next((n for n in sizes.scale_in_memory if IN_MEMORY_PER_CASE * n < FREE_SHARE * free_memory()), None)
    if n is None:
        raise RuntimeError(f"too little memory is free for {sizes.scale_in_memory[-1]:,} cases in memory")
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        for learner in LEARNERS:
            yield from _against_memory(learner, n, 1, sizes, Path(folder))
    joined(n, sizes).unlink()


def free_memory() -> int:
    """Return how many bytes a program may take without pushing others out of memory."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


@dataclass(frozen=True)
class Spent:
    """What a command took: seconds of the clock and of the processor, and the peak memory and file size in bytes."""

    n_cases: int
    wall: float
    processor: float
    peak: int
    size: int


def _growth(learner: str, sizes: Sizes, place: Path, spent: dict[int, Spent]) -> Iterator[Row | Curve]:
    """Learn from more and more cases in the same memory; the last model stays."""
    name, ended = LEARNERS[learner], ""
    for n in sizes.scale:
        if shutil.disk_usage(place).free < DISK_PER_CASE * n:
            ended = f"{n:,} left out: {DISK_PER_CASE * n / GIGABYTE:.0f} GB of disk needed"
            break
        spent[n] = _trained(place / "model.cb", n, parts_of(n, sizes), learner, "--memory", MEMORY)
        what = f"{name}, {short(n)} × 12 in Parquet parts, --memory {MEMORY}"
        yield alone(f"{what}: peak memory, in GB", Runs((spent[n].peak / GIGABYTE,)), 2, "GB")
    if not spent:
        return
    for clock in ("wall", "processor"):
        seconds = tuple(Runs((getattr(one, clock),)) for one in spent.values())
        yield Curve(f"{name}, learning in parts, {clock}", tuple(spent), seconds, ended)
    last, first = spent[max(spent)], spent[min(spent)]
    yield alone(f"{what}: in seconds, on all cores", Runs((last.wall,)), 600)
    yield alone(f"{what}: in seconds of the processor", Runs((last.processor,)))
    yield alone(f"{what}: the model file, in GB", Runs((last.size / GIGABYTE,)), unit="GB")
    exponent = fitted_exponent(tuple(spent), tuple(one.processor for one in spent.values()))
    if exponent is not None:
        work = f"{name} in parts: processor time from {short(first.n_cases)} to {short(last.n_cases)} cases, as a power"
        yield Row(work, f"{last.processor:.1f} s", f"{first.processor:.1f} s", exponent, 1.1, True)


def _answers(model: Path, n: int, sizes: Sizes) -> Iterator[Row]:
    """Open the largest file in a new process, and ask it on one core."""
    asked = _new_cases(sizes)
    runs = [_opened(model, asked) for _ in range(sizes.repeats)]
    what = f"IB1, the file of {short(n)} cases"
    first = Runs(tuple(one["first"] for one in runs))
    yield alone(f"{what}: from opening it to the first answer, in seconds", first, 1)
    rates = Runs(tuple(sizes.scale_asked / one["all"] for one in runs))
    yield alone(f"{what}: answers from text on one core", rates, 5_000, "/s", is_cost=False)


def _opened(model: Path, asked: Path) -> dict[str, float]:
    command = [sys.executable, "-c", ASKING, str(model), str(asked)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    times: dict[str, float] = json.loads(ran.stdout)
    return times


ASKING = """
import json, sys, time
from casebase import methods
from casebase.formats import read_table
import casebase.neighbours.ib1, casebase.neighbours.files
model, asked = sys.argv[1:]
table = read_table(asked)
rows = [[column[0].as_py() for column in table.columns[:-1]]]
start = time.perf_counter()
model = methods.load(model).model
model.answer(model.schema.encode(rows))
first = time.perf_counter() - start
start = time.perf_counter()
model.answer(model.schema.encode(model.schema.mark_target(table)), n_jobs=1)
print(json.dumps({"first": first, "all": time.perf_counter() - start}))
"""


def _against_memory(learner: str, n: int, repeats: int, sizes: Sizes, place: Path) -> Iterator[Row]:
    """Learn from the same file in parts and in memory: the same bytes, at which price."""
    data, name = [joined(n, sizes)], LEARNERS[learner]
    in_parts, in_memory = place / "parts.cb", place / "memory.cb"
    ours: list[Spent] = []
    whole: list[Spent] = []
    for _ in range(repeats):
        ours.append(_trained(in_parts, n, data, learner, "--memory", MEMORY))
        whole.append(_trained(in_memory, n, data, learner))
    if not _is_same(in_parts, in_memory):
        raise AssertionError(f"{name}: the file of {n:,} cases in parts is not that of memory")
    yield beside(
        f"{name}, {short(n)} × 12: processor time in parts against in memory (equal files)",
        Runs(tuple(one.processor for one in ours)),
        Runs(tuple(one.processor for one in whole)),
        2.5,
        is_cost=True,
    )
    yield beside(
        f"{name}, {short(n)} × 12: peak memory in parts, as a share of that in memory",
        Runs(tuple(one.peak / GIGABYTE for one in ours)),
        Runs(tuple(one.peak / GIGABYTE for one in whole)),
        unit="GB",
        is_cost=True,
    )


def _is_same(one: Path, other: Path, size: int = 1 << 24) -> bool:
    """Return whether two files have the same bytes, without holding them."""
    with open(one, "rb") as first, open(other, "rb") as second:
        while block := first.read(size):
            if block != second.read(size):
                return False
        return not second.read(1)


def _workers(sizes: Sizes, place: Path) -> Iterator[Row]:
    n = sizes.scale_compared
    data = [str(path) for path in parts_of(n, sizes)]
    runs: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(sizes.repeats // 2):
        for n_workers, seconds in runs.items():
            command = [sys.executable, "-c", ON_A_CLUSTER, str(n_workers), str(place / "workers.cb"), *data]
            ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
            seconds.append(float(ran.stdout))
    two, one = (Runs(tuple(runs[n_workers])) for n_workers in (2, 1))
    yield beside(f"IB1, {short(n)} × 12, a local cluster that runs: two workers against one", two, one, 1.6)


ON_A_CLUSTER = f"""
import sys, time
import pyarrow.parquet as pq
from distributed import Client, LocalCluster
from casebase.methods import method_named
from casebase.scale import Resources, memory_of, train
n_workers, output, *data = sys.argv[1:]
memory, method = memory_of("{MEMORY}"), method_named("ib1")
options = dict(threads_per_worker=1, memory_limit=memory // int(n_workers), dashboard_address=None)
with LocalCluster(n_workers=int(n_workers), **options) as cluster, Client(cluster) as client:
    client.wait_for_workers(int(n_workers))
    few = pq.read_table(data[0]).slice(0, 1000)  # all workers have done each kind of task before the clock starts
    train([few], output, method, method.settings(), Resources(memory, client=client, rows=100))
    start = time.perf_counter()
    train(data, output, method, method.settings(), Resources(memory, client=client))
    print(time.perf_counter() - start)
"""


def _against_timbl(learner: str, largest: Spent, sizes: Sizes, place: Path) -> Iterator[Row]:
    """Learn from the same text as TiMBL, which holds all cases; then per case, our largest training beside it."""
    n, name = sizes.scale_of_timbl, LEARNERS[learner]
    text = _as_text(n, sizes)
    ours = _trained(place / "text.cb", n, [text], learner, "--memory", MEMORY)
    base = place / "base"
    peer = _spent([timbl.PROGRAM, "-a", learner.upper(), "-f", str(text), "-I", str(base)], n, base)
    what = f"{name}, text to saved model, {short(n)} × 12"
    yield beside(f"{what}, in parts, against TiMBL", Runs((ours.wall,)), Runs((peer.wall,)))
    yield beside(
        f"{what}: peak memory in parts, as a share of TiMBL's",
        Runs((ours.peak / GIGABYTE,)),
        Runs((peer.peak / GIGABYTE,)),
        unit="GB",
        is_cost=True,
    )
    beyond = f"{name}, learning {short(largest.n_cases)} cases in parts against TiMBL with {short(n)}"
    yield beside(
        f"{beyond}: peak memory per case",
        Runs((largest.peak / largest.n_cases,)),
        Runs((peer.peak / n,)),
        unit="bytes",
        is_cost=True,
    )
    yield beside(
        f"{beyond}: time per case",
        Runs((largest.wall * 1e6 / largest.n_cases,)),
        Runs((peer.wall * 1e6 / n,)),
        unit="µs",
        is_cost=True,
    )


def _trained(model: Path, n: int, data: Sequence[Path], learner: str, *options: str) -> Spent:
    """Return what a training took, from the files to the saved model."""
    model.unlink(missing_ok=True)
    files = [str(path) for path in data]
    return _spent(casebase_command("train", *files, "-o", str(model), "--learner", learner, *options), n, model)


def _spent(command: list[str], n: int, output: Path) -> Spent:
    before = core_clock()
    wall, peak = command_seconds(command)
    if not output.exists():
        raise RuntimeError(f"{' '.join(command[:2])} has not written {output.name}")
    return Spent(n, wall, core_clock() - before, peak, output.stat().st_size)


def parts_of(n: int, sizes: Sizes) -> list[Path]:
    """Return Parquet files with this many cases, which are generated once; a larger table has those of a smaller."""
    folder = CACHE / f"zipf.{short(sizes.scale_part)}"
    folder.mkdir(parents=True, exist_ok=True)
    n_parts = -(-n // sizes.scale_part)
    paths = [folder / f"p{i:04}.parquet" for i in range(n_parts)]
    for i, path in enumerate(paths):
        if not path.exists():
            _write(path, generated(sizes.scale_part, seed=i))
    return paths


def joined(n: int, sizes: Sizes) -> Path:
    """Return one Parquet file of the same cases, since several are never read into memory at once."""
    path = CACHE / f"zipf.{n}.parquet"
    if not path.exists():
        temporary = path.with_suffix(".tmp")
        parts = parts_of(n, sizes)
        with pq.ParquetWriter(temporary, pq.read_schema(parts[0]), compression="zstd") as writer:
            for part in parts:
                writer.write_table(pq.read_table(part))
        temporary.rename(path)
    return path


def generated(n: int, seed: int) -> pa.Table:
    """Return cases whose class depends on two features; what is rarer than a vocabulary is long is its last value."""
    rng = np.random.default_rng(seed)
    codes = [np.minimum(rng.zipf(ZIPF, n), n_values) - 1 for n_values in N_VALUES]
    labels = (codes[0] * 7 + codes[1]) % N_CLASSES
    is_noise = rng.random(n) < NOISE
    labels[is_noise] = rng.integers(0, N_CLASSES, int(is_noise.sum()))
    columns = [_named(column, "v", n_values) for column, n_values in zip(codes, N_VALUES)]
    names = [f"f{i}" for i in range(len(N_VALUES))]
    return pa.table([*columns, _named(labels, "c", N_CLASSES)], names=[*names, "class"])


def _named(codes: np.ndarray, letter: str, n_values: int) -> pa.DictionaryArray:
    texts = pa.array([f"{letter}{i}" for i in range(n_values)])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), texts)


def _write(path: Path, table: pa.Table) -> None:
    temporary = path.with_suffix(".tmp")
    pq.write_table(table, temporary, compression="zstd")
    temporary.rename(path)


def _new_cases(sizes: Sizes) -> Path:
    """Return cases that no training has seen."""
    path = CACHE / f"zipf.{sizes.scale_asked}.asked.parquet"
    if not path.exists():
        _write(path, generated(sizes.scale_asked, seed=1_000_000))
    return path


def _as_text(n: int, sizes: Sizes) -> Path:
    """Return the same cases in TiMBL's Columns format."""
    path = CACHE / f"zipf.{n}.txt"
    if not path.exists():
        table = pq.read_table(joined(n, sizes))
        texts = pa.table([column.cast(pa.string()) for column in table.columns], names=table.column_names)
        options = pc.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
        pc.write_csv(texts, path, options)
    return path
