"""Finding the kinds of the columns of a table, before anything is learned from it."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from casebase.data import Table, as_table
from casebase.data.kinds import source_of
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes, short
from lab.bench.timing import core_clock, runs_of

TARGETS = (0.2, 2.0)  # seconds of one core, for 100,000 and for a million rows


def finding_kinds(sizes: Sizes) -> Iterator[Row]:
    """Measure the seconds to find the kinds of 15 columns, among them four with a different value in every row."""
    for n_rows, target in zip((sizes.middle, sizes.bits), TARGETS):
        table = _table(n_rows)
        what = f"kinds of {len(table.names)} columns, {short(n_rows)} rows, in seconds"
        yield alone(what, runs_of(partial(source_of, table, "auto"), sizes.repeats, core_clock), target)


def _table(n: int) -> Table:
    """Return columns of every kind."""
    draw = np.random.default_rng(0)
    columns = {
        "id": np.arange(n),
        "name": pa.array([f"name {i}" for i in range(n)]),
        "note": pa.array([f"a long text of many words about number {i}" for i in range(n)]),
        "city": pa.array([f"city {i}" for i in draw.integers(0, 5_000, n)]),
        "sex": pa.array(draw.choice(["f", "m"], n)),
        "host": pa.array(["h"] * n),
        "paid": draw.random(n) < 0.5,
        "rank": draw.integers(1, 4, n),
        "age": draw.integers(0, 90, n),
        "price": draw.integers(0, 10**7, n),
        "zip": draw.integers(10_000, 100_000, n),
        "size": draw.random(n),
        "stars": draw.integers(0, 6, n).astype(float),
        "day": pa.array(draw.integers(0, 20_000, n).astype("M8[D]")),
        "moment": pa.array(draw.integers(0, 10**9, n).astype("M8[s]")),
    }
    return as_table(pa.table(columns))
