"""Changes to pages where mkdocs reads Markdown differently from GitHub."""

import re
from typing import Any

OUTWARD = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
WIDE = re.compile(r"^\|(?:-+\|){13,}$", re.MULTILINE)  # so many columns that they want the whole width
LONG = 24  # letters of code that fit into a cell


def on_page_markdown(markdown: str, page: Any = None, **_: Any) -> str:
    """Return a page on which files outside of `docs/` are named, not linked, and bars in cells are not escaped in code.

    >>> on_page_markdown("See [Contributing](../CONTRIBUTING.md).")
    'See Contributing (`CONTRIBUTING.md`).'
    >>> on_page_markdown("| `a\\\\|b` | a \\\\| b |")
    '| `a|b` | a \\\\| b |'
    """
    if page is not None and WIDE.search(markdown):
        page.meta.setdefault("hide", []).append("toc")
    markdown = OUTWARD.sub(r"\1 (`\2`)", markdown)
    return ROW.sub(lambda row: CODE.sub(_in_cell, row[0]), markdown)


def _in_cell(code: re.Match[str]) -> str:
    """Return code as a cell has it: a long list of choices may be broken behind a bar, by a space of no width."""
    return code[0].replace(r"\|", "|\u200b" if len(code[0]) > LONG else "|")
