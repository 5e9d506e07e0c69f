"""Faults of the machine: a kill, a full disk, a truncated file, a folder without permission, clocks and locales."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import casebase as cb
from casebase.base import files
from casebase.cli import main
from casebase.errors import CasebaseError
from casebase.serve.desks.desk import Desk
from lab import determinism
from lab.faults import kill_commands, leaks, truncate
from lab.faults.report import table
from tests.serve.cases import abandon

ROWS, LABELS = determinism.symbols(60)
OTHER_ROWS, OTHER_LABELS = determinism.symbols(40, seed=9)


@pytest.mark.parametrize("kind", kill_commands.KINDS)
def test_a_killed_command_leaves_the_old_file_or_the_new_one(kind, tmp_path):
    """And the next command leaves nothing else; `make faults` kills a thousand times."""
    report = kill_commands.run(tmp_path, kind, times=2, seed=3)
    assert report.kills == report.old + report.new == 2
    assert not report.faults


def test_a_file_that_is_neither_and_a_file_left_over_are_reported(tmp_path, monkeypatch):
    """With a command that writes in place, or one that leaves its unfinished file."""
    monkeypatch.setattr(kill_commands, "EVERY", 10**9)
    with monkeypatch.context() as patched:
        patched.setattr(
            kill_commands, "_killed", lambda folder, *_, **__: (folder / "model.cb").write_bytes(b"half") > 0
        )
        report = kill_commands.run(tmp_path, "remove", times=1)
    assert (report.kills, report.neither) == (1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(kill_commands, "_killed", lambda folder, *_, **__: bool((folder / "stray").touch()))
        report = kill_commands.run(tmp_path, "remove", times=1)
    assert (report.old, report.left_over, report.unfinished) == (1, 1, 1)
    assert list(table([report]))[-1] == "FAULT remove, kill 0: the next command leaves stray"


def saved(path):
    cb.IB1Classifier(k=3).fit(ROWS, LABELS).save(path)
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
import casebase as cb
with process.explained_bus_errors():
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


@pytest.mark.parametrize("kind", ["IB1", "IGTree", "tagger", "lemmatizer", "language model"])
def test_a_mapped_file_that_is_truncated_gives_a_message_in_a_process_of_ones_own(kind, tmp_path):
    """Whatever is asked, and wherever it is cut off; `python -m lab.faults.truncate` does it at every page."""
    assert set(truncate.truncate(kind, tmp_path, every=9)) == {"message"}


def test_a_program_that_has_run_a_command_gets_an_error(tmp_path, monkeypatch):
    """Only commands end with a message; they leave nothing behind in a process that goes on."""
    monkeypatch.setattr(sys, "argv", ["casebase", "inspect", str(tmp_path / "none.cb")])
    with pytest.raises(SystemExit):
        main()
    assert set(truncate.truncate("IGTree", tmp_path, every=99)) == {"message"}


BEGIN = """
import faulthandler, mmap, os, signal, sys
from casebase.base import files
from casebase.base.mapped import MappedFile
import casebase as cb
files.AT_ONCE = 0  # as if the file were large: mapped, and checked when it is used
begin = MappedFile._begin
"""
LATE = """
model = cb.load(sys.argv[1])
model.predict([["a", "x", "p", "0"]])
faulthandler.enable()  # takes the signal
MappedFile._begin = lambda self: (begin(self), os.truncate(sys.argv[1], 4096))
try:
    model.predict([["a", "x", "p", "0"]])
except cb.errors.ModelFileError as error:
    print(error)
model.fit([["a"], ["b"]], ["P", "Q"])  # needs the file no more
print(model.predict([["a"]]))
"""
FOREIGN = """
faulthandler.enable()
model = cb.load(sys.argv[1])
with open(sys.argv[1] + ".other", "wb+") as file:
    file.write(bytes(9000))
    file.flush()
    other = mmap.mmap(file.fileno(), 0)
