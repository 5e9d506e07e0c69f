"""How numbers are written: the text of every field comes back, and nothing else changes."""

import copy
import json
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.data.columns import spelling
from casebase.data.notation import Notation, is_form, joined, notation_of
from casebase.data.numbers import WrittenNumber, with_points
from casebase.render.words import format_value, same_value

NASTY = [
    "1.10",
    "1.1",
    "1.100",
    "5",
    "5.0",
    "5.",
    "+5",
    "005",
    "-0",
    "-0.00",
    "0",
    "0.00",
    ".5",
    "-.5",
    "1e3",
    "1E3",
    "1e+03",
    "1.50e-07",
    "0.00001",
    "12345678901234.50",
    "1e22",
    "1e16",
    "0.1234567890123456789",
    "9007199254740993.0",
    "7e-324",
    "10000000000000000",
    "123456789012345",
    "1234567890123456",
    "0.30000000000000004",
    "-12.340",
    "1.0e5",
    "0.0001",
]

plain = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=None).map(str)
fixed = st.builds(lambda x, n: f"{x:.{n}f}", st.floats(-1e6, 1e6), st.integers(0, 20))
shortest = st.floats(allow_nan=False, allow_infinity=False).map(repr)
exponents = st.builds(lambda x, n: f"{x:.{n}e}", st.floats(-1e6, 1e6), st.integers(0, 18))
texts = st.one_of(st.sampled_from(NASTY), plain, fixed, shortest, exponents)


def column_of(written: list[str | None]) -> tuple[pa.DictionaryArray, np.ndarray]:
    return pa.array(written, pa.string()).dictionary_encode(), np.array(
        [np.nan if t is None else float(t) for t in written]
    )


def texts_of(notation: Notation | None, numbers: np.ndarray) -> list[str | None]:
    values = [None if x != x else x for x in numbers.tolist()] if notation is None else notation.values(numbers)
    return [None if value is None else format_value(value) for value in values]


def canonical(notation: Notation | None) -> tuple[tuple[str, ...], list[int] | None] | None:
    return notation and (notation.forms, None if notation.codes is None else notation.codes.tolist())


@given(st.lists(st.one_of(st.none(), texts), min_size=1, max_size=12))
def test_the_text_of_every_field_comes_back(written: list[str | None]) -> None:
    column, numbers = column_of(written)
    notation = notation_of(column, numbers)
    assert texts_of(notation, numbers) == written
    values = [] if notation is None else notation.values(numbers)
    assert all(v is None or (v == x and format_value(v) == spelling(v)) for v, x in zip(values, numbers))


@given(st.lists(st.one_of(st.none(), texts), min_size=2, max_size=12), st.data())
def test_a_notation_does_not_depend_on_how_the_cases_came(written: list[str | None], data: st.DataObject) -> None:
    """Parts that are joined, and cases that are gone again, leave no trace: a corrected file is that of a new fit."""
    column, numbers = column_of(written)
    cut = data.draw(st.integers(0, len(written)))
    parts = [notation_of(column[:cut], numbers[:cut]), notation_of(column[cut:], numbers[cut:])]
    together = joined(parts, [cut, len(written) - cut])
    assert texts_of(together, numbers) == written
    kept = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(written), max_size=len(written))))
    rest = None if together is None else together.take(kept).tidy(numbers[kept])
    new = notation_of(*column_of([written[i] for i in kept]))
    assert canonical(rest) == canonical(new)


@given(st.lists(texts, min_size=1, max_size=12))
def test_which_are_short_is_what_is_shown(written: list[str]) -> None:
    column, numbers = column_of(written)
    notation = notation_of(column, numbers)
    if notation is not None:
        expected = [not isinstance(value, WrittenNumber) for value in notation.values(numbers)]
        assert notation.are_short(numbers).tolist() == expected


def test_a_uniform_column_has_one_form() -> None:
    rng = np.random.default_rng(1)
    for form in (".2f", ".0f", ".5f"):
        written = [format(x, form) for x in rng.normal(0, 100, 500)]
        written = [text for text in written if float(text)]  # -0.00 is a form of its own
        column, numbers = column_of([*written, None])
        notation = notation_of(column, numbers)
        assert notation is None if form == ".0f" else canonical(notation) == ((form,), None)
    assert notation_of(*column_of([repr(x) for x in rng.normal(0, 1, 500).tolist() if abs(x) > 1e-4])) is None


def test_decimal_commas_are_quoted_unless_they_would_mislead() -> None:
    written = ["1,10", "2,25", "1.234,50", "1.234", "7"]
    column = pa.array(written).dictionary_encode()
    numbers = np.array([1.1, 2.25, 1234.5, 1234.0, 7.0])
    # 1.234 is a thousand here: so written it would look like the number 1.234.
    assert texts_of(notation_of(column, numbers, ","), numbers) == ["1,10", "2,25", "1.234,50", "1234", "7"]
    assert with_points(pa.array([" 1,10", "1.5", "1,2,3"])).to_pylist() == ["1.10", "1.5", "1,2,3"]


def test_a_prefix_that_counts_is_quoted_whole() -> None:
    column, numbers = pa.array(["5abc", " 5.0 ", "1,5"]).dictionary_encode(), np.array([5.0, 5.0, 1.0])
    assert texts_of(notation_of(column, numbers), numbers) == ["5abc", "5.0", "1"]  # 1,5 would look like 1.5


def test_a_written_number_is_a_number() -> None:
    number = WrittenNumber(1.1, "1.10")
    assert (number, hash(number), json.dumps(number)) == (1.1, hash(1.1), "1.1")
    assert f"{number}" == str(number) == format_value(number) == "1.10"
    assert same_value(number, 1.1)
    for same in (copy.deepcopy(number), pickle.loads(pickle.dumps(number))):
        assert isinstance(same, WrittenNumber)
        assert (same, same.text) == (1.1, "1.10")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("", True),
        (".2f", True),
        (",3e", True),
        ("=x", True),
        (".9999f", False),
        ("%s", False),
        (None, False),
        (5, False),
    ],
)
def test_forms_of_a_file_are_checked(form: object, expected: bool) -> None:
    assert is_form(form) is expected
