"""Debian's TiMBL as a witness: run the program on rows of text, read back its answers.

    train = [["a", "x", "P"], ["b", "x", "Q"]]     # the class comes last
    run(train, [["a", "x", "?"]], options=["-k", "3", "-w", "2"]).labels

Files are in TiMBL's Columns format: fields are separated by blanks, so a value is any text
without blanks, also `{` or `,`. Every line of the answer is therefore a list of blank-separated
tokens, whose meaning follows from the number of features alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

Rows = Sequence[Sequence[str]]

_BLANKS = re.compile(r"[ \t\r\n\v\f]+")


@dataclass
class Answered:
    """What TiMBL said about each test line."""

    labels: list[str]
    distances: list[float]  # to 14 significant digits
    distributions: list[dict[str, float]]  # to 6 significant digits; empty where TiMBL gives none


@dataclass
class TimblRun:
    """What TiMBL said about each test line, in order, and about the whole."""

    labels: list[str]
    distances: list[float]  # to 14 significant digits
    distributions: list[dict[str, float]]  # to 6 significant digits; empty where TiMBL gives none
    # From the line "Size of InstanceBase = 6 Nodes": the root is not counted, so a tree pruned
    # down to its default class has 0 nodes. (The table of +vb counts the root.) IGTree only.
    n_nodes: int | None
    n_correct: int
    n_ties: int
    weights: list[float]  # to 15 decimals, in column order; empty without weighting
    log: str  # the standard output


def is_available() -> bool:
    """Tell whether the program is installed."""
    return shutil.which("timbl") is not None


def require_timbl() -> None:
    """Skip the test if TiMBL is absent, or fail it where peers are required."""
    if not is_available():
        skip_or_fail("timbl is not installed")


def skip_or_fail(reason: str) -> None:
    """Skip the test; fail it if CASEBASE_REQUIRE_PEERS is 1."""
    if os.environ.get("CASEBASE_REQUIRE_PEERS") == "1":
        pytest.fail(f"{reason}, and CASEBASE_REQUIRE_PEERS is 1")
    pytest.skip(reason, allow_module_level=True)


def demo_rows(name: str) -> list[list[str]]:
    """Return the rows of a demonstration file that comes with TiMBL, such as dimin.train."""
    path = Path("/usr/share/doc/timbl/examples") / name
    if not path.exists():
        skip_or_fail(f"TiMBL's demonstration file {name} is not installed")
    return [line.split(",") for line in path.read_text(encoding="utf-8").split("\n") if line]


def run(
    train: Path | Rows,
    test: Path | Rows | Literal["leave_one_out"],
    *,
    options: Sequence[str] = (),
    numeric: Sequence[int] = (),
) -> TimblRun:
    """Return TiMBL's answers to the test lines after learning the training lines.

    The last field of every line is the class, in the test too. `numeric` are columns, counted
    from 0. `options` are TiMBL's, one list element for each word, except those for files,
    format and verbosity, and `-m` together with `numeric`.
    """
    for option in options:
        if option[:2] in {"-f", "-F", "-t", "-o", "-O", "-v", "+v", "-T"} or (numeric and option[:2] == "-m"):
            raise ValueError(f"Option {option} is set by run() itself, or changes what it reads.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train_path = train if isinstance(train, Path) else write_rows(folder / "train", train)
        if test == "leave_one_out":
            test_path = train_path
        else:
            test_path = test if isinstance(test, Path) else write_rows(folder / "test", test)
        answers = folder / "answers"
        algorithm = _algorithm(options)
        command = ["timbl", "-F", "Columns", "-f", str(train_path)]
        command += ["-t", "leave_one_out" if test == "leave_one_out" else str(test_path)]
        command += ["-o", str(answers), "+vdb+di", *options]
        if algorithm in {"IGTREE", "TRIBL", "TRIBL2"}:
            command.append("+D")  # without it, inner nodes have no distribution to show
        if numeric:
            command.append("-mO:N" + ",".join(str(column + 1) for column in sorted(numeric)))
        process = subprocess.run(command, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False)
        # TiMBL also ends with status 0, and an empty file of answers, after refusing to test.
        if process.returncode != 0 or "overall accuracy" not in process.stdout:
            raise RuntimeError(f"{' '.join(command)}: status {process.returncode}\n{process.stderr}")
        return _read(answers, test_path, process.stdout, algorithm)


def _algorithm(options: Sequence[str]) -> str:
    """Return the name of the algorithm chosen by -a, in capitals."""
    chosen = "IB1"
    for i, option in enumerate(options):
        if option.startswith("-a"):
            chosen = (option[2:] or options[i + 1]).upper()
    return {"0": "IB1", "1": "IGTREE", "2": "TRIBL", "3": "IB2", "4": "TRIBL2"}.get(chosen, chosen)


def write_rows(path: Path, rows: Rows) -> Path:
    """Write rows as lines of blank-separated fields, after checking that they can be."""
    n_fields = len(rows[0])
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, row in enumerate(rows):
            if len(row) != n_fields:
                raise ValueError(f"Row {number}: expected {n_fields} fields, got {len(row)}.")
            for value in row:
                if not value or _BLANKS.search(value):
                    raise ValueError(f"Row {number}: TiMBL cannot read the value {value!r}.")
            file.write(" ".join(row) + "\n")
    return path


def _fields(path: Path) -> Iterator[list[str]]:
    """Yield the fields of each line that is not blank."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            fields = [field for field in _BLANKS.split(line) if field]
            if fields:
                yield fields


def read_answers(answers: Path, questions: Rows) -> Answered:
    """Return what a file written with +vdb+di says about each question, the class last in both.

    A line is: fields, class, prediction, `{`, class and votes in turn, `}`, distance.
    """
    result = Answered([], [], [])
    # TiMBL leaves out lines with a wrong number of fields; strict notices that.
    for question, answer in zip(questions, _fields(answers), strict=True):
        label, *distribution, distance = answer[len(question) :]
        result.labels.append(label)
        result.distances.append(float(distance))
        inside = distribution[1:-1]  # `{}` is one token
        result.distributions.append(
            {name: float(votes.removesuffix(",")) for name, votes in zip(inside[::2], inside[1::2])}
        )
    return result


def _read(answers: Path, test_path: Path, log: str, algorithm: str) -> TimblRun:
    """Return the answers and what the log says about the whole."""
    answered = read_answers(answers, list(_fields(test_path)))
    labels = answered.labels
    size = re.search(r"Size of InstanceBase = (\d+) Nodes", log)
    ties = re.search(r"There (?:was|were) (\d+) ties?", log)
    correct = re.search(r"overall accuracy:.*?\((\d+)/(\d+)\)", log)
    if correct is None or int(correct[2]) != len(labels):
        raise RuntimeError(f"Expected {len(labels)} tested lines, TiMBL said:\n{log}")
    return TimblRun(
        labels=labels,
        distances=answered.distances,
        distributions=answered.distributions,
        n_nodes=int(size[1]) if size and algorithm == "IGTREE" else None,
        n_correct=int(correct[1]),
        n_ties=int(ties[1]) if ties else 0,
        weights=[float(weight) for weight in re.findall(r"^Feature \d+\t : (\S+)$", log, re.MULTILINE)],
        log=log,
    )


def execute(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run TiMBL in a folder with exactly these arguments, and return what it printed and its exit status."""
    return subprocess.run(
        ["timbl", *arguments], cwd=folder, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False
    )
