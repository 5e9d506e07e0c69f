"""Records as people have them: rows as dicts, columns to ignore, columns of provenance, ids from an index."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import casebase as cb
from casebase.errors import CasebaseError, SchemaError
from casebase.kinds import evidence_from_dict
from casebase.methods import METHODS, method_named
from casebase.render.page import render_html
from casebase.render.text import render_text

N = 36
FRAME = pd.DataFrame(
    {
        "sex": ["male", "female"] * (N // 2),
        "ticket": [f"T{i}" for i in range(N)],
        "pclass": [str(i % 3 + 1) for i in range(N)],
        "age": [20.5 + i % 7 for i in range(N)],
        "source": [["list A", "list B", None][i % 3] for i in range(N)],
        "annotator": [["Ann", "Bo"][i % 2] for i in range(N)],
    },
    index=[f"p{i}" for i in range(N)],
)
LEARNED = ["sex", "pclass", "age"]
CLASSES = ["died" if i % 2 == 0 or i % 9 == 3 else "survived" for i in range(N)]
# The autopilot and its readings share their code; the kernel vote and the discriminant are the quickest of them.
STORING = [name for name in METHODS if method_named(name).stores_cases and name not in ("forest", "opinions")]
NOT_STORING = [name for name in METHODS if not method_named(name).stores_cases]


def classifier(method, **parameters):
    return getattr(cb, METHODS[method].estimator)(**parameters)


def fitted(method, frame=FRAME, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classifier(method, **parameters).fit(frame, CLASSES)


@pytest.fixture(params=[name for name in METHODS if name not in ("auto", "forest", "opinions")])
def method(request):
    return request.param


def test_columns_left_out_change_nothing(method):
    """A column that is ignored or kept is as if it were not there: in answers, shares and evidence."""
    with_all = fitted(method, ignore=["ticket"], keep=["source", "annotator"])
    without = fitted(method, FRAME[LEARNED])

    new = FRAME[LEARNED].iloc[:8]
    assert with_all.predict(new).tolist() == without.predict(new).tolist()
    assert np.array_equal(with_all.predict_proba(FRAME.iloc[:8]), without.predict_proba(new))
    (evidence,) = with_all.explain(FRAME.iloc[:1])
    assert set(evidence.features) == set(LEARNED)
    assert "T0" not in render_text(evidence)


def test_rows_as_dicts_have_no_order(method):
    """Neither in `fit` nor in `predict`, and for few rows as for many; a key that is absent is a missing value."""
    rows = FRAME[LEARNED].to_dict("records")
    turned = [{key: row[key] for key in reversed(row)} for row in rows]
    first, second = (classifier(method).fit(table, CLASSES) for table in (rows, turned))

    for queries in (rows[:5], rows, [{**row, "age": None} for row in rows[:4]]):
        backwards = [{key: row[key] for key in reversed(row)} for row in queries]
        expected = first.predict_proba(queries)
        assert np.array_equal(first.predict_proba(backwards), expected)
        assert np.allclose(second.predict_proba(queries), expected)
    missing = pd.DataFrame({"sex": ["male"], "pclass": ["1"], "age": [np.nan]})
    assert first.predict([{"pclass": "1", "sex": "male"}]).tolist() == first.predict(missing).tolist()


@pytest.mark.parametrize("estimator", [cb.ReliefSelector(), cb.FocusSelector(), cb.MDLPDiscretizer()])
def test_transformers_take_dicts_in_any_order(estimator):
    """The columns come out in the order of the training table."""
    rows = FRAME[LEARNED].to_dict("records")
    turned = [{key: row[key] for key in reversed(row)} for row in rows]
    estimator.fit(rows, CLASSES)

    assert np.asarray(estimator.transform(turned)).tolist() == np.asarray(estimator.transform(rows)).tolist()


def test_an_unknown_key_is_refused():
    """A misspelt key would be a missing value."""
    clf = fitted("ib1", FRAME[LEARNED])

    for n in (1, 50):
        with pytest.raises(SchemaError, match="Did you mean 'sex'"):
            clf.predict([{"sx": "male", "pclass": "1", "age": 3.0}] * n)


@pytest.mark.parametrize("method", STORING)
def test_provenance_is_quoted_and_stored(method, tmp_path):
    """It is in the evidence of the cases, as text, on a page and in JSON, also after the model was saved."""
    clf = fitted(method, ignore=["ticket"], keep=["source", "annotator"])
    clf.save(tmp_path / "m.cb")

    for one in (clf, cb.load(tmp_path / "m.cb")):
        assert one.model_.schema.provenance_names == ("source", "annotator")
        (evidence,) = one.explain(FRAME[LEARNED].iloc[:1])
        cases = getattr(evidence, "neighbours", getattr(evidence, "cases", ()))
        assert cases or method == "igtree"  # whose evidence is a path
        for case in cases:
            row = FRAME.loc[case.id]
            expected = {"source": row["source"], "annotator": row["annotator"]}
            assert case.provenance == {name: None if pd.isna(text) else text for name, text in expected.items()}
            assert str(case.provenance["annotator"]) in render_html([evidence])
        assert evidence_from_dict(json.loads(json.dumps(evidence.to_dict()))) == evidence


@pytest.mark.parametrize("method", ["ib1", "tribl", "igtree", "tribl2", "kernel"])
def test_provenance_goes_through_corrections(method, tmp_path):
    """Tables of new cases may have the columns or not; an update keeps what it does not mention."""
    clf = fitted(method, ignore=["ticket"], keep=["source", "annotator"])
    new = FRAME[LEARNED].iloc[:3].set_axis(["n0", "n1", "n2"])
    clf.insert(new, ["died", "survived", "died"], sample_weight=[1, 1, 1])
    clf.insert([{"sex": "male", "age": 3.0, "pclass": "1", "source": "web"}], ["died"], ids=["n3"])
    clf.remove(["p0", "n1"])
    clf.update(["p1", "n0"], FRAME[[*LEARNED, "source"]].iloc[:2].assign(source=["proof", None]), ["died", "died"])
    clf.save(tmp_path / "m.cb")

    for one in (clf, cb.load(tmp_path / "m.cb")):
        memory = one.model_.stored_memory()
        rows = memory.in_given_order
        found = dict(zip(memory.ids(rows).tolist(), memory.provenance(rows).tolist()))
        assert found["p1"] == ["proof", "Bo"]
        assert (found["n0"], found["n2"], found["n3"]) == ([None, None], [None, None], ["web", None])
        assert found["p3"] == ["list A", "Bo"]
        assert len(found) == N + 2
        assert "p0" not in found
    assert one.fingerprint_ == clf.fingerprint_


def test_removed_provenance_leaves_the_file(tmp_path):
    """The texts of a removed case are nowhere in the model file."""
    frame = FRAME.assign(source=["SECRET-SOURCE", *["list"] * (N - 1)])
    clf = fitted("ib1", frame, keep=["source"])
    clf.remove(["p0"])
    clf.save(tmp_path / "m.cb")

    assert b"SECRET-SOURCE" not in (tmp_path / "m.cb").read_bytes()


@pytest.mark.parametrize("method", NOT_STORING)
def test_keep_warns_where_no_case_is_stored(method):
    """The columns are left out, and the warning says that they are not kept."""
    with pytest.warns(UserWarning, match="stores no cases"):
        clf = classifier(method, keep=["source"], ignore=["ticket", "annotator"]).fit(FRAME, CLASSES)

    assert clf.model_.schema.names == tuple(LEARNED)


def test_arrays_may_lack_the_columns_left_out():
    """Without names columns are by number; a table has all columns, or only those that are learned from."""
    X = FRAME.to_numpy(dtype=object)
    clf = classifier("ib1", ignore=[1], keep=[4, -1], kinds={3: "number"}).fit(X, CLASSES)

    assert clf.predict(X[:5]).tolist() == clf.predict(X[:5][:, [0, 2, 3]]).tolist()
    assert clf.predict(X).tolist() == clf.predict(X[:, [0, 2, 3]]).tolist()
    with pytest.raises(ValueError, match="features"):
        clf.predict(X[:, :2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ignore": ["tiket"]}, "Did you mean 'ticket'"),
        ({"keep": [6]}, "numbers from 0 to 5"),
        ({"ignore": ["source"], "keep": "source"}, "to be ignored and to be kept"),
        ({"ignore": {"source": 1}}, "a list of columns"),
        ({"ignore": list(FRAME)}, "No column is left to learn from"),
    ],
)
def test_wrong_columns_are_refused(parameters, message):
    """The message says what is wrong with them."""
    with pytest.raises(CasebaseError, match=message):
        classifier("ib1", **parameters).fit(FRAME, CLASSES)


def test_parameters_are_scikit_learns():
    """`clone` copies them, and a column alone is a list of one."""
    clf = clone(classifier("ib1", ignore="ticket", keep=["source"]))

    assert (clf.get_params()["ignore"], clf.get_params()["keep"]) == ("ticket", ["source"])
    assert "ticket" not in clf.fit(FRAME, CLASSES).model_.schema.names


def test_ids_are_those_of_the_frame():
    """After `train_test_split`, case 318 is `df.loc[318]`."""
    frame = FRAME[LEARNED].reset_index(drop=True)
    X_train, X_test, y_train, _ = train_test_split(frame, CLASSES, random_state=0)
    clf = classifier("ib1", k=3).fit(X_train, y_train)

    assert clf.ids_.tolist() == X_train.index.tolist()
    for evidence in clf.explain(X_test):
        for case in evidence.neighbours:
            assert case.values == tuple(frame.loc[case.id])
    assert clf._cases(X_test).ids.tolist() == X_test.index.tolist()


def test_a_repeated_index_is_reported_only_where_ids_are_kept():
    """A tree has no use for ids."""
    frame = pd.concat([FRAME[LEARNED].iloc[:18]] * 2)

    with pytest.warns(UserWarning, match="'p0', 'p1', 'p2', … .18 ids"):
        assert classifier("ib1").fit(frame, CLASSES).ids_.tolist() == list(range(N))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier("c45").fit(frame, CLASSES)


def test_inserted_frames_bring_their_ids():
    """An index that the memory cannot take is reported, and the cases are numbered on."""
    frame = FRAME[LEARNED].reset_index(drop=True)
    clf = classifier("ib1").fit(frame.iloc[:30], CLASSES[:30])

    clf.insert(frame.iloc[33:], CLASSES[33:])
    assert clf.ids_.tolist()[30:] == [33, 34, 35]
    with pytest.warns(UserWarning, match="numbered on"):
        clf.insert(frame.iloc[32:34], CLASSES[32:34])
    assert clf.ids_.tolist()[33:] == [36, 37]
    with pytest.warns(UserWarning, match="such as 'a'"):
        clf.insert(frame.iloc[:1].set_axis(["a"]), CLASSES[:1])
    clf.insert(frame.iloc[:2].reset_index(drop=True), CLASSES[:2])
    assert clf.ids_.tolist()[35:] == [38, 39, 40]
