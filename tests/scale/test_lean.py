"""Pages of mapped files are given back while a training goes on."""

import time

import numpy as np
import pytest

from casebase.scale import lean
from casebase.scale.lean import SIZES, bytes_of_files, give_back, released

N_BYTES = 64_000_000


@pytest.mark.skipif(not SIZES.exists(), reason="the system does not say how large a process is")
def test_pages_of_mapped_arrays_are_given_back(tmp_path):
    """Arrays that join the list later are watched, too; what they hold does not change."""
    np.arange(N_BYTES // 8).tofile(tmp_path / "numbers")
    array, watched = np.memmap(tmp_path / "numbers", np.int64, "r"), []
    array.sum()
    with_pages = bytes_of_files()
    with released(watched, with_pages - N_BYTES // 2):
        watched.append(array)
        for _ in range(1_000):
            if bytes_of_files() < with_pages - N_BYTES // 2:
                break
            time.sleep(0.01)
    assert bytes_of_files() < with_pages - N_BYTES // 2
    assert array[-1] == N_BYTES // 8 - 1


@pytest.mark.skipif(not SIZES.exists(), reason="the system does not say how large a process is")
def test_a_task_gives_pages_back_itself(tmp_path, monkeypatch):
    """At once, and not when the thread comes to it: where other processes work, that may be a gigabyte later."""
    monkeypatch.setattr(lean, "SECONDS", 60)
    monkeypatch.setattr(lean, "IDLE", 60)
    np.arange(N_BYTES // 8).tofile(tmp_path / "numbers")
    array = np.memmap(tmp_path / "numbers", np.int64, "r")
    array.sum()
    with_pages = bytes_of_files()
    give_back()  # nobody asked for it
    assert bytes_of_files() > with_pages - N_BYTES // 2
    with released([array], with_pages - N_BYTES // 2):
        give_back()
        assert bytes_of_files() < with_pages - N_BYTES // 2
