"""TiMBL as a witness: the same file has the same format and as many features for both."""

import re

import pytest

from casebase.formats import read_table
from casebase.formats.detect import detect_format
from casebase.formats.source import Source
from lab.peers import timbl
from tests.peers import require_timbl

INPUT_FORMATS = {"C4.5": "c45", "Columns": "columns"}


@pytest.mark.peer
@pytest.mark.parametrize(
    "line",
    [
        "a, b, P",
        "a, b c ,P.",
        "a,b,P.",
        "a b P",
        " a,b P",
        "a b, P",
        "a,b , c,P ",
        "a,b..",
        "x.,y",
    ],
)
def test_format_and_number_of_features(tmp_path, line):
    """What is found from the first line is what TiMBL finds, for lines that both recognise."""
    require_timbl()
    path = tmp_path / "lines.train"
    path.write_text(f"\n{line}\n{line}\n")

    log = timbl.execute(["-f", str(path)], tmp_path).output

    witness = re.search(r"Number of Features: (\d+)\s+InputFormat\s+: (\S+)", log)
    assert witness is not None, log
    assert detect_format(Source("lines.train", path.read_bytes())) == INPUT_FORMATS[witness[2]]
    assert len(read_table(path, has_target=False).columns) - 1 == int(witness[1])
