"""Tables of every kind: the same values give the same answers, whatever brings them."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import casebase as cb

NAMES = ["sky", "heat", "wind"]


def as_duckdb(frame):
    return duckdb.connect().from_arrow(pa.Table.from_pandas(frame))


TABLES = {
    "pandas": lambda frame: frame,
    "pandas-category": lambda frame: frame.astype("category"),
    "polars": pl.from_pandas,
    "polars-categorical": lambda frame: pl.from_pandas(frame).with_columns(pl.all().cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pandas,
    "duckdb": as_duckdb,
    "numpy-object": lambda frame: frame.to_numpy(dtype=object),
    "numpy-text": lambda frame: frame.to_numpy(dtype=str),
    "list": lambda frame: frame.to_numpy(dtype=object).tolist(),
    "tuples": lambda frame: [tuple(row) for row in frame.to_numpy(dtype=object)],
}


@pytest.mark.parametrize("kind", TABLES)
def test_same_answers_from_every_table(classifier, weather, kind):
    """No encoder is needed, and none changes an answer.

    These are the shares of the votes: how they are smoothed depends on folds, which are drawn by the names of columns.
    """
    rows, labels = weather
    raw = {"normalisation": "probability"} if "normalisation" in classifier().get_params() else {}
    frame = pd.DataFrame(rows, columns=NAMES)
    new = pd.DataFrame([["foggy", "hot", "no"], ["sunny", "cool", "yes"]], columns=NAMES)
    convert = TABLES[kind]
    expected = classifier(**raw).fit(rows, labels).predict_proba(new.to_numpy(dtype=object).tolist())

    assert classifier(**raw).fit(convert(frame), labels).predict_proba(convert(new)).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_names_of_columns_are_kept(classifier, weather, kind):
    """`feature_names_in_` was lost when the labels were checked after the table."""
    rows, labels = weather
    model = classifier().fit(TABLES[kind](pd.DataFrame(rows, columns=NAMES)), labels)

    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 3


def test_arrays_have_no_names(classifier, weather):
    """Without names there is only a number of features."""
    model = classifier().fit(*weather)

    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_in_another_order_are_refused(classifier, weather, kind):
    """scikit-learn's message says that the order must be the same."""
    rows, labels = weather
    frame = pd.DataFrame(rows, columns=NAMES)
    model = classifier().fit(frame, labels)

    with pytest.raises(ValueError, match="same order"):
        model.predict(TABLES[kind](frame[["wind", "sky", "heat"]]))


def test_missing_column_is_named(classifier, weather):
    """scikit-learn's message lists what is missing."""
    rows, labels = weather
    frame = pd.DataFrame(rows, columns=NAMES)
    model = classifier().fit(frame, labels)

    with pytest.raises(ValueError, match=r"missing:\s+- heat"):
        model.predict(frame[["sky", "wind"]])


@pytest.mark.parametrize("convert", [list, np.array])
def test_wrong_number_of_features(classifier, weather, convert):
    """A case with two values does not fit a memory of three features."""
    model = classifier().fit(*weather)

    with pytest.raises(ValueError, match=r"has 2 features.*expecting 3"):
        model.predict(convert([["sunny", "hot"]]))


def test_ragged_rows_are_refused(classifier):
    """The first row of another length is named."""
    with pytest.raises(ValueError, match="Row 1 does not have as many values"):
        classifier().fit([["a", "b"], ["c"]], ["P", "Q"])


def test_a_single_case_must_be_wrapped(classifier, weather):
    """One row without its list is not a table."""
    with pytest.raises(ValueError, match=r"Expected 2D array|1D array|Reshape"):
        classifier().fit(*weather).predict(["sunny", "hot", "no"])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2, None, 1], dtype="Int64"),
        pd.Series([True, False, None, True], dtype="boolean"),
        pd.Series(["x", "y", None, "x"], dtype="category"),
        pd.Series(["x", "y", None, "x"], dtype="string"),
        pd.Series(["x", 2, None, "x"], dtype=object),
        pd.Series([1.5, 2.5, None, 1.5]),
        pd.to_datetime(pd.Series(["2020-01-01", "2021-01-01", None, "2020-01-01"])),
    ],
    ids=lambda column: str(column.dtype),
)
def test_missing_values_are_values(classifier, column):
    """Any column may have gaps; a gap is recognised again."""
    frame = pd.DataFrame({"f": column})
    model = classifier().fit(frame, ["P", "Q", "R", "P"])

    assert model.predict(frame).tolist() == ["P", "Q", "R", "P"]


def test_missing_as_unknown_agrees_with_nothing():
    """Two gaps are as far apart as any two values."""
    rows = [["a"], [None]]
    value, unknown = (cb.IB1Classifier(missing=m, weighting="none").fit(rows, ["P", "Q"]) for m in ("value", "unknown"))

    assert value.kneighbors([[None]])[0].tolist() == [[0.0]]
    assert unknown.kneighbors([[None]])[0].tolist() == [[1.0]]


