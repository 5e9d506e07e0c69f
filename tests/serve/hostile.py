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
