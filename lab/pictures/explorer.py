"""Pictures of the explorer: `python -m lab.pictures.explorer` starts a server and photographs its pages.

`python -m lab.pictures.explorer tagger ask` takes those pictures alone. The models are those of the tutorials and of a
generated table, so that the pictures show what a reader can do again.
"""

import io
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote_plus

from PIL import Image
from playwright.sync_api import sync_playwright

from casebase.hyphenation.hyphenator import Hyphenator
from casebase.serve.config import Config
from casebase.serve.demonstration import write_demonstration
from casebase.serve.run import running
from casebase.serve.shelf import Shelf
from casebase.tagging.corpora import read_corpus
from casebase.tagging.tagger import Tagger
from lab.paths import DOCS

FOLDER = DOCS / "images"
N_COLOURS = 64  # of a picture: a page has few
MOST_BYTES = 60_000

TEXT = "La hundo nun dormas. Nun ni kantas."


@dataclass(frozen=True)
class Picture:
    """A page of the explorer: its address, what to do there before the picture is taken, and how much is shown."""

    name: str
    path: str
    width: int = 1000
    height: int = 640
    theme: Literal["light", "dark"] = "light"
    steps: Callable[[Any], None] = lambda page: None


def learn_a_tag(page: Any) -> None:
    """Put the tag of a word right; the next sentence has the word too."""
    page.fill("[aria-label^='Right tag of nun']", "ADV")
    page.click("button.main:has-text('Learn')")
    page.wait_for_selector("#changes")


def learn_a_word(page: Any) -> None:
    """Put the breaks of a word right, and watch two others."""
    page.uncheck("[name=place][value='1']")
    page.check("[name=place][value='3']")
    page.click("button.main:has-text('Learn')")
    page.wait_for_selector("#changes")


def examine(page: Any) -> None:
    """Let the records be examined, and wait for the report."""
    page.click("button.main")
    page.wait_for_selector("table", timeout=60_000)


def review(page: Any) -> None:
    """Examine the records, then open the first decision."""
    examine(page)
    page.click("a[href*='/review']")


def compare(page: Any) -> None:
    """Compare some methods."""
    for method in ("ib1", "igtree", "c45", "c45rules"):
        page.check(f"input[value='{method}']")
    page.click("button.main")
    page.wait_for_selector("svg", timeout=60_000)


PICTURES = (
    Picture("home", "/", height=470),
    Picture("recognised", "/t/passengers", height=760),
    Picture("ask", "/m/passengers/ask?v.sex=male&v.age=29&v.cabin=third", height=1180),
    Picture("table", "/m/passengers/table?where=sex%3Dfemale&where=saved%3Dno", theme="dark"),
    Picture("errors", "/m/passengers/errors", height=560),
    Picture("health", "/m/passengers/health", height=760, steps=examine),
    Picture("review", "/m/passengers/health", height=760, steps=review),
    Picture("compare", "/m/passengers/compare", height=760, steps=compare),
    Picture("tree", "/m/tic-tac-toe/picture", height=640),
    Picture("tagger", f"/m/esperanto/tag?text={quote_plus(TEXT)}&at=1.3", height=1180),
    Picture("tagger-learned", f"/m/esperanto/tag?text={quote_plus(TEXT)}&at=1.3", height=740, steps=learn_a_tag),
    Picture("hyphenator", "/m/italian/hyphenate?words=automobile+spaghetti+castello&at=spaghetti", height=900),
    Picture(
        "hyphenator-moved",
        "/m/italian/hyphenate?words=spaghetti&among=spago+spada&at=spaghetti",
        height=580,
        theme="dark",
        steps=learn_a_word,
    ),
)


def write_models(folder: Path) -> None:
    """Write the demonstration's tables and models, and the tagger and the hyphenator of the tutorials."""
    write_demonstration(folder)
    corpus = _written("tutorial-tagger", r'"""\\\n(.*?)"""')
    Tagger().fit(read_corpus(corpus.encode())).save(folder / "esperanto.cb")
    words = _written("tutorial-hyphenator", r'words = """\n(.*?)"""').split()
    classes = {"K": "bcdfghlmnpqrstvz", "V": "aeiouà"}
    Hyphenator(classes=classes, window=1.0).fit(words).save(folder / "italian.cb")


def _written(page: str, pattern: str) -> str:
    """Return the data that a tutorial writes to a file."""
    found = re.search(pattern, (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"{page}.md has changed"
    return found[1]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a server with the models of a folder."""
    shelf = Shelf(folder)
    shelf.add([folder])
    with running(shelf, Config(port=0, folder=folder, needs_token=False)) as address:
        yield address


def taken(chromium: Any, address: str, picture: Picture) -> bytes:
    """Return the picture of a page as PNG, with few colours."""
    size = {"width": picture.width, "height": picture.height}
    context = chromium.new_context(base_url=address, viewport=size, color_scheme=picture.theme)
    page = context.new_page()
    answer = page.goto(picture.path)
    if answer is None or not answer.ok:
        raise SystemExit(f"{picture.name}: {picture.path} answers {answer and answer.status}")
    picture.steps(page)
    page.evaluate("window.scrollTo(0, 0)")
    shot = page.screenshot()
    context.close()
    written = io.BytesIO()
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(N_COLOURS).save(written, "PNG", optimize=True)
    return written.getvalue()


def write(*names: str, folder: Path = FOLDER) -> None:
    """Write the pictures of these names, or all of them, into a folder."""
    unknown = set(names) - {picture.name for picture in PICTURES}
    if unknown:
        raise SystemExit(f"There is no picture {', '.join(sorted(unknown))}.")
    folder.mkdir(exist_ok=True)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as place:
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture in PICTURES:
            if names and picture.name not in names:
                continue
            models = Path(tempfile.mkdtemp(dir=place))  # a picture may correct its model
            write_models(models)
            with served(models) as address:
                content = taken(chromium, address, picture)
            if len(content) > MOST_BYTES:
                raise SystemExit(f"{picture.name} has {len(content):,} bytes; the most is {MOST_BYTES:,}.")
            (folder / f"explorer-{picture.name}.png").write_bytes(content)
        chromium.close()


if __name__ == "__main__":
    write(*sys.argv[1:])
