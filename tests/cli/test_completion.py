"""Completion in the shell: commands, options, and the files that arguments name."""

import os
import subprocess
import sys

import pytest


def completions(line: str) -> list[str]:
    """Return what bash is told to offer for the last word of a line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_CASEBASE_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    script = "import sys; from casebase.cli import main; sys.argv[0] = 'casebase'; main()"
    return subprocess.check_output([sys.executable, "-c", script], env=environment, text=True).split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("casebase tra", ["plain,train"]),
        ("casebase train no", ["file,no"]),
        ("casebase train nouns.tsv -o mo", ["file,mo"]),
        ("casebase hyphen evaluate m.cb wo", ["file,wo"]),
        ("casebase train x --sheet co", []),
    ],
)
def test_what_names_a_file_is_completed_as_one(line, expected):
    """Arguments and values of options; a column is none."""
    assert completions(line) == expected
