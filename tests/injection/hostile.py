"""A table whose names, values and classes try to become something else than text, and checks that they did not."""

import re
from html.parser import HTMLParser

import pandas as pd

MARKUP = [
    "<cbevil>",
    '"><cbevil a="',
    "' oncbevil='1",
    '" oncbevil="1',
    "</script></style></title></textarea><cbevil>",
    "</text></svg><cbevil/>",
    "<![CDATA[<cbevil>]]>",
    "--><cbevil><!--",
    "&lt;cbevil&gt;",
    "&#60;cbevil&#62;",
    "javascript:cbevil()",
    "{{7*191}}",
    "{% cbevil %}",
    "[bold]x[/bold][/]",
    ":smile:",
]
PROGRAMS = [
    "'; DROP TABLE cases; --",
    '"; DROP TABLE cases; --',
    "x' OR '1'='1",
    "\\",
    "\\'",
    "/*",
    "*/",
    "two\n-- lines",
    ":name",
    "?1",
    "%s%n",
    "'+cbevil()+'",
    '"""+cbevil()+"""',
    "{cbevil}",
    "x\nimport cbevil",
    "#",
    "1 # cbevil",
]
TABLES = ["=1+1", "+1-1", "-2+3", "@SUM(A1)", "a,b", 'a"b', "a\tb", "a;b", " lead", "trail "]
TERMINAL = [
    "\x1b[31mred",
    "\x1b]0;cbevil\x07",
    "\x9b31m",
    "\x08\x08\x08",
    "\x7f",
    "right\rwrong",
    "\u202egnp.exe",
    "\u2028",
    "\x0b\x0c",
]
TYPESET = ["$\\frac{$", "$x$", "\\input{cbevil}", "^^5cinput", "%", "~_&{}"]
HOSTILE = MARKUP + PROGRAMS + TABLES + TERMINAL + TYPESET
NAMES = ["<cbevil>", '"; DROP TABLE cases; --', "'+cbevil()+'", "\x1b[31m=1+1\n$\\frac{$"]
TARGET = "\x1b[32m</title><cbevil>'\""
CLASSES = [HOSTILE[i] for i in (1, 3, 4, 15, 20, 22, 26, 28, 32, 37, 42, 47, 51, 52)]
# What a terminal obeys: control characters but newline and tab, and characters that turn the direction of writing.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def hostile_table() -> pd.DataFrame:
    """Return a table in which every hostile text is a value, and many are classes; the last column is the class."""
    n, at = len(HOSTILE), range(3 * len(HOSTILE))
    columns = {
        NAMES[0]: [HOSTILE[i % n] for i in at],
        NAMES[1]: [HOSTILE[i * 7 % n] for i in at],
        NAMES[2]: [HOSTILE[i // 5 % n] for i in at],
        NAMES[3]: [float(i % 17) + 0.5 for i in at],
        TARGET: [CLASSES[i % n // 4 % len(CLASSES)] for i in at],
    }
    return pd.DataFrame(columns)


class Elements(HTMLParser):
    """The elements, attributes and texts of a page, as a browser would take them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.raw, self.text, self._within = "", "", ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._within = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within:
            self.raw += data
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.raw += data


def check_page(page: str, is_harmless: bool = True) -> Elements:
    """Check that no text of the table became an element, an attribute, an address, a script, a style or a comment.

    A form has values as they are, so that they can be edited: a page with forms may have what a terminal obeys.
    """
    found = Elements(page)
    assert "cbevil" not in found.tags
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    addresses = [value or "" for name, value in found.attributes if name in ("href", "src", "action", "xlink:href")]
    assert not [one for one in addresses if one.strip().lower().startswith("javascript:")]
    assert "cbevil" not in found.raw
    assert "1337" not in found.text  # 7 times 191: a template was evaluated
    if is_harmless:
        check_text(page)
    return found


def check_text(text: str) -> None:
    """Check that a terminal would obey nothing in a text."""
    assert (found := OBEYED.search(text)) is None, repr(text[max(found.start() - 60, 0) :][:120])
