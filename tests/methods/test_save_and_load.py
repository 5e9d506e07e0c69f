"""Saving and loading changes nothing."""

import os
import stat
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase import methods
from casebase.base import files
from casebase.errors import CasebaseError
from casebase.methods import METHODS, method_named
from tests.methods.conftest import LABELS, NEW, ROWS


def same_answers(one, other, X):
    assert np.array_equal(one.predict(X), other.predict(X))
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    assert [e.to_dict() for e in one.explain(X)] == [e.to_dict() for e in other.explain(X)]


def test_answers_and_evidence_are_equal(model, saved):
    """A loaded model gives the same classes, shares and reasons."""
    same_answers(model, cb.load(saved), NEW)


def test_the_loaded_classifier_is_of_the_same_kind(model, saved):
    """Class, parameters, weights and number of features come back."""
    loaded = cb.load(str(saved))

    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    for name in filter(partial(hasattr, model), ("weights_", "alpha_", "alpha_errors_")):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
    assert loaded.n_features_in_ == 3
    assert loaded.classes_.dtype == model.classes_.dtype


def test_saving_again_gives_the_same_file(saved, tmp_path):
    """A loaded model holds all that was saved: header and arrays are written again as they were."""
    cb.load(saved).save(tmp_path / "again.cb")
    (header, arrays), (header_again, arrays_again) = files.read(saved), files.read(tmp_path / "again.cb")

    assert header_again == header
    assert arrays_again._arrays.keys() == arrays._arrays.keys()
    for name, array in arrays._arrays.items():
        np.testing.assert_array_equal(arrays_again._arrays[name], array, strict=True)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 3]),
        np.array([3, 1, 3], dtype=np.int8),
        np.array([True, False, True]),
        np.array([0.5, 1.0, 0.5]),
        np.array(["é", "", "é"]),
        np.array(["a", "b", "a"], dtype=object),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_keep_their_type(labels, tmp_path):
    """Whole numbers come back as whole numbers, text as text."""
    model = cb.IB1Classifier().fit([["x"], ["y"], ["x"]], labels.astype(str) if labels.dtype.kind == "f" else labels)
    model.save(tmp_path / "m.cb")
    loaded = cb.load(tmp_path / "m.cb")

    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict([["x"], ["y"]]).tolist() == model.predict([["x"], ["y"]]).tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {"metric": {0: "ignored", 2: "overlap"}},
        {"metric": {"size": "numeric", "sky": "overlap"}},
        {"weighting": np.array([1.0, 0.25, 3.0])},
        {"weighting": [1, 2, 3]},
        {"k": np.int64(2)},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_parameters_come_back(parameters, tmp_path):
    """Dicts keep the types of their keys; arrays become lists."""
    frame = pd.DataFrame(ROWS, columns=["sky", "size", "wind"])
    model = cb.IB1Classifier(**parameters).fit(frame, LABELS)
    model.save(tmp_path / "m.cb")
    loaded = cb.load(tmp_path / "m.cb")
    (name, value), *_ = parameters.items()

    assert loaded.get_params()[name] == (value.tolist() if hasattr(value, "tolist") else value)
    same_answers(model, loaded, frame)


def test_names_of_columns_come_back(tmp_path):
    """A loaded model knows its columns and refuses others."""
    frame = pd.DataFrame(ROWS, columns=["sky", "size", "wind"])
    cb.IGTreeClassifier().fit(frame, LABELS).save(tmp_path / "m.cb")
    loaded = cb.load(tmp_path / "m.cb")

    assert loaded.feature_names_in_.tolist() == ["sky", "size", "wind"]
    with pytest.raises(ValueError, match="same order"):
        loaded.predict(frame[["wind", "size", "sky"]])


@pytest.mark.parametrize("learner", METHODS)
@pytest.mark.parametrize("ids", [["one", "two", "three"], [30, 10, 20]])
def test_ids_come_back(learner, ids, tmp_path):
    """Evidence names stored cases by the ids they were given."""
    cases = cb.Cases.from_table([["a", "x"], ["b", "x"], ["c", "y"]], y=["P", "Q", "Q"], ids=ids)
    model = method_named(learner).fit(cases)
    methods.save(tmp_path / "m.cb", model, {})
    loaded = methods.load(tmp_path / "m.cb").model

    assert loaded.explain(cases) == model.explain(cases)


def test_value_tables_of_any_text(tmp_path):
    """Empty, long and foreign values survive, and a missing value is not an empty one."""
    rows = [[""], [None], ["日本"], ["x" * 100_000], ["a\nb"]]
    model = cb.IB1Classifier().fit(rows, list("abcde"))
    model.save(tmp_path / "m.cb")

    assert "".join(cb.load(tmp_path / "m.cb").predict(rows)) == "abcde"


def test_a_model_is_as_readable_as_other_files(saved):
    """Regression: only the owner could read a saved model."""
    plain = saved.parent / "plain"
    plain.touch()

    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_replacing_a_model_keeps_its_permissions(model, saved):
    """A model that was shared stays shared."""
    saved.chmod(0o664)
    model.save(saved)

    assert stat.S_IMODE(saved.stat().st_mode) == 0o664


def test_unfitted_estimators_are_not_saved(tmp_path):
    """There is nothing to save before fit."""
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        cb.IB1Classifier().save(tmp_path / "m.cb")


def test_classes_that_a_file_cannot_hold(tmp_path):
    """Values that are neither text nor number nor boolean are refused when saving, with the reason."""
    classes = np.array([Fraction(1, 3), Fraction(1, 2)], dtype=object)
    model = method_named("ib1").fit(cb.Cases.from_table([["a"], ["b"]], y=classes))

    with pytest.raises(CasebaseError, match="Cannot write"):
        methods.save(tmp_path / "m.cb", model)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_the_old_file(model, saved, monkeypatch):
    """Ctrl-C before the last moment changes nothing and leaves nothing behind."""
    before = saved.read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_write_that_fails_half_way_leaves_the_old_file(model, saved, monkeypatch):
    """A full disk is reported and changes nothing."""
    before = saved.read_bytes()

    def half_way(file, arrays, describe, *_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_arrays", half_way)
    with pytest.raises(CasebaseError, match="No space left"):
        model.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.parametrize("path", ["missing/folder/model.cb", "."])
def test_places_where_nothing_can_be_written(model, tmp_path, path):
    """A folder, or a folder that is not there, is named in the message."""
    with pytest.raises(CasebaseError, match="Cannot write"):
        model.save(tmp_path / path)


def test_devices_are_not_replaced(model):
    """Regression: saving to /dev/null as root replaced it by a file."""
    with pytest.raises(CasebaseError, match="not a file"):
        model.save(os.devnull)
    assert not os.path.isfile(os.devnull)


def test_the_same_model_is_the_same_file(tmp_path):
    """Two fits on the same cases are equal byte by byte."""
    for name in ("one.cb", "two.cb"):
        cb.IB1Classifier().fit([["a", "x"], ["b", "y"]], ["P", "Q"]).save(tmp_path / name)
    assert (tmp_path / "one.cb").read_bytes() == (tmp_path / "two.cb").read_bytes()
