"""How a server starts: with little imported, and nothing of scikit-learn or pyarrow."""

import subprocess
import sys
from pathlib import Path

import pytest

from casebase.base.lock import lock_file
from casebase.errors import LockedError

START = """
import asyncio, sys
from casebase.serve.run import serve
from casebase.serve.app import make_app
from casebase.serve.config import Config
from casebase.serve.shelf import Shelf
shelf = Shelf()
shelf.add(sys.argv[1:2])
app = make_app(shelf, Config(needs_token=False))

async def ask(method, path, body=b""):
    place, _, query = path.partition("?")
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": method, "path": place, "query_string": query.encode(), "headers": headers,
             "scheme": "http", "server": ("localhost", 80), "client": ("localhost", 1), "root_path": ""}
    sent = []

    async def receive():
        return {"type": "http.request", "body": body}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    assert sent[0]["status"] == 200, sent

for one in sys.argv[2:]:
    method, path, *body = one.split(" ", 2)
    asyncio.run(ask(method, path, "".join(body).encode()))
print(*sys.modules)
"""
HEAVY = ("sklearn", "scipy", "pandas", "matplotlib", "rich", "polars", "pyarrow", "numpy.ma", "jinja2")
LATER = ("casebase.estimators", "casebase.tagging", "casebase.hyphenation", "casebase.trees", "casebase.autopilot")
RESOURCES = ("casebase.serve.api.cases", "casebase.serve.api.openapi", "casebase.serve.pages.ask")


def imported(model: Path, *requests: str) -> set[str]:
    """Return the modules that a server has imported when it has answered some requests."""
    command = [sys.executable, "-c", START, str(model), *requests]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_a_server_starts_without_what_it_may_never_need(models: Path) -> None:
    """A model of IB1 needs its own family; pages about others come when somebody asks for them."""
    found = imported(models / "ib1.cb", "GET /healthz", "GET /readyz")
    assert "casebase.neighbours" in found
    assert found.isdisjoint((*HEAVY, *LATER, *RESOURCES))


@pytest.mark.parametrize(
    "request_",
    [
        'POST /v1/models/ib1/predict {"cases": [{"sex": "male", "fare": 31.5}, {"sex": null}]}',
        "GET /",
        "GET /m/ib1",
        "GET /m/ib1/ask?asked=1&v.sex=male&v.fare=31.5",
    ],
)
def test_a_model_answers_without_tables(models: Path, request_: str) -> None:
    """Answers to plain values, and the pages that show them, need no Arrow: it would double the memory."""
    assert "pyarrow" not in imported(models / "ib1.cb", request_)


def test_commands_are_told_where_the_server_is(models: Path, tmp_path: Path) -> None:
    """Also for a model that came later; regression: the message had the process, and no address."""
    serving = pytest.importorskip("tests.serve.serving")
    first, later = tmp_path / "first.cb", tmp_path / "later.cb"
    for path in (first, later):
        path.write_bytes((models / "ib1.cb").read_bytes())
    shelf = serving.Shelf()
    shelf.add([first])
    try:
        with serving.serving(shelf, serving.Config(port=0, needs_token=False)) as address:
            shelf.add([later])
            for path in (first, later):
                with pytest.raises(LockedError, match=rf"correct it there \({address}\), or stop it"):
                    lock_file(path, "casebase insert")
    finally:
        shelf.close()
