"""Forged model files with a right checksum are refused, or answer; all numbers are tried by a command of its own."""

import pytest

from lab.faults.forge import forge


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ib1 of many metrics", "igtree", "c45", "forest", "kernel", "hyphenation"])
def test_a_forged_file_is_refused_or_answers(kind, tmp_path):
    """Neither a traceback nor a warning of numpy, which says that a number went where none should be."""
    found, faults = forge(kind, tmp_path, every=31)

    assert not faults, faults
    assert found["refused"]
