"""Faults of the machine: a kill, a full disk, a truncated file, a folder without permission, clocks and locales."""

import errno
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from operator import methodcaller
from pathlib import Path

import pytest

import casebase as cb
from casebase.base import files
from casebase.errors import CasebaseError
from lab import determinism
from lab.faults import kill_commands, leaks

ROWS, LABELS = determinism.symbols(60)
OTHER_ROWS, OTHER_LABELS = determinism.symbols(40, seed=9)
OBJECTS = {
    "IB1": lambda: cb.IB1Classifier(k=3).fit(ROWS, LABELS),
    "IGTree": lambda: cb.IGTreeClassifier().fit(ROWS, LABELS),
    "TRIBL2": lambda: cb.TRIBL2Classifier().fit(ROWS, LABELS),
    "C45": lambda: cb.C45Classifier().fit(ROWS, LABELS),
    "HierarchicalRule": lambda: cb.HierarchicalRuleClassifier().fit(ROWS, LABELS),
    "Oblivion": lambda: cb.OblivionClassifier().fit(ROWS, LABELS),
    "ObliviousGraph": lambda: cb.ObliviousGraphClassifier().fit(ROWS, LABELS),
    "PerceptronTree": lambda: cb.PerceptronTreeClassifier().fit(ROWS, LABELS),
    "SMILE": lambda: cb.SMILEClassifier().fit(ROWS, LABELS),
    "CaseForest": lambda: cb.CaseForestClassifier().fit(ROWS, LABELS),
}


@pytest.mark.parametrize("kind", kill_commands.KINDS)
def test_a_killed_command_leaves_the_old_file_or_the_new_one(kind, tmp_path):
    """And the next command leaves nothing else; `make faults` kills a thousand times."""
    counts = kill_commands.run(tmp_path, kind, times=2, seed=3)
    assert counts["kills"] == 2


def saved(path):
    OBJECTS["IB1"]().save(path)
    return path.read_bytes()


