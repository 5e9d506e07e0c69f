"""A server that tests ask: over a socket for browsers, and without one for everything else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

from casebase.serve.app import make_app
from casebase.serve.config import Config
from casebase.serve.run import running as serving
from casebase.serve.shelf import Shelf

TOKENS = {"r" * 20: "read", "c" * 20: "correct", "a" * 20: "admin"}


@contextmanager
def client(*paths: Path, folder: Path | None = None, read_only: bool = False, **settings: Any) -> Iterator[TestClient]:
    """Yield a client of an application with these models and tables, which may do everything."""
    config = Config(folder=folder, **({"needs_token": False} | settings))
    shelf = Shelf(folder, read_only=read_only)
    shelf.add(paths)
    with TestClient(make_app(shelf, config), base_url="http://localhost") as asking:
        yield asking


@contextmanager
def running(*paths: Path, folder: Path | None = None, **settings: Any) -> Iterator[str]:
    """Yield the address of a server that listens, as a browser needs it."""
    shelf = Shelf(folder)
    shelf.add(paths)
    with serving(shelf, Config(port=0, folder=folder, **({"needs_token": False} | settings))) as address:
        yield address
