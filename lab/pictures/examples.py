"""The worked examples of the pages, fitted: a picture shows the model of its page, not one that is like it."""

import contextlib
import io
import re
import tempfile
from typing import Any

from lab.paths import DOCS

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example(page: str, name: str) -> dict[str, Any]:
    """Return what a page has defined once its blocks, run from the top, have defined `name`.

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
