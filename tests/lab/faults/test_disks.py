"""Full disks and folders without permission: every command that writes says so, and the old file stays."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from casebase.base import files
from lab.faults import disks, kill_commands

STRINGS = "talo\tP\nkala\tQ\nsana\tP\npalat\tQ\n"
TABLE, WORDS = kill_commands.TRAIN, kill_commands.HYPHENS
TAGGER = kill_commands.TAGGER
# A command that writes results to a file, and what makes its model.
WRITERS = {
    "predict": (TABLE, ["predict", "model.cb", "table.csv", "-o", "out.csv"]),
    "errors": (TABLE, ["evaluate", "model.cb", "more0.csv", "--errors", "out.csv"]),
    "cases": (TABLE, ["cases", "model.cb", "-o", "out.csv"]),
    "health": (TABLE, ["health", "table.csv", "--html", "out.html"]),
    "explain": (TABLE, ["explain", "model.cb", "table.csv", "--html", "out.html"]),
    "hyphen apply": (WORDS, ["hyphen", "apply", "model.cb", "words.txt", "-o", "out.txt"]),
    "hyphen export": (WORDS, ["hyphen", "export", "model.cb", "--to", "tex", "-o", "out.tex"]),
    "tagger tag": (TAGGER, ["tagger", "tag", "model.cb", "corpus.txt", "-o", "out.txt"]),
    "timbl": (TABLE, ["timbl", "-f", "more0.csv", "-t", "more1.csv", "-o", "out.txt"]),
}


@pytest.mark.parametrize("kind", kill_commands.KINDS)
def test_a_command_on_a_full_disk_leaves_the_old_file(kind, tmp_path):
    """Wherever the model file ends, and whichever flush or rename fails; `make faults` does it at every 64 bytes."""
    found = disks.full(kind, tmp_path, every=30)
    assert not disks.faults_in(found)
    assert found["message"] > 4


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("kind", kill_commands.KINDS)
def test_a_command_in_a_read_only_folder_leaves_the_old_file(kind):
    folder = Path(tempfile.mkdtemp())  # whose parents everybody may enter
    try:
        assert disks.forbidden(kind, folder) == {"message": 1}
    finally:
        shutil.rmtree(folder)


def test_a_half_file_and_a_traceback_are_faults(tmp_path, monkeypatch):
    """With a command that writes over the old file, and one that does not expect that a write fails."""

    def in_place(path, header, arrays, copier=None):
        with open(path, "wb", buffering=0) as file:
            file.write(b"half")
            file.write(b"x" * 10**6)

    trial = disks.Trial("remove", tmp_path)
    monkeypatch.setattr(files, "write", in_place)
    monkeypatch.setattr("casebase.methods.write", in_place)
    trial.run("files of 4 bytes", lambda: disks.limit_files(4))
    faults = disks.faults_in(trial.found)
    assert any("neither the old nor the new one" in fault for fault in faults)


@pytest.mark.parametrize("name", WRITERS)
def test_results_that_do_not_fit_leave_the_old_ones(name, tmp_path):
    """Half a table of answers looks like a table of fewer answers."""
    model, command = WRITERS[name]
    kill_commands.prepared(tmp_path, "train")
    kill_commands.model_after(tmp_path, model)
    out = tmp_path / command[-1]
    assert disks.ended(tmp_path, command)[0] == 0
    size = out.stat().st_size
    before = set(os.listdir(tmp_path))
    out.write_text("old")
    code, said = disks.ended(tmp_path, command, lambda: disks.limit_files(size // 2))
    assert code == 1
    assert "Cannot write" in said
    assert "File too large" in said
    assert out.read_text() == "old"
    assert set(os.listdir(tmp_path)) == before
