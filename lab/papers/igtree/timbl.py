"""TiMBL, the program of the paper's authors, asked about the cases of a fold."""

import re
import shutil
from dataclasses import dataclass

import numpy as np

from lab.papers.igtree.data import IB1, IB1_IG, IGTREE, TRIBL
from lab.papers.programs import Workplace

PROGRAM = "timbl"
NAME = "TiMBL"
# Weights are numbered: none, gain ratio, information gain.
OPTIONS = {
    IGTREE: ("-a", "IGTREE", "-w", "1"),
    IB1: ("-a", "IB1", "-k", "1", "-w", "0"),
    IB1_IG: ("-a", "IB1", "-k", "1", "-w", "1"),
    TRIBL: ("-a", "TRIBL", "-k", "1", "-w", "1"),
}
_RIGHT = re.compile(r"overall accuracy:.*?\((\d+)/(\d+)\)")
_NODES = re.compile(r"Size of InstanceBase = (\d+) Nodes")


@dataclass(frozen=True)
class Said:
    """The percent of cases that TiMBL gets right, its number of nodes with the root, and its time with reading."""

    percent: float
    n_nodes: int
    seconds: float


def is_installed() -> bool:
    """Return whether the program is there (Debian: timbl)."""
    return shutil.which(PROGRAM) is not None


class Fold(Workplace):
    """The two files of a fold, for as many questions as are wanted; `codes` has the class in its last column."""

    def __init__(self, codes: np.ndarray, held_out: np.ndarray) -> None:
        super().__init__()
        self._n_cases = int(held_out.sum())
        for name, rows in (("train", codes[~held_out]), ("test", codes[held_out])):
            # Codes, and not the values, which may have blanks in them.
            lines = (" ".join(f"v{code}" for code in row) for row in rows.tolist())
            (self.path / name).write_text("\n".join(lines) + "\n", encoding="ascii")

    def ask(self, method: str, *options: str) -> Said:
        """Return what TiMBL says by one method."""
        files = ("-f", "train", "-t", "test", "-o", "answers")
        ran = self.run(PROGRAM, "-F", "Columns", *files, *OPTIONS[method], *options)
        right, nodes = _RIGHT.search(ran.output), _NODES.search(ran.output)
        if right is None or nodes is None or int(right[2]) != self._n_cases:
            raise ran.failure()
        return Said(100.0 * int(right[1]) / int(right[2]), int(nodes[1]) + 1, ran.seconds)
