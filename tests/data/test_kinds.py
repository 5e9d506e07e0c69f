"""The kind of each column of a table, and the features that are learned from it."""

import datetime as dt
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.data.dates import dates_in
from casebase.data.kinds import cases_with_kinds, kind_of, summary_of
from casebase.data.sources import KINDS, ColumnKind, Source
from casebase.errors import CasebaseError, SchemaError

HOSTS = ["anna", "bert", "cleo", "dora", "emil"]
SENTENCES = [f"the {i}th guest came late and left before dinner" for i in range(40)]


def kind(values, name="x", kinds="auto"):
    """Return the kind of a column of values."""
    (found,) = cb.column_kinds(pd.DataFrame({name: values}), kinds)
    return found


def listed(values, name="x"):
    """Return the kind of a column of a list of dicts."""
    (found,) = cb.column_kinds([{name: value} for value in values])
    return found


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a"] * 5, "constant"),
        ([None] * 5, "constant"),
        ([7] * 5, "constant"),
        ([0.5] * 5, "constant"),
        (["a", None, "a"], "symbol"),
        ([0.5, None, 0.5], "symbol"),
        ([3, None, 3], "symbol"),
        ([True, False, True], "truth"),
        (["yes", "no", None], "truth"),
        (["T", "F", "T"], "truth"),
        (["Y", "n"], "truth"),
        ([0, 1, 1], "truth"),
        (["yes", "off"], "symbol"),
        ([1, 2, 2, 1], "symbol"),
        ([1, 2, 3, 2], "ordinal"),
        ([0, 1, 2, 3, 4, 5], "ordinal"),
        ([0, 1, 2, 3, 5, 8] * 3, "ordinal"),
        ([10, 20, 30, 20], "ordinal"),
        ([-1, 0, 1, 0], "ordinal"),
        (["1", "2", "3"], "ordinal"),
        ([101, 405, 999, 101] * 5, "symbol"),
        ([*range(11)] * 3, "number"),
        ([20, 35, 52, 61, 77, 90], "number"),
        ([0.5, 1.5, 2.0], "number"),
        ([1.0, 2.0, 3.0, 2.0], "ordinal"),
        ([100.0, 5.0, 70.0], "number"),
        (["1.5", "2", "?"], "number"),
        ([f"{i:03}" for i in range(15)] * 2, "symbol"),
        (["5abc", "6", "7"], "symbol"),
        (["red", "green", "red"], "symbol"),
        (HOSTS * 10, "symbol"),
        ([f"guest {i}" for i in range(40)], "key"),
        ([f"guest {i}" for i in range(19)], "symbol"),
        ([f"guest {i % 30}" for i in range(40)], "key"),
        ([f"guest {i % 20}" for i in range(40)], "symbol"),
        (list(range(1, 41)), "key"),
        (list(range(1980, 2020)), "key"),
        ([i * i * 1000 + i for i in range(40)], "number"),
        ([float(i) for i in range(40)], "number"),
        (SENTENCES, "text"),
        (SENTENCES[:5], "text"),
        (SENTENCES[:2] * 20, "symbol"),
        (["1,234", "5,678", "9,012,345"], "symbol"),
        (["1,5", "2,75", "3,1"], "symbol"),
        (["2024-01-05", "2023-12-31", None], "date"),
        (["2024-01-05T12:30", "2023-12-31 23:59:59.25Z"], "date"),
        (["2024-02-30", "2024-01-05"], "symbol"),
        (["31/12/2024", "1/2/2024"], "date"),
        (["12/31/2024", "1/2/2024"], "date"),
        (["1.2.2024", "3.4.2024"], "date"),
        (["1/2/2024", "3/4/2024"], "symbol"),
        (["31/12/2024", "12/31/2024"], "symbol"),
        (["2024", "2023", "2022"], "ordinal"),
    ],
)
def test_the_kind_of_a_column(values, expected):
    """Each rule, on the smallest column that shows it."""
    assert listed(values).kind == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("order_id", "key"), ("orderId", "key"), ("ID", "key"), ("Key", "key"), ("width", "number"), ("paid", "number")],
)
def test_the_name_of_an_id(name, expected):
    """Nearly unique whole numbers are a key if their name says so."""
    assert listed([i * i * 1000 + i for i in range(40)], name).kind == expected


