"""Classifiers that learn from columns by their kinds."""

import datetime as dt
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import casebase as cb
from casebase.errors import CasebaseError
from casebase.methods import METHODS, method_named

N = 60
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "pclass": [i % 3 + 1 for i in range(N)],
        "age": [20 + (7 * i) % 31 for i in range(N)],
        "sex": ["m" if i % 2 else "f" for i in range(N)],
        "joined": pd.date_range("2024-01-01", periods=N, freq="D"),
        "host": "h",
    }
)
WEEKEND = np.where(FRAME.joined.dt.weekday < 5, "work", "free")
CLASSIFIERS = [listed.estimator for listed in METHODS.values()]
LEARNED = ("pclass", "age", "sex", "joined.year", "joined.month", "joined.weekday", "joined.days")


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore")
def test_saved_and_loaded(name, tmp_path):
    """A model file keeps the kinds: frames, dicts and rows get the same answers before and after."""
    model = getattr(cb, name)(kinds={**dict.fromkeys(FRAME.columns, "auto"), "pclass": "symbol"}).fit(FRAME, WEEKEND)
    model.save(tmp_path / "m.cb")
    loaded = cb.load(tmp_path / "m.cb")
    records = FRAME.assign(joined=FRAME.joined.dt.date).to_dict("records")
    expected = model.predict(FRAME).tolist()

    assert (loaded.kinds, loaded.kinds_) == (model.kinds, model.kinds_)
    assert (loaded.n_features_in_, loaded.feature_names_in_.tolist()) == (6, FRAME.columns.tolist())
    for one in (model, loaded, pickle.loads(pickle.dumps(model))):
        assert one.predict(FRAME).tolist() == expected
        assert one.predict(records).tolist() == expected
        assert [one.predict(records[i : i + 1])[0] for i in range(5)] == expected[:5]
        assert [one.predict(FRAME[i : i + 1])[0] for i in range(5)] == expected[:5]


def test_kinds_decide_what_is_learned():
    """Evidence names the features that were learned, and quotes their values."""
    model = cb.C45Classifier(kinds="auto").fit(FRAME, WEEKEND)
    (evidence,) = model.explain(FRAME[:1])

    assert model.model_.schema.names == LEARNED
    assert (model.predict(FRAME) == WEEKEND).all()
    assert "joined.weekday = Monday" in cb.render_text(evidence)


def test_without_kinds_nothing_changes():
    """Whole numbers, dates and keys are symbols by default."""
    model = cb.IB1Classifier().fit(FRAME, WEEKEND)

    assert model.kinds_ == ()
    assert {feature.kind for feature in model.model_.schema.features} == {"symbolic"}
    assert model.model_.schema.names == tuple(FRAME.columns)


def test_columns_that_are_left_out_need_not_be_there():
    """A frame or dict without the key gets the same answer; one without a feature is refused."""
    model = cb.IB1Classifier(kinds="auto").fit(FRAME, WEEKEND)
    short = FRAME.drop(columns=["id", "host"])

    assert (model.predict(short) == model.predict(FRAME)).all()
    assert model.predict(short[:1].to_dict("records")) == WEEKEND[:1]
    assert model.insert(short[:1], WEEKEND[:1]).predict(short[:1]) == WEEKEND[:1]
    with pytest.raises(ValueError, match="age"):
        model.predict(short.drop(columns="age"))


def test_rows_by_position():
    """Rows without names have all columns of the training table."""
    rows = FRAME.assign(joined=FRAME.joined.dt.date).to_numpy().tolist()
    model = cb.C45Classifier(kinds="auto").fit(rows, WEEKEND)

    assert model.model_.schema.names == tuple(
        name.replace("joined", "f5").replace("pclass", "f2").replace("age", "f3").replace("sex", "f4")
        for name in LEARNED
    )
    assert (model.predict(rows) == WEEKEND).all()
    assert model.predict(rows[5:6]) == ["free"]
    with pytest.raises(ValueError, match="6 features"):
        model.predict([row[1:] for row in rows])


