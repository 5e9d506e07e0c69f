"""Debian's Weka as a witness: run J48 on a table, read back the size of its tree.

size = j48([["a", 1.0], ["b", None]], ["P", "Q"], ["-U"])
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.papers.weka import J48, JAVA, is_installed, jar, write_arff
from tests.peers.timbl import skip_or_fail


@dataclass(frozen=True)
class TreeSize:
    """What J48 says of its tree; leaves without cases are counted."""

    n_leaves: int
    n_nodes: int
    seconds: float | None = None


def require_weka() -> None:
    """Skip the test if Weka is absent, or fail it where peers are required."""
    if not is_installed():
        skip_or_fail("weka is not installed")


def java(*arguments: str) -> str:
    """Return what a program of Weka prints."""
    run = subprocess.run([*JAVA, str(jar()), *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


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
