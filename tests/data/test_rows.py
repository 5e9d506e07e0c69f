"""A few plain rows are coded as Arrow's path codes them, which alone defines what a table means."""

import datetime
import decimal
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.data import Cases, Schema
from casebase.data.rows import FEW, PlainColumns, plain_rows

TRAINING: dict[str, list[Any]] = {
    "colour": ["red", "blue", "", "True", "7", "1.5"],
    "size": [7, 8, 9, 2**60, -1, 0],
    "old": [True, False, True, True, False, False],
    "weight": [1.5, -2.0, 0.0, 7.0, 1e300, np.nan],
    "spot": ["x", None, "y", "é", "漢", "x"],
    "number": [1.0, 2.0, 2.5, 1e16, -0.0, np.nan],
}
NAMES = list(TRAINING)


def schema(*, is_named: bool) -> Schema:
    """Features of all kinds; the last one has numbers that are compared as symbols."""
    rows = list(zip(*TRAINING.values()))
    table = pd.DataFrame(TRAINING) if is_named else [list(row) for row in rows]
    known = Cases.from_table(table, y=list("abcabc")).with_kinds({5: "symbolic"}).schema
    return replace(known, features=(*known.features[:5], replace(known.features[5], of_numbers=True)))


SCHEMAS = {False: schema(is_named=False), True: schema(is_named=True)}

plain = st.one_of(
    st.sampled_from(["red", "blue", "", "x", "True", "7", "?", "NaN", "nan", "é", "unseen", "\ud800", "5abc", "1.5"]),
    st.text(max_size=3),
    st.integers(),
    st.sampled_from([0, 7, -1, 2**53, 2**60, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400]),
    st.floats(),
    st.sampled_from([1.5, 7.0, -0.0, 0.0, 1e16, 2.5, float("nan"), float("inf")]),
    st.booleans(),
    st.none(),
)
numpy_scalars = st.one_of(
    st.floats(width=32).map(np.float32),
    st.floats().map(np.float64),
    st.integers(-9, 9).map(np.int64),
    st.integers(-9, 9).map(np.int32),
    st.integers(0, 9).map(np.uint8),
    st.booleans().map(np.bool_),
    st.sampled_from(["red", "x"]).map(np.str_),
)
unusual = st.one_of(
    st.sampled_from([pd.NA, pd.NaT, pa.NA, b"red", b"\xff", 1 + 2j, (1, 2), [1], {"a": 1}]),
    st.sampled_from([decimal.Decimal("7"), decimal.Decimal("1.50"), datetime.date(2020, 1, 2), datetime.time(3)]),
)
values = st.one_of(plain, plain, plain, numpy_scalars, unusual)
n_values = st.sampled_from([6, 6, 6, 6, 6, 5, 7])


@st.composite
def tables(draw: st.DrawFn) -> Any:
    """A few rows in one of the shapes that people bring, most of them plain, some with the wrong number of values."""
    n_rows, width = draw(st.integers(1, 3)), draw(n_values)
    cells = draw(st.sampled_from([plain, values]))
    is_typed = draw(st.booleans())
    if is_typed:  # columns of one type, as tables have them
        one_type = [st.one_of(st.none(), kind) for kind in (st.text(max_size=2), st.integers(-9, 9), st.floats())]
        columns = [
            draw(st.lists(draw(st.sampled_from(one_type)), min_size=n_rows, max_size=n_rows)) for _ in range(width)
        ]
        rows = [list(row) for row in zip(*columns)]
    else:
        rows = [draw(st.lists(cells, min_size=width, max_size=width)) for _ in range(n_rows)]
    names = draw(st.permutations([*NAMES, "extra"]))[:width] if draw(st.booleans()) else [*NAMES, "extra"][:width]
    shape = draw(st.sampled_from(["lists", "tuples", "records", "array", "frame", "mixed rows"]))
    if shape == "lists":
        return rows
    if shape == "tuples":
        return tuple(tuple(row) for row in rows)
    if shape == "records":
        return [dict(zip(names, row)) for row in rows]
    if shape == "mixed rows":
        return [row if i % 2 else _array([row])[0] for i, row in enumerate(rows)]
    return _array(rows) if shape == "array" else pd.DataFrame(rows, columns=names, dtype=None if is_typed else object)


def _array(rows: list[list[Any]]) -> np.ndarray:
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            array[i, j] = value
    return array


def outcome(encode: Any) -> Any:
    """What comes of coding a table: its columns bit by bit and the values that are shown, or the error."""
    try:
        cases = encode()
    except Exception as error:
        return type(error), str(error)
    columns = [(column.dtype.str, column.tobytes()) for column in cases.columns]
    shown = [repr(cases.values(row)) for row in range(cases.n_cases)]
    source = [column.to_pylist() for column in cases.source]
    # A column of missing values has no type of its own.
    kinds = [str(column.type) for column in cases.source if column.null_count < len(column)]
    return columns, cases.n_cases, cases.labels, shown, repr(source), kinds


