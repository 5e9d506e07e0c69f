"""How a server starts: with little imported, and nothing of scikit-learn."""

import subprocess
import sys
from pathlib import Path

START = """
import sys
from casebase.serve.run import serve
from casebase.serve.app import make_app
from casebase.serve.config import Config
from casebase.serve.shelf import Shelf
shelf = Shelf()
shelf.add(sys.argv[1:])
make_app(shelf, Config(needs_token=False))
print(*sys.modules)
"""
HEAVY = ("sklearn", "scipy", "pandas", "matplotlib", "rich", "polars")
LATER = ("casebase.estimators", "casebase.tagging", "casebase.hyphenation", "casebase.trees", "casebase.autopilot")


def test_a_server_starts_without_what_it_may_never_need(models: Path) -> None:
    """A model of IB1 needs its own family; pages about others come when somebody asks for them."""
    done = subprocess.run(
        [sys.executable, "-c", START, str(models / "ib1.cb")], capture_output=True, text=True, check=True
    )
    imported = set(done.stdout.split())
    assert "casebase.neighbours" in imported
    assert imported.isdisjoint((*HEAVY, *LATER))
