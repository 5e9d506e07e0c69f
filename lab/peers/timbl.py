"""TiMBL on rows of text: its predictions and statistics (Debian: timbl).

    train = [["a", "x", "P"], ["b", "x", "Q"]]     # the class comes last
    run(train, [["a", "x", "?"]], options=["-k", "3", "-w", "2"]).labels

Files are in TiMBL's Columns format: fields are separated by blanks, so a value is any text
without blanks, also `{` or `,`. Every line of the answer is therefore a list of blank-separated
tokens, whose meaning follows from the number of features alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from casebase.errors import DataNotFoundError
from lab.peers import programs
from lab.peers.programs import PeerError, Ran, Workplace

NAME = "TiMBL"
PROGRAM = "timbl"
EXAMPLES = Path("/usr/share/doc/timbl/examples")  # the demonstration files that come with it

Rows = Sequence[Sequence[str]]

_BLANKS = re.compile(r"[ \t\r\n\v\f]+")


@dataclass(frozen=True)
class Log:
    """TiMBL's printed output, and the figures in it.

    >>> Log("Seconds taken: 0.0330 (200.00 p/s)\\noverall accuracy:  0.5  (1/2)").rate
    200.0
    """

    text: str

    @property
    def score(self) -> tuple[int, int] | None:
        """The number of correct test lines, and of all test lines; None if there was no test."""
        found = re.search(r"overall accuracy:.*?\((\d+)/(\d+)\)", self.text)
        return (int(found[1]), int(found[2])) if found else None

    @property
    def n_nodes(self) -> int | None:
        """The nodes of an IGTree, or of the instance base; the root is not counted, as in the table of +vb it is."""
        found = re.search(r"Size of InstanceBase = (\d+) Nodes", self.text)
        return int(found[1]) if found else None

    @property
    def n_ties(self) -> int:
        found = re.search(r"There (?:was|were) (\d+) ties?", self.text)
        return int(found[1]) if found else 0

    @property
    def weights(self) -> list[float]:
        """To 15 decimals, in column order; empty without weighting."""
        return [float(weight) for weight in re.findall(r"^Feature \d+\t : (\S+)$", self.text, re.MULTILINE)]

    @property
    def seconds(self) -> float:
        """The seconds of the test, without learning."""
        return float(re.findall(r"Seconds taken: ([\d.]+)", self.text)[-1])

    @property
    def rate(self) -> float:
        """Lines tested a second, reading and writing files included: the last rate that is printed."""
        return float(re.findall(r"Seconds taken: [\d.]+ \(([\d.]+) p/s\)", self.text)[-1])


@dataclass
class Answered:
    """What TiMBL said about each test line, in order."""

    labels: list[str]
    distances: list[float]  # to 14 significant digits
    distributions: list[dict[str, float]]  # to 6 significant digits; empty where TiMBL gives none


@dataclass
class TimblRun(Answered):
    """What TiMBL said about each test line, and about the whole."""

    n_nodes: int | None  # IGTree only; a tree pruned down to its default class has 0 nodes
    n_correct: int
    n_ties: int
    weights: list[float]
    log: str  # the standard output


def is_installed() -> bool:
    """Return whether the program is there."""
    return programs.has_program(PROGRAM)


def execute(arguments: Sequence[str], folder: Path | None = None) -> Ran:
    """Return what TiMBL does with exactly these arguments, in a folder."""
    return programs.run([PROGRAM, *arguments], folder)


def log_of(*arguments: str) -> Log:
    """Return what TiMBL prints with these arguments."""
    return Log(execute(arguments).checked().output)


def demo_rows(name: str) -> list[list[str]]:
    """Return the rows of a demonstration file that comes with TiMBL, such as dimin.train."""
    path = EXAMPLES / name
    if not path.exists():
        raise DataNotFoundError(f"TiMBL's demonstration file {name} is not installed.")
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
    with Workplace() as place:
        train_path = train if isinstance(train, Path) else write_rows(place.path / "train", train)
        if test == "leave_one_out":
            test_path = train_path
        else:
            test_path = test if isinstance(test, Path) else write_rows(place.path / "test", test)
        answers = place.path / "answers"
        algorithm = _algorithm(options)
        arguments = ["-F", "Columns", "-f", str(train_path)]
        arguments += ["-t", "leave_one_out" if test == "leave_one_out" else str(test_path)]
        arguments += ["-o", str(answers), "+vdb+di", *options]
        if algorithm in {"IGTREE", "TRIBL", "TRIBL2"}:
            arguments.append("+D")  # without it, inner nodes have no distribution to show
        if numeric:
            arguments.append("-mO:N" + ",".join(str(column + 1) for column in sorted(numeric)))
        # The files are named in full, so that relative ones are those of the caller's folder.
        ran = execute(arguments).checked()
        # TiMBL also ends with status 0, and an empty file of answers, after refusing to test.
        if Log(ran.output).score is None:
            raise ran.failure()
        return _read(answers, test_path, Log(ran.output), algorithm)


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


def _read(answers: Path, test_path: Path, log: Log, algorithm: str) -> TimblRun:
    """Return the answers and what the log says about the whole."""
    answered = read_answers(answers, list(_fields(test_path)))
    if log.score is None or log.score[1] != len(answered.labels):
        raise PeerError(f"Expected {len(answered.labels)} tested lines, TiMBL said:\n{log.text}")
    return TimblRun(
        labels=answered.labels,
        distances=answered.distances,
        distributions=answered.distributions,
        n_nodes=log.n_nodes if algorithm == "IGTREE" else None,
        n_correct=log.score[0],
        n_ties=log.n_ties,
        weights=log.weights,
        log=log.text,
    )


@dataclass(frozen=True)
class Said:
    """The percent of cases that TiMBL gets right, its number of nodes with the root, and its time with reading."""

    percent: float
    n_nodes: int
    seconds: float


class Fold(Workplace):
    """The two files of a fold, for as many questions as are wanted; `codes` has the class in its last column."""

    def __init__(self, codes: np.ndarray, held_out: np.ndarray) -> None:
        super().__init__()
        self._n_cases = int(held_out.sum())
        for name, rows in (("train", codes[~held_out]), ("test", codes[held_out])):
            # Codes, and not the values, which may have blanks in them.
            write_rows(self.path / name, [[f"v{code}" for code in row] for row in rows.tolist()])

    def ask(self, *options: str) -> Said:
        """Return what TiMBL says with these options."""
        files = ("-f", "train", "-t", "test", "-o", "answers")
        ran = execute(["-F", "Columns", *files, *options], self.path)
        log = Log(ran.output)
        if log.score is None or log.n_nodes is None or log.score[1] != self._n_cases:
            raise ran.failure()
        return Said(100.0 * log.score[0] / self._n_cases, log.n_nodes + 1, ran.seconds)
