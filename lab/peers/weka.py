"""Weka's kNN, naive Bayes, trees and support vector machines (Debian: weka).

with Fold(data, labels, training, asked) as fold:     # answers to the cases of a fold
    fold.ask(J48, "-U").percent
j48([["a", 1.0], ["b", None]], ["P", "Q"], ["-U"])    # the size of the tree of a whole table
"""

import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from casebase.base.threads import n_cores
from lab.peers.programs import Workplace, has_program

NAME = "Weka"
Key = TypeVar("Key", bound=Hashable)
J48 = "weka.classifiers.trees.J48"
ID3 = "weka.classifiers.trees.Id3"
JAVA = "java"
STARTS_FAST = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # for a program that ends soon
_RIGHT = re.compile(r"^Correctly Classified Instances\s+(\d+)", re.MULTILINE)
_ASKED = re.compile(r"^Total Number of Instances\s+(\d+)", re.MULTILINE)
_NODES = re.compile(r"^Size of the tree\s*:\s*(\d+)", re.MULTILINE)
_LEAVES = re.compile(r"^Number of Leaves\s*:\s*(\d+)", re.MULTILINE)
_BUILT = re.compile(r"Time taken to build model: ([\d.]+)")


def jar() -> Path:
    """Return where Weka is: the file that WEKA_JAR names, else Debian's."""
    return Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))


def is_installed() -> bool:
    """Return whether the program is there, and a Java to run it."""
    return jar().is_file() and has_program(JAVA)


def command(*words: str, memory: str = "2g", starts_fast: bool = True) -> list[str]:
    """Return the command that starts a class of Weka; for long runs the JVM's optimising compiler is on."""
    return [JAVA, f"-Xmx{memory}", *(STARTS_FAST if starts_fast else ()), "-cp", str(jar()), *words]


def arff_lines(
    rows: Sequence[Sequence[Any]], labels: Sequence[Any], chosen: Sequence[np.ndarray]
) -> Iterator[list[str]]:
    """Yield the lines of an ARFF file for each choice of rows; all declare the values of the whole table.

    Floats are numbers, None is missing, the rest are symbols. Values of a symbol are declared as v0, v1, … in ascending
    order, classes as c0, c1, …: of equals Weka prefers the first.

    >>> next(arff_lines([["b", 1.5], ["a", None]], ["no", "yes"], [np.array([1])]))[1:]
    ['@attribute f0 {v0,v1}', '@attribute f1 numeric', '@attribute class {c0,c1}', '@data', 'v0,?,c1']
    """
    header, columns = ["@relation table"], []
    for i, column in enumerate(zip(*rows)):
        known = {value for value in column if value is not None}
        if known and all(isinstance(value, float) for value in known):
            header.append(f"@attribute f{i} numeric")
            columns.append(["?" if value is None else repr(float(value)) for value in column])
        else:
            code: dict[Any, str] = {value: f"v{j}" for j, value in enumerate(sorted(known))}
            header.append(f"@attribute f{i} {{{','.join(code.values())}}}")
            columns.append(["?" if value is None else code[value] for value in column])
    code = {label: f"c{j}" for j, label in enumerate(sorted(set(labels)))}
    header += [f"@attribute class {{{','.join(code.values())}}}", "@data"]
    lines = [",".join(line) for line in zip(*columns, [code[label] for label in labels])]
    for rows_of_file in chosen:
        yield header + [lines[row] for row in rows_of_file.tolist()]


def write_arff(path: Path, rows: Sequence[Sequence[Any]], labels: Sequence[Any]) -> None:
    """Write a whole table."""
    (lines,) = arff_lines(rows, labels, [np.arange(len(labels))])
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


@dataclass(frozen=True)
class Said:
    """The percent of cases that Weka gets right, and the size of its tree, if it grew one."""

    percent: float
    n_nodes: int | None


class Fold(Workplace):
    """The two files of a fold, for as many methods as are wanted."""

    def __init__(self, data: np.ndarray, labels: np.ndarray, training: np.ndarray, asked: np.ndarray) -> None:
        super().__init__()
        self._n_asked = len(asked)
        files = arff_lines(data.tolist(), labels.tolist(), [training, asked])
        for name, lines in zip(("train.arff", "test.arff"), files):
            (self.path / name).write_text("\n".join(lines) + "\n", encoding="ascii")

    def ask_all(self, schemes: Mapping[Key, Sequence[str]]) -> dict[Key, Said]:
        """Return what several classifiers say, asked side by side: most of the time goes into starting Java."""
        with ThreadPoolExecutor(n_cores()) as pool:
            return dict(zip(schemes, pool.map(lambda scheme: self.ask(*scheme), schemes.values())))

    def ask(self, *scheme: str) -> Said:
        """Return what a classifier says, named by its class and followed by its options."""
        ran = self.run(*command(scheme[0], "-t", "train.arff", "-T", "test.arff", "-v", *scheme[1:]))
        asked = _ASKED.search(ran.output)
        if ran.status != 0 or asked is None or int(asked[1]) != self._n_asked:
            raise ran.failure()
        # A case that it leaves without a class is none of those it gets right.
        right, nodes = _RIGHT.search(ran.output), _NODES.search(ran.output)
        return Said(100.0 * int(right[1] if right else 0) / self._n_asked, int(nodes[1]) if nodes else None)


@dataclass(frozen=True)
class Tree:
    """What J48 says of its tree: leaves without cases are counted, reading the file is not timed."""

    n_leaves: int
    n_nodes: int
    seconds: float


def j48(
    rows: Sequence[Sequence[Any]],
    labels: Sequence[Any],
    options: Sequence[str] = (),
    *,
    memory: str = "2g",
    starts_fast: bool = True,
    limit: float = 120,
) -> Tree:
    """Return the tree that J48 grows from a whole table, with so much memory, and in so many seconds at most."""
    with Workplace() as place:
        write_arff(place.path / "table.arff", rows, labels)
        words = command(J48, "-t", "table.arff", "-no-cv", *options, memory=memory, starts_fast=starts_fast)
        ran = place.run(*words, limit=limit).checked()
    found = [pattern.search(ran.output) for pattern in (_LEAVES, _NODES, _BUILT)]
    if None in found:
        raise ran.failure()
    leaves, nodes, seconds = (float(one[1]) for one in found if one is not None)
    return Tree(int(leaves), int(nodes), seconds)
