"""Random commands on random small tables, in TiMBL and in casebase: the same files and statistics.

Few values, so that ties, exact matches, unknown values and classes abound. What TiMBL prints
without meaning is not asked for: the match depth when leaving one out, the confidence of a
tree's default answers, and the distances by weights of which the smallest were subtracted
(--Diversify), which are so small that the case met first stands for all.
"""

from __future__ import annotations

import random

import pytest

from lab.peers import timbl
from tests.peers import require_timbl
from tests.timbl.equality.comparing import Ran, differences, written
from tests.timbl.equality.test_matrix import TABLE, run_casebase

pytestmark = pytest.mark.peer

N_COMMANDS = 150

# Number of the command: how many lines differ, and why.
DIFFERENCES: dict[int, tuple[int, str]] = {111: (13, TABLE)}


class RandomCommand:
    """A table to learn from, questions about it, and options that TiMBL accepts for them."""

    def __init__(self, number: int):
        self.rng = random.Random(number)
        n_features = self.rng.randint(1, 5)
        self.n_values, self.n_classes = self.rng.randint(2, 4), self.rng.randint(2, 4)
        self.numeric = [f for f in range(n_features) if self.rng.random() < 0.25]
        self.has_strings = self.rng.random() < 0.3
        self.n_features = n_features
        self.train = [self._line(False) for _ in range(self.rng.randint(6, 30))]
        self.test = [self._line(True) for _ in range(10)]
        self.arguments = ["-F", "Columns", "-f", "train", *self._options()]

    def _value(self, feature: int, is_asked: bool) -> str:
        rng = self.rng
        if feature in self.numeric:
            return f"{rng.randint(0, 40) / 8:g}" if rng.random() < 0.4 else str(rng.randint(-3, 9 + 5 * is_asked))
        n_chars = rng.randint(1, 3) if self.has_strings else 1
        value = "".join(rng.choice("abcd"[: self.n_values]) for _ in range(n_chars))
        return value + "z" * (is_asked and rng.random() < 0.15)

    def _line(self, is_asked: bool) -> list[str]:
        label = "NEW" if is_asked and self.rng.random() < 0.05 else self.rng.choice("PQRS"[: self.n_classes])
        return [*(self._value(feature, is_asked) for feature in range(self.n_features)), label]

    def _options(self) -> list[str]:
        rng = self.rng
        algorithm = rng.choice(["IB1", "IB1", "IB1", "IGTREE", "TRIBL", "IB2", "TRIBL2"])
        metric = self._metric(algorithm)
        test = "leave_one_out" if algorithm == "IB1" and rng.random() < 0.2 else "test"
        options = ["-t", test, "-a", algorithm, "-m", metric, "-w", rng.choice(["gr", "gr", "ig", "nw", "x2", "sv"])]
        shown = "+vas+cs+cm+di+db"
        if algorithm != "IGTREE":
            options += ["-k", str(rng.randint(1, 4)), "-d", rng.choice(["Z", "Z", "ID", "IL", "ED:1", "ED:2:0.5"])]
            options += ["+x"] if rng.random() < 0.15 and algorithm != "IB2" else []
        if metric[0] in "MJS" and rng.random() < 0.4:
            options += ["-L", str(rng.randint(2, 4))]
        if algorithm == "TRIBL":
            options += ["-q", str(rng.randint(1, self.n_features + 1))]
        if algorithm == "IB2":
            options += ["-b", str(rng.randint(1, 3))]
        if algorithm in {"IGTREE", "TRIBL"}:
            options.append("+D")
        if rng.random() < 0.1:
            options.append(f"--Beam={rng.randint(1, 2)}")
        elif rng.random() < 0.25:
            options.append(rng.choice(["-G", "-G1:0.5", "-G2"]))
            shown += "+cf" if algorithm in {"IB1", "IB2", "TRIBL2"} else ""
        if algorithm == "IB1" and test == "test":
            shown += rng.choice(["", "", "+md", "+n", "+k", "+n+k"])
        if rng.random() < 0.1:
            options.append("--Treeorder=" + rng.choice(["DO", "GRO", "IGO", "1/V", "G/V", "I/V"]))
        if test == "leave_one_out" and rng.random() < 0.3:
            options.append("--sloppy")
        options += ["-W", "out.weights"] if rng.random() < 0.3 else []
        return [*options, shown]

    def _metric(self, algorithm: str) -> str:
        numeric = ":N" + ",".join(str(feature + 1) for feature in self.numeric) if self.numeric else ""
        if algorithm == "IGTREE":
            return "O" + numeric
        if len(self.numeric) == self.n_features and self.rng.random() < 0.5:
            return self.rng.choice(["N", "E", "D"] if algorithm == "IB1" else ["N", "E"])
        ignored = ":I1" if self.n_features > 2 and 0 not in self.numeric and self.rng.random() < 0.15 else ""
        return self.rng.choice(["O", "O", "M", "J", "S", "L", "DC"]) + numeric + ignored


@pytest.mark.parametrize("number", range(N_COMMANDS))
def test_same_files_and_statistics(number, tmp_path, monkeypatch):
    """A random command writes the same lines and prints the same numbers."""
    require_timbl()
    command = RandomCommand(number)
    given = {"train", "test"}
    for name in ["theirs", "ours"]:
        (tmp_path / name).mkdir()
        timbl.write_rows(tmp_path / name / "train", command.train)
        timbl.write_rows(tmp_path / name / "test", command.test)
    process = timbl.execute(command.arguments, tmp_path / "theirs")
    assert "overall accuracy" in process.output, process.complaint
    theirs = Ran(process.status, process.output, written(tmp_path / "theirs", given))
    ours = run_casebase([command.arguments], tmp_path / "ours", given, monkeypatch)
    found = differences(theirs, ours)
    expected, reason = DIFFERENCES.get(number, (0, ""))
    summary = f"timbl {' '.join(command.arguments)}\nexpected {expected} differences ({reason or 'none known'})"
    assert len(found) == expected, "\n".join([summary, *found[:20]])