@pytest.mark.parametrize("size", [0, 100, 5000, "all but one"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(size, tmp_path):
    """Whichever write fails: a limit on the size of files stands for the disk."""
    path = tmp_path / "model.cb"
    old = saved(path)
    larger = cb.IB1Classifier().fit(ROWS + OTHER_ROWS, LABELS + OTHER_LABELS)
    larger.save(tmp_path / "larger.cb")
    limit = (tmp_path / "larger.cb").stat().st_size - 1 if size == "all but one" else size
    (tmp_path / "larger.cb").unlink()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            try:
                larger.save(path)
            except CasebaseError as error:
                code = 0 if "Cannot" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.read_bytes() == old
    assert {name for name in os.listdir(tmp_path) if not name.endswith(".lock")} == {"model.cb"}
    larger.save(path)  # there is room again
    assert os.listdir(tmp_path) == ["model.cb"]


@pytest.mark.parametrize("function", ["write", "fsync", "replace"])
def test_an_error_of_the_disk_at_any_step_leaves_the_old_file(function, tmp_path, monkeypatch):
    path = tmp_path / "model.cb"
    old = saved(path)
    other = cb.IB1Classifier().fit(OTHER_ROWS, OTHER_LABELS)

    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        if function == "write":
            patched.setattr(files, "write_arrays", fail)
        else:
            patched.setattr(files.os, function, fail)
        with pytest.raises(CasebaseError, match="No space left on device"):
            other.save(path)
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["model.cb"]


def test_a_loaded_model_does_not_depend_on_its_file(tmp_path):
    """It may be truncated, overwritten in place or deleted: the answers stay."""
    path = tmp_path / "model.cb"
    saved(path)
    loaded = cb.load(path)
    assert files.read(path)[1].mapped is None
    expected = loaded.predict(OTHER_ROWS).tolist()
    os.truncate(path, 10)
    assert loaded.predict(OTHER_ROWS).tolist() == expected
    path.write_bytes(b"\0" * 100_000)
    assert loaded.predict(OTHER_ROWS).tolist() == expected
    path.unlink()
    assert loaded.predict(OTHER_ROWS).tolist() == expected


TRUNCATED = """
import os, sys
from casebase.base import files
from casebase.cli import process
files.AT_ONCE = 0  # as if the file were large: mapped, and checked when it is used
process.explain_bus_errors()
import casebase as cb
model = cb.load(sys.argv[1])
os.truncate(sys.argv[1], 4096)
model.predict([["a", "x", "p", "0"]] * 3)
print("answered")
"""


def test_a_mapped_file_that_is_truncated_ends_a_command_with_a_message(tmp_path):
    """Not with a bus error, and not with an answer from what is not there."""
    path = tmp_path / "model.cb"
    rows = [[str(i), str(i % 7), "p", "0"] for i in range(4000)]
    cb.IB1Classifier().fit(rows, [LABELS[i % 60] for i in range(4000)]).save(path)
    ran = subprocess.run([sys.executable, "-c", TRUNCATED, str(path)], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "truncated" in ran.stderr
    assert "answered" not in ran.stdout


def test_a_mapped_file_that_is_replaced_keeps_its_answers(tmp_path, monkeypatch):
    """A rename leaves the old file to those who have it mapped."""
    path = tmp_path / "model.cb"
    saved(path)
    monkeypatch.setattr(files, "AT_ONCE", 0)
    loaded = cb.load(path)
    expected = loaded.predict(OTHER_ROWS).tolist()
    cb.IB1Classifier().fit(OTHER_ROWS, OTHER_LABELS).save(path)
    assert loaded.predict(OTHER_ROWS).tolist() == expected


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_folder_without_permission_to_write_gives_a_message():
    folder = Path(tempfile.mkdtemp())  # whose parents everybody may enter
    old = saved(folder / "model.cb")
    folder.chmod(0o555)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.getuid() == 0:
                os.setuid(65534)  # root may write everywhere
            cb.load(folder / "model.cb").predict(ROWS[:2])  # reading needs no permission to write
            try:
                OBJECTS["IB1"]().save(folder / "model.cb")
            except CasebaseError as error:
                code = 0 if "Permission denied" in str(error) else 2
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    folder.chmod(0o755)
    found = (folder / "model.cb").read_bytes()
    shutil.rmtree(folder)
    assert ended == 0
    assert found == old


SAVE = """
import sys, time
clock = iter(range(10**7, 0, -1))
time.time = lambda: float(next(clock))
from tests.lab.faults.test_faults import save_some
save_some(sys.argv[1])
"""


def save_some(folder):
    rows, labels = determinism.numbers(60)
    for name, model in {"IB1": cb.IB1Classifier(), "C45": cb.C45Classifier()}.items():
        model.fit(rows, labels).save(f"{folder}/{name}.cb")
    cb.SMILEClassifier().fit(ROWS, LABELS).save(f"{folder}/SMILE.cb")
    cb.Hyphenator().fit(determinism.WORDS).save(f"{folder}/hyphens.cb")


def test_files_do_not_depend_on_locale_time_zone_clock_or_hashing(tmp_path):
    """Another language (Turkish or German where it is installed), another zone, a clock that goes backwards."""
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
    places = [one for start in ("tr_tr", "de_de") for one in installed if one.lower().startswith(start)]
    there = {"LC_ALL": [*places, "C"][0], "TZ": "Pacific/Apia", "PYTHONHASHSEED": "77"}
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    save_some(tmp_path / "here")
    command = [sys.executable, "-c", SAVE, str(tmp_path / "there")]
    subprocess.run(command, env=os.environ | there, check=True, cwd=Path(__file__).parents[3])
    assert not determinism.different(tmp_path / "here", tmp_path / "there")
    assert len(list((tmp_path / "there").iterdir())) == 4


@pytest.mark.parametrize("name", OBJECTS)
def test_threads_may_fit_and_ask_one_object_at_the_same_time(name):
    """Every thread gets the answers that one alone gets."""
    model = OBJECTS[name]()
    expected = model.predict(OTHER_ROWS).tolist()
    found, errors = [], []

    def work():
        try:
            OBJECTS[name]().predict(OTHER_ROWS[:5])
            found.extend(model.predict(OTHER_ROWS).tolist() == expected for _ in range(3))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert found == [True] * 12


def test_objects_answer_after_a_fork():
    """Also with threads: those of the parent are not in the child."""
    models = {name: make() for name, make in OBJECTS.items()}
    for model in models.values():
        model.n_jobs = 2
    expected = {name: model.predict(OTHER_ROWS).tolist() for name, model in models.items()}
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            found = {name: model.predict(OTHER_ROWS).tolist() for name, model in models.items()}
            again = {name: make().predict(OTHER_ROWS).tolist() for name, make in OBJECTS.items()}
            code = 0 if found == again == expected else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_objects_go_to_a_new_process_and_answer_there():
    models = [make() for make in OBJECTS.values()]
    ask = methodcaller("predict", OTHER_ROWS[:10])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(ask, models))
    assert [one.tolist() for one in found] == [ask(model).tolist() for model in models]


def test_rounds_of_work_leave_no_memory_files_or_threads(monkeypatch):
    """A short form of `python -m lab.faults.leaks`, which works for a minute; more than an array would be seen."""
    monkeypatch.setattr(leaks, "LEARNERS", ("IB1", "C45", "IGTree"))
    monkeypatch.setattr(leaks, "MOST_PER_ROUND", 200_000)
    leaks.check([state for _, state in leaks.growth(rounds=8)])


def test_a_leak_would_be_seen():
    states = [leaks.State(10**8 + 10**6 * i, 5, 1) for i in range(12)]
    with pytest.raises(AssertionError, match="grows by"):
        leaks.check(states)
    with pytest.raises(AssertionError, match="files stay open"):
        leaks.check([leaks.State(10**8, 5 + i, 1) for i in range(12)])