os.truncate(sys.argv[1] + ".other", 0)
print(other[5000])
"""
SENT = """
signal.signal(signal.SIGBUS, lambda *_: print("heard"))
model = cb.load(sys.argv[1])
os.kill(os.getpid(), signal.SIGBUS)
signal.raise_signal(signal.SIGBUS)
signal.signal(signal.SIGBUS, signal.SIG_DFL)
model.predict([["a", "x", "p", "0"]])
os.kill(os.getpid(), signal.SIGBUS)
"""


def ran_with_model(script, folder):
    path = folder / "model.cb"
    rows = [[str(i), str(i % 7), "p", "0"] for i in range(4000)]
    cb.IB1Classifier().fit(rows, [LABELS[i % 60] for i in range(4000)]).save(path)
    return subprocess.run([sys.executable, "-c", BEGIN + script, str(path)], capture_output=True, text=True, timeout=60)


def test_a_library_that_takes_the_signal_later_does_not_take_the_message(tmp_path):
    ran = ran_with_model(LATE, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "model.cb was truncated while it was used" in ran.stdout
    assert "['P']" in ran.stdout


def test_signals_of_other_files_go_to_those_who_heard_them_before(tmp_path):
    """faulthandler shows where it was, and the process ends as it would without casebase."""
    ran = ran_with_model(FOREIGN, tmp_path)
    assert (ran.returncode, ran.stdout) == (-signal.SIGBUS, "")
    assert "Fatal Python error: Bus error" in ran.stderr


def test_signals_that_programs_send_are_heard_as_before(tmp_path):
    ran = ran_with_model(SENT, tmp_path)
    assert (ran.returncode, ran.stdout) == (-signal.SIGBUS, "heard\nheard\n")


def test_a_truncated_file_is_not_saved_as_zeros(tmp_path, monkeypatch):
    """Neither over the file nor elsewhere."""
    path, other = tmp_path / "model.cb", tmp_path / "other.cb"
    saved(path)
    monkeypatch.setattr(files, "AT_ONCE", 0)
    header, arrays = files.read(path)
    content = {name: arrays._arrays[name] for name in arrays._arrays}
    os.truncate(path, path.stat().st_size - 1)  # zeros without a signal: the rest of a page
    with pytest.raises(CasebaseError, match="was truncated while it was used"):
        files.write(other, header, content)
    assert os.listdir(tmp_path) == ["model.cb"]


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
                cb.IB1Classifier(k=3).fit(ROWS, LABELS).save(folder / "model.cb")
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
from pathlib import Path
clock = iter(range(10**7, 0, -1))
time.time = lambda: float(next(clock))
from lab import determinism
determinism.write(Path(sys.argv[1]), shows=False, only=sys.argv[2:])
"""
QUICK = ("IB1Classifier-numbers", "C45Classifier-numbers", "SMILEClassifier-symbols", "Hyphenator", "Tagger")


@pytest.mark.parametrize("only", [QUICK, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"])
def test_files_do_not_depend_on_locale_time_zone_clock_or_hashing(tmp_path, only):
    """Another language (Turkish or German where it is installed), another zone, a clock that goes backwards."""
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
    places = [one for start in ("tr_tr", "de_de") for one in installed if one.lower().startswith(start)]
    there = {"LC_ALL": [*places, "C"][0], "TZ": "Pacific/Apia", "PYTHONHASHSEED": "77"}
    names = determinism.write(tmp_path / "here", shows=False, only=only)
    command = [sys.executable, "-c", SAVE, str(tmp_path / "there"), *only]
    subprocess.run(command, env=os.environ | there, check=True, cwd=Path(__file__).parents[3])
    assert not determinism.different(tmp_path / "here", tmp_path / "there", names)
    assert len(names) >= len(QUICK)


def test_the_log_is_in_order_though_the_clock_goes_backwards(tmp_path, monkeypatch):
    """Corrections have numbers; their times are only shown."""
    path = tmp_path / "model.cb"
    saved(path)
    times = iter(["2026-03-01T10:00:00Z", "2020-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
    monkeypatch.setattr("casebase.serve.desks.edits.now", lambda: next(times))
    desk = Desk.open(path, idle=None)
    for case in (3, 5, 7):
        desk.update([case], {"f1": ["new"]})
    version = desk.snapshot.version
    abandon(desk)
    with Desk.open(path, idle=None) as again:
        assert (again.snapshot.sequence, again.snapshot.version) == (3, version)
        assert [entry.when[:4] for entry in again.snapshot.saved.log] == ["2026", "2020", "1970"]


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
