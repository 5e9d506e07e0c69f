from functools import partial

import pytest

from casebase.cli import cli
from tests.cli.conftest import invoke


@pytest.fixture(scope="session")
def cli_run():
    """Run a command of casebase in this process."""
    return partial(invoke, cli)
