import subprocess
import sys
from functools import partial
from inspect import signature

import pytest
from click.testing import CliRunner

from casebase.cli import cli
from casebase.errors import CasebaseError

WEATHER = """\
sky,heat,humidity,wind,play
sunny,hot,85.5,no,stay
sunny,hot,90,yes,stay
overcast,hot,78,no,go
rainy,mild,96,no,go
rainy,cool,80,no,go
rainy,cool,70,yes,stay
overcast,cool,65,yes,go
sunny,mild,95,no,stay
sunny,cool,70,no,go
rainy,mild,81,no,go
sunny,mild,72,yes,go
overcast,mild,90,yes,go
overcast,hot,75,no,go
rainy,mild,91,yes,stay
"""


# Before version 8.2, click writes both outputs into one unless it is told not to.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


class Ran:
    """What a command gave back: exit code, standard output, standard error."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def invoke(program, *arguments, stdin=None):
    """Run a program of click in this process, with the exit codes of the program."""
    result = CliRunner(**APART).invoke(program, [str(a) for a in arguments], input=stdin)
    if isinstance(result.exception, CasebaseError):
        return Ran(1, result.stdout, f"Error: {result.exception}\n")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="session")
def run():
    """Run a command of casebase."""
    return partial(invoke, cli)


@pytest.fixture(scope="session")
def program():
    """Run `python -m casebase` as another process."""

    def program(*arguments, stdin=None, **options):
        command = [sys.executable, "-m", "casebase", *(str(a) for a in arguments)]
        ran = subprocess.run(command, input=stdin, capture_output=True, timeout=60, **options)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    return program


@pytest.fixture(scope="session")
def weather(tmp_path_factory):
    """A CSV file with a header, a numeric column and the class last."""
    path = tmp_path_factory.mktemp("data") / "weather.csv"
    path.write_text(WEATHER)
    return path


@pytest.fixture(scope="session")
def model(run, weather):
    """An IB1 model of the weather."""
    path = weather.parent / "weather.cb"
    assert run("train", weather, "-o", path, "--learner", "ib1").code == 0
    return path


def columns(text, *which):
    """The chosen columns (from 0) of a CSV text, header included."""
    return "".join(",".join(line.split(",")[i] for i in which) + "\n" for line in text.splitlines())


@pytest.fixture
def written(tmp_path):
    """Write a file and return its path."""

    def write(text, name="new.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
