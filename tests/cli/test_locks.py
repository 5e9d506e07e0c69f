"""The lock on a model file: no update is lost, and a command says who has the file."""

import subprocess
import sys
import threading

import pytest

from casebase import methods
from casebase.base.lock import SERVER, lock_file
from casebase.errors import LockedError
from casebase.serve.desks.desk import Desk
from tests.cli.conftest import WEATHER


@pytest.fixture
def nouns(tmp_path, run):
    """A model file, and a table with one more case."""
    (tmp_path / "weather.csv").write_text(WEATHER)
    (tmp_path / "more.csv").write_text("sky,heat,humidity,wind,play\nfoggy,hot,85,no,stay\n")
    model = tmp_path / "weather.cb"
    assert run("train", tmp_path / "weather.csv", "-o", model, "--learner", "ib1").code == 0
    return model


def test_commands_refuse_a_file_that_a_server_has(run, nouns, tmp_path):
    """They name the process and the address; the file does not change; a copy can be made."""
    table, more = tmp_path / "weather.csv", tmp_path / "more.csv"
    (tmp_path / "text.txt").write_text("a/D b/N\n")
    (tmp_path / "words.txt").write_text("ta-lo\n")
    with Desk.open(nouns, address="http://127.0.0.1:8000"):
        before = nouns.read_bytes()
        for arguments in (
            ("insert", nouns, more),
            ("remove", nouns, "3"),
            ("update", nouns, "--id", "3", "--set", "sky=foggy"),
            ("insert", tmp_path / "copy.cb", more, "-o", nouns),
            ("train", table, "-o", nouns),
            ("tagger", "train", tmp_path / "text.txt", "-o", nouns),
            ("tagger", "learn", nouns, tmp_path / "text.txt"),
            ("hyphen", "train", tmp_path / "words.txt", "-o", nouns),
            ("hyphen", "correct", nouns, "ta-lo"),
        ):
            ran = run(*arguments)
            assert ran.code == 1, arguments
            assert "has" in ran.err, ran.err
            assert "correct it there (http://127.0.0.1:8000), or stop it." in ran.err, ran.err
        assert nouns.read_bytes() == before
        assert run("insert", nouns, more, "-o", tmp_path / "other.cb").code == 0
        assert run("predict", nouns, table).code == 0
    assert run("insert", nouns, more).code == 0
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".lock"]


def test_commands_at_the_same_time_lose_no_update(nouns, tmp_path):
    """The second waits for the first; on a slow machine it may refuse, but it never overwrites."""
    more = tmp_path / "more.csv"
    command = [sys.executable, "-m", "casebase", "insert", str(nouns), str(more)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate(timeout=60)[1].decode() for process in running]

    assert all("1 case inserted" in text or "is changing" in text for text in said), said
    n_inserted = sum("1 case inserted" in text for text in said)
    assert n_inserted >= 1
    assert len(methods.load(nouns).log) == n_inserted


def test_a_command_does_not_wait_for_ever(run, nouns, tmp_path, monkeypatch):
    """It says which command has the file."""
    monkeypatch.setattr("casebase.cli.changes.PATIENCE", 0.01)
    with lock_file(nouns, "casebase remove"):
        ran = run("insert", nouns, tmp_path / "more.csv")
    assert ran.code == 1
    assert "`casebase remove` (process" in ran.err
    assert "is changing" in ran.err


def test_corrections_that_a_killed_server_left_are_taken_in(run, nouns, tmp_path):
    """Before the command's own; the journal is gone then."""
    desk = Desk.open(nouns, idle=None)
    desk.insert([{"sky": "foggy", "heat": "cool", "humidity": 70.5, "wind": "no"}], ["go"], ids=[100])
    desk._journal.close()
    desk._file_lock.release()  # as if killed

    assert run("insert", nouns, tmp_path / "more.csv").code == 0
    assert [entry.ids for entry in methods.load(nouns).log] == [(100,), (101,)]
    assert not nouns.with_name("weather.cb.journal").exists()


def test_a_journal_without_its_model_is_not_overwritten(run, nouns, tmp_path):
    """Training to the same name would make it worthless."""
    desk = Desk.open(nouns, idle=None)
    desk.update([3], {"sky": ["foggy"]})
    desk._journal.close()
    desk._file_lock.release()
    nouns.unlink()

    ran = run("train", tmp_path / "weather.csv", "-o", nouns)
    assert "weather.cb.journal has corrections of" in ran.err


def test_a_lock_is_free_after_the_process_that_had_it(tmp_path):
    """However it ended; the file that it left is no lock."""
    path = tmp_path / "model.cb"
    script = f"import os; from casebase.base.lock import *; lock_file({str(path)!r}, SERVER); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", script], check=False)
    assert (tmp_path / "model.cb.lock").exists()

    with lock_file(path, "test"), pytest.raises(LockedError, match="`test`"):
        lock_file(path, "test")
    assert not (tmp_path / "model.cb.lock").exists()


def test_a_link_and_its_file_have_one_lock(tmp_path):
    """The lock is that of the file."""
    path, link = tmp_path / "model.cb", tmp_path / "link.cb"
    path.touch()
    link.symlink_to(path)
    with lock_file(link, SERVER), pytest.raises(LockedError, match="A server"):
        lock_file(path, "test")


def test_many_threads_get_the_lock_one_after_the_other(tmp_path):
    """Also when its file is deleted and made again in between."""
    path, inside, most = tmp_path / "model.cb", [], []

    def work():
        for _ in range(10):
            with lock_file(path, "test", seconds=30):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 40


def test_a_folder_that_cannot_be_written(tmp_path):
    """The message names the lock."""
    with pytest.raises(ValueError, match=r"Cannot lock .*model.cb.lock"):
        lock_file(tmp_path / "no" / "model.cb", "test")
