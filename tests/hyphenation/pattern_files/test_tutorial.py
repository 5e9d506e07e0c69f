"""The tutorial on a hyphenator ends in TeX, and TeX does what it says there."""

import re

import pytest

from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.pattern_files import to_tex
from lab.peers.hyphenators import tex_positions
from tests.paths import DOCS
from tests.peers import require_tex

PAGE = (DOCS / "tutorial-hyphenator.md").read_text(encoding="utf-8")


@pytest.mark.peer
def test_tex_breaks_words_as_the_tutorial_shows():
    """The words of the page, learnt with its classes and written for TeX, break the last ones as shown."""
    require_tex()
    words = re.search(r'words = """\n(.*?)"""', PAGE, re.DOTALL)[1].split()
    shown = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[-1].split()
    hyph = Hyphenator(classes={"K": "bcdfghlmnpqrstvz", "V": "aeiouà"}, max_class_length=3, window=None)
    asked = [word.replace("-", "") for word in shown]
    found = tex_positions(to_tex(hyph.fit([*words, "spa-ghet-ti"]).patterns_), asked)

    assert [_broken(word, places) for word, places in zip(asked, found)] == shown


def _broken(word: str, places: list[int]) -> str:
    return "".join("-" * (i in places) + letter for i, letter in enumerate(word))
