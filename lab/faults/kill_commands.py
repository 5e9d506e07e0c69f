"""Kill commands that write a model file, again and again: the old file or the new one is there, and nothing else.

`python -m lab.faults.kill_commands --times 1000` runs each kind of command in a child and kills it with SIGKILL: one
half at any moment, one half after it has begun to write. The model file must then be, byte by byte, the one from before
or the one that the command writes when nobody kills it. The next command must succeed, give the file that it gives
after an undisturbed one, and leave no other file in the folder.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from casebase.base import files, log
from casebase.cli import cli

TABLE = "colour,size,side\nred,small,left\nred,large,left\nblue,small,right\nblue,large,right\ngreen,small,left\n"
MORE = ["colour,size,side\ngreen,large,right\nwhite,small,left\n", "colour,size,side\nblack,large,right\n"]
WORDS = "ar-bei-ten\nle-ben\nle-sen\nlie-gen\nge-ben\nra-ten\nre-den\nna-gel\nre-gel\nta-fel\nne-bel\n"
CORPUS = "the/D cat/N sat/V ./.\nthe/D dog/N ran/V ./.\na/D cat/N ran/V ./.\n" * 4
SENTENCES = ["the/D bird/N sang/V ./.\n", "a/D fish/N swam/V ./.\n"]
# Imported before the forks, so that a child spends its time on its command.
NEEDED = ("train", "insert", "update", "remove", "hyphen.train", "hyphen.correct", "tagger.train", "tagger.learn")
LIBRARY = ("neighbours.methods", "neighbours.correction", "hyphenation.hyphenator", "tagging.tagger")
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


def run(folder: Path, name: str, *, times: int, seed: int = 0) -> Counter[str]:
    """Kill a kind of command so many times in a folder, and check after each; return what happened how often."""
    for module in (*(f"cli.{one}" for one in NEEDED), *LIBRARY):
        import_module(f"casebase.{module}")
    import_module("pandas")  # for which pyarrow looks
    kind, chance, counts = KINDS[name], random.Random(f"{name} {seed}"), Counter[str]()
    for file, text in INPUTS.items():
        (folder / file).write_text(text, encoding="utf-8")
    model = folder / "model.cb"
    before = NOTHING if kind.prepare is None else _after(folder, kind.prepare)
    began = time.perf_counter()
    after = _after(folder, kind.first)
    duration = time.perf_counter() - began
    last = _after(folder, kind.second)
    for number in range(times):
        where = f"{name}, kill {number}"
        _put(model, before)
        has_begun = _killed(folder, kind.first, chance, duration, is_writing=number % 2 == 1)
        found = model.read_bytes() if model.exists() else NOTHING
        assert found in (before, after), f"{where}: the model file is neither the old one nor the new one"
        counts["kills"] += 1
        counts["while the file was being written"] += has_begun
        counts["the new file was there"] += found == after and before != after
        counts["with an unfinished file or a lock"] += len(os.listdir(folder)) > len(INPUTS) + model.exists()
        next_command, expected = (kind.first, after) if found == before else (kind.second, last)
        assert _after(folder, next_command) == expected, f"{where}: the next command gives another file"
        left = set(os.listdir(folder)) - {*INPUTS, "model.cb"}
        assert not left, f"{where}: the next command leaves {', '.join(sorted(left))}"
    return counts


def _put(model: Path, content: bytes) -> None:
    if content == NOTHING:
        model.unlink(missing_ok=True)
    else:
        model.write_bytes(content)


def _after(folder: Path, command: Sequence[str]) -> bytes:
    """Run a command to its end in a child, and return the model file after it."""
    child = _child(folder, command)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"casebase {' '.join(command)} ended with {code}"
    return (folder / "model.cb").read_bytes()


def _killed(folder: Path, command: Sequence[str], chance: random.Random, duration: float, *, is_writing: bool) -> bool:
    """Kill a child that runs a command, at any moment or while it writes; return whether it had begun to write."""
    reading, writing = os.pipe()
    child = _child(folder, command, on_write=lambda: os.write(writing, b"w"), closing=reading)
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


def _child(
    folder: Path, command: Sequence[str], on_write: Callable[[], Any] | None = None, closing: int | None = None
) -> int:
    """Fork a child that runs a command in a folder without output, with a clock that stands still."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        if closing is not None:
            os.close(closing)
        os.chdir(folder)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        log.now = lambda: "2020-01-01T00:00:00Z"  # the log has the time: the same command gives the same bytes
        if on_write is not None:
            content = files._write_content

            def write_content(*arguments: Any) -> None:
                on_write()
                content(*arguments)

            files._write_content = write_content
        cli.main([*command], standalone_mode=False)
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="number of kills of each kind (default 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; repeatable")
    parser.add_argument("--folder", help="where the files are, such as /dev/shm, where writing is quick")
    arguments = parser.parse_args()
    for name in arguments.kind or KINDS:
        folder, start = Path(tempfile.mkdtemp(prefix="casebase-kill-", dir=arguments.folder)), time.perf_counter()
        try:
            counts = run(folder, name, times=arguments.times, seed=arguments.seed)
        finally:
            shutil.rmtree(folder)
        described = ", ".join(f"{n:,} {what}" for what, n in counts.items())
        print(f"{name}: {described}; {time.perf_counter() - start:.0f} s", flush=True)
    print("The old file or the new one was always there, and nothing else after the next command.")


if __name__ == "__main__":
    sys.exit(main())
