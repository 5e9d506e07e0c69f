"""Every public object in threads, after a fork, and in a new process: its answers are those that it gives alone."""

import inspect
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np
import pytest

import casebase as cb
from casebase.base import files
from casebase.serve.desks.desk import Desk
from lab import determinism

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
ROWS, LABELS = determinism.symbols(60)
NUMBERS, KINDS = determinism.numbers(60)
QUERIES = determinism.symbols(40, seed=9)[0]
SENTENCES = [[("the", "D"), ("cat", "N"), ("sat", "V")], [("a", "D"), ("dog", "N"), ("ran", "V")]] * 3
TREEBANK = [[{"form": w, "lemma": w.rstrip("s"), "upos": t, "xpos": t, "feats": "_"} for w, t in s] for s in SENTENCES]
TEXT = [[word for word, _ in sentence] for sentence in SENTENCES]
STRINGS, ENDINGS = ["talo", "kala", "sana", "palat"], ["P", "Q", "P", "Q"]


# For those whose examples differ from those of their kind: how it is made, and what it is asked.
OWN = {
    "Alignment": (lambda: cb.align([("cat", "k a t"), ("cake", "k ei k")]), str),
    "Annotator": (lambda: cb.Annotator().fit(TREEBANK), lambda one: one.annotate([["the", "dogs", "zzz"]])),
    "Cases": (lambda: cb.Cases.from_table(ROWS, y=LABELS), lambda one: (one.n_cases, one.schema.classes)),
    "Comparison": (
        lambda: cb.compare_representations({"all": ROWS, "some": [row[:2] for row in ROWS]}, LABELS, max_runs=2),
        lambda one: one.to_dict(),
    ),
    "Evidence": (lambda: cb.IB1Classifier().fit(ROWS, LABELS).explain(QUERIES[:1])[0], lambda one: one.to_dict()),
    "Health": (lambda: cb.health(ROWS, LABELS), lambda one: one.to_dict()),
    "Hyphenator": (lambda: cb.Hyphenator().fit(determinism.WORDS), lambda one: [one.hyphenate(w) for w in STRINGS]),
    "LanguageModel": (lambda: cb.LanguageModel(n_words=2).fit(TEXT), lambda one: one.predict(["the", "cat"])),
    "Lemmatizer": (
        lambda: cb.Lemmatizer().fit([[(t["form"], t["upos"], t["lemma"]) for t in s] for s in TREEBANK]),
        lambda one: one.lemmatize(["dogs", "zzzs"], ["N", "N"]),
    ),
    "MDLPDiscretizer": (lambda: cb.MDLPDiscretizer().fit(NUMBERS, KINDS), lambda one: one.transform(NUMBERS)),
    "MethodComparison": (
        lambda: cb.compare_methods(ROWS, LABELS, methods=["ib1", "igtree"], cv=2),
        lambda one: [(row["method"], row["accuracy"]) for row in one.to_dict()["rows"]],  # the rest are times
    ),
    "Receipt": (
        lambda: cb.IB1Classifier().fit(ROWS, LABELS).remove([3]),
        repr,
    ),
    "Recognised": (lambda: cb.recognise(b"a,b,c\n1,x,y\n2,z,y\n"), repr),
    "StringRuleClassifier": (
        lambda: cb.StringRuleClassifier().fit(STRINGS, ENDINGS),
        lambda one: one.predict([*STRINGS, "xyz"]),
    ),
    "Tagger": (lambda: cb.Tagger().fit(SENTENCES), lambda one: [one.tag(words) for words in TEXT]),
}
# These are saved; a classifier of another name is as well.
KEPT = ("Annotator", "Hyphenator", "LanguageModel", "Lemmatizer", "StringRuleClassifier", "Tagger")
CLASSES = [name for name in cb.__all__ if inspect.isclass(getattr(cb, name))]


def make(name):
    """Return an object of a class; a new classifier or selector needs no example."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in OWN:
            return OWN[name][0]()
        assert name.endswith(("Classifier", "Selector")), f"give an example of {name}"
        return getattr(cb, name)().fit(ROWS, LABELS)


def ask(name, one):
    """Return the answers of an object, as text that tells all of them apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in OWN:
            found = OWN[name][1](one)
        else:
            found = one.predict(QUERIES) if hasattr(one, "predict") else one.transform(QUERIES)
    return repr(found.tolist() if isinstance(found, np.ndarray) else found)


