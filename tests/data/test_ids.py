"""The ids of cases: given, from the index of a data frame, or from a column."""

import warnings

import numpy as np
import pandas as pd
import pytest

from casebase.data import Cases
from casebase.data.ids import index_ids
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError

DATES = pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-03"])


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (None, None),
        (pd.RangeIndex(3), None),
        (pd.RangeIndex(5, 8), [5, 6, 7]),
        ([318, 2, -1], [318, 2, -1]),
        (np.array([3, 1, 2], dtype=np.uint8), [3, 1, 2]),
        (["a", "b", "c"], ["a", "b", "c"]),
        (["007", "8", "9"], ["007", "8", "9"]),
        ([1.5, 2.0, 3.0], ["1.5", "2", "3"]),
        ([True, False, "x"], ["True", "False", "x"]),
        ([1, "a", None], ["1", "a", ""]),
        (DATES, ["2024-05-01 00:00:00", "2024-05-02 00:00:00", "2024-05-03 00:00:00"]),
        (pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), ["a/1", "a/2", "b/1"]),
        (np.array([2**63, 1, 2], dtype=np.uint64), ["9223372036854775808", "1", "2"]),
    ],
)
def test_the_index_of_a_frame_gives_the_ids(index, expected):
    """Whole numbers stay numbers, other values become text, and the index of every new frame means nothing."""
    ids = index_ids(pd.DataFrame({"f": list("xyz")}, index=index))

    assert (None if ids is None else ids.tolist()) == expected


def test_cases_and_queries_of_a_frame_have_its_ids():
    """Also a few plain rows, which skip Arrow, and rows that are taken out."""
    frame = pd.DataFrame({"f": list("xyz")}, index=[30, 10, 20])
    cases = Cases.from_table(frame, y=["P", "Q", "P"])

    assert cases.ids.tolist() == [30, 10, 20]
    assert cases.take(np.array([2, 0])).ids.tolist() == [20, 30]
    assert cases.schema.encode(frame.iloc[1:]).ids.tolist() == [10, 20]
    assert cases.schema.encode(pd.concat([frame] * 20)).ids.tolist() == [30, 10, 20] * 20  # queries may share an id
    plain = cases.schema.encode(frame.reset_index(drop=True))
    assert plain.ids is None
    assert plain.take(np.array([1])).ids is None  # a row number would pass for the id of a stored case


def test_an_index_with_repetitions_is_reported_and_not_used():
    """The warning names an id that occurs twice, and the cases are numbered."""
    frame = pd.DataFrame({"f": list("xyz")}, index=[7, 8, 7])

    with pytest.warns(UserWarning, match="index of the data frame has 7 more than once"):
        cases = Cases.from_table(frame, y=["P", "Q", "P"])

    assert cases.case_ids().tolist() == [0, 1, 2]


def test_given_ids_come_first():
    """An index with repetitions is no reason to warn if ids are given."""
    frame = pd.DataFrame({"f": list("xyz")}, index=[7, 8, 7])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Cases.from_table(frame, y=["P", "Q", "P"], ids=["a", "b", "c"]).ids.tolist() == ["a", "b", "c"]


def test_ids_that_are_given_twice_are_named():
    """The error names some of them."""
    with pytest.raises(CasebaseError, match=r"same id, 'b', 'c': ids"):
        Cases.from_table([["x"]] * 5, y=list("PQPQP"), ids=list("abcbc"))


def test_a_column_of_ids_is_no_feature():
    """It names the cases; new tables may lack it, and queries that have it are named by it."""
    rows = [{"nr": "17", "f": "x"}, {"nr": "4", "f": "y"}]
    cases = cases_with_kinds(rows, ["P", "Q"], kinds={"nr": "id"}, find_others=False)

    assert (cases.ids.tolist(), cases.schema.names) == ([17, 4], ("f",))
    assert cases.schema.encode([{"f": "x"}]).ids is None
    assert cases.schema.encode([{"f": "x", "nr": "5"}]).ids.tolist() == [5]
    assert cases.schema.encode([{"f": "x", "nr": "a"}] * 40).ids.tolist() == ["a"] * 40


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["1", "2", "1"], "same id, 1: ids"),
        (["a", None, "b"], "row 2 of 3 has none"),
    ],
)
def test_a_column_of_ids_must_name_each_case(ids, message):
    """Twice the same id, or none, is an error that names it."""
    rows = [{"nr": one, "f": "x"} for one in ids]

    with pytest.raises(CasebaseError, match=message):
        cases_with_kinds(rows, ["P", "Q", "P"], kinds={"nr": "id"}, find_others=False)


def test_one_column_has_the_ids():
    """Two are refused."""
    with pytest.raises(CasebaseError, match="one column; got a, b"):
        cases_with_kinds([{"a": "1", "b": "2", "c": "x"}], ["P"], kinds={"a": "id", "b": "id"})
