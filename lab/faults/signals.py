"""Ctrl-C and SIGTERM end every command that takes long, within a second, and leave nothing.

`python -m lab.faults.signals --times 4` starts each command on data that are drawn, sends it SIGINT or SIGTERM in turn
at a random moment, and measures the time until the process has ended: seconds of the clock, and of the processor. The
exit code must be 130 or 143, or 0 where Ctrl-C keeps what is ready; there must be no traceback, and no new file.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lab.faults.long_work import hyphenated, numbers, sentences, symbols, words

MOST = 1.0  # seconds
COMMANDS: dict[str, Sequence[str]] = {
    "train": ("train", "large.csv", "-o", "new.cb", "--learner", "ib1"),
    "train, igtree": ("train", "large.csv", "-o", "new.cb", "--learner", "igtree"),
    "train, c45": ("train", "large.csv", "-o", "new.cb", "--learner", "c45"),
    "train, auto": ("train", "large.csv", "-o", "new.cb"),
    "train, in parts": ("train", "large.csv", "-o", "new.cb", "--learner", "ib1", "--memory", "300MB"),
    "train, Parquet": ("train", "large.parquet", "-o", "new.cb", "--learner", "ib1"),
    "predict": ("predict", "model.cb", "large.csv"),
    "predict to a file": ("predict", "model.cb", "large.csv", "-o", "new.csv"),
    "evaluate": ("evaluate", "large.csv", "--learner", "ib1", "--cv", "10"),
    "leave-one-out": ("evaluate", "large.csv", "--learner", "ib1", "--loo"),
    "methods": ("methods", "middle.csv"),
    "compare": ("compare", "numbers.csv", "--vary", "bins=3,5,10"),
    "health": ("health", "middle.csv"),
    "select": ("select", "middle.csv"),
    "select, FOCUS": ("select", "noise.csv", "--method", "focus"),
    "insert": ("insert", "model.cb", "large.csv"),
    "inspect": ("inspect", "model.cb"),
    "hyphen train": ("hyphen", "train", "words.txt", "-o", "new.cb"),
    "strings train": ("strings", "train", "strings.txt", "-o", "new.cb"),
    "tagger train": ("tagger", "train", "corpus.txt", "-o", "new.cb"),
    "tagger evaluate": ("tagger", "train", "corpus.txt", "--cv", "5"),
    "align": ("align", "sounds.txt", "-o", "new.txt"),
    "lm train": ("lm", "train", "text.txt", "-o", "new.cb"),
}
# Ctrl-C keeps what is ready.
MAY_KEEP = ("train, auto", "select", "select, FOCUS")


def prepare(folder: Path, n_cases: int) -> None:
    """Write what the commands read."""
    names = [*(f"f{i}" for i in range(12)), "class"]
    for name, n in (("large", n_cases), ("middle", n_cases // 20)):
        X, y = symbols(n)
        with open(folder / f"{name}.csv", "w", encoding="utf-8") as file:
            file.write(",".join(names) + "\n")
            file.writelines(",".join((*row, label)) + "\n" for row, label in zip(X, y, strict=True))
    X, y = numbers(n_cases // 20)
    with open(folder / "numbers.csv", "w", encoding="utf-8") as file:
        file.write(",".join(names[:10]) + ",class\n")
        file.writelines(",".join(map(str, (*row, label))) + "\n" for row, label in zip(X, y, strict=True))
    chance = random.Random(0)
    rows = [",".join(chance.choice("01") for _ in range(45)) + f",{chance.choice('PQ')}\n" for _ in range(1_000)]
    (folder / "noise.csv").write_text(",".join(f"f{i}" for i in range(45)) + ",class\n" + "".join(rows))
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in hyphenated(n_cases // 5)))
    drawn = sorted(set(words(n_cases // 10)))
    (folder / "strings.txt").write_text("".join(f"{word}\t{word[-2]}{word[0]}\n" for word in drawn))
    sounds = (" ".join(letter.upper() for letter in word if letter != "e") for word in drawn)
    (folder / "sounds.txt").write_text("".join(f"{a} {b}\n" for a, b in zip(drawn, sounds, strict=True)))
    corpus = sentences(n_cases // 20)
    lines = (" ".join(f"{word}/{tag}" for word, tag in sentence) for sentence in corpus)
    (folder / "corpus.txt").write_text("".join(f"{line}\n" for line in lines))
    lines = (" ".join(word for word, _ in sentence) for sentence in corpus)
    (folder / "text.txt").write_text("".join(f"{line}\n" for line in lines))
    import pandas as pd

    pd.read_csv(folder / "large.csv").to_parquet(folder / "large.parquet")
    _started(folder, ("train", "large.csv", "-o", "model.cb", "--learner", "ib1")).wait()


def _started(folder: Path, command: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "casebase", *command],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _processor_time(process: int) -> float:
    """Return the seconds of processor time of a process and of those that it has waited for."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK")
    return 0.0