@cache
def made(name):
    one = make(name)
    return one, ask(name, one)


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """All that can be saved, loaded from files that are mapped as large ones are."""
    monkeypatch.setattr(files, "AT_ONCE", 0)

    def load(name):
        path = tmp_path / f"{name}.cb"
        made(name)[0].save(path)
        one = (cb.LanguageModel.load if name == "LanguageModel" else cb.load)(path)
        assert one._mapped is not None
        return one

    return load


SAVED = [name for name in CLASSES if name in KEPT or name.endswith("Classifier")]


def in_threads(work, n=4):
    """Do something in threads at the same time, and return what each gives, or the error."""
    found, together = [], threading.Barrier(n)

    def run():
        together.wait()
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("name", CLASSES)
def test_threads_get_the_answers_that_one_alone_gets(name):
    """Also from an object that nobody has asked yet, and while others learn."""
    expected = made(name)[1]
    new = make(name)
    assert in_threads(lambda: ask(name, new)) == [expected] * 4
    assert in_threads(lambda: ask(name, make(name)), 2) == [expected] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_objects_answer_after_a_fork_of_a_process_with_threads():
    """Those of the parent are not in the child, which learns and answers all the same."""
    for name in CLASSES:
        one, expected = made(name)
        if hasattr(one, "n_jobs"):
            one.n_jobs = 2
        assert ask(name, one) == expected, name
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(240)
            wrong = [name for name in CLASSES if not made(name)[1] == ask(name, made(name)[0]) == ask(name, make(name))]
            print(wrong, file=sys.stderr)
            code = 2 if wrong else 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_objects_go_to_a_new_process_and_answer_there():
    names, objects = CLASSES, [made(name)[0] for name in CLASSES]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = dict(zip(names, pool.map(ask, names, objects)))
    assert found == {name: made(name)[1] for name in names}


@pytest.mark.parametrize("name", SAVED)
def test_threads_ask_one_mapped_file(name, loaded):
    """Arrays of a large file are checked when they are first used, which threads do at the same time."""
    one, expected = loaded(name), made(name)[1]
    assert in_threads(lambda: ask(name, one)) == [expected] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_mapped_files_answer_after_a_fork(loaded):
    """Those that were asked before, and those that were not."""
    objects = {name: loaded(name) for name in SAVED}
    for name in SAVED[::2]:
        assert ask(name, objects[name]) == made(name)[1], name
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(240)
            wrong = [name for name, one in objects.items() if ask(name, one) != made(name)[1]]
            print(wrong, file=sys.stderr)
            code = 2 if wrong else 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [name for name, one in objects.items() if ask(name, one) != made(name)[1]] == []


def test_mapped_files_go_to_a_new_process_and_answer_there(loaded, tmp_path):
    """Pickled they have their content with them: the file may be gone."""
    objects = [loaded(name) for name in SAVED]
    content = [pickle.dumps(one) for one in objects]
    for path in tmp_path.iterdir():
        path.unlink()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = dict(zip(SAVED, pool.map(ask_pickled, SAVED, content)))
    assert found == {name: made(name)[1] for name in SAVED}


def ask_pickled(name, content):
    return ask(name, pickle.loads(content))


def test_threads_read_and_correct_one_desk(tmp_path):
    """Readers get answers of whole snapshots; every correction is made once."""
    path = tmp_path / "model.cb"
    cb.IB1Classifier().fit(ROWS, LABELS).save(path)
    with Desk.open(path) as desk:

        def work():
            for _ in range(3):
                desk.insert([dict(zip(desk.snapshot.saved.model.schema.names, ROWS[0]))], [LABELS[0]])
                model = desk.snapshot.saved.model
                model.answer(model.schema.encode(QUERIES))
            return "done"

        assert in_threads(work) == ["done"] * 4
        assert desk.snapshot.sequence == 12