def test_codes_by_name_are_symbols():
    """Whole numbers called codes have no order."""
    found = listed([20 + i % 15 for i in range(60)], "area_code")

    assert (found.kind, found.risky is not None) == ("symbol", True)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([i * i * 1000 + i for i in range(40)], "all its whole numbers are different"),
        (list(range(1980, 2020)), "because its numbers count on"),
        ([f"guest {i % 30}" for i in range(40)], "some of its values repeat"),
        (SENTENCES, "free text"),
        (["1,234", "5,678"], "numbers with commas"),
        (["1/2/2024", "3/4/2024"], "day and month could be exchanged"),
        ([101, 405, 999, 101] * 5, "far apart"),
        ([4 * i for i in range(100)], "no number repeats"),
    ],
)
def test_a_risky_choice_has_a_warning(values, expected):
    """The warning names the column, says why, and how to choose otherwise."""
    risky = listed(values, "stay").risky

    assert risky.startswith("stay: ")
    assert expected in risky
    assert "--kind stay=" in risky or "commas" in risky


@pytest.mark.parametrize("values", [[1, 2, 3], [*range(11)], [f"guest {i}" for i in range(40)], ["2024-01-05", None]])
def test_a_safe_choice_has_none(values):
    """A warning that always comes is not read."""
    assert listed(values).risky is None


def test_the_reason_counts():
    """The reason is a sentence with the figures behind the choice."""
    assert listed([*range(20, 60)] * 2 + [None]).reason == "40 different whole numbers in 80 rows"


@pytest.mark.parametrize("categories", [["low", "medium", "high"], [3, 1, 2], [0.5, 0.1, 2.5]])
def test_an_ordered_category_is_an_ordinal_in_its_order(categories):
    """Its values are learned as ranks, the least is 1."""
    frame = pd.DataFrame({"x": pd.Categorical(categories, categories=categories, ordered=True)})
    (found,) = cb.column_kinds(frame)

    assert (found.kind, found.order) == ("ordinal", tuple(str(value) for value in categories))
    assert cases_with_kinds(frame, ["a", "b", "a"]).columns[0].tolist() == [1.0, 2.0, 3.0]


def test_a_category_without_order_is_a_symbol():
    """Texts have an order only if somebody gives it."""
    assert kind(pd.Categorical(["low", "high", "low"])).kind == "symbol"


def test_the_summary_of_a_table():
    """The line counts the kinds that are learned, and names the columns that are not, by kind."""
    numbers = [ColumnKind(name, one, "") for name, one in (("a", "number"), ("b", "ordinal"), ("c", "truth"))]
    others = [ColumnKind(name, one, "") for name, one in (("d", "date"), ("n", "key"), ("t", "key"), ("h", "constant"))]

    assert summary_of(numbers + others) == "2 numeric, 1 symbolic, 1 date; ignored: n, t (keys), h (constant)"


def test_what_is_learned_of_each_kind():
    """Keys, constants and text are left out, dates become parts, ordinals and whole numbers become numbers."""
    n = 30
    rows = [
        {
            "id": i,
            "host": "h",
            "age": 20 + i % 15,
            "class": i % 3,
            "joined": f"2024-01-{i + 1:02}",
            "note": SENTENCES[i],
        }
        for i in range(n)
    ]
    cases = cases_with_kinds(rows, ["P", "Q"] * 15)

    parts = ("joined.year", "joined.month", "joined.weekday", "joined.days")
    assert cases.schema.names == ("age", "class", *parts)
    assert [f.kind for f in cases.schema.features] == ["numeric"] * 4 + ["symbolic", "numeric"]
    assert cases.values(0) == [20.0, 0.0, 2024.0, 1.0, "Monday", "2024-01-01"]


# Columns that all libraries can hold alike: pandas turns whole numbers with gaps into floats, which are no keys.
DATES = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
VALUES = [
    st.integers(-5, 5),
    st.integers(0, 10**6),
    st.one_of(st.none(), st.floats(-1e6, 1e6)),
    st.one_of(st.none(), st.sampled_from(["low", "high", "07", "1.5", "?", "yes", "no", "1/2/2024", "13/2/2024"])),
    st.one_of(st.none(), st.text("ab ", max_size=4)),
    st.booleans(),
    st.one_of(st.none(), DATES),
]


