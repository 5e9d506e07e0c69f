"""The pages in a real browser: every flow, nothing from another host, no error in a script."""

from pathlib import Path

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
