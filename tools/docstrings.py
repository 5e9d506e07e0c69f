"""Docstrings for mkdocstrings: examples in running text become code, attributes get their descriptions."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$|>>> ).*\n?)*)+", re.MULTILINE)
ATTRIBUTES = re.compile(r"^Attributes\n-+\n(?:.+\n?)+", re.MULTILINE)
ATTRIBUTE = re.compile(r"^(\w[\w, ]*) : (.*)$", re.MULTILINE)


def readable(text: str) -> str:
    """Return a docstring that reads on the site as it reads in the source.

    >>> readable("Sum.\\n\\n>>> 1 + 1\\n2")
    'Sum.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```\\n'
    >>> readable("Attributes\\n----------\\nids_ : names of the cases.")
    'Attributes\\n----------\\nids_\\n    names of the cases.'
    """
    text = ATTRIBUTES.sub(lambda found: ATTRIBUTE.sub(r"\1\n    \2", found[0]), text)
    if re.search(r"^Examples?\n-+$", text, re.MULTILINE):
        return text  # a section of examples is code already
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class Docstrings(griffe.Extension):
    """A griffe extension that rewrites the docstring of every documented object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = readable(obj.docstring.value)
