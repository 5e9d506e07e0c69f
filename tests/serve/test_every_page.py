"""What holds for every page: in a real browser, in both themes, at a phone's width, without scripts, by keyboard."""

import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from casebase.serve.demonstration import write_demonstration
from tests.serve.browsing import Browser
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import running

pytestmark = [pytest.mark.peer, pytest.mark.xdist_group("browser")]

PAGES = [
    "/",
    "/t/passengers",
    "/t/passengers/compare?target=saved",
    "/m/passengers",
    "/m/passengers/ask?v.sex=male&v.age=29",
    "/m/passengers/ask?v.sex=male&with=c45",
    "/m/passengers/table",
    "/m/passengers/table?where=sex%3Dmale&sort=fare",
    "/m/passengers/record/T2116",
    "/m/passengers/compare",
    "/m/passengers/errors",
    "/m/passengers/picture",
    "/m/tic-tac-toe/picture",
    "/m/passengers/health",
    "/m/passengers/review",
    "/m/passengers/journal",
    "/m/dogs/tag?text=The+cat+walks&at=1.2",
    "/m/dogs/journal",
    "/m/finnish/hyphenate?words=kissa&at=kissa",
    "/m/finnish/journal",
    "/jobs",
    "/jobs/1",
    "/v1",
    "/enter",
    "/m/nobody",
]
UNLABELLED = """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
    .filter((one) => !one.labels.length && !one.ariaLabel && !one.getAttribute("aria-labelledby"))
    .map((one) => one.outerHTML.slice(0, 120))"""
WITHOUT_NAME = """() => [...document.querySelectorAll("button, a[href]")]
    .filter((one) => !one.textContent.trim() && !one.ariaLabel).map((one) => one.outerHTML.slice(0, 120))"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("demonstration")
    write_demonstration(folder)
    write_tagger(folder / "dogs.cb", copies=2)
    write_hyphenator(folder / "finnish.cb")
    with running(folder, folder=folder) as found:
        for place in ("/m/passengers/health", "/t/passengers/compare"):  # jobs, and pages with results
            fields = {"method": "ib1", "cv": "2", "target": "saved"}
            urllib.request.urlopen(f"{found}{place}", urllib.parse.urlencode(fields).encode(), timeout=30).close()
        yield found


def visit(page: object, place: str) -> None:
    page.goto(place, wait_until="load")  # type: ignore[attr-defined]  # playwright has types of its own


def test_every_page_on_a_phone_in_the_dark(browser: Browser, address: str) -> None:
    """No page is wider than a phone, every field has a label, and every link and button a name."""
    with browser.page(address, viewport={"width": 390, "height": 800}, color_scheme="dark") as page:
        page.context.on("page", lambda _: None)
        for place in PAGES:
            if place == "/m/nobody":
                continue  # a page that does not exist is an error in the browser's console
            visit(page, place)
            assert page.evaluate(TOO_WIDE) <= 0, f"{place} is wider than a phone"
            assert page.evaluate(UNLABELLED) == [], place
            assert page.evaluate(WITHOUT_NAME) == [], place
            assert page.locator("h1").count() == 1, place
            background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
            assert background == "rgb(21, 24, 28)", f"{place} is not dark"


def test_every_page_without_scripts(browser: Browser, address: str) -> None:
    """Pages show the same, and forms work."""
    with browser.page(address, java_script_enabled=False) as page:
        for place in PAGES[:-1]:
            visit(page, place)
            assert page.locator("h1").count() == 1, place
        visit(page, "/m/passengers/ask")
        page.check("input[name='v.sex'][value=male]")
        page.click("button.main")
        assert "saved =" in page.text_content("main")


def test_every_page_has_a_twin_and_a_way_on_the_command_line(browser: Browser, address: str) -> None:
    """The link at the foot leads to the facts as JSON."""
    with browser.page(address) as page:
        for place in PAGES[:-1]:
            visit(page, place)
            if place in ("/v1", "/enter"):
                continue
            twin = page.get_attribute("footer a[href*='.json']", "href")
            answer = page.request.get(twin)
            assert answer.ok, (place, twin, answer.status)
            assert isinstance(answer.json(), dict), place
            program = "curl " if place == "/jobs" else "casebase "
            assert page.locator("footer code").text_content().startswith(program), place


def test_the_keyboard_reaches_the_content_first(browser: Browser, address: str) -> None:
    with browser.page(address) as page:
        visit(page, "/m/passengers/ask")
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.textContent") == "Skip to the content"


def test_drop_learn_ask_and_correct(browser: Browser, address: str, tmp_path: Path) -> None:
    """Three clicks from a file to an answer; a wrong answer is put right, and shown before and after."""
    table = tmp_path / "Preise.csv"
    rows = "".join(f"{'rot' if i % 2 else 'blau'};{i},5;{'ja' if i % 2 else 'nein'}\n" for i in range(30))
    table.write_bytes(f"Farbe;Größe;Kauf\n{rows}".encode("cp1252"))
    with browser.page(address) as page:
        visit(page, "/")
        page.set_input_files("input[type=file]", str(table))
        page.wait_for_url("**/t/Preise")
        assert "cp1252" in page.text_content("main")
        page.click("button[value=ib1]")
        page.wait_for_url("**/m/Preise*/ask", timeout=30_000)
        page.check("input[name='v.Farbe'][value=rot]")
        page.click("button.main")
        assert "Kauf = ja" in page.text_content(".cb-answer").replace("\u00a0", " ")
        page.select_option("select[name=class]", "nein")
        page.fill("input[name=by]", "ann")
        page.click("text=Remember this record")
        assert "now it is nein" in " ".join(page.text_content("[role=status]").split())
        page.click("nav >> text=Journal")
        assert "ann" in page.text_content("main")
