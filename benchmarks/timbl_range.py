"""TiMBL's range beside ours: value differences, texts, TRIBL2, leave-one-out, and the command itself.

Both sides answer the same questions from the same files, alternating; rates are medians with the spread behind them.
TiMBL's are those it prints for its test. What takes TiMBL minutes is run once. Our memory is made anew for every run:
one that was asked before has the costs of values at hand, and answers up to twice as fast.
"""

import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import casebase as cb
from benchmarks import data
from benchmarks.report import HAS_TIMBL, REPEATS, Row, answer_file
from benchmarks.timing import casebase_command, command_seconds, timbl, timbl_rate
from casebase.cores import n_cores
from casebase.data import Cases
from casebase.formats import read_table
from casebase.learners import Model, ib1, tribl2

N_ASKED = 10_000


def metrics() -> Iterator[Row]:
    files = data.windows()
    test = data.head(files.test, N_ASKED, data.CACHE / f"{files.name}.{N_ASKED}.test")
    cases = cb.read_cases(files.train["100k"])
    for metric, letter in (("mvdm", "M"), ("jeffrey", "J")):
        fit = partial(ib1.fit, cases, metric=metric, k=5, vote="inverse_distance")
        options = ["-f", str(files.train["100k"]), f"-m{letter}", "-k5", "-dID"]
        what = f"IB1, k=5, {metric}, inverse distance, {files.name} 100k × 12, against TiMBL"
        yield from _both(what, fit, test, N_ASKED, options, 30)


def texts() -> Iterator[Row]:
    train, test = data.two_words()
    fit = partial(ib1.fit, Cases.from_table(read_table(train)), metric="levenshtein")
    what = "IB1, k=1, Levenshtein on two words, 20k cases, against TiMBL"
    n_asked = len(read_table(test).columns[0])
    yield from _both(what, fit, test, n_asked, ["-f", str(train), "-mL"], 10)


def tribl2_speed() -> Iterator[Row]:
    files = data.windows()
    test = data.head(files.test, N_ASKED, data.CACHE / f"{files.name}.{N_ASKED}.test")
    fit = partial(tribl2.fit, cb.read_cases(files.train["1M"]))
    options = ["-f", str(files.train["1M"]), "-a", "TRIBL2"]
    what = f"TRIBL2, k=1, {files.name} 1M × 12, against TiMBL"
    yield from _both(what, fit, test, N_ASKED, options, 30, n_runs=1)


def _both(
    what: str, fit: Callable[[], Model], test: Path, n_asked: int, options: list[str], target: float, n_runs: int = 3
) -> Iterator[Row]:
    if not HAS_TIMBL:
        return
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        answer_file(fit(), test, out)  # the files have been read once before the clock starts
        ours: dict[int, list[float]] = {1: [], n_cores(): []}
        peers = []
        for run in range(REPEATS):
            for n_jobs, rates in ours.items():
                rates.append(n_asked / _seconds(partial(answer_file, fit(), test, out, n_jobs)))
            if run < n_runs:
                peers.append(timbl_rate(timbl(*options, "-t", str(test), "-o", str(out))))
    peer = statistics.median(peers)
    for n_jobs, rates in ours.items():
        threads = "" if n_jobs == 1 else f", {n_jobs} threads against one"
        rate = statistics.median(rates)
        yield Row(what + threads, _shown(rates), _shown(peers), rate / peer, target)


def leave_one_out() -> Iterator[Row]:
    files = data.windows()
    n_cases = 20_000
    train = data.head(files.train["100k"], n_cases, data.CACHE / f"{files.name}.20k.train")
    ours = statistics.median(
        [_seconds(lambda: ib1.leave_one_out(Cases.from_table(read_table(train)))) for _ in range(REPEATS)]
    )
    if not HAS_TIMBL:
        return
    with tempfile.TemporaryDirectory() as folder:
        printed = timbl("-f", str(train), "-t", "leave_one_out", "-o", str(Path(folder) / "answers"))
    peer = float(re.findall(r"Seconds taken: ([\d.]+)", printed)[-1])
    yield Row(f"leave-one-out, IB1, {files.name} 20k, against TiMBL", f"{ours:.2f} s", f"{peer:.0f} s", peer / ours, 50)


def command() -> Iterator[Row]:
    """The drop-in command from start to end, on a small file: start-up counts."""
    train, test = data.small()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["-f", str(train), "-t", str(test), "-o", str(Path(folder) / "answers")]
        times = [command_seconds(casebase_command("timbl", *arguments))[0] for _ in range(REPEATS)]
        peer = "–"
        if HAS_TIMBL:
            peer = f"{statistics.median(command_seconds(['timbl', *arguments])[0] for _ in range(REPEATS)):.2f} s"
    ours = statistics.median(times)
    yield Row(
        "`casebase timbl`, 3,000 cases, 950 questions, start to end", f"{ours:.2f} s", peer, ours, 0.6, is_cost=True
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _shown(rates: list[float]) -> str:
    spread = f" ({min(rates):,.0f}–{max(rates):,.0f})" if len(rates) > 1 else ""
    return f"{statistics.median(rates):,.0f}/s{spread}"
