"""Further comparisons with TiMBL: value-difference metrics, strings, TRIBL2, leave-one-out, and the whole command.

Both sides answer the same questions from the same files, alternating; rates are medians with the spread behind them.
TiMBL's are those it prints for its test, of the first of our questions. Our memory is made anew for every run: one that
was asked before has the costs of values at hand, and answers up to twice as fast.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import casebase as cb
from casebase.base.model import Model
from casebase.base.threads import n_cores
from casebase.data import Cases
from casebase.formats import read_table
from casebase.neighbours import ib1, tribl2
from lab.bench import data
from lab.bench.report import Row, alone, answer_file, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import Gauge, ReportedSeconds, Side, alternating, casebase_command, side, timbl_seconds
from lab.peers import timbl


def metrics(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    tests = files.asked(sizes.asked), files.asked(sizes.asked_of_timbl)
    cases = cb.read_cases(files.middle)
    for metric, letter in (("mvdm", "M"), ("jeffrey", "J")):
        fit = partial(ib1.fit, cases, metric=metric, k=5, vote="inverse_distance")
        options = ["-f", str(files.middle), f"-m{letter}", "-k5", "-dID"]
        what = f"IB1, k=5, {metric}, inverse distance, {files.name} {files.size(files.middle)} × 12, against TiMBL"
        yield from _both(what, fit, tests, (sizes.asked, sizes.asked_of_timbl), options, 100, sizes.repeats)


def texts(sizes: Sizes) -> Iterator[Row]:
    train, test = data.two_words(sizes)
    fit = partial(ib1.fit, Cases.from_table(read_table(train)), metric="levenshtein")
    what = f"IB1, k=1, Levenshtein on two words, {sizes.two_words:,} cases, against TiMBL"
    n_asked = len(read_table(test).columns[0])
    yield from _both(what, fit, (test, test), (n_asked, n_asked), ["-f", str(train), "-mL"], 50, sizes.repeats)


def tribl2_speed(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    fit = partial(tribl2.fit, cb.read_cases(files.many))
    options = ["-f", str(files.many), "-a", "TRIBL2"]
    what = f"TRIBL2, k=1, {files.name} {files.size(files.many)} × 12, against TiMBL"
    tests = files.asked(sizes.asked), files.asked(sizes.asked_of_timbl)
    yield from _both(what, fit, tests, (sizes.asked, sizes.asked_of_timbl), options, 30, sizes.repeats)


def _both(
    what: str,
    fit: Callable[[], Model],
    tests: tuple[Path, Path],
    n_asked: tuple[int, int],
    options: list[str],
    target: float,
    repeats: int,
) -> Iterator[Row]:
    """Ours and TiMBL's answers: the questions, and how many there are, of either side."""
    if not timbl.is_installed():
        return
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        test, first = tests
        answer_file(fit(), test, out)  # the files have been read once before the clock starts

        def fresh(n_jobs: int) -> Callable[[], object]:
            return partial(answer_file, fit(), test, out, n_jobs)

        def ask() -> ReportedSeconds:
            return timbl_seconds(n_asked[1], *options, "-t", str(first), "-o", str(out))

        sides = {f"{n_jobs}": Side(partial(fresh, n_jobs), repeats) for n_jobs in (1, n_cores())}
        taken = alternating({**sides, "peer": side(ask, repeats)})
    rates = {name: runs.rate(n_asked[name == "peer"]) for name, runs in taken.items()}
    for name in sides:
        threads = "" if name == "1" else f", {name} threads against one"
        yield beside(what + threads, rates[name], rates["peer"], target if name == "1" else None, "/s")


def leave_one_out(sizes: Sizes) -> Iterator[Row]:
    if not timbl.is_installed():
        return
    files = data.windows(sizes)
    train = data.head(files.middle, sizes.left_out, data.CACHE / f"{files.name}.{sizes.left_out}.train")
    with tempfile.TemporaryDirectory() as folder:

        def ask() -> ReportedSeconds:
            answers = str(Path(folder) / "answers")
            return ReportedSeconds(timbl.log_of("-f", str(train), "-t", "leave_one_out", "-o", answers).seconds)

        taken = alternating(
            {
                "ours": side(lambda: ib1.leave_one_out(Cases.from_table(read_table(train))), sizes.repeats),
                "peer": side(ask, sizes.repeats),
            }
        )
    yield beside(
        f"leave-one-out, IB1, {files.name} {sizes.left_out:,}, against TiMBL", taken["ours"], taken["peer"], 50
    )


def command(sizes: Sizes) -> Iterator[Row]:
    """The drop-in command from start to end, on a small file: start-up counts."""
    train, test = data.small(sizes)
    what = "`casebase timbl`, 3,000 cases, 950 questions, start to end, in seconds"
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["-f", str(train), "-t", str(test), "-o", str(Path(folder) / "answers")]
        sides = {"ours": side(Gauge(casebase_command("timbl", *arguments)), sizes.repeats)}
        if timbl.is_installed():
            sides["peer"] = side(Gauge([timbl.PROGRAM, *arguments]), sizes.repeats)
        taken = alternating(sides)
    yield alone(what, taken["ours"], 0.6)
    if timbl.is_installed():
        yield beside(f"{what}, as a multiple of TiMBL's", taken["ours"], taken["peer"], is_cost=True)
