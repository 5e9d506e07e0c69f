"""The data files that stand beside the checkout: those of the papers, the corpora, the lists of words.

They are in the folder that the environment variable `CASEBASE_DATA` names, else in `../shared/data` as seen from the
checkout. The package knows no such place: `casebase.datasets` is told the folder.
"""

import os
from pathlib import Path

from casebase import datasets
from casebase.datasets import Dataset
from lab.paths import ROOT


def folder() -> Path:
    """Return the folder of the data files, which may be absent."""
    return Path(os.environ.get("CASEBASE_DATA") or ROOT.parent / "shared" / "data")


def load_local(name: str, *, symbolic: bool | None = None) -> Dataset:
    """Return the data set of a CSV file: zoo, soybean, glass, votes or dna."""
    return datasets.load_local(name, symbolic=symbolic, folder=folder())


def local_lines(file: str) -> list[str]:
    """Return the lines of a text file, which may be compressed."""
    return datasets.local_lines(file, folder=folder())
