"""Check an installed casebase on its own, without a checkout: every method learns, answers, is saved and read again.

Wheels are checked with it on every platform, where the whole test suite would take hours: `python check_installed.py`.
"""

import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import numpy as np

import casebase as cb


def main() -> None:
    """Run every check; an assertion ends the program with an error."""
    assert cb.__version__ == metadata.version("casebase")
    lenses = cb.datasets.load_lenses()
    X = np.array(lenses.data, dtype=object)
    names = sorted(name for name in cb.__all__ if name.endswith("Classifier") and name != "StringRuleClassifier")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            learner = getattr(cb, name)().fit(X, lenses.target)
            path = Path(folder) / f"{name}.cb"
            learner.save(path)
            learner.save(path)  # replaces the file
            again = cb.load(path)
            assert list(again.predict(X)) == list(learner.predict(X)), name
            assert len(learner.explain(X[:1])) == 1, name
            del again  # a mapped file cannot be deleted on Windows
        _check_commands(Path(folder))
    print(
        f"casebase {cb.__version__}: {len(names)} methods work on Python {platform.python_version()}, {sys.platform}."
    )


def _check_commands(folder: Path) -> None:
    """Train, correct and ask a model from the command line."""
    table = folder / "table.csv"
    table.write_text("size,colour,kind\n" + "big,red,A\nbig,blue,A\nsmall,red,B\nsmall,blue,B\n" * 5, encoding="utf-8")
    for arguments in (
        ["train", "table.csv", "-o", "m.cb", "--learner", "ib1"],
        ["insert", "m.cb", "table.csv"],
        ["remove", "m.cb", "3"],
        ["predict", "m.cb", "table.csv"],
        ["explain", "m.cb", "table.csv", "--limit", "1"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "casebase", *arguments], cwd=folder, capture_output=True, check=False
        )
        assert done.returncode == 0, (arguments, done.stderr.decode(errors="replace"))


if __name__ == "__main__":
    main()
