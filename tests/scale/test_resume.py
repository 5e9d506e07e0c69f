"""A training that was killed or interrupted is resumed by the same command, and gives the same file."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from casebase.cli import cli
from tests.scale.faults import STAGES, Counted, faulty_command
from tests.scale.tables import write_words

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
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
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
    killed_at(stage, 1, *command)
    assert not (tmp_path / "m.cb").exists()
    outcome, again = run(*command)
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "m.cb").read_bytes() == file
    assert again == tasks[tasks.index(f"{stage} 1") :]  # the task in which it was killed, and those that follow
    assert list(scratch.iterdir()) == []
