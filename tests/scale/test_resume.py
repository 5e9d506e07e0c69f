"""A training that was killed or interrupted is resumed by the same command, and gives the same file."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from casebase.base.lock import lock_file
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.scale.scratch import NAME
from tests.scale.faults import STAGES, Counted, faulty_command, task_of, with_faults
from tests.scale.tables import in_parts, write_words

ROOT = Path(__file__).parents[2]
LEARNER = ["--learner", "ib1", "--threads", "1"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_words(tmp_path_factory.mktemp("table") / "words.csv", 600, n_features=3)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command here, with small parts, and gives the tasks that it ran."""

    def invoke(*arguments):
        log = tmp_path / "tasks"
        log.unlink(missing_ok=True)
        faulty_command(monkeypatch.setattr, Counted(log))
        outcome = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
        return outcome, log.read_text().splitlines() if log.exists() else []

    return invoke


def killed_at(stage, number, *arguments):
    command = [sys.executable, "-m", "tests.scale.faults", stage, str(number), *map(str, arguments)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.fixture(scope="module")
def expected(table, tmp_path_factory):
    """The file of a training in memory, and how many tasks one in parts has, by stage."""
    folder = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        log = folder / "tasks"
        faulty_command(patch.setattr, Counted(log))
        for output, options in (("memory.cb", []), ("parts.cb", ["--memory", "200MB"])):
            outcome = CliRunner().invoke(cli, ["train", str(table), "-o", str(folder / output), *LEARNER, *options])
            assert outcome.exit_code == 0, outcome.output
    assert (folder / "memory.cb").read_bytes() == (folder / "parts.cb").read_bytes()
    tasks = log.read_text().splitlines()
    assert list(dict.fromkeys(task.split()[0] for task in tasks)) == STAGES
    return (folder / "memory.cb").read_bytes(), tasks


@pytest.mark.parametrize("stage", STAGES)
def test_killed_client(tmp_path, table, expected, run, stage):
    """A client that is killed in a stage leaves what is done; the same command does only the rest."""
    file, tasks = expected
    scratch = tmp_path / "scratch"
    command = ["train", table, "-o", tmp_path / "m.cb", *LEARNER, "--scratch", scratch]
    killed_at(stage, task_of(stage), *command)
    assert not (tmp_path / "m.cb").exists()
    outcome, again = run(*command)
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "m.cb").read_bytes() == file
    assert (
        again == tasks[tasks.index(f"{stage} {task_of(stage)}") :]
    )  # the task in which it was killed, and those that follow
    assert list(scratch.iterdir()) == []


def test_another_training_is_refused(tmp_path, table, run):
    """Files of another method, of changed data or of something else are not used, and not touched."""
    own = write_words(tmp_path / "words.csv", 600, n_features=3)
    scratch = tmp_path / "scratch"
    command = ["train", own, "-o", tmp_path / "m.cb", "--threads", "1", "--scratch", scratch, "--learner"]
    killed_at("coding", 1, *command, "ib1")
    before = sorted((path.name, path.stat().st_size) for path in (scratch / NAME).iterdir())
    assert refusal(run, *command, "igtree").endswith(
        "(of method, settings): remove the folder to begin anew, or name another one with --scratch."
    )
    assert "(of settings)" in refusal(run, *command, "ib1", "-k", "3")
    status = own.stat()
    os.utime(own, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert "(of data)" in refusal(run, *command, "ib1")
    assert sorted((path.name, path.stat().st_size) for path in (scratch / NAME).iterdir()) == before
    os.utime(own, ns=(status.st_atime_ns, status.st_mtime_ns))
    with lock_file(scratch / NAME, "another training"):
        assert "`another training`" in refusal(run, *command, "ib1")
    outcome, _ = run(*command, "ib1")
    assert outcome.exit_code == 0


def refusal(run, *command):
    with pytest.raises(CasebaseError) as caught:
        run(*command)
    return str(caught.value)


def test_a_folder_of_something_else_is_refused(tmp_path, table, run):
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "thesis.tex").write_text("")
    command = ["train", table, "-o", tmp_path / "m.cb", *LEARNER, "--scratch", tmp_path]
    assert "has files of something else" in refusal(run, *command)
    (tmp_path / "file").write_text("")
    assert "Cannot use" in refusal(run, *command[:-1], tmp_path / "file")


