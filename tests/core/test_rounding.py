"""Distances round alike on every machine: a product and a sum are never fused into one operation."""

import math
import os
import platform
import re
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.paths import ROOT

PROGRAM = Path(__file__).parent / "programs" / "distances.cpp"
COMPILER = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


def flags_of_the_build() -> list[str]:
    """The options of CMakeLists.txt for compilers that are not Microsoft's, as for a release."""
    (given,) = re.findall(r"PRIVATE (-Wall [^\n]*)\)\n", (ROOT / "CMakeLists.txt").read_text())
    return [re.sub(r"^\$<\$<CONFIG:Release>:(.*)>$", r"\1", flag) for flag in given.split()]


def fusing() -> list[str] | None:
    """The options with which this processor fuses; None if it cannot."""
    if platform.machine() in {"arm64", "aarch64"}:
        return []
    cpu = Path("/proc/cpuinfo")
    return ["-mfma"] if cpu.exists() and re.search(r"^flags.*\bfma\b", cpu.read_text(), re.MULTILINE) else None


def distances(folder: Path, flags: list[str], weights, asked, columns) -> list[float]:
    """The cosine distance of each row, by the core compiled with these options."""
    program = folder / "distances"
    alone = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # sanitisers are not for these
    command = [COMPILER, "-std=c++20", f"-I{ROOT / 'src'}", *flags, str(PROGRAM), "-o", str(program)]
    subprocess.run(command, check=True, env=alone)
    lists = [",".join(map(repr, numbers)) for numbers in (weights, asked, *columns)]
    ran = subprocess.run([program, *lists], check=True, capture_output=True, text=True, env=alone)
    return [struct.unpack(">d", bytes.fromhex(bits))[0] for bits in ran.stdout.split()]


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.skipif(fusing() is None, reason="this processor does not fuse products and sums")
def test_a_target_that_fuses(tmp_path):
    """With the options of the build distances are, bit for bit, those of Python's sums of rounded products."""
    rng = np.random.default_rng(1)
    columns, asked, weights = rng.random((5, 60)).tolist(), rng.random(5).tolist(), rng.random(5).tolist()
    found = distances(tmp_path, [*flags_of_the_build(), *(fusing() or [])], weights, asked, columns)
    for row, distance in enumerate(found):
        dot = length = asked_length = 0.0
        for weight, x, column in zip(weights, asked, columns, strict=True):
            y = column[row]
            dot += x * y * weight
            length += y * y * weight
            asked_length += x * x * weight
        assert distance == 1.0 - dot / math.sqrt(asked_length * length)
