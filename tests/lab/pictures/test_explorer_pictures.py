"""The pictures of the explorer in the manual: made by the script, small, and told in words."""

import re

import pytest

pytest.importorskip("playwright")

from lab.paths import DOCS
from lab.pictures.explorer import FOLDER, MOST_BYTES, PICTURES

SHOWN = re.compile(r"!\[([^]]*)\]\(images/(explorer-[^)]*\.png)\)")


def test_pictures_of_the_explorer_are_those_of_the_script():
    """Each picture that a page shows is there, from the script, small, and with words for whoever cannot see it."""
    shown = [found for page in DOCS.glob("*.md") for found in SHOWN.findall(page.read_text(encoding="utf-8"))]
    files = {path.name: path.stat().st_size for path in FOLDER.glob("explorer-*.png")}

    assert shown
    assert {file for _, file in shown} <= set(files)
    assert set(files) <= {f"explorer-{picture.name}.png" for picture in PICTURES}
    assert all(len(words) > 15 for words, _ in shown)
    assert all(size <= MOST_BYTES for size in files.values())