def test_a_few_rows_are_as_many_rows():
    """The path for a few plain rows gives the same codes as the one for a table, whatever the types of the values."""
    model = cb.IB1Classifier(kinds={**dict.fromkeys(FRAME.columns, "auto"), "sex": ["f", "m"]}).fit(FRAME, WEEKEND)
    schema = model.model_.schema
    row = {"id": None, "pclass": 2, "age": 33, "sex": "m", "joined": "2024-02-03", "host": "elsewhere"}
    others = [
        {"pclass": 2.0, "age": "33"},
        {"pclass": np.int64(2), "joined": dt.date(2024, 2, 3)},
        {"joined": "2024-02-03 00:00:00", "id": 5},
    ]
    expected = schema.encode(pd.DataFrame([row])).columns
    for other in others:
        for data in ([row | other], pd.DataFrame([row | other]), [row | other] * 40):
            columns = schema.encode(data).columns
            assert [column[:1].tolist() for column in columns] == [column.tolist() for column in expected]
    missing = schema.encode([dict.fromkeys(row)]).columns
    table = schema.encode([dict.fromkeys(row)] * 40).columns
    assert all(np.array_equal(a, b[:1], equal_nan=True) for a, b in zip(missing, table, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": "old"}, "Column 'age' is of the kind 'number', but row 1 of 1 has 'old'"),
        ({"age": True}, "row 1 of 1 has 'True', which is not a number"),
        ({"joined": "soon"}, "row 1 of 1 has 'soon', which is not a date"),
        ({"sex": "x"}, "row 1 of 1 has 'x', which is not one of f < m"),
    ],
)
def test_a_value_of_another_kind(change, message):
    """A new case with a value that its column cannot have is refused, with the row."""
    model = cb.IB1Classifier(kinds={**dict.fromkeys(FRAME.columns, "auto"), "sex": ["f", "m"]}).fit(FRAME, WEEKEND)
    row = {"id": 1, "pclass": 2, "age": 33, "sex": "m", "joined": "2024-02-03", "host": "h"}
    with pytest.raises(CasebaseError, match=message):
        model.predict([row | change])


def test_inserted_cases_have_the_kinds_of_the_model():
    """A corrected model equals a new fit with the same kinds."""
    kinds = dict.fromkeys(FRAME.columns, "auto")
    grown = cb.IB1Classifier(kinds=kinds).fit(FRAME[:40], WEEKEND[:40]).insert(FRAME[40:], WEEKEND[40:])
    whole = cb.IB1Classifier(kinds=kinds).fit(FRAME, WEEKEND)

    assert grown.fingerprint_ == whole.fingerprint_
    assert np.array_equal(grown.predict_proba(FRAME), whole.predict_proba(FRAME))


def test_a_risky_choice_warns():
    """`fit` warns once, and names the column."""
    frame = FRAME.assign(price=[i * i * 1000 + i for i in range(N)])
    with pytest.warns(UserWarning, match="Check the kinds of these columns. price: all its whole numbers"):
        cb.C45Classifier(kinds="auto").fit(frame, WEEKEND)


def test_a_method_that_finds_kinds(monkeypatch):
    """Such a method needs no `kinds`, and finds those of the columns that a dict does not name."""
    finding = replace(method_named("c45"), finds_kinds=True)
    monkeypatch.setattr("casebase.estimators._input.method_named", lambda name: finding)

    found = cb.C45Classifier().fit(FRAME, WEEKEND)
    given = cb.C45Classifier(kinds={"pclass": "symbol"}).fit(FRAME, WEEKEND)
    assert [column.kind for column in found.kinds_] == ["key", "ordinal", "number", "symbol", "date", "constant"]
    assert [column.kind for column in given.kinds_] == ["key", "symbol", "number", "symbol", "date", "constant"]


def test_kinds_can_be_cloned():
    """`kinds` is a parameter like any other."""
    model = clone(cb.IB1Classifier(3, kinds={"age": "number"}))

    assert model.get_params()["kinds"] == {"age": "number"}
    assert [one.kind for one in model.fit(FRAME, WEEKEND).kinds_] == ["symbol", "symbol", "number", *["symbol"] * 3]


def test_a_damaged_file_is_refused(tmp_path):
    """Kinds that do not give the features of the model are an error, not a wrong answer."""
    from casebase.base import files

    cb.IB1Classifier(kinds="auto").fit(FRAME, WEEKEND).save(tmp_path / "m.cb")
    header, arrays = files.read(tmp_path / "m.cb")
    header["source"] = header["source"][1:-2]
    files.write(tmp_path / "wrong.cb", header, arrays._arrays)
    with pytest.raises(CasebaseError, match="the features are not those of the columns' kinds"):
        cb.load(tmp_path / "wrong.cb")
