"""Debian's Weka as a witness: run J48 on a table, read back the size of its tree.

    size = j48([["a", 1.0], ["b", None]], ["P", "Q"], ["-U"])

Values of a nominal attribute are declared as v0, v1, … in the order of the values, classes in the order of the labels:
J48 prefers the first of equals.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.timbl import skip_or_fail

JAR = Path("/usr/share/java/weka.jar")
J48 = "weka.classifiers.trees.J48"


@dataclass(frozen=True)
class TreeSize:
    """What J48 says of its tree; leaves without cases are counted."""

    n_leaves: int
    n_nodes: int
    seconds: float | None = None


def is_available() -> bool:
    """Tell whether the program is installed."""
    return JAR.exists() and shutil.which("java") is not None


def require_weka() -> None:
    """Skip the test if Weka is absent, or fail it where peers are required."""
    if not is_available():
        skip_or_fail("weka is not installed")


def java(*arguments: str, heap: str = "1g", timeout: float = 120) -> str:
    """Return what a program of Weka prints."""
    command = ["java", f"-Xmx{heap}", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(JAR)]
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=timeout, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def write_arff(path: Path, rows: Sequence[Sequence[Any]], labels: Sequence[Any]) -> None:
    """Write a table in which floats are numbers, None is missing and the rest are symbols."""
    columns = list(zip(*rows))
    lines, coded = ["@relation table"], []
    for i, column in enumerate(columns):
        known = [value for value in column if value is not None]
        if known and all(isinstance(value, float) for value in known):
            lines.append(f"@attribute f{i} numeric")
            coded.append(["?" if value is None else repr(float(value)) for value in column])
        else:
            code = {value: f"v{j}" for j, value in enumerate(sorted(set(known)))}
            lines.append(f"@attribute f{i} {{{','.join(code.values())}}}")
            coded.append(["?" if value is None else code[value] for value in column])
    code = {label: f"c{j}" for j, label in enumerate(sorted(set(labels)))}
    lines += [f"@attribute class {{{','.join(code.values())}}}", "@data"]
    lines += [",".join([*row, code[label]]) for *row, label in zip(*coded, labels)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def j48(rows: Sequence[Sequence[Any]], labels: Sequence[Any], options: Sequence[str] = ()) -> TreeSize:
    """Return the size of the tree that J48 grows from a whole table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        write_arff(path, rows, labels)
        return size_in(java(J48, "-t", str(path), "-no-cv", "-v", *options))


def size_in(log: str) -> TreeSize:
    """Return the size of a tree from what J48 printed."""
    seconds = re.search(r"Time taken to build model: ([\d.]+)", log)
    return TreeSize(
        int(re.findall(r"Number of Leaves\s*:\s*(\d+)", log)[-1]),
        int(re.findall(r"Size of the tree\s*:\s*(\d+)", log)[-1]),
        float(seconds[1]) if seconds else None,
    )
