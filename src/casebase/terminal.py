"""Text for a terminal: characters that a terminal obeys instead of showing them are escaped.

A value, a name of a column or of a file may have any character. ESC and others would move the cursor, colour or hide
what stands beside them, or set the title of the window.
"""

import re

# Control characters but tab and the end of a line, separators of lines, and marks that turn the direction of writing;
# halves of characters (surrogates) stand for bytes of file names that are no text.
_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def harmless(text: str) -> str:
    r"""Return the text with everything that a terminal obeys escaped; tabs and ends of lines stay.

    >>> print(harmless("a b \x1b[31mred\rx"))
    a b \x1b[31mred\rx
    """
    return _OBEYED.sub(_escaped, text)


def harmless_json(text: str) -> str:
    r"""Return JSON with the same content in which everything that a terminal obeys is escaped.

    JSON itself escapes only the control characters below 32.

    >>> print(harmless_json('"\x9b31m"'))
    "\u009b31m"
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