@st.composite
def tables(draw):
    """Draw columns by name, of up to 40 rows."""
    n = draw(st.integers(2, 40))
    kinds = draw(st.lists(st.sampled_from(range(len(VALUES))), min_size=1, max_size=4))
    return {f"c{i}": draw(st.lists(VALUES[one], min_size=n, max_size=n)) for i, one in enumerate(kinds)}


@settings(max_examples=60, deadline=None)
@given(tables())
def test_the_same_table_in_every_library(table):
    """A frame, a list of rows, a list of dicts and an Arrow table have the same kinds and the same codes."""
    n = len(table["c0"])
    y = ["P", "Q"] * (n // 2) + ["P"] * (n % 2)
    records = [dict(zip(table, row)) for row in zip(*table.values())]
    frames = [
        pd.DataFrame(table),
        pl.DataFrame(records, strict=False, infer_schema_length=None),
        pa.table(table),
        records,
    ]
    expected = cb.column_kinds(frames[0])
    for frame in frames[1:]:
        assert cb.column_kinds(frame) == expected
    rows = [list(record.values()) for record in records]
    assert [one.kind for one in cb.column_kinds(rows)] == [one.kind for one in expected]
    if not any(one.is_learned for one in expected):
        return
    coded = [cases_with_kinds(frame, y) for frame in (*frames, rows)]
    for cases in coded[1:]:
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(cases.columns, coded[0].columns, strict=True))


@settings(max_examples=60, deadline=None)
@given(tables())
def test_training_rows_are_encoded_as_they_were_learned(table):
    """The schema gives each row of the training table, alone or with the others, the codes it was learned with."""
    n = len(table["c0"])
    records = [dict(zip(table, row)) for row in zip(*table.values())]
    if not any(one.is_learned for one in cb.column_kinds(records)):
        return
    cases = cases_with_kinds(records, ["P"] * n)
    for start, stop in ((0, n), *((i, i + 1) for i in range(min(n, 5)))):
        for rows in (records[start:stop], [list(record.values()) for record in records[start:stop]]):
            again = cases.schema.encode(rows)
            for a, b in zip(cases.columns, again.columns, strict=True):
                assert np.array_equal(a[start:stop], b, equal_nan=True)
            assert list(map(str, again.values(0))) == list(map(str, cases.values(start)))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.datetimes()), min_size=1, max_size=20),
    st.sampled_from(["iso", "T", "minutes", "date", "zone", "dmy", "mdy"]),
)
def test_the_parts_of_dates(moments, form):
    """Year, month, weekday and days are those of Python's datetime, in every way to write a date."""
    forms = {
        "iso": "%Y-%m-%d %H:%M:%S.%f",
        "T": "%Y-%m-%dT%H:%M:%S",
        "minutes": "%Y-%m-%d %H:%M",
        "date": "%Y-%m-%d",
        "zone": "%Y-%m-%d %H:%M:%S+0200",
        "dmy": "%d/%m/%Y",
        "mdy": "%m/%d/%Y %H:%M:%S.%f",
    }

    def text(moment):
        year = f"{moment.year:04}"  # strftime does not pad years on every system
        return moment.strftime(forms[form].replace("%Y", year))

    cut = {"T": {"microsecond": 0}, "zone": {"microsecond": 0}, "minutes": {"second": 0, "microsecond": 0}}
    midnight = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0}
    cut |= {"date": midnight, "dmy": midnight}
    texts = [None if moment is None else text(moment) for moment in moments]
    dates, wrong = dates_in(pa.array(texts, pa.string()), form if form in ("dmy", "mdy") else "iso")

    assert wrong is None
    for i, moment in enumerate(moments):
        if moment is None:
            assert math.isnan(dates.days[i])
            assert math.isnan(dates.year[i])
            assert dates.weekday[i] is None
            continue
        moment = moment.replace(**cut.get(form, {}))
        assert (dates.year[i], dates.month[i]) == (moment.year, moment.month)
        assert dates.weekday[i] == moment.strftime("%A")
        since = moment - dt.datetime(1970, 1, 1)
        assert dates.days[i] == since.days + (since - dt.timedelta(since.days)) / dt.timedelta(1)


