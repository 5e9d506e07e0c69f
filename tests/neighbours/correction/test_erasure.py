"""What was removed is gone: from the answers, from the counts, and from the file."""

import pickle

import pytest

import casebase as cb
from casebase import methods
from casebase.neighbours import correction as correcting
from tests.model_files import drop_log

X = [
    {"name": "ann", "town": "oslo", "note": "alpha", "height": 1.5},
    {"name": "bob", "town": "oslo", "note": "beta", "height": 1.75},
    {"name": "cyd", "town": "rome", "note": "gamma", "height": 2.25},
    {"name": "dagmar-unheard-of", "town": "ultima-thule", "note": "secret-remark", "height": 4.875},
]
Y = ["tall", "short", "tall", "class-of-one"]
IDS = ["case-1", "case-2", "case-3", "case-4"]
TRACES = [b"dagmar", b"unheard", b"thule", b"secret", b"class-of-one", b"4.875"]
CLASSIFIERS = [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier, cb.TRIBL2Classifier]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("metric", ["overlap", {"note": "ignored"}])
@pytest.mark.parametrize("label", ["class-of-one", "tall"])
def test_nothing_of_a_removed_case_is_in_the_file(classifier, metric, label, tmp_path, monkeypatch):
    """Values and classes that only a removed case had are not among the bytes of the file; the log has its id."""
    monkeypatch.setattr(correcting, "DISORDER", 1.0)  # in memory it may only have been marked
    path = tmp_path / "model.cb"
    clf = classifier(metric=metric).fit(X, [*Y[:3], label], ids=IDS)
    clf.save(path)
    before = path.read_bytes()
    assert sum(trace in before for trace in TRACES) >= 3  # the search finds what is there

    clf.remove(["case-4"])
    clf.save(path)

    after = path.read_bytes()
    assert [trace for trace in TRACES if trace in after] == []
    assert list(tmp_path.iterdir()) == [path]
    assert cb.load(path).ids_.tolist() == IDS[:3]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_nothing_of_a_removed_case_is_pickled(classifier, monkeypatch):
    """Pickling a classifier is saving it: what was only marked as removed is left out."""
    monkeypatch.setattr(correcting, "DISORDER", 1.0)
    clf = classifier().fit(X, [*Y[:3], "tall"], ids=IDS)
    clf.remove(["case-4"])

    content = pickle.dumps(clf)

    assert [trace for trace in TRACES if trace in content] == []
    assert pickle.loads(content).predict(X).tolist() == clf.predict(X).tolist()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_file_of_a_corrected_model_is_that_of_a_new_fit(classifier, tmp_path):
    """After a removal and an insertion the file is, byte for byte and but for its log, the one that a fit writes."""
    clf = classifier().fit(X, Y, ids=IDS)
    clf.remove(["case-2"])
    clf.insert([X[1]], ["short"], ids=["case-2"])
    clf.save(tmp_path / "corrected.cb")
    order = [0, 2, 3, 1]
    classifier().fit([X[i] for i in order], [Y[i] for i in order], ids=[IDS[i] for i in order]).save(
        tmp_path / "fresh.cb"
    )

    assert len(methods.load(tmp_path / "corrected.cb").log) == 2
    drop_log(tmp_path / "corrected.cb")
    assert (tmp_path / "corrected.cb").read_bytes() == (tmp_path / "fresh.cb").read_bytes()


def test_a_value_without_cases_was_never_seen():
    """Evidence calls a value that no stored case has any more unseen, as it would after a new fit."""
    clf = cb.IB1Classifier().fit(X, Y, ids=IDS)
    clf.remove(["case-4"])

    (evidence,) = clf.explain([X[3]])

    assert [unseen.feature for unseen in evidence.unseen] == ["name", "town", "note"]
    assert clf.classes_.tolist() == ["short", "tall"]


def test_ignored_features_keep_no_values(tmp_path):
    """A model file holds no values of a feature that the model does not use."""
    cb.IB1Classifier(metric={"note": "ignored"}).fit(X, Y).save(tmp_path / "model.cb")

    assert b"secret-remark" not in (tmp_path / "model.cb").read_bytes()


@pytest.mark.parametrize("learner", [classifier.learner for classifier in CLASSIFIERS])
def test_fingerprints_tell_memories_apart(learner):
    """The same cases have one fingerprint whatever their order; another value, class, weight or id has another."""

    def fingerprint(rows, labels, ids, weights=None):
        classifier = next(c for c in CLASSIFIERS if c.learner == learner)
        return classifier().fit(rows, labels, ids=ids, sample_weight=weights).fingerprint_

    first = fingerprint(X, Y, IDS)
    assert fingerprint(X[::-1], Y[::-1], IDS[::-1]) == first
    assert fingerprint(X, Y, IDS, [1, 1, 1, 1]) == first
    changed = [{**X[0], "town": "rome"}, *X[1:]]
    others = {
        fingerprint(changed, Y, IDS),
        fingerprint(X, ["short", *Y[1:]], IDS),
        fingerprint(X, Y, ["case-0", *IDS[1:]]),
        fingerprint(X, Y, IDS, [2, 1, 1, 1]),
        fingerprint(X, Y, [IDS[1], IDS[0], *IDS[2:]]),
        fingerprint(X[:3], Y[:3], IDS[:3]),
    }
    assert len(others) == 6
    assert first not in others


def test_fingerprints_tell_weights_of_exemplars_apart():
    """A case that is nearer than the others is another case."""
    first, again, other = (
        cb.IB1Classifier().fit(X, Y, ids=IDS, exemplar_weight=weights).fingerprint_
        for weights in (None, [1, 1, 1, 1], [2, 1, 1, 1])
    )

    assert first == again != other


def test_a_receipt_says_what_was_removed():
    """Ids, their number, and the fingerprints of the memory before and after, as a new fit has them."""
    clf = cb.IB1Classifier().fit(X, Y, ids=IDS)
    before = clf.fingerprint_

    receipt = clf.remove(["case-2", "case-3"])

    rest = cb.IB1Classifier().fit([X[0], X[3]], [Y[0], Y[3]], ids=[IDS[0], IDS[3]])
    assert receipt == cb.Receipt(("case-2", "case-3"), 2, before, rest.fingerprint_)
    assert receipt.to_dict() == {
        "ids": ["case-2", "case-3"],
        "count": 2,
        "before": before,
        "after": rest.fingerprint_,
    }
