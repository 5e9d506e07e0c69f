"""From tables to coded cases, and new cases in the same codes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.data.cases import UNKNOWN_LABEL
from casebase.data.weights import exact_weights
from casebase.errors import CasebaseError, SchemaError

ROWS = [["a", "P"], ["b", "Q"]]
NAN = float("nan")


def frame():
    return pd.DataFrame({"n": [1, 2], "s": ["x", None], "f": [1.5, 2.0], "c": ["A", "B"]})


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (ROWS, {}, "There is no class"),
        ([["a", "P"], ["b", None]], {"target": -1}, "class is missing in 1 case.*row 2 of 2"),
        ([["a", 1.0], ["b", None]], {"target": -1}, "class is missing in 1 case.*row 2 of 2"),
        (ROWS, {"y": ["P", None]}, "class is missing in 1 case.*row 2 of 2"),
        (ROWS, {"y": ["P", NAN]}, "class is missing in 1 case.*row 2 of 2"),
        (ROWS, {"y": [1.0, NAN]}, "NaN"),
        (ROWS, {"y": ["P"]}, "one class per case"),
        (ROWS, {"y": [["P"], ["Q"]]}, "one class per case"),
        ([[math.inf, "P"], [1.0, "Q"]], {"target": -1}, "'f1' contains infinity.*row 1 of 2"),
        (np.empty((0, 2)), {"y": []}, "no cases"),
        (pa.table({"a": pa.array([], pa.string()), "c": pa.array([], pa.string())}), {"target": "c"}, "no cases"),
        ([["P"], ["Q"]], {"target": -1}, "no features"),
        (ROWS, {"target": -1, "weights": [0, 0]}, "All weights are zero"),
        (ROWS, {"target": -1, "weights": [1, -1]}, "finite and not negative"),
        (ROWS, {"target": -1, "weights": [1, NAN]}, "finite and not negative"),
        (ROWS, {"target": -1, "weights": [1]}, "one weight per case"),
        (ROWS, {"target": -1, "weights": [1e308, 1e308]}, "sum to inf"),
        (ROWS, {"target": 2}, "no column 2"),
        (pa.table([["x"], ["y"], ["P"]], names=["a", "a", "c"]), {"target": "c"}, "2 columns are named 'a'"),
    ],
    ids=[
        "no class",
        "missing class",
        "missing number as class",
        "None in y",
        "NaN among text in y",
        "NaN in y",
        "short y",
        "table as y",
        "infinity",
        "no rows",
        "no rows of a table",
        "one column",
        "weights all zero",
        "negative weight",
        "weight NaN",
        "short weights",
        "endless weights",
        "no such column",
        "equal names",
    ],
)
def test_what_is_refused(data, options, message):
    """Data that cannot be learnt from are refused, with the reason."""
    with pytest.raises(CasebaseError, match=message):
        Cases.from_table(data, **options)


def test_classes_keep_their_type():
    """Classes given beside the table stay numbers; those of a column are text. Both are in order."""
    assert Cases.from_table([["a"], ["b"], ["c"]], y=[10, 9, 10]).schema.classes == (9, 10)
    assert Cases.from_table([["a", 10], ["b", 9]], target=-1).schema.classes == ("10", "9")


def test_classes_of_a_dictionary_that_repeats_itself():
    """A class listed twice in a dictionary is one class."""
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["P", "P", "Q"]))
    cases = Cases.from_table(pa.table({"a": ["x", "y", "z"], "c": labels}), target="c")
    assert (cases.schema.classes, cases.known_labels.tolist()) == (("P", "Q"), [0, 0, 1])


def test_cases_of_weight_zero():
    """They are left out, and the others keep their ids."""
    cases = Cases.from_table([["a", "P"], ["b", "Q"], ["c", "P"]], target=-1, weights=[1, 0, 2])
    assert (len(cases), cases.weights.tolist(), cases.case_ids().tolist()) == (2, [1, 2], [0, 2])


def test_column_of_nothing():
    """A column without any value has one value, the missing one."""
    cases = Cases.from_table([[None, "P"], [None, "Q"]], target=-1)
    assert (cases.columns[0].tolist(), cases.values(0)) == ([0, 0], [None])


def test_kinds():
    """Text is read as numbers, numbers as symbols, and a column left out, when asked."""
    cases = Cases.from_table(
        [["1", 2.0, "u", "P"], ["?", 2.5, "v", "Q"], ["1e1", None, "v", "Q"]],
        target=-1,
        kinds={0: "numeric", "f2": "symbolic", 2: "ignored"},
    )
    np.testing.assert_array_equal(cases.columns[0], [1.0, np.nan, 10.0])
    assert cases.schema.features[1].vocabulary.values.to_pylist() == [None, "2", "2.5"]
    assert [feature.kind for feature in cases.schema.features] == ["numeric", "symbolic", "ignored"]
    assert [cases.values(i) for i in range(3)] == [[1.0, "2", "u"], [None, "2.5", "v"], [10.0, None, "v"]]


def test_numbers_and_back():
    """A column taken as symbols and then as numbers again is what it was."""
    cases = Cases.from_table([[0.1, "P"], [-2.0, "Q"], [1e300, "Q"], [None, "P"]], target=-1)
    again = cases.with_kinds({0: "symbolic"}).with_kinds({0: "numeric"})
    np.testing.assert_array_equal(again.columns[0], cases.columns[0])


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({0: "numeric"}, "'x' is not a number"),
        ({"f9": "numeric"}, "Unknown feature 'f9'"),
        ({5: "numeric"}, "0 to 1"),
        ({0: "numerc"}, "Did you mean 'numeric'"),
    ],
)
def test_kinds_that_cannot_be(kinds, message):
    """Text without numbers, features that are not there, and kinds that do not exist."""
    with pytest.raises(CasebaseError, match=message):
        Cases.from_table([["1", "u", "P"], ["x", "v", "Q"]], target=-1, kinds=kinds)


def test_take():
    """Some cases, in another order, with their weights and ids; codes stay."""
    cases = Cases.from_table([["a", "P"], ["b", "Q"], ["c", "P"]], target=-1, weights=[1, 2, 3], ids=["i", "j", "k"])
    some = cases.take(np.array([2, 0]))
    assert (some.values(0), some.weights.tolist(), some.ids.tolist(), some.labels.tolist()) == (
        ["c"],
        [3, 1],
        ["k", "i"],
        [0, 0],
    )
    assert some.schema is cases.schema


def test_encode_values_never_seen():
    """A new value is unknown, and is still shown as it was asked."""
    cases = Cases.from_table(frame(), target="c")
    new = cases.schema.encode(pd.DataFrame({"n": [3], "s": ["q"], "f": [9.0], "c": ["Z"]}))
    assert [column.tolist() for column in new.columns] == [[255], [255], [9.0]]
    assert new.values(0) == ["3", "q", 9.0]


def test_encode_missing_values():
    """A missing value has its code where one was stored, and is unknown elsewhere."""
    cases = Cases.from_table(frame(), target="c")
    new = cases.schema.encode(pd.DataFrame({"n": [None], "s": [None], "f": [None]}))
    assert [column.tolist() for column in new.columns[:2]] == [[255], [0]]
    assert np.isnan(new.columns[2][0])


def test_encode_columns_in_another_order():
    """Named columns are found wherever they are, and others are not looked at."""
    cases = Cases.from_table(frame(), target="c")
    mixed = frame()[["f", "c", "s", "n"]].assign(more=1)
    for one, other in zip(cases.columns, cases.schema.encode(mixed).columns, strict=True):
        np.testing.assert_array_equal(one, other)


def test_encode_integers_that_became_floats():
    """A column trained as integers is asked as 1.0 when a data frame has gaps: it is the same value."""
    cases = Cases.from_table(frame(), target="c")
    assert cases.schema.encode([[1.0, "x", 1.5], [2.5, "x", 1.5]]).columns[0].tolist() == [0, 255]
    assert cases.schema.encode(pd.DataFrame({"n": [2, NAN], "s": "x", "f": 0.5})).columns[0].tolist() == [1, 255]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([["a", "b"]], "Expected 3 features.*got 2"),
        (pd.DataFrame({"n": [1], "x": ["x"], "f": [1.0]}), "no column 's'"),
        ([[1, "x", math.inf]], "infinity"),
        ([1, "x", 1.5], "wrap it in a list"),
    ],
)
def test_encode_what_does_not_fit(data, message):
    """Too few features, a column that is not there, an infinite number, a single case."""
    with pytest.raises(CasebaseError, match=message):
        Cases.from_table(frame(), target="c").schema.encode(data)


def test_encode_classes():
    """A class column is coded too; a class never seen is marked, and refused for learning."""
    schema = Cases.from_table(frame(), target="c").schema
    table = schema.mark_target(_table([[1, "x", 1.5, "B"], [1, "x", 1.5, "Z"]]))
    new = schema.encode(table)
    assert new.labels.tolist() == [1, int(UNKNOWN_LABEL)]
    with pytest.raises(CasebaseError, match="a class that the schema does not have"):
        _ = new.known_labels


def _table(rows):
    from casebase.data import as_table

    return as_table(rows)


def test_position_of_a_feature():
    """By name or number; a wrong one is answered with what there is."""
    schema = Cases.from_table(frame(), target="c").schema
    assert (schema.position("s"), schema.position(2)) == (1, 2)
    for wrong in ("z", 3, -1):
        with pytest.raises(SchemaError):
            schema.position(wrong)


def test_recode():
    """Cases of one schema in the codes of another: what the other never saw is unknown."""
    one = Cases.from_table([["b", 1.5, "P"], ["c", 2.0, "Q"], [None, None, "Q"]], target=-1)
    other = Cases.from_table([["a", 1.0, "P"], ["c", 2.0, "Q"]], target=-1)
    recoded = other.schema.recode(one)
    assert recoded.columns[0].tolist() == [255, 1, 255]
    np.testing.assert_array_equal(recoded.columns[1], [1.5, 2.0, np.nan])


WEIGHTS = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=8).filter(lambda w: sum(w) >= 1e-3)


@given(WEIGHTS)
def test_weights_sum_exactly(weights):
    """Every partial sum of weights is exact, so their order cannot matter, and each moves by a rounding."""
    exact = exact_weights(weights, len(weights)).tolist()
    assert Fraction(sum(exact)) == sum(map(Fraction, exact))
    assert exact == pytest.approx(weights, abs=2.0**-50 * max(sum(weights), 2.0**-900))
    for order in itertools.islice(itertools.permutations(exact), 20):
        assert sum(order) == sum(exact)


def test_weights_that_round_up_past_a_power_of_two():
    """Sums stay exact when rounding lifts the total into the next binade."""
    weights = [*[(2**50 - 1 + 0.625) * 2.0**-53] * 8, 2.0**-53]
    exact = exact_weights(weights, 9).tolist()
    assert Fraction(sum(exact)) == sum(map(Fraction, exact))


def test_whole_weights_stay():
    """Whole numbers are their own exact weights."""
    assert exact_weights([3, 1, 2**40], 3).tolist() == [3, 1, 2**40]


@pytest.mark.parametrize("ids", [[1], [1, 1]])
def test_ids_that_do_not_tell_cases_apart(ids):
    """Ids are one per case, and distinct."""
    with pytest.raises(CasebaseError, match="id"):
        Cases.from_table([["a"], ["b"]], y=["P", "Q"], ids=ids)


def test_cases_are_printed_in_a_few_lines():
    """Size and classes in one line; the first five cases when printed and in a notebook."""
    cases = Cases.from_table([["a\n", None, "P"], ["<b>", "x" * 99, "Q"]] * 4, target=-1, ids=list("stuvwxyz"))

    assert repr(cases) == "<Cases: 8 cases, 2 features, f3: P 4, Q 4>"
    assert str(cases).splitlines()[:3] == [
        "8 cases, 2 features, f3: P 4, Q 4",
        "  id  f3  f1   f2",
        "  s   P   a\\n  ?missing",
    ]
    assert str(cases).splitlines()[-1] == "  … and 3 more cases"
    assert cases._repr_html_().count("<tr>") == 6
    assert "<td>&lt;b&gt;</td>" in cases._repr_html_()


def test_cases_without_a_class_and_with_many_features():
    """Queries have no class; of many features the first eight are shown."""
    model = Cases.from_table([[str(i) for i in range(20)] + ["P"]], target=-1)
    queries = model.schema.encode([[str(i) for i in range(20)]])

    assert repr(queries) == "<Cases: 1 case, 20 features>"
    assert str(queries).splitlines()[1].split() == ["id", *(f"f{i}" for i in range(1, 9)), "…"]


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[D]", "timedelta64[ns]"])
def test_classes_are_no_times(kind):
    """Regression: nanoseconds became whole numbers in the model file, other units could not be saved."""
    with pytest.raises(CasebaseError, match="The classes are times or durations"):
        Cases.from_table([["a"], ["b"]], y=np.array([1, 2]).astype(kind))
