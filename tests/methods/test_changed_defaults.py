"""A changed default never changes a model that was saved before it: files hold every setting."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone

import casebase as cb
from casebase import methods
from casebase.base import files
from casebase.base.settings import Settings
from casebase.errors import ModelFileError
from casebase.methods import METHODS, method_named
from tests.methods.conftest import LABELS, NEW, ROWS

SENTENCES = [[("The", "D"), ("dog", "N"), ("walks", "V")], [("A", "D"), ("walk", "N")], [("dogs", "N"), ("walk", "V")]]


class Poison:
    """A default that must not be used: whatever is done with it fails."""

    def __getattribute__(self, name):
        raise AssertionError("a default was used where the file has the setting")

    def __eq__(self, other):
        raise AssertionError("a default was used where the file has the setting")

    __hash__ = None


def poison_defaults(record: type[Settings], monkeypatch) -> None:
    """Make every default of a record unusable, as if a later version had another one."""
    assert set(record.__init__.__kwdefaults__) == {one.name for one in fields(record)}
    monkeypatch.setattr(record.__init__, "__kwdefaults__", dict.fromkeys(record.__init__.__kwdefaults__, Poison()))


@pytest.mark.parametrize("name", METHODS)
def test_no_default_is_used_for_a_saved_model(name, tmp_path, monkeypatch):
    """Loading, predicting and explaining give what they gave, whatever the defaults have become."""
    kind = getattr(cb, METHODS[name].estimator)
    rows = [[row[0], row[2]] for row in ROWS]
    new = [[row[0], row[2]] for row in NEW]
    model = kind().fit(rows, LABELS)
    expected, evidence = model.predict_proba(new), [str(one) for one in model.explain(new)]
    model.save(tmp_path / "m.cb")

    poison_defaults(method_named(name).settings, monkeypatch)
    loaded = cb.load(tmp_path / "m.cb")

    assert np.array_equal(loaded.predict_proba(new), expected)
    assert [str(one) for one in loaded.explain(new)] == evidence
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize("name", ["ib1", "igtree", "tribl", "tribl2"])
def test_no_default_is_used_when_a_saved_model_is_corrected(name, tmp_path, monkeypatch):
    """A correction learns by the settings of the file, also where it trains again."""
    kind = getattr(cb, METHODS[name].estimator)
    kind().fit(ROWS[:5], LABELS[:5]).save(tmp_path / "m.cb")
    expected = kind().fit(ROWS, LABELS).predict_proba(NEW)

    poison_defaults(method_named(name).settings, monkeypatch)
    loaded = cb.load(tmp_path / "m.cb").insert(ROWS[5:], LABELS[5:])
    methods.save(tmp_path / "again.cb", loaded.model_)

    assert np.array_equal(loaded.predict_proba(NEW), expected)


@pytest.mark.parametrize("known", ["igtree", "ib1", "tribl"])
def test_no_default_is_used_when_a_saved_tagger_learns(known, tmp_path, monkeypatch):
    """The case bases of a tagger have their own settings in the file."""
    tagger = cb.Tagger(compat="mbt", known_learner=known)
    clone_of = cb.Tagger(**tagger.get_params())
    tagger.fit(SENTENCES[:2]).save(tmp_path / "t.cb")
    expected = clone_of.fit(SENTENCES).tag(["The", "dogs", "walk"])
    changed = method_named(known).settings
    loaded = cb.load(tmp_path / "t.cb")

    poison_defaults(changed, monkeypatch)
    assert loaded.learn(SENTENCES[2]).tag(["The", "dogs", "walk"]) == expected


def test_a_forged_file_keeps_what_it_says(saved, model):
    """A file from a version with another default: the setting in the file is the one that is used."""
    header, arrays = files.read(saved)
    if "normalisation" not in header["settings"]:  # the shares of a committee are probabilities
        files.write(saved, header | {"settings": header["settings"] | {"random_state": 5}}, arrays._arrays)
        loaded = cb.load(saved)
        assert loaded.random_state == loaded.model_.settings.random_state == 5
        assert np.array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))
        return
    forged = header | {"settings": header["settings"] | {"normalisation": 5.0}}
    files.write(saved, forged, arrays._arrays)
    loaded = cb.load(saved)

    assert loaded.normalisation == 5.0
    expected = clone(model).set_params(normalisation=5.0)
    weights = {} if model.learner == "ib2" else {"sample_weight": [1, 2, 1, 1, 1, 0.5]}
    assert np.array_equal(loaded.predict_proba(NEW), expected.fit(ROWS, LABELS, **weights).predict_proba(NEW))


def test_a_file_that_lacks_a_setting_is_refused(saved):
    """A file of a version that did not know a setting is not filled in by today's default."""
    header, arrays = files.read(saved)
    settings = dict(header["settings"])
    name = "normalisation" if "normalisation" in settings else "random_state"
    del settings[name]
    files.write(saved, header | {"settings": settings}, arrays._arrays)

    with pytest.raises(ModelFileError, match=rf"its settings are not those of this version of casebase \({name}\)"):
        cb.load(saved)
