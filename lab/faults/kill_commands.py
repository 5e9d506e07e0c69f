"""Kill commands that write a model file, again and again: the old file or the new one is there, and nothing else.

`python -m lab.faults.kill_commands --times 1000` runs each kind of command and kills it with SIGKILL: one half at any
moment, one half after it has begun to write. The model file must then be, byte by byte, the one from before or the one
that the command writes when nobody kills it. The next command must succeed, give the file that it gives after an
undisturbed one, and leave no other file in the folder. Most commands run in a child of this process, which has imported
everything; one in fifty is a new process of Python, which is killed at any moment from its start on.
"""

import argparse
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from casebase.base import files, log
from casebase.cli import main as main_of_commands
from lab.faults.report import Kills, show

TABLE = "colour,size,side\nred,small,left\nred,large,left\nblue,small,right\nblue,large,right\ngreen,small,left\n"
MORE = ["colour,size,side\ngreen,large,right\nwhite,small,left\n", "colour,size,side\nblack,large,right\n"]
WORDS = "ar-bei-ten\nle-ben\nle-sen\nlie-gen\nge-ben\nra-ten\nre-den\nna-gel\nre-gel\nta-fel\nne-bel\n"
CORPUS = "the/D cat/N sat/V ./.\nthe/D dog/N ran/V ./.\na/D cat/N ran/V ./.\n" * 4
SENTENCES = ["the/D bird/N sang/V ./.\n", "a/D fish/N swam/V ./.\n"]
# Imported before the forks, so that a child spends its time on its command.
NEEDED = ("train", "insert", "update", "remove", "hyphen.train", "hyphen.correct", "tagger.train", "tagger.learn")
LIBRARY = ("neighbours.methods", "neighbours.correction", "hyphenation.hyphenator", "tagging.tagger")
NOW = "2020-01-01T00:00:00Z"  # the log has the time: the same command gives the same bytes
START = f"from casebase.base import log; log.now = lambda: {NOW!r}; from casebase.__main__ import main; main()"
OTHERS = ("killed while writing", "new processes")
EVERY = 50  # one command of so many is a new process
NOTHING = b""  # the content of a model file that is not there


@dataclass(frozen=True)
class Kind:
    """A kind of command: what makes the model before it, the command, and another one after it."""

    prepare: Sequence[str] | None
    first: Sequence[str]
    second: Sequence[str]


TRAIN = ("train", "table.csv", "-o", "model.cb", "--learner", "ib1")
HYPHENS = ("hyphen", "train", "words.txt", "-o", "model.cb")
TAGGER = ("tagger", "train", "corpus.txt", "-o", "model.cb")
KINDS = {
    "train": Kind(None, TRAIN, TRAIN),
    "train over another": Kind((*TRAIN[:-1], "igtree"), TRAIN, TRAIN),
    "insert": Kind(TRAIN, ("insert", "model.cb", "more0.csv"), ("insert", "model.cb", "more1.csv")),
    "update": Kind(
        TRAIN,
        ("update", "model.cb", "--id", "1", "--set", "size=huge"),
        ("update", "model.cb", "--id", "2", "--set", "colour=pink"),
    ),
    "remove": Kind(TRAIN, ("remove", "model.cb", "1"), ("remove", "model.cb", "2")),
    "hyphen correct": Kind(
        HYPHENS, ("hyphen", "correct", "model.cb", "gel-ben"), ("hyphen", "correct", "model.cb", "rede-n")
    ),
    "tagger learn": Kind(
        TAGGER, ("tagger", "learn", "model.cb", "sentence0.txt"), ("tagger", "learn", "model.cb", "sentence1.txt")
    ),
}
INPUTS = {
    "table.csv": TABLE,
    "words.txt": WORDS,
    "corpus.txt": CORPUS,
    **{f"more{i}.csv": text for i, text in enumerate(MORE)},
    **{f"sentence{i}.txt": text for i, text in enumerate(SENTENCES)},
}


def prepared(folder: Path, name: str) -> bytes:
    """Write the inputs of a kind of command into a folder, and the model before it, which is returned."""
    for module in (*(f"cli.{one}" for one in NEEDED), *LIBRARY):
        import_module(f"casebase.{module}")
    for module in ("pandas", "pyarrow.csv", "pyarrow.pandas_compat"):  # for which pyarrow looks
        import_module(module)
    gc.freeze()  # a child does not copy what it only counts
    for file, text in INPUTS.items():
        (folder / file).write_text(text, encoding="utf-8")
    prepare = KINDS[name].prepare
    return NOTHING if prepare is None else model_after(folder, prepare)


