"""Models and a browser for the tests of the server."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casebase import methods
from casebase.data import Cases
from casebase.datasets import make_passengers
from casebase.formats import read_table
from casebase.methods import method_named
from tests.serve.browsing import Browser


@pytest.fixture(scope="session")
def passengers_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file of 600 passengers, with symbols, numbers, missing values, and a class."""
    path = tmp_path_factory.mktemp("tables") / "passengers.csv"
    make_passengers().write_csv(path)
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models of the passengers: ib1.cb, c45.cb, igtree.cb."""
    folder = tmp_path_factory.mktemp("models")
    make_passengers().write_csv(folder / "passengers.csv")
    cases = Cases.from_table(read_table(folder / "passengers.csv", target="class"))
    (folder / "passengers.csv").unlink()
    for name in ("ib1", "c45", "igtree"):
        methods.save(folder / f"{name}.cb", method_named(name).fit(cases))
    return folder


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    """A copy of the models, which a test may correct."""
    return Path(shutil.copytree(trained, tmp_path / "models"))


@pytest.fixture(scope="module")  # not longer: while playwright runs, no other event loop can
def browser() -> Iterator[Browser]:
    """Debian's Chromium, driven by playwright; it notes each request that leaves the host."""
    playwright: Any = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("CASEBASE_REQUIRE_PEERS"):
            pytest.fail("chromium is not installed")
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield Browser(chromium)
        chromium.close()
