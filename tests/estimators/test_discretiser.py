"""The discretiser as a transformer: what it takes, what comes back, and where it stands in a pipeline."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import casebase as cb
from casebase.errors import CasebaseError, SchemaError

FRAME = pd.DataFrame(
    {"size": [1.0, 2, 3, 7, 8, 9, np.nan], "colour": list("abababa"), "legs": [4, 2, 4, 4, 2, 4, 4]},
    index=[6, 5, 4, 3, 2, 1, 0],
)
LABELS = list("PPPQQQQ")


def test_frames_stay_frames():
    """A column of floats becomes intervals; other columns, the index and missing values stay."""
    cut = cb.MDLPDiscretizer(encode="name").fit(FRAME, LABELS)
    made = cut.transform(FRAME)
    assert [None if cuts is None else cuts.tolist() for cuts in cut.cuts_] == [[5.0], None, None]
    assert made["size"].tolist() == ["≤ 5"] * 3 + ["> 5"] * 3 + [None]
    assert made.index.tolist() == FRAME.index.tolist()
    pd.testing.assert_frame_equal(made.drop(columns="size"), FRAME.drop(columns="size"))
    assert cut.get_feature_names_out().tolist() == ["size", "colour", "legs"]


@pytest.mark.parametrize(
    ("given", "comes_back"),
    [
        (pl.from_pandas(FRAME), pl.DataFrame),
        (pa.table(FRAME.reset_index(drop=True)), pa.Table),
        (duckdb.sql("select * from FRAME"), pa.Table),
        (FRAME.to_dict("records"), pa.Table),
    ],
    ids=["polars", "pyarrow", "duckdb", "records"],
)
def test_every_kind_of_frame(given, comes_back):
    """Frames of each library come back as such; relations and records as tables of Arrow."""
    made = cb.MDLPDiscretizer().fit(given, LABELS).transform(given)
    assert isinstance(made, comes_back)
    sizes = made["size"].to_list() if comes_back is pl.DataFrame else made["size"].to_pylist()
    assert sizes == [0.0] * 3 + [1.0] * 3 + [None]


def test_arrays():
    """An array of floats becomes one of interval numbers, NaN where a number is missing."""
    made = cb.MDLPDiscretizer().fit_transform(FRAME[["size"]].to_numpy(), LABELS)
    np.testing.assert_array_equal(made[:, 0], [0, 0, 0, 1, 1, 1, np.nan])
    assert made.dtype == float


def test_rows_of_mixed_values():
    """In a list of rows the columns of floats are cut; a whole number among them later is a number all the same."""
    cut = cb.MDLPDiscretizer(encode="name").fit(FRAME.values.tolist(), LABELS)
    assert cut.transform([[5, "a", 4], [6.5, "b", 2]]).tolist() == [["≤ 5", "a", 4], ["> 5", "b", 2]]
    with pytest.raises(SchemaError, match="not a number"):
        cut.transform([["large", "a", 4]])


def test_integers_are_symbols():
    """Integers pass unchanged, as everywhere in casebase."""
    X = np.arange(12).reshape(6, 2)
    assert cb.MDLPDiscretizer().fit_transform(X, list("aaabbb")).tolist() == X.tolist()


@pytest.mark.parametrize("asked", ["pandas", "polars"])
@pytest.mark.parametrize("encode", ["ordinal", "name"])
@pytest.mark.parametrize("given", [FRAME, pl.from_pandas(FRAME), FRAME[["size"]].to_numpy()])
def test_set_output(given, encode, asked):
    """The kind of frame can be asked for, whatever came in."""
    cut = cb.MDLPDiscretizer(encode=encode).set_output(transform=asked)
    made = cut.fit(given, LABELS).transform(given)
    assert type(made).__module__.startswith(asked)
    assert len(made) == 7


@pytest.mark.parametrize("strategy", ["equal_width", "equal_frequency"])
def test_strategies_without_classes(strategy):
    """Intervals of equal width or frequency need no y."""
    cut = cb.MDLPDiscretizer(strategy=strategy, n_bins=2).fit(FRAME)
    assert cut.cuts_[0].tolist() == [5.0]
    assert cb.MDLPDiscretizer(strategy=strategy, n_bins=2).fit([[1.0], [3.0]]).cuts_[0].tolist() == [2.0]


def test_weighted_cases_count_as_copies():
    """A case of weight n counts as n cases."""
    X, weights = np.array([[1.0], [2.0], [3.0], [4.0]]), [5, 1, 1, 1]
    cut = cb.MDLPDiscretizer(strategy="equal_frequency", n_bins=2)
    assert cut.fit(X, sample_weight=weights).cuts_[0].tolist() == [1.5]
    assert cb.MDLPDiscretizer().fit(X, list("aabb"), sample_weight=weights).cuts_[0].tolist() == [2.5]


def test_numbers_beyond_those_seen():
    """The outer intervals have no end."""
    cut = cb.MDLPDiscretizer().fit(FRAME[["size"]], LABELS)
    assert cut.transform(pd.DataFrame({"size": [-1e9, 1e9]}))["size"].tolist() == [0.0, 1.0]


def test_in_a_pipeline():
    """Cut points come from the training part of every fold."""
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(cb.MDLPDiscretizer(encode="name"), cb.IGTreeClassifier())
    assert cross_val_score(pipeline, X, y, cv=5).mean() > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strategy": "mdlpc"}, "Did you mean 'mdlp'"),
        ({"encode": "names"}, "Did you mean 'name'"),
        ({"n_bins": 0}, "at least 1"),
    ],
)
def test_wrong_parameters(parameters, message):
    """What is known is listed, and the nearest offered."""
    with pytest.raises(CasebaseError, match=message):
        cb.MDLPDiscretizer(**parameters).fit([[1.0]], ["a"])


def test_wrong_tables():
    """No classes, infinity, another width, and no fit are refused."""
    with pytest.raises(ValueError, match="requires y"):
        cb.MDLPDiscretizer().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="infinity"):
        cb.MDLPDiscretizer().fit(pd.DataFrame({"x": [1.0, np.inf]}), ["a", "b"])
    with pytest.raises(ValueError, match="2 features"):
        cb.MDLPDiscretizer().fit([[1.0], [2.0]], ["a", "b"]).transform([[1.0, 2.0]])
    with pytest.raises(NotFittedError):
        cb.MDLPDiscretizer().transform([[1.0]])
