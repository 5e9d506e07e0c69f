"""Rules as an outline: the default, with the exceptions to each rule below it."""

import re
from collections.abc import Iterable

Line = tuple[int, str, str]  # depth, rule, and what supports it


def as_text(lines: Iterable[Line]) -> str:
    """Return the exceptions to each rule indented below it."""
    return "".join(f"{'  ' * depth}{head}{support}\n" for depth, head, support in lines)


def as_markdown(lines: Iterable[Line]) -> str:
    """Return nested lists: the exceptions to each rule are a list below it."""
    return "".join(f"{'  ' * depth}- {_escape(head)}{support}\n" for depth, head, support in lines)


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+.!|~-])", r"\\\1", text)