class Stopped(Exception):
    pass


def test_data_without_a_file_are_known_by_their_content(tmp_path):
    """A stream has no time of change: it is resumed if it has the same content."""
    import pyarrow as pa

    def resumed(labels, **sizes):
        batches = iter([pa.record_batch({"a": ["x", "y"] * 50, "class": labels * 50})])
        resources = with_faults(stops, scratch=tmp_path / "scratch")
        in_parts(batches, tmp_path / "m.cb", "ib1", resources=replace(resources, **sizes))

    def stops(stage, number):
        if stage == "counting":
            raise Stopped

    for _ in range(2):
        with pytest.raises(Stopped):
            resumed(["p", "q"])
    with pytest.raises(CasebaseError, match="of data"):
        resumed(["q", "p"])
    with pytest.raises(Stopped):  # more memory than before is no obstacle
        resumed(["p", "q"], rows=500)
    with pytest.raises(CasebaseError, match="of data, memory or workers"):
        resumed(["p", "q"], rows=50)


def test_a_text_in_another_encoding_is_resumed(tmp_path, run, monkeypatch):
    """A text that begins like UTF-8 and is not is read again, in another encoding; so it is when it is resumed."""
    header, *lines = write_words(tmp_path / "words.csv", 600, n_features=3).read_text().splitlines()
    table = tmp_path / "latin.csv"
    table.write_bytes("\n".join([header, *lines, "caf\u00e9,w1,w1,c1", ""]).encode("latin-1"))
    monkeypatch.setattr("casebase.formats.rows.N_SAMPLE_BYTES", 500)
    command = ["train", table, "-o", tmp_path / "m.cb", *LEARNER, "--scratch", tmp_path / "scratch"]
    killed_at("sorting", 1, *command)
    outcome, tasks = run(*command)
    assert outcome.exit_code == 0, outcome.output
    assert not [task for task in tasks if task.startswith(("counting", "coding"))]
    resumed = (tmp_path / "m.cb").read_bytes()
    assert run("train", table, "-o", tmp_path / "m.cb", *LEARNER)[0].exit_code == 0
    assert (tmp_path / "m.cb").read_bytes() == resumed


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("has_scratch", [False, True])
def test_interrupted(tmp_path, table, sent, code, has_scratch):
    """A training that is interrupted says how it is resumed, or leaves nothing behind."""
    (tmp_path / "m.cb").write_text("old")
    command = ["train", table, "-o", tmp_path / "m.cb", "--learner", "ib1", "--threads", "2", "--memory", "200MB"]
    command += ["--scratch", tmp_path / "scratch"] if has_scratch else []
    program = [sys.executable, "-m", "tests.scale.faults", "waiting", "1", *map(str, command)]
    process = subprocess.Popen(program, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "m.killed").exists():  # it waits in a thread
        time.sleep(0.02)
        assert process.poll() is None, process.stderr.read()
    process.send_signal(sent)
    _, message = process.communicate(timeout=60)
    assert process.returncode == code, message
    left = {path.name for path in tmp_path.iterdir()} - {"m.killed", "m.cb"}
    assert (tmp_path / "m.cb").read_text() == "old"
    if has_scratch:
        assert (
            message
            == f"Interrupted: the same command resumes the training, whose files are in {tmp_path / 'scratch'}.\n"
        )
        assert left == {"scratch"}
        assert any((tmp_path / "scratch" / NAME).glob("done-reading-*"))
    else:
        assert message.strip() == ("Interrupted: nothing was changed." if code == 130 else "")
        assert not left
