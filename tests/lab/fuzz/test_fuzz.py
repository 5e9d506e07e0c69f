"""Damaged input is refused with a message or read; the long run is a command of its own (`make fuzz`)."""

import os
import random
import signal

import numpy as np
import pytest

from casebase.base.files import read_content
from casebase.errors import CasebaseError
from casebase.methods import METHODS, OTHERS
from casebase.tagging.files.tagger import FORMS
from lab.faults.models import KINDS
from lab.fuzz.mutations import ARCHIVE, BYTES, JOURNAL, TABLE, TEXT
from lab.fuzz.run import TooSlowError, report, run, tries
from lab.fuzz.seeds import seeds
from lab.fuzz.targets import CORPUS, MODELS, READERS, TARGETS, Target, WrongAnswerError, _model, _model_file

N_TRIES = 8  # of each target, beyond its corpus


@pytest.mark.parametrize("target", READERS, ids=[target.name for target in READERS])
def test_a_damaged_input_is_read_or_refused(target):
    """The corpus, with every input that once was a fault, and a few random changes of it."""
    n_kept = len(target.seeds())
    faults = [line for _, line in tries(target, n_kept + N_TRIES, seed=0) if line.startswith("error")]

    assert n_kept
    assert not faults, faults


@pytest.mark.parametrize("target", MODELS, ids=[target.name for target in MODELS])
def test_a_damaged_model_is_refused_or_answers_as_the_whole_one(target):
    """The whole file is read; of the damaged ones all that are not refused give its answers."""
    lines = [line for _, line in tries(target, 1 + N_TRIES, seed=0)]

    assert lines[0].startswith("read")
    assert not [line for line in lines if line.startswith("error")]


def test_every_seed_of_the_corpus_is_the_one_that_is_written():
    """`python -m lab.fuzz.seeds` changes nothing; binary files depend on the version of Arrow, and are left out."""
    made = {name: some for name, some in seeds().items() if name not in ("parquet", "feather", "excel")}
    kept = {name: [(CORPUS / name / f"seed-{i}").read_bytes() for i in range(len(some))] for name, some in made.items()}

    assert kept == made


def test_every_target_has_a_name_of_its_own_and_every_folder_a_target():
    """A folder of the corpus without a target would never be tried."""
    assert len(TARGETS) == len(READERS) + len(MODELS)
    assert {folder.name for folder in CORPUS.iterdir()} <= set(TARGETS)


def test_every_kind_of_model_file_is_fuzzed_and_forged():
    """A learner that can be saved, or another form of a tagger, needs a maker; all are forged and have a target."""
    headers = [read_content(np.frombuffer(_model_file(kind), np.uint8), kind)[0] for kind in KINDS]

    assert {header["learner"] for header in headers} == {*METHODS, *OTHERS}
    assert {header["form"] for header in headers if "form" in header} == set(FORMS)
    assert [target.name for target in MODELS] == [f"model-{kind.replace(' ', '-')}" for kind in KINDS]


def _fails(data):
    if b"refuse" in data:
        raise CasebaseError("refused")
    if b"key" in data:
        raise KeyError("not caught")
    if b"die" in data:
        os.kill(os.getpid(), signal.SIGKILL)


def test_tracebacks_and_crashes_are_faults_and_their_inputs_are_kept(tmp_path):
    """One child dies, another goes on; the report has all outcomes."""
    target = Target("made-up", _fails, [lambda draw, data: data], made=lambda: [b"fine", b"refuse", b"key", b"die"])
    result = run(target, 4, 0, tmp_path)
    kept = [path for path in tmp_path.iterdir() if path.suffix != ".txt"]

    assert (result.tries, result.read, result.refused, result.errors) == (4, 1, 1, 2)
    assert sorted(path.read_bytes() for path in kept) == [b"die", b"key"]
    assert "| made-up | 4 | 1 | 1 | 2 |" in report([result], 0)
    assert "KeyError: 'not caught'" in report([result], 0)
    assert "signal 9" in report([result], 0)


def _never_ends(data):
    while True:
        pass


def test_an_endless_try_is_a_fault(monkeypatch):
    """The alarm counts processor time, so that a busy machine makes no faults."""
    monkeypatch.setattr("lab.fuzz.run.SLOW", 0.01)
    target = Target("made-up", _never_ends, made=lambda: [b""])
    ((_, line),) = tries(target, 1, 0)

    assert TooSlowError.__name__ in line


def test_other_answers_are_a_fault():
    """A file of another model is not damaged, and is noticed all the same."""
    with pytest.raises(WrongAnswerError):
        _model("igtree", _model_file("strings"))


@pytest.mark.parametrize("mutations", [BYTES, TEXT, TABLE, ARCHIVE, JOURNAL])
def test_mutations_take_any_bytes_and_repeat_themselves(mutations):
    """The same seed gives the same bytes: a fault can be found again."""
    for data in (b"", b"a", b"\n", b"1,2\n3,4\n", b"PK\x03\x04", bytes(range(256))):
        for i, mutation in enumerate(mutations):
            assert mutation(random.Random(i), data) == mutation(random.Random(i), data)
