"""EODG, the oblivious decision graph: learning from words and from chess."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.oblivious import graph
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes
from lab.bench.timing import runs_of

N_WORDS, N_COLUMNS = 5_000, 8


def words(n_cases: int, seed: int = 0) -> Cases:
    """Return random words, a few of them frequent, with classes that they do not decide."""
    rng = np.random.default_rng(seed)
    drawn = rng.zipf(1.3, (n_cases, N_COLUMNS)) % N_WORDS
    return Cases.from_table(drawn.astype(str), y=rng.integers(0, 5, n_cases).astype(str))


def eodg_speed(sizes: Sizes) -> Iterator[Row]:
    for n in (sizes.few, sizes.mixed):
        learn = partial(graph.fit, words(n), method="eodg")
        yield alone(f"EODG, words {n:,} × {N_COLUMNS} of {N_WORDS:,}: learn", runs_of(learn, sizes.repeats), 20)
    try:
        chess = cb.datasets.load_keel("chess")
    except CasebaseError:
        return
    learn = partial(graph.fit, Cases.from_table(chess.data, y=chess.target), method="eodg")
    n, n_features = chess.data.shape
    yield alone(f"EODG, king-rook-king-pawn {n:,} × {n_features}: learn", runs_of(learn, sizes.repeats), 2)
