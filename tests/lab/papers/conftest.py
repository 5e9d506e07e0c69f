"""The program of the papers, run in this process."""

from functools import partial

import pytest

from lab.papers.__main__ import command
from tests.cli.conftest import invoke


@pytest.fixture(scope="session")
def run():
    """Run `python -m lab.papers`."""
    return partial(invoke, command)
