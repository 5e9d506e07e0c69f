"""One spelling for a value, whatever it comes in: Arrow, pandas, polars, numpy, lists and dicts."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from casebase.data import as_table
from casebase.data.columns import as_text

AMSTERDAM = timezone(timedelta(hours=1))
VALUES = {
    "time stamp": (datetime(2024, 2, 29, 13, 5, 0, 250_000), "2024-02-29 13:05:00.25"),
    "midnight": (datetime(2024, 2, 29), "2024-02-29 00:00:00"),
    "time stamp with a zone": (datetime(2024, 2, 29, 14, 5, tzinfo=AMSTERDAM), "2024-02-29 13:05:00Z"),
    "time stamp of UTC": (datetime(2024, 2, 29, 13, 5, tzinfo=UTC), "2024-02-29 13:05:00Z"),
    "date": (date(2024, 2, 29), "2024-02-29"),
    "time": (time(13, 5, 0, 500_000), "13:05:00.5"),
    "duration": (timedelta(days=1, hours=2, microseconds=500_000), "26:00:00.5"),
    "negative duration": (-timedelta(seconds=1), "-00:00:01"),
    "large whole number": (2**64 - 1, "18446744073709551615"),
    "whole number": (7, "7"),
    "truth": (True, "True"),
    "text": ("Ü", "Ü"),
    "decimal": (Decimal("1.50"), "1.5"),
}


def in_numpy(value):
    column = np.array([value], dtype=np.uint64) if value == 2**64 - 1 else np.array([value])
    return np.stack([column], axis=1)


WAYS = {
    "list": lambda value: [[value]],
    "dict": lambda value: [{"f1": value}],
    "numpy": in_numpy,
    "numpy objects": lambda value: np.array([[value]], dtype=object),
    "pandas": lambda value: pd.DataFrame({"f1": [value]}),
    "pandas categories": lambda value: pd.DataFrame({"f1": pd.Series([value]).astype("category")}),
    "polars": lambda value: pl.DataFrame({"f1": pl.Series([value], dtype=pl.UInt64 if value == 2**64 - 1 else None)}),
    "arrow": lambda value: pa.table({"f1": pa.array([value], pa.uint64() if value == 2**64 - 1 else None)}),
    "mixed": lambda value: [[value], ["another"]],
}


@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize("way", WAYS)
def test_a_value_has_one_spelling(what, way):
    """A model that learned it from one kind of table knows it in any other."""
    value, text = VALUES[what]

    assert as_text(as_table(WAYS[way](value)).columns[0]).to_pylist()[0] == text


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_does_not_matter(unit):
    """A time stamp in nanoseconds is spelled like one in seconds."""
    column = pa.array([datetime(2024, 2, 29)]).cast(pa.timestamp(unit))

    assert as_table(pa.table({"a": column})).columns[0].to_pylist() == ["2024-02-29 00:00:00"]


def test_a_time_zone_that_nobody_knows():
    """Regression: Arrow's traceback."""
    table = pa.table({"a": pa.array([0], pa.timestamp("s", "Mars/Olympus"))})

    assert as_table(table).columns[0].to_pylist() == ["1970-01-01 00:00:00Z"]


def test_intervals():
    """Categories of `pandas.cut` are spelled as the data frame shows them; regression: Arrow's traceback."""
    cut = pd.cut(pd.Series([0.5, 3.0]), [0, 1, 5])

    assert as_table(pd.DataFrame({"a": cut})).columns[0].to_pylist() == ["(0, 1]", "(1, 5]"]
    assert as_table(pd.DataFrame({"a": cut.astype("interval")})).columns[0].to_pylist() == ["(0, 1]", "(1, 5]"]
    assert as_table([[pd.Interval(0, 1)]]).columns[0].to_pylist() == ["(0, 1]"]


def test_dictionaries_of_decimals():
    """Regression: Arrow's traceback."""
    column = pa.array([Decimal("1.50"), None, Decimal("2.00")]).dictionary_encode()

    assert as_table(pa.table({"a": column})).columns[0].to_pylist() == ["1.5", None, "2"]


def test_a_date_beside_a_time_stamp_stays_a_date():
    """Regression: Arrow made both time stamps, or both dates."""
    table = as_table([[date(2024, 2, 29)], [datetime(2024, 2, 29, 13)]])

    assert table.columns[0].to_pylist() == ["2024-02-29", "2024-02-29 13:00:00"]
