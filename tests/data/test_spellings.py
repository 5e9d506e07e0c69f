"""One spelling for a value, whatever it comes in: Arrow, pandas, polars, numpy, lists and dicts."""

import itertools
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from casebase.data import as_table
from casebase.data.columns import as_text
from casebase.errors import CasebaseError

AMSTERDAM = timezone(timedelta(hours=1))


class Colour(Enum):
    RED = "red"


class TextColour(str, Enum):  # noqa: UP042 - `str` of it is its name, that of a StrEnum its value
    RED = "red"


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
    "large decimal": (Decimal("1E+30"), "1000000000000000019884624838656"),
    "member of an enumeration": (Colour.RED, "red"),
}


def in_numpy(value):
    column = np.array([value], dtype=np.uint64) if value == 2**64 - 1 else np.array([value])
    return np.stack([column], axis=1)


def in_arrow(value):
    if isinstance(value, Enum):  # Arrow has no such type
        value = value.value
    return pa.array([value], pa.uint64() if value == 2**64 - 1 else None)


WAYS = {
    "list": lambda value: [[value]],
    "dict": lambda value: [{"f1": value}],
    "numpy": in_numpy,
    "numpy objects": lambda value: np.array([[value]], dtype=object),
    "pandas": lambda value: pd.DataFrame({"f1": [value]}),
    "pandas categories": lambda value: pd.DataFrame({"f1": pd.Series([value]).astype("category")}),
    "polars": lambda value: pl.DataFrame({"f1": pl.Series([value], dtype=pl.UInt64 if value == 2**64 - 1 else None)}),
    "arrow": lambda value: pa.table({"f1": in_arrow(value)}),
    "dictionary of arrow": lambda value: pa.table({"f1": in_arrow(value).dictionary_encode()}),
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


# Values that Arrow would convert to the type of a neighbour, or does not take at all.
COMPANY = [
    True,
    1,
    0.5,
    "a",
    None,
    float("nan"),
    pd.NA,
    pd.NaT,
    2**70,
    Decimal("1.50"),
    Decimal("1E+3"),
    np.bool_(False),
    Decimal("12345678901234567891"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    np.int8(3),
    np.float16(0.1),
    np.float32(0.1),
    np.longdouble(0.1),
    np.float64("nan"),
    np.datetime64("NaT"),
    date(2024, 2, 29),
    datetime(2024, 2, 29, 5),
    datetime(2024, 2, 29, 5, tzinfo=AMSTERDAM),
    pd.Timestamp("2024-02-29 05:00", tz="Asia/Tokyo"),
    pd.Timestamp("2024-02-29 05:00:00.000000001"),
    pd.Timestamp("2024-02-29 05:00:00.000000001", tz="Asia/Tokyo"),
    time(5),
    time(5, tzinfo=UTC),
    time(5, tzinfo=AMSTERDAM),
    timedelta(1),
    timedelta.max,
    pd.Timedelta("1ns"),
    np.datetime64("2024-02-29T05", "h"),
    np.timedelta64(3, "D"),
    pd.Interval(0, 1),
    pd.Period("2024-01"),
    uuid.UUID(int=5),
]


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


CONTAINERS = {
    "list": lambda values: [[value] for value in values],
    "dicts": lambda values: [{"f1": value} for value in values],
    "numpy": lambda values: objects(values).reshape(-1, 1),
    "pandas": lambda values: pd.DataFrame({"f1": pd.Series(objects(values), dtype=object)}),
    "polars": lambda values: pl.DataFrame({"f1": pl.Series(values, dtype=pl.Object)}),
}


def spelled(way, values):
    return as_text(as_table(CONTAINERS[way](values)).columns[0]).to_pylist()


@pytest.mark.parametrize("way", CONTAINERS)
def test_the_company_of_a_value_does_not_matter(way):
    """Regression: 1 beside a date was 1970-01-02, True beside 0.5 was 1, a time without a zone got one."""
    alone = {id(value): spelled("list", [value])[0] for value in COMPANY}

    for values in itertools.permutations(COMPANY, 2):
        assert spelled(way, list(values)) == [alone[id(value)] for value in values], values


def test_mixed_categories_of_pandas():
    """Regression: the same through a category."""
    values = [date(2024, 2, 29), 1, "a", datetime(2024, 2, 29, tzinfo=UTC)]
    frame = pd.DataFrame({"a": pd.Series(objects(values), dtype="category")})

    assert as_table(frame).columns[0].to_pylist() == ["2024-02-29", "1", "a", "2024-02-29 00:00:00Z"]


def test_objects_of_pandas_keep_their_zone():
    """Regression: they were spelled like times without a zone."""
    frame = pd.DataFrame({"a": pd.Series([datetime(2024, 7, 1, 14, tzinfo=AMSTERDAM)], dtype=object)})

    assert as_table(frame).columns[0].to_pylist() == ["2024-07-01 13:00:00Z"]


@pytest.mark.parametrize("value", ["2024", "2024-02", "2024-02-29", "2024-02-29T13", "2024-02-29T13:05"])
def test_all_units_of_numpy(value):
    """Regression: tracebacks of Arrow, as scalars and as columns."""
    text = {4: "2024-01-01", 7: "2024-02-01", 10: "2024-02-29", 13: "2024-02-29 13:00:00", 16: "2024-02-29 13:05:00"}
    moment = np.datetime64(value)

    for table in ([[moment]], [[moment], ["another"]], np.array([[moment]])):
        assert as_text(as_table(table).columns[0]).to_pylist()[0] == text[len(value)]


def test_a_duration_in_months_has_no_length():
    """A clear error; regression: the number of months, as a text."""
    with pytest.raises(CasebaseError, match="A duration in months has no fixed length"):
        as_table([[np.timedelta64(3, "M")]])


@pytest.mark.parametrize("value", [b"a", [1, 2], {"a": 1}, {1}, np.void(b"a")])
def test_nested_and_binary_values_are_refused_in_any_company(value):
    """Regression: beside a text they were spelled as Python shows them."""
    for rows in ([[value]], [[value], ["a"]]):
        with pytest.raises(CasebaseError, match="Expected columns of text, categories, booleans"):
            as_table(rows)


def test_decimals_are_the_nearest_numbers():
    """Regression: 1000 was 1000.0000000000001, because another value of its column had nine digits after the point."""
    values = [Decimal("1E+3"), Decimal("1E-9"), Decimal("123456.7")]

    assert as_table(pa.table({"a": values})).columns[0].to_pylist() == [1000.0, 1e-9, 123456.7]


def test_periods_of_pandas():
    """As pandas shows them; regression: the number of months since 1970."""
    assert as_table(pd.DataFrame({"a": [pd.Period("2024-01")]})).columns[0].to_pylist() == ["2024-01"]


def test_types_of_arrow_that_are_encodings():
    """Runs and UUIDs are the values that they stand for."""
    runs = pa.compute.run_end_encode(pa.array(["a", "a", "b"]))
    ids = pa.array([uuid.UUID(int=5).bytes], pa.binary(16))

    assert as_table(pa.table({"a": runs})).columns[0].to_pylist() == ["a", "a", "b"]
    assert as_table(pl.DataFrame({"a": pl.Series([2**70], dtype=pl.Int128)})).columns[0].to_pylist() == [str(2**70)]
    if hasattr(pa, "uuid"):  # pyarrow 18 or later
        column = pa.ExtensionArray.from_storage(pa.uuid(), ids)
        assert as_table(pa.table({"a": column})).columns[0].to_pylist() == [str(uuid.UUID(int=5))]


def test_nanoseconds_of_objects():
    """Regression: a list lost them, a data frame did not, so what one had learned the other had never seen."""
    moments = [pd.Timestamp("2024-02-29 05:00:00.000000001"), pd.Timestamp("2024-02-29 05:00:00.000000002", tz="UTC")]

    for moment, text in zip(moments, ["2024-02-29 05:00:00.000000001", "2024-02-29 05:00:00.000000002Z"]):
        for table in ([[moment]], [{"f1": moment}], pd.DataFrame({"f1": [moment]})):
            assert as_table(table).columns[0].to_pylist() == [text]


def test_times_of_day_with_a_zone():
    """Regression: the zone was lost, and two times were one value."""
    times = [time(5, tzinfo=UTC), time(5, tzinfo=AMSTERDAM), time(5, tzinfo=timezone(-timedelta(hours=3, minutes=30)))]

    assert as_table([[one] for one in times]).columns[0].to_pylist() == [
        "05:00:00Z",
        "05:00:00+01:00",
        "05:00:00-03:30",
    ]


@pytest.mark.parametrize("number", [np.float16(0.5), np.longdouble(0.5), Decimal("0.50"), 0.5])
@pytest.mark.parametrize("other", [99, np.int64(99), 0.25, Decimal("0.25"), pd.NaT, pd.NA, None])
def test_numbers_of_all_types_are_numbers_together(number, other):
    """Regression: half-precision numbers beside integers were cut to 0, decimals beside floats were categories."""
    table = as_table([[number], [other]])

    assert table.columns[0].to_pylist() == [0.5, None if pd.isna(other) else float(other)]
    assert table.columns[0].type == pa.float64()


def test_sparse_columns_of_pandas():
    """Regression: sparse floats were categories, sparse times lost their unit."""
    numbers, days = np.array([0.0, 0.0, 1.5]), np.array(["2024-02-29", "2024-03-01"], dtype="datetime64[s]")

    assert as_table(pd.DataFrame({"a": pd.arrays.SparseArray(numbers)})).columns[0].to_pylist() == [0.0, 0.0, 1.5]
    sparse = as_table(pd.DataFrame({"a": pd.arrays.SparseArray(days)})).columns[0].to_pylist()
    assert sparse == ["2024-02-29 00:00:00", "2024-03-01 00:00:00"]


@pytest.mark.parametrize("member", [Colour.RED, TextColour.RED])
@pytest.mark.parametrize("other", ["a", 1, True, date(2024, 2, 29), None])
def test_members_of_enumerations_are_their_values(member, other):
    """As polars and Arrow have them, in any company; regression: `TextColour.RED` beside a number."""
    assert as_table([[member], [other]]).columns[0].to_pylist()[0] == "red"
