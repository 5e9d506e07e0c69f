"""The models of the manual's worked examples, so that a picture shows exactly the model of its page."""

import contextlib
import io
import re
import tempfile
from typing import Any

from lab.paths import DOCS

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example(page: str, name: str) -> dict[str, Any]:
    """Run the blocks of a page from the top until `name` is defined, and return its variables.

    >>> len(example("ib1", "clf")["X"])
    7
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in BLOCK.finditer(text):
            exec(block[1], names)
            if name in names:
                return names
    raise LookupError(f"{page}.md defines no {name}")
