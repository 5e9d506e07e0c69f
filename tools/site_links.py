"""Links that lead out of the manual, for mkdocs: the site has the words and the file's name, but no dead link."""

import re
from typing import Any

OUTWARD = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page on which a file outside of `docs/` is named, not linked.

    >>> on_page_markdown("See [Contributing](../CONTRIBUTING.md).")
    'See Contributing (`CONTRIBUTING.md`).'
    """
    return OUTWARD.sub(r"\1 (`\2`)", markdown)