def by_arrow(known: Schema, table: Any) -> Any:
    """What Arrow's path says: the definition."""
    return outcome(lambda: known.encode(known.table(table)))


@settings(max_examples=150, deadline=None)
@given(tables(), st.booleans())
def test_plain_rows_are_coded_as_by_arrow(table: Any, is_named: bool) -> None:
    """Codes, numbers, shown values and errors are those of Arrow's path, for any few rows."""
    known = SCHEMAS[is_named]

    assert outcome(lambda: known.encode(table)) == by_arrow(known, table)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["f4", "f8", "i4", "i8", "u8", "?", "U3", "f2", "S2", "M8[D]", "c16"]), st.integers(0, 2**20))
def test_arrays_of_one_type_are_coded_as_by_arrow(dtype: str, seed: int) -> None:
    """The values of a typed array are taken as the values of its columns."""
    numbers = np.random.default_rng(seed).choice([0, 1, 7, 12], size=(2, 6))
    table = numbers.astype("i8").astype(dtype)
    if table.dtype.kind == "f":
        table[0, seed % 6] = np.nan

    for known in SCHEMAS.values():
        for rows in (table, [table[0]], [list(table[0])], pd.DataFrame(table, columns=NAMES)):
            assert outcome(partial(known.encode, rows)) == by_arrow(known, rows)


@pytest.mark.parametrize(
    "table",
    [
        [["red", 7, True, 1.5, None, 2.5]],
        [("red", 7, True, 1.5, None, 2.5)],
        [dict(zip(NAMES, ["red", 7, True, 1.5, None, 2.5]))],
        np.array([["red", 7, True, 1.5, None, 2.5]], dtype=object),
        pd.DataFrame([["red", 7, True, 1.5, None, 2.5]], columns=NAMES),
        [np.array([1.5, np.nan, 2.0, 3.0, 4.0, 5.0])],
    ],
)
def test_common_rows_need_no_arrow(table: Any) -> None:
    """The usual shapes of one row are coded by the quick path, which would go unused unnoticed."""
    rows = plain_rows(table)

    assert rows is not None
    assert isinstance(SCHEMAS[True].encode(table).source, PlainColumns)


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical([1.5]),
        pd.Categorical(["red"], categories=["blue", "red"]),
        pd.Categorical([None]),
        pd.array([7], dtype="Int64"),
        pd.array([None], dtype="Int64"),
        pd.array([1.5], dtype="Float64"),
        pd.array(["7"], dtype="string"),
        pd.array([True], dtype="boolean"),
        pd.to_datetime(["2020-01-02"]),
        pd.arrays.SparseArray([1.5]),
        [datetime.date(2020, 1, 2)],
        [np.datetime64("2020-01-02")],
        [np.datetime64("NaT")],
        [pd.NaT],
    ],
)
def test_columns_of_other_types_are_coded_as_by_arrow(column: Any) -> None:
    """What pandas knows about a column (categories, dates, its own numbers) counts, as in a large frame."""
    for known in SCHEMAS.values():
        table = pd.DataFrame(dict.fromkeys(NAMES, column))

        assert outcome(partial(known.encode, table)) == by_arrow(known, table)


def test_many_rows_are_left_to_arrow() -> None:
    """A table of many rows is not taken apart value by value."""
    assert plain_rows([["red"]] * FEW) is not None
    assert plain_rows([["red"]] * (FEW + 1)) is None


def test_a_value_that_is_gone_is_unknown() -> None:
    """A value whose last case was taken out keeps its code, but a question with it is answered as never seen."""
    known = Cases.from_table([["a"], ["b"]], y=["P", "Q"]).schema
    feature = known.features[0]
    assert feature.vocabulary is not None
    vocabulary = feature.vocabulary.with_values(["c", None]).without([1, 3])
    gone = Schema((type(feature)("f1", "symbolic", vocabulary),), known.classes)
    table = [["a"], ["b"], ["c"], [None]]

    assert gone.encode(table).columns[0].tolist() == [0, 255, 2, 255]
    assert outcome(lambda: gone.encode(table)) == by_arrow(gone, table)


def test_later_changes_to_a_row_change_nothing() -> None:
    """The values that are shown are those that were asked about."""
    row = ["red", 7, True, 1.5, None, 2.5]
    cases = SCHEMAS[False].encode([row])
    row[0] = "blue"

    assert cases.values(0)[0] == "red"
