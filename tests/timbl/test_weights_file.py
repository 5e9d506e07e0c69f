"""Weights files that TiMBL itself has written."""

from pathlib import Path

import pytest

from tests.timbl.programs import ours, theirs


@pytest.mark.peer
@pytest.mark.parametrize("options", [(), ("-m", "O:I2"), ("-m", "O:N3")])
def test_weights_files_are_timbls(toy, options):
    """Byte by byte, also with ignored and numeric features."""
    theirs("-f", "A.train", "-t", "A.test", "-W", "their.wgt", *options)
    ours("-f", "A.train", "-t", "A.test", "-W", "our.wgt", *options)

    assert Path("our.wgt").read_text() == Path("their.wgt").read_text()


@pytest.mark.peer
@pytest.mark.parametrize("section", ["", ":ig", ":3", ":nw"])
def test_timbl_reads_our_weights_and_answers_as_we_do(toy, section):
    """Names and numbers of sections mean the same."""
    ours("-f", "A.train", "-W", "w", "-t", "A.test", "-o", "first")
    theirs("-f", "A.train", "-t", "A.test", "-w", f"w{section}", "-o", "their.out", "+vdi")
    ours("-f", "A.train", "-t", "A.test", "-w", f"w{section}", "-o", "our.out", "+vdi")

    assert Path("our.out").read_text() == Path("their.out").read_text()
