"""Texts that somebody may send to break a page."""

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "'; --",
    "a\nb\r\nc\td",
    "word " * 700,
    "\u202eabc\u2066def\u2069",
    "\x00\x01\x7f",
    "ä́ ﷽ 🏳️‍🌈",
]


def check_harmless(page: str) -> None:
    """Check that a hostile text became no element of a page, and was not evaluated by its template."""
    assert "<script>alert" not in page
    assert "<img" not in page
    assert ">49<" not in page
    assert "this is a fault" not in page
