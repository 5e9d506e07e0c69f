"""Training in parts on the command line: the same file as without, with what is said of the columns."""

import pytest

SIZES, LABELS = ("small", "large"), "PQ"
ROWS = [(100 - i, SIZES[i % 2], "aab"[i % 3], i % 7 / 2, LABELS[i % 2 if i % 5 else 0]) for i in range(40)]
TABLE = "id,size,source,weight,class\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)


@pytest.mark.parametrize(
    "options",
    [
        ("--learner", "ib1", "--kinds", "auto", "--kind", "size=ordinal:small,large", "--id-column", "1", "--keep",
         "source"),
        ("--readings", "opinions", "--ignore", "id"),
    ],
)  # fmt: skip
def test_the_file_is_that_of_memory(run, written, tmp_path, options):
    data = written(TABLE, "t.csv")
    whole, parts = str(tmp_path / "whole.cb"), str(tmp_path / "parts.cb")
    said = run("train", data, "-o", whole, *options)
    assert said.code == 0, said.err
    said_of_parts = run("train", data, "-o", parts, *options, "--memory", "200MB")
    assert said_of_parts.code == 0, said_of_parts.err
    with open(whole, "rb") as one, open(parts, "rb") as other:
        assert one.read() == other.read()
    columns = [line for line in said.err.splitlines() if line.startswith("columns")]
    assert columns
    assert columns == [line for line in said_of_parts.err.splitlines() if line.startswith("columns")]
