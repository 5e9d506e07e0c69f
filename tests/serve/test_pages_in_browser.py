"""The pages in a real browser: every flow, nothing from another host, no error in a script."""

from pathlib import Path
from typing import Any

import pytest

from tests.serve.browsing import Browser
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import running

pytestmark = [pytest.mark.peer, pytest.mark.xdist_group("browser")]


def test_home_leads_to_a_model(browser: Browser, models: Path) -> None:
    with running(models) as address, browser.page(address) as page:
        page.goto("/")
        page.click("text=ib1")
        assert page.url.endswith("/m/ib1")
        assert "Corrections" in page.text_content("main")


def test_a_tag_is_put_right_and_the_next_sentence_changes(browser: Browser, tmp_path: Path) -> None:
    with running(write_tagger(tmp_path / "dogs.cb")) as address, browser.page(address) as page:
        page.goto("/m/dogs")
        page.click("text=Tag a text")
        page.fill("#text", "The wug walks .\nA wug walks .")
        page.click("button.main")
        page.click("button.word:has-text('wug') >> nth=0")
        assert "Places in the corpus" in page.text_content("main")
        page.fill("[aria-label^='Right tag of wug']", "X")
        page.fill("[name=by]", "Ana")
        page.keyboard.press("Enter")
        page.wait_for_selector("#changes")
        assert page.locator("#changes tbody tr").count() == 2
        page.fill("#text", "The wug .")
        page.click("button.main")
        assert "was N" in page.text_content("button.word.moved")
        with page.expect_download() as download:
            page.click("text=CoNLL-U")
        assert download.value.suggested_filename == "dogs-tags.conllu"


def test_breaks_are_put_right_and_other_words_move(browser: Browser, tmp_path: Path) -> None:
    """With the keyboard alone: the word, its breaks, what would move, and learning."""
    with running(write_hyphenator(tmp_path / "suomi.cb")) as address, browser.page(address) as page:
        page.goto("/m/suomi/hyphenate")
        page.fill("#words", "katro")
        page.focus("button.main")
        page.keyboard.press("Enter")
        page.wait_for_selector(".gaps")
        for place in ("2", "3"):
            page.focus(f"[name=place][value='{place}']")
            page.keyboard.press("Space")
        page.click("summary")
        page.fill("#among", "satraan")
        page.click("text=What would move?")
        assert "sa-traan" in page.text_content("#changes")
        assert page.is_checked("[name=place][value='2']")
        page.click("text=Learn these breaks")
        assert "ka-tro" in page.text_content("#changes")
        assert "was kat-ro" in page.text_content("button.word.moved")


def test_pages_about_words_fit_a_phone(browser: Browser, tmp_path: Path) -> None:
    models = write_tagger(tmp_path / "dogs.cb", 1), write_hyphenator(tmp_path / "suomi.cb")
    places = ("/m/dogs", "/m/suomi", "/m/dogs/tag?text=The+cat+walks&at=1.2", "/m/suomi/hyphenate?words=tietokonetalo")
    phone = {"width": 390, "height": 800}
    with running(*models) as address, browser.page(address, viewport=phone) as page:
        for place in places:
            page.goto(place)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, place


def test_the_table_is_filtered_sorted_and_corrected(browser: Browser, models: Path) -> None:
    """Type-ahead in the filter, a click on a heading, a record changed, and the change undone in the journal."""
    with running(models / "ib1.cb") as address, browser.page(address) as page:
        page.goto("/m/ib1/table")
        page.select_option("[name=column]", "port")
        page.type("[name=value]", "south")
        page.wait_for_selector("datalist option[value=Southampton]", state="attached")
        page.fill("[name=value]", "Southampton")
        page.click("text=Filter")
        assert page.locator(".chips li").first.text_content().startswith("port = Southampton")
        page.click("thead a:has-text('fare')")
        page.click("thead a:has-text('fare')")
        assert page.get_attribute("th:has(a:has-text('fare'))", "aria-sort") == "descending"
        page.click("text=Later")
        assert "51 to 100 of" in page.text_content(".pages")
        page.go_back()
        page.click("table.records tbody th a")
        record = page.url
        was = page.input_value("[name=class]")
        page.select_option("[name=class]", "no" if was == "yes" else "yes")
        page.fill("form[action$=edit] [name=by]", "Ann")
        page.click("text=Save")
        assert "The record was changed" in page.text_content("main")
        assert page.input_value("[name=class]") != was
        page.goto("/m/ib1/journal")
        assert "by Ann" in page.text_content("ol.journal")
        page.click("text=Undo")
        assert "was undone" in page.text_content("main")
        page.goto(record)
        assert page.input_value("[name=class]") == was


