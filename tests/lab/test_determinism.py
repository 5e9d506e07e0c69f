"""Model files do not depend on the processor: NumPy's logarithms do, and none of them is stored."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from lab import determinism

SOME = ["C45Classifier", "IB1-information_gain", "OpinionPool", "SMILEClassifier-symbols"]
NUMPY_S_OWN = """
import hashlib, numpy as np
print(hashlib.sha256(np.log(np.linspace(0.1, 50, 10_000)).tobytes()).hexdigest())
"""


def test_numpy_on_an_older_processor_gives_the_same_files(tmp_path):
    environment = os.environ | determinism.OLD_PROCESSOR
    command = [sys.executable, "-W", "ignore", "-c", NUMPY_S_OWN]
    older = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    if older == hashlib.sha256(np.log(np.linspace(0.1, 50, 10_000)).tobytes()).hexdigest():
        pytest.skip("NumPy has the same logarithms without newer instructions here")

    determinism.write(tmp_path / "here", shows=False, only=SOME)
    only = [word for name in SOME for word in ("--only", name)]
    command = [sys.executable, "-W", "ignore", "-m", "lab.determinism", str(tmp_path / "older"), *only]
    command += ["--against", str(tmp_path / "here")]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stdout + ran.stderr
