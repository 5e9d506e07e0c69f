"""The pictures of the manual: every method has one, and those that are drawn by a program are what it draws."""

import re
from pathlib import Path

import pytest

from lab.paths import DOCS
from lab.pictures.all import PICTURES, write
from lab.pictures.examples import example

TEXT = re.compile(r"<text [^>]*>([^<]*)</text>")
SHOWN = re.compile(r"!\[([^\]]+)\]\(([\w-]+\.svg)\)")
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")}
METHODS = re.findall(
    r": ([\w-]+)\.md$", (DOCS.parent / "mkdocs.yml").read_text().partition("- Methods:")[2].partition("- What")[0], re.M
)


@pytest.mark.parametrize("page", [*METHODS, "tagger", "hyphenator"])
def test_a_page_about_a_method_has_a_picture_that_is_told_in_words(page):
    """Whoever cannot see the picture reads what it shows."""
    found = SHOWN.findall(PAGES[page])

    assert found
    assert all(len(alt) > 40 and (DOCS / file).exists() for alt, file in found)


def test_pictures_in_the_manual_are_shown_somewhere():
    """None is left behind when a page no longer shows it."""
    shown = {file for text in PAGES.values() for _, file in SHOWN.findall(text)}

    assert {path.name for path in DOCS.glob("*.svg")} == shown


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_from_the_example_of_its_page(name, tmp_path):
    """`python -m lab.pictures` would write the same words and figures; twice gives the same file."""
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        write(name, folder=tmp_path / folder)
    first, second = (tmp_path / folder / f"{name}.svg" for folder in ("first", "second"))

    assert first.read_bytes() == second.read_bytes()
    assert words(first) == words(DOCS / f"{name}.svg"), f"out of date: run python -m lab.pictures {name}"


def words(picture: Path) -> list[str]:
    """Return all texts of a picture: places may differ by a hair from one matplotlib to the next."""
    return TEXT.findall(picture.read_text(encoding="utf-8"))


def test_an_example_must_be_on_its_page():
    """A name that no block defines is told, with the page."""
    with pytest.raises(LookupError, match=r"relief\.md defines no forest"):
        example("relief", "forest")