@pytest.mark.parametrize(
    "text",
    ["2024-02-30", "2024-13-01", "2024-00-10", "0000-01-01", "2024-01-01 24:00", "2024-01-01 10:61", "24-01-01", "x"],
)
def test_what_is_no_date(text):
    """Neither the calendar nor the clock has it."""
    assert dates_in(pa.array(["2024-01-05", text]), "iso")[1] == text


@pytest.mark.parametrize(
    ("values", "given_kind", "message"),
    [
        (
            ["1", "x", "2"],
            "number",
            r"Column 'x' is of the kind 'number', but row 2 of 3 has 'x', which is not a number",
        ),
        (["2024-01-05", "soon"], "date", r"row 2 of 2 has 'soon', which is not a date \(YYYY-MM-DD\)"),
        (["1/2/2024", "3/4/2024"], "date", "say 'date:dmy' or 'date:mdy'"),
        (["13/2/2024", "3/4/2024"], "date:mdy", r"row 1 of 2 has '13/2/2024', which is not a date \(month/day/year\)"),
        (["low", "high"], "ordinal", r"'low' in row 1 of 2, so give their order"),
        (["low", "high"], "ordinal:low,medium", "row 2 of 2 has 'high', which is not one of low < medium"),
        (["low", "high"], ["low", "low"], "the order has a value twice"),
        (["a", "b", "c"], "truth", "row 3 of 3 has 'c' besides 'a' and 'b'"),
        (["a", "b"], "colour", "Unknown kind 'colour'. Known: number, ordinal, symbol, truth, date, key"),
        (["a", "b"], 3, "Unknown kind '3'"),
        (["a", "b"], "symbol:x", "only 'ordinal' and 'date' take a detail"),
        (["1/2/2024"], "date:ymd", "Unknown style of dates 'ymd'"),
    ],
)
def test_a_kind_that_the_values_do_not_allow(values, given_kind, message):
    """The error says which value, in which row, and what to do."""
    with pytest.raises(CasebaseError, match=message):
        cb.column_kinds([{"x": value} for value in values], {"x": given_kind})


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"pclas": "ordinal"}, "Unknown column 'pclas'. Did you mean 'pclass'"),
        ({2: "ordinal"}, "There is no column 2: the columns are numbered 0 to 1"),
        ({True: "ordinal"}, "There is no column True"),
        ("automatic", "kinds is 'auto', or a dict"),
    ],
)
def test_kinds_of_columns_that_there_are_not(kinds, message):
    """A misspelt column is an error, not ignored."""
    with pytest.raises(CasebaseError, match=message):
        cb.column_kinds([{"pclass": 1, "sex": "f"}], kinds)


def test_the_class_has_no_kind():
    """It is not learned from."""
    table = Cases.from_table([{"a": "x", "y": "P"}], target="y")
    assert table.schema.target == "y"
    with pytest.raises(SchemaError, match="'y' is the class"):
        cases_with_kinds(cb.data.as_table([{"a": "x", "y": "P"}], "y"), kinds={"y": "symbol"})


def test_nothing_left_to_learn_from():
    """The error names what was left out, and why."""
    with pytest.raises(SchemaError, match=r"No column is left to learn from: a \(constant\), b \(key\)"):
        cases_with_kinds([{"a": "x", "b": f"v {i}"} for i in range(30)], ["P", "Q"] * 15)


def test_a_message_does_not_name_every_column_of_a_wide_table():
    """65,536 of them were a message of more than a megabyte."""
    table = pa.table({f"c{i}": ["x", "x"] for i in range(40)})
    with pytest.raises(SchemaError, match=r"c11 \(constant\) and 28 others\. Give one") as caught:
        cases_with_kinds(table, kinds="auto", y=["P", "Q"])
    assert "c12" not in str(caught.value)


