"""Files appear when they are complete: an error leaves the old one, and nothing of the new one."""

import os
import threading

import pytest

from casebase.leftovers import UNFINISHED, whole_file

POSIX = pytest.mark.skipif(os.name != "posix", reason="links, pipes and permissions of POSIX")


def test_an_error_leaves_the_old_file(tmp_path):
    path, others = tmp_path / "out.txt", set(UNFINISHED)
    path.write_text("old")

    def write_half():
        with whole_file(path) as place:
            place.write_text("half of the n")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_half()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]
    assert others == UNFINISHED


@POSIX
def test_a_link_and_permissions_stay(tmp_path):
    path, link = tmp_path / "out.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    with whole_file(link) as place:
        place.write_text("new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600


@POSIX
def test_a_pipe_stays_a_pipe(tmp_path):
    """As /dev/null stays what it is, also for those who may replace it."""
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_text()), daemon=True)
    reader.start()
    with whole_file(path) as place:
        place.write_text("new")
    reader.join(10)
    assert got == ["new"]
    assert path.is_fifo()