@pytest.mark.parametrize("metric", ["overlap", "mvdm", "jeffrey", "jensen_shannon", "levenshtein", "dice"])
@pytest.mark.parametrize(("missing", "between_gaps"), [("value", 0.0), ("unknown", 1.0)])
def test_missing_symbols_cost_the_same_by_every_metric(metric, missing, between_gaps):
    """Regression: by letters two gaps agreed in any case, and a gap agreed with an empty text."""
    rows = [["abc"], [None], [""]]
    model = cb.IB1Classifier(missing=missing, metric=metric, weighting="none").fit(rows, ["P", "Q", "R"])
    distances, which = model.kneighbors([[None], ["abc"], [""]], n_neighbors=3)
    by_row = np.take_along_axis(distances, which.argsort(axis=1), axis=1)

    assert by_row[0].tolist() == [1.0, between_gaps, 1.0]
    assert by_row[:, 1].tolist() == [between_gaps, 1.0, 1.0]


def test_stored_gaps_are_not_judged_by_their_classes_where_they_are_unknown():
    """Regression: a value with the classes of the gaps was taken for a gap."""
    rows, classes = [["a"], [None], ["b"]], ["P", "P", "Q"]
    value, unknown = (
        cb.IB1Classifier(missing=m, metric="mvdm", weighting="none").fit(rows, classes) for m in ("value", "unknown")
    )

    assert value.kneighbors([["a"]], n_neighbors=3)[0].tolist() == [[0.0, 0.0, 1.0]]
    assert unknown.kneighbors([["a"]], n_neighbors=3)[0].tolist() == [[0.0, 1.0, 1.0]]


def test_booleans_and_integers_are_symbols(classifier):
    """1 and 2 are as different as 1 and 100."""
    model = classifier().fit([[True, 1], [False, 100], [True, 2]], ["P", "Q", "R"])

    assert [feature.kind for feature in model.model_.schema.features] == ["symbolic", "symbolic"]
    assert model.predict([[True, 1], [False, 100], [True, 2]]).tolist() == ["P", "Q", "R"]


@pytest.mark.parametrize("convert", [pd.DataFrame, pd.DataFrame.to_numpy])
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinity_is_not_stored(classifier, convert, bad):
    """A number without a size cannot be compared."""
    with pytest.raises(ValueError, match="infinity"):
        classifier().fit(convert(pd.DataFrame({"f": [1.0, bad]})), ["P", "Q"])


@pytest.mark.parametrize("convert", [pd.DataFrame, pd.DataFrame.to_numpy])
def test_infinity_is_not_compared(convert):
    """Nor can it be asked about."""
    model = cb.IB1Classifier().fit(convert(pd.DataFrame({"f": [1.0, 2.0]})), ["P", "Q"])

    with pytest.raises(ValueError, match="infinity"):
        model.predict(convert(pd.DataFrame({"f": [np.inf]})))


def test_classes_of_mixed_types_are_refused(classifier):
    """Regression: text beside numbers ended in a TypeError about '<'."""
    with pytest.raises(ValueError, match="mix types"):
        classifier().fit([["a"], ["b"]], np.array(["P", 1], dtype=object))


@pytest.mark.parametrize("y", [["P", None], [1.0, np.nan], np.array(["P", np.nan], dtype=object)])
def test_missing_class_is_refused(classifier, y):
    """Every case needs a class."""
    with pytest.raises(ValueError, match=r"missing|NaN|None"):
        classifier().fit([["a"], ["b"]], y)


def test_strange_values_survive(classifier):
    """Text of any kind is a value like another."""
    values = ["", " ", "\x00", "日本", "a\tb\nc", "x" * 10_000, "🙂", "?"]
    model = classifier().fit([[v] for v in values], list("abcdefgh"))

    assert "".join(model.predict([[v] for v in values])) == "abcdefgh"


@pytest.mark.parametrize("kind", [pl.Int128, pl.Object])
def test_types_of_polars_that_arrow_does_not_have(kind):
    """Estimators take the tables that `as_table` takes; regression: Arrow's traceback, and objects were refused."""
    numbers = [2**70, -(2**70), 7]
    frame = pl.DataFrame({"a": pl.Series(numbers, dtype=kind), "b": [0.5, 1.5, 2.5]})
    rows = [{"a": number, "b": size} for number, size in zip(numbers, [0.5, 1.5, 2.5])]

    for table in (frame, rows):
        clf = cb.IB1Classifier().fit(table, ["P", "Q", "R"])
        assert clf.predict(frame).tolist() == clf.predict(rows).tolist() == ["P", "Q", "R"]
        assert clf.score(frame, ["P", "Q", "R"]) == 1