def test_a_part_of_a_date_that_is_another_column():
    """Two features cannot have one name."""
    with pytest.raises(SchemaError, match=r"'d\.year', like another column"):
        cases_with_kinds([{"d": "2024-01-05", "d.year": "x"}, {"d": "2024-01-06", "d.year": "y"}], ["P", "Q"])


def test_numbers_beyond_a_double():
    """A number of 400 digits is a symbol; infinity is refused, as without kinds."""
    assert listed(["9" * 400, "1", "2"]).kind == "symbol"
    with pytest.raises(CasebaseError, match="'x' contains infinity"):
        cases_with_kinds([{"x": 1.0}, {"x": math.inf}], ["P", "Q"])


def test_the_class_may_be_a_column():
    """`target` names it, as in `Cases.from_table`."""
    cases = cases_with_kinds([{"y": "P", "d": "2024-01-05"}, {"y": "Q", "d": "2024-01-06"}], target="y")

    assert (cases.schema.column_names, cases.schema.classes) == (("d",), ("P", "Q"))


def test_given_kinds_and_the_others():
    """The columns that a dict does not name are found, or as without kinds; "auto" finds one of them."""
    rows = [{"a": i % 3, "b": i % 3, "c": i % 3} for i in range(9)]
    y = ["P", "Q", "P"] * 3

    def kinds_of(**how):
        return [column.kind for column in cases_with_kinds(rows, y, **how).schema.kinds]

    assert kinds_of(kinds={"a": "symbol"}) == ["symbol", "ordinal", "ordinal"]
    assert kinds_of(kinds={"a": "number"}, find_others=False) == ["number", "symbol", "symbol"]
    assert kinds_of(kinds={0: "number", 1: "auto"}, find_others=False) == ["number", "ordinal", "symbol"]
    assert cases_with_kinds(rows, y, kinds=None).schema.source is None


@pytest.mark.parametrize("one", KINDS)
def test_a_record_survives_json(one):
    """`from_dict` restores what `to_dict` gives."""
    column = ColumnKind("x", one, "why", "risky", ("low", "high") if one == "ordinal" else (), "iso")

    assert ColumnKind.from_dict(column.to_dict()) == column


def test_a_record_that_is_none():
    """A model file with an unknown kind is refused."""
    record = ColumnKind("x", "number", "why").to_dict()
    for wrong in ({"kind": "colour"}, {"name": 3}, {"style": "ymd"}, {"risky": 5}):
        with pytest.raises(ValueError, match="not a record"):
            ColumnKind.from_dict(record | wrong)


def test_the_source_names_what_it_needs():
    """Columns that are left out need not be there."""
    source = Source((ColumnKind("a", "key", ""), ColumnKind("d", "date", ""), ColumnKind("s", "symbol", "")))

    assert (source.names, source.needed, len(source.feature_names)) == (("a", "d", "s"), ("d", "s"), 5)


def test_read_cases_finds_kinds():
    """The reader takes kinds too; its old words for features still mean the same."""
    text = b"size,day,y\n1,2024-01-05,P\n2,2024-01-06,Q\n3,2024-01-07,P\n"

    assert cb.read_cases(text, format="csv", kinds="auto").schema.names[:2] == ("size", "day.year")
    assert cb.read_cases(text, format="csv", kinds={"size": "number"}).schema.names == ("size", "day")
    assert cb.read_cases(text, format="csv", kinds={"size": "numeric"}).schema.source is None


def test_whole_numbers_with_too_many_digits_are_symbols():
    """As numbers they would be quoted as others; 2 ** 60 is exact, and an id is still a key."""
    account = [str(9_007_199_254_740_993 + 2 * (i % 5)) for i in range(40)]

    kind = kind_of("account", pa.array(account).dictionary_encode())

    assert (kind.kind, kind.reason) == (
        "symbol", "whole numbers with too many digits for a number, such as 9007199254740993",
    )  # fmt: skip
    assert "--kind account=number" in kind.risky
    exact = pa.array([str(2**60 + 2**40 * (i % 25)) for i in range(40)]).dictionary_encode()
    assert kind_of("size", exact).kind == "number"
    keys = pa.array([str(9_007_199_254_740_993 + 2 * i) for i in range(400)]).dictionary_encode()
    assert kind_of("account id", keys).kind == "key"
