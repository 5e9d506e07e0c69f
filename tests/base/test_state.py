"""The state of whatever has learned is its model file: it survives pickle, joblib and skops, and cannot do harm."""

import copy
import io
import pickle
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import casebase as cb
from casebase.base.state import MODEL_FILE
from casebase.errors import ModelFileError

FRAME = pd.DataFrame(
    {"sky": ["sun", "sun", "rain", "rain"] * 3, "wind": [1.0, 2.5, 1.5, 3.0] * 3, "day": list("abcdefghijkl")}
)
Y = ["go", "stay", "go", "stay"] * 3
WORDS = ["ta-lo", "kis-sa", "ka-la", "kuk-ka-ro"]
CORPUS = [[("The", "D"), ("dog", "N"), ("runs", "V")], [("The", "D"), ("run", "N")]] * 4


def classifiers():
    found = [getattr(cb, name) for name in cb.__all__ if name != "StringRuleClassifier"]
    return [one for one in found if isinstance(one, type) and issubclass(one, ClassifierMixin)]


def others():
    """The estimators that have no model file: selectors and the discretiser."""
    found = [getattr(cb, name) for name in cb.__all__]
    found = [one for one in found if isinstance(one, type) and issubclass(one, BaseEstimator)]
    return [one for one in found if not issubclass(one, ClassifierMixin)]


def by_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


def by_joblib(thing):
    file = io.BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(thing):
    sio = pytest.importorskip("skops.io")
    content = sio.dumps(thing)
    return sio.loads(content, trusted=sio.get_untrusted_types(data=content))


WAYS = [by_pickle, by_joblib, by_skops, copy.deepcopy]


@cache
def fitted(kind):
    """One object of a kind for all ways: learning takes longer than copying."""
    if kind is cb.Tagger:
        return kind().fit(CORPUS)
    if kind is cb.Hyphenator:
        return kind(window=None).fit(WORDS)
    return kind(n_jobs=1).fit(FRAME, Y)


def content_of(thing):
    file = io.BytesIO()
    thing.save(file)
    return file.getvalue()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", classifiers())
def test_a_classifier_survives(kind, way):
    """Parameters, names, classes and the bytes of the model file are those before; predicting crashed after skops."""
    before = fitted(kind)
    after = way(before)

    assert after.get_params() == before.get_params()
    assert after.feature_names_in_.tolist() == ["sky", "wind", "day"]
    assert after.classes_.tolist() == before.classes_.tolist()
    assert content_of(after) == content_of(before)
    assert after.predict_proba(FRAME).tolist() == before.predict_proba(FRAME).tolist()
    assert vars(clone(after)) == vars(clone(before))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", others())
def test_a_selector_survives(kind, way):
    """What has no model file is copied attribute by attribute."""
    before = kind().fit(FRAME[["sky", "wind"]], Y)
    after = way(before)

    assert vars(after).keys() == vars(before).keys()
    assert np.array_equal(after.transform(FRAME[["sky", "wind"]]), before.transform(FRAME[["sky", "wind"]]))


@pytest.mark.parametrize("way", WAYS)
def test_language_tools_survive(way):
    """Taggers, hyphenators and rules over strings, with the parameters that their files do not have."""
    tagger = way(cb.Tagger(n_jobs=2, beam=3).fit(CORPUS).learn([("A", "D"), ("cat", "N")]))
    hyphenator = way(cb.Hyphenator(window=None, n_jobs=2).fit(WORDS))
    rules = way(cb.StringRuleClassifier(n_jobs=2).fit(["|ce", "|ca", "|ci"], ["S", "K", "S"]))

    assert (tagger.n_jobs, tagger.beam, tagger.committee) == (2, 3, None)
    assert tagger.tag(["A", "dog"]) == ["D", "N"]
    assert (hyphenator.n_jobs, hyphenator.hyphenate("kalossa", "-")) == (2, "ka-los-sa")
    assert (rules.n_jobs, rules.predict(["|cel"]).tolist()) == (2, ["S"])


@pytest.mark.parametrize("way", WAYS)
def test_what_has_learned_nothing_survives(way):
    """Untrained estimators and tools have their parameters, and can learn."""
    assert way(cb.IB1Classifier(k=3)).get_params() == cb.IB1Classifier(k=3).get_params()
    assert way(cb.Tagger(beam=2)).fit(CORPUS).tag(["The"]) == ["D"]
    assert way(cb.Hyphenator(window=None)).fit(WORDS).hyphenate("kala", "-") == "ka-la"


def test_what_the_file_does_not_have_survives():
    """Declared classes, the log of corrections, and the attributes of a user's subclass."""
    before = cb.IB1Classifier().partial_fit([["a"], ["b"]], ["P", "Q"], classes=["P", "Q", "R"])
    before.insert([["c"]], ["R"], by="Ann")
    before.note = "mine"
    after = by_pickle(before)

    assert after.classes_.tolist() == ["P", "Q", "R"]
    assert after.predict_proba([["a"]]).shape == (1, 3)
    assert [entry.by for entry in after.log_] == ["Ann"]
    assert after.note == "mine"


class Subclass(cb.IGTreeClassifier):
    """An estimator of a user."""


def test_a_subclass_stays_one():
    """A pickle is restored as the class that it was."""
    after = by_pickle(Subclass().fit([["a"], ["b"]], ["P", "Q"]))
    assert (type(after), after.predict([["b"]]).tolist()) == (Subclass, ["Q"])


def damaged(state, change):
    content = state[MODEL_FILE].copy()
    return state | {MODEL_FILE: change(content)}


def flipped(content):
    content[len(content) // 2] ^= 1
    return content


@pytest.mark.parametrize(
    "change",
    [
        flipped,
        lambda content: content[:100],
        lambda content: content[:4],
        lambda content: content[:0],
        lambda content: b"text",
        lambda content: None,
        lambda content: np.zeros((3, 3), np.uint8),
        lambda content: np.frombuffer(b"\x02\0\0\0\0\0\0\0[]", np.uint8),
        lambda content: np.full(64, 255, np.uint8),
    ],
)
@pytest.mark.parametrize("thing", [cb.IB1Classifier, cb.Tagger, cb.Hyphenator], ids=lambda kind: kind.__name__)
def test_a_damaged_state_is_an_error(thing, change):
    """No content of a state reaches a kernel unless it is that of a model file."""
    state = damaged(fitted(thing).__getstate__(), change)
    with pytest.raises(ModelFileError, match="The stored"):
        thing.__new__(thing).__setstate__(state)


def test_states_of_other_versions_are_refused():
    """A pickle that has a model instead of its file is of another version; so is a file of another format."""
    clf = fitted(cb.IB1Classifier)
    with pytest.raises(ModelFileError, match="another version of casebase wrote it"):
        cb.IB1Classifier.__new__(cb.IB1Classifier).__setstate__(dict(vars(clf)))
    with pytest.raises(ModelFileError, match="of another class, IB1Classifier"):
        cb.ID3Classifier.__new__(cb.ID3Classifier).__setstate__(clf.__getstate__())
    with pytest.raises(ModelFileError, match="is a model of 'ib1', not a tagger"):
        cb.Tagger.__new__(cb.Tagger).__setstate__(clf.__getstate__())


def test_a_vocabulary_is_copied_as_text():
    """An Arrow array restored by skops has no content, and reading it crashed the interpreter."""
    cases = by_skops(cb.Cases.from_table([["b", "P"], [None, "Q"]], target=-1))
    assert cases.schema.features[0].vocabulary.values.to_pylist() == [None, "b"]