def test_the_table_works_without_scripts_on_a_phone(browser: Browser, models: Path) -> None:
    phone = {"width": 390, "height": 800}
    with (
        running(models / "ib1.cb") as address,
        browser.page(address, viewport=phone, java_script_enabled=False) as page,
    ):
        page.goto("/m/ib1/table")
        page.click(".counts a >> nth=0")
        assert page.locator(".chips li").count() == 2
        page.click("[aria-label^='Remove the filter']")
        assert page.locator(".chips li").count() == 0
        page.click("text=Add a record")
        page.select_option("[name=class]", "yes")
        page.click("button.main")
        assert "The record was added" in page.text_content("main")
        page.check("[name=sure]")
        page.click("text=Delete >> nth=-1")
        assert "The record was erased" in page.text_content("main")


def press(page: Any, key: str) -> None:
    """Press a key when the scripts of the page have run: before that nobody listens."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def test_a_review_by_keys(browser: Browser, models: Path) -> None:
    """Keep, another class, remove, undo: one key each; the journal has what was done, and by whom."""
    with running(models / "ib1.cb") as address, browser.page(address) as page:
        page.goto("/m/ib1/health")
        page.click("text=Look at the records")
        page.click("text=/Review \\d+ suspect records/", timeout=30_000)
        first = page.text_content(".suspect h2 a")
        page.fill("input[name=by]", "Ada")
        press(page, "y")  # typed into the field: it decides nothing
        assert page.input_value("input[name=by]") == "Aday"
        page.fill("input[name=by]", "Ada")
        page.locator("input[name=by]").blur()
        press(page, "y")
        page.wait_for_selector(f".last:has-text('Record {first}: kept')")
        second = page.text_content(".suspect h2 a")
        assert second != first
        press(page, page.get_attribute("button.main", "data-key"))
        page.wait_for_selector(f".last:has-text('Record {second}: its class was changed')")
        press(page, "u")
        page.wait_for_selector(f".suspect h2 a:text-is('{second}')")
        press(page, "r")
        page.wait_for_selector(f".last:has-text('Record {second}: removed')")
        assert page.text_content("main").count("3 of ") == 1
        page.click("text=Journal >> nth=0")
        assert "Ada" in page.text_content("main")


def test_an_error_leads_to_its_record(browser: Browser, models: Path) -> None:
    with running(models / "ib1.cb") as address, browser.page(address) as page:
        page.goto("/m/ib1/errors")
        page.click("table.confusion td:not(.right) a >> nth=0")
        assert "actual=" in page.url
        case = page.text_content("#cases ~ .cb-scroll tbody th a >> nth=0")
        page.click("#cases ~ .cb-scroll tbody th a >> nth=0")
        assert page.url.endswith(f"/m/ib1/record/{case}")


def test_a_comparison_is_followed_and_used(browser: Browser, models: Path, tmp_path: Path) -> None:
    """The page of the job leads to the result; a method of it becomes a model."""
    with running(models / "ib1.cb", folder=tmp_path / "new") as address, browser.page(address) as page:
        page.goto("/m/ib1/compare")
        for name in ("ib1", "c45", "oblivion"):
            page.check(f"input[name=method][value={name}]")
        page.fill("input[name=cv]", "3")
        page.click("button.main")
        page.wait_for_selector("#differences", timeout=30_000)
        assert page.url.endswith("/m/ib1/compare")
        page.click("button[value=c45]")
        page.wait_for_url("**/m/ib1-c45", timeout=30_000)
        page.click("text=Picture")
        page.click("svg.picture a >> nth=0")
        assert "node=" in page.url


def test_tables_use_the_width_of_the_page_and_show_that_they_scroll(
    browser: Browser, passengers_table: Path, tmp_path: Path
) -> None:
    widths = "() => { const one = document.querySelector('.cb-scroll'); return [one.scrollWidth, one.clientWidth]; }"
    shadow = "() => getComputedStyle(document.querySelector('.cb-scroll')).backgroundImage"
    with running(passengers_table, folder=tmp_path / "kept") as address:
        with browser.page(address, viewport={"width": 1280, "height": 900}) as page:
            page.goto("/t/passengers")
            needed, given = page.evaluate(widths)
            assert needed <= given
            assert given > 1100
        with browser.page(address, viewport={"width": 390, "height": 800}) as page:
            page.goto("/t/passengers")
            needed, given = page.evaluate(widths)
            assert needed > given
            assert page.evaluate(shadow).count("linear-gradient") == 4


def test_the_page_of_a_job_notices_that_the_server_is_gone(browser: Browser, passengers_table: Path) -> None:
    job = (
        '<div data-job="/jobs/1/events"><progress></progress><output>running</output></div>'
        '<script type="module" src="/static/page.js"></script>'
    )
    with running(passengers_table) as address:
        context = browser.chromium.new_context(base_url=address)  # the browser may complain about the lost connection
        page = context.new_page()
        page.route("**/jobs/1", lambda route: route.fulfill(body=job, content_type="text/html"))
        page.route("**/jobs/1/events", lambda route: route.abort("connectionrefused"))
        page.route("**/healthz", lambda route: route.abort("connectionrefused"))
        page.goto("/jobs/1")
        page.wait_for_selector("output:has-text('The server does not answer.')", timeout=5000)
        context.close()
