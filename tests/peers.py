"""Programs and data that tests need: a test without them is skipped, or fails if CASEBASE_REQUIRE_PEERS is 1."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from casebase.datasets import DataNotFoundError
from lab import local
from lab.peers import hyphenators, mbt, patgen, timbl, weka


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test; fail it if CASEBASE_REQUIRE_PEERS is 1."""
    if os.environ.get("CASEBASE_REQUIRE_PEERS") == "1":
        pytest.fail(f"{reason}, and CASEBASE_REQUIRE_PEERS is 1")
    pytest.skip(reason, allow_module_level=True)


def require(name: str, is_installed: bool) -> None:
    """Skip the test if a program is absent, or fail it where peers are required."""
    if not is_installed:
        skip_or_fail(f"{name} is not installed")


def require_timbl() -> None:
    require("timbl", timbl.is_installed())


def require_mbt() -> None:
    require("mbt", mbt.is_installed())


def require_weka() -> None:
    require("weka", weka.is_installed())


def require_patgen() -> None:
    require("patgen", patgen.is_installed())


def require_pyphen() -> None:
    require("pyphen", hyphenators.has_pyphen())


def require_libhyphen() -> None:
    require("libhyphen", hyphenators.has_libhyphen())


def require_tex() -> None:
    require("luatex", hyphenators.has_tex())


def demo_rows(name: str) -> list[list[str]]:
    """Return the rows of a demonstration file that comes with TiMBL."""
    return found(timbl.demo_rows, name)


def data_file(name: str) -> Path:
    """Return the path of a data file beside the checkout."""
    path = local.folder() / name
    if not path.exists():
        skip_or_fail(f"{name} is not in {path.parent}")
    return path


def data_lines(name: str) -> list[str]:
    """Return the lines of a data file beside the checkout that are not empty."""
    return [line for line in found(local.local_lines, name) if line]


def found(load, *arguments):
    """Call a loader; if its data are absent, skip the test or fail it."""
    try:
        return load(*arguments)
    except DataNotFoundError as error:
        skip_or_fail(str(error))