def signalled(folder: Path, command: Sequence[str], number: int, after: float) -> tuple[float, float, int, str]:
    """Send a command a signal; return the seconds to its end, those of the processor, its exit code and messages."""
    process = _started(folder, command)
    time.sleep(after)
    sent, worked = time.monotonic(), _processor_time(process.pid)
    process.send_signal(number)
    # The zombie keeps its processor time until it is waited for.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    taken, worked = time.monotonic() - sent, _processor_time(process.pid) - worked
    _, messages = process.communicate()
    return taken, worked, process.returncode, messages


def lines(names: Sequence[str], folder: Path, *, times: int, longest: float, seed: int) -> Iterator[str]:
    """Yield a line for each command, and one for each fault."""
    chance = random.Random(seed)
    files = set(os.listdir(folder))
    for name in names:
        worst, worst_processor, codes, faults = 0.0, 0.0, list[int](), list[str]()
        for i in range(times):
            number = (signal.SIGINT, signal.SIGTERM)[i % 2]
            after = chance.uniform(1.0, longest)  # Python has started
            taken, worked, code, messages = signalled(folder, COMMANDS[name], number, after)
            worst, worst_processor = max(worst, taken), max(worst_processor, worked)
            # -2 is 130 to a shell: Python ends like this if Ctrl-C came while it compiled a piece of source text.
            code = 130 if code == -signal.SIGINT else code
            allowed = (128 + number, 0) if name in MAY_KEEP and number == signal.SIGINT else (128 + number,)
            codes.append(code)
            left = set(os.listdir(folder)) - files
            where = f"{name}, {signal.Signals(number).name} after {after:.2f} s"
            if code == 0 and code not in allowed:
                codes[-1] = 0  # it had ended: there is nothing to judge
            elif code not in allowed:
                faults.append(f"{where}: exit code {code}: {messages[-300:]}")
            elif left and code:
                faults.append(f"{where}: it leaves {', '.join(sorted(left))}")
            if "Traceback" in messages:
                faults.append(f"{where}: {messages[-1000:]}")
            if min(taken, worked) > MOST:
                faults.append(f"{where}: it ended after {taken:.2f} s, {worked:.2f} s of the processor")
            for file in left:
                path = folder / file
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield f"{name:<24} {worst_processor:>9.2f} {worst:>9.2f}   {json.dumps(codes)}"
        yield from (f"FAULT {fault}" for fault in faults)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=4, help="number of signals to each command (default 4)")
    parser.add_argument("--cases", type=int, default=1_000_000, help="cases of the largest table (default 1000000)")
    parser.add_argument("--longest", type=float, default=10.0, help="a signal comes after so many seconds at most")
    parser.add_argument("--command", action="append", help="only commands whose name contains this; repeatable")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    has_faults = False
    folder = Path(tempfile.mkdtemp(prefix="casebase-signals-"))
    try:
        prepare(folder, given.cases)
        print(f"{'command':<24} {'processor':>9} {'clock':>9}   exit codes", flush=True)
        names = [name for name in COMMANDS if given.command is None or any(part in name for part in given.command)]
        for line in lines(names, folder, times=given.times, longest=given.longest, seed=given.seed):
            has_faults |= line.startswith("FAULT")
            print(line, flush=True)
    finally:
        shutil.rmtree(folder)
    sys.exit(has_faults)


if __name__ == "__main__":
    main()
