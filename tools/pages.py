"""Pages as mkdocs wants them, where it reads Markdown otherwise than GitHub does."""

import re
from typing import Any

OUTWARD = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page on which files outside of `docs/` are named, not linked, and bars in cells are not escaped in code.

    >>> on_page_markdown("See [Contributing](../CONTRIBUTING.md).")
    'See Contributing (`CONTRIBUTING.md`).'
    >>> on_page_markdown("| `a\\\\|b` | a \\\\| b |")
    '| `a|b` | a \\\\| b |'
    """
    markdown = OUTWARD.sub(r"\1 (`\2`)", markdown)
    return ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace(r"\|", "|"), row[0]), markdown)