def run(folder: Path, name: str, *, times: int, seed: int = 0) -> Kills:
    """Kill a kind of command so many times in a folder, look at the files after each, and report it."""
    kind, chance, report = KINDS[name], random.Random(f"{name} {seed}"), Kills(name, others=dict.fromkeys(OTHERS, 0))
    model, start = folder / "model.cb", time.perf_counter()
    before = prepared(folder, name)
    duration, after = _timed(model_after, folder, kind.first)
    last = model_after(folder, kind.second)
    put(model, before)
    long_duration, started = _timed(_after_start, folder, kind.first)
    assert started == after, f"{name}: a new process writes another file"
    for number in range(times):
        where = f"{name}, kill {number}"
        put(model, before)
        if number % EVERY == EVERY - 1:
            _killed_start(folder, kind.first, chance.uniform(0, 1.1 * long_duration))
            report.others["new processes"] += 1
        else:
            begun = _killed(folder, kind.first, chance, duration, is_writing=number % 2 == 1)
            report.others["killed while writing"] += begun
        found = model.read_bytes() if model.exists() else NOTHING
        _judge(report, found, before, after, where)
        report.unfinished += bool(others(folder))
        next_command, expected = (kind.second, last) if found == after else (kind.first, after)
        if found in (before, after):
            duration, content = _timed(model_after, folder, next_command)  # as long as now, when others work too
            if content != expected:
                report.faults.append(f"{where}: the next command gives another file")
        if left := others(folder):
            report.left_over += 1
            report.faults.append(f"{where}: the next command leaves {', '.join(sorted(left))}")
    report.seconds = time.perf_counter() - start
    return report


def _judge(report: Kills, found: bytes, before: bytes, after: bytes, where: str) -> None:
    if found == before:
        report.old += 1
    elif found == after:
        report.new += 1
    else:
        report.neither += 1
        report.faults.append(f"{where}: the model file is neither the old one nor the new one")


def others(folder: Path) -> set[str]:
    """Return the names of the files that are neither an input nor the model."""
    return set(os.listdir(folder)) - {*INPUTS, "model.cb"}


def _timed(run: Callable[[Path, Sequence[str]], bytes], folder: Path, command: Sequence[str]) -> tuple[float, bytes]:
    start = time.perf_counter()
    result = run(folder, command)
    return time.perf_counter() - start, result


def _start(folder: Path, command: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start a command in a new process of Python, whose clock stands still."""
    null = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", START, *command], cwd=folder, stdin=null, stdout=null, stderr=null)


def _after_start(folder: Path, command: Sequence[str]) -> bytes:
    code = _start(folder, command).wait()
    assert code == 0, f"casebase {' '.join(command)} ended with {code}"
    return (folder / "model.cb").read_bytes()


def _killed_start(folder: Path, command: Sequence[str], seconds: float) -> None:
    with _start(folder, command) as process:
        time.sleep(seconds)
        process.kill()


def put(model: Path, content: bytes) -> None:
    if content == NOTHING:
        model.unlink(missing_ok=True)
    else:
        model.write_bytes(content)


def model_after(folder: Path, command: Sequence[str]) -> bytes:
    """Run a command to its end in a child, and return the model file after it."""
    child = start_child(folder, command)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"casebase {' '.join(command)} ended with {code}"
    return (folder / "model.cb").read_bytes()


def _killed(folder: Path, command: Sequence[str], chance: random.Random, duration: float, *, is_writing: bool) -> bool:
    """Kill a child that runs a command, at any moment or while it writes; return whether it had begun to write."""
    reading, writing = os.pipe()

    def arrange() -> None:
        os.close(reading)
        _when_writing(lambda: os.write(writing, b"w"))

    child = start_child(folder, command, arrange)
    os.close(writing)
    begun = b""
    if is_writing:
        begun = os.read(reading, 1)  # or it has ended
        time.sleep(chance.uniform(0, duration / 4) if chance.random() < 0.5 else chance.uniform(0, 0.004))
    else:
        time.sleep(chance.uniform(0, 1.2 * duration))
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    begun += os.read(reading, 1)
    os.close(reading)
    return bool(begun)


def _when_writing(say: Callable[[], Any]) -> None:
    """Call a function whenever this process begins to write a model file."""
    content = files._write_content

    def write_content(*arguments: Any) -> None:
        say()
        content(*arguments)

    vars(files)["_write_content"] = write_content


def start_child(
    folder: Path, command: Sequence[str], arrange: Callable[[], Any] = bool, errors: int | None = None
) -> int:
    """Fork a child that runs a command in a folder, with a clock that stands still.

    It first calls `arrange`; standard error goes to the handle `errors`, or nowhere, as all other output does.
    """
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        os.chdir(folder)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR) if stream < 2 or errors is None else errors, stream)
        sys.stdout, sys.stderr = (open(stream, "w", encoding="utf-8", closefd=False) for stream in (1, 2))  # noqa: SIM115
        sys.argv = ["casebase", *command]
        log.now = lambda: NOW
        arrange()
        main_of_commands()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def reports(kinds: Sequence[str], *, times: int, seed: int, folder: str | None) -> Iterator[Kills]:
    """Yield a report for each kind; `folder` is where the files are."""
    for name in kinds:
        inner = Path(tempfile.mkdtemp(prefix="casebase-kill-", dir=folder))
        try:
            yield run(inner, name, times=times, seed=seed)
        finally:
            shutil.rmtree(inner)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="number of kills of each kind (default 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; repeatable")
    parser.add_argument("--folder", help="where the files are, such as /dev/shm, where writing is quick")
    arguments = parser.parse_args()
    kinds = arguments.kind or list(KINDS)
    show(reports(kinds, times=arguments.times, seed=arguments.seed, folder=arguments.folder))


if __name__ == "__main__":
    main()
