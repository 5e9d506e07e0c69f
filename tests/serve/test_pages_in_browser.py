"""The pages in a real browser: every flow, nothing from another host, no error in a script."""

from pathlib import Path

import pytest

from tests.serve.browsing import Browser
from tests.serve.serving import running

pytestmark = [pytest.mark.peer, pytest.mark.xdist_group("browser")]


def test_home_leads_to_a_model(browser: Browser, models: Path) -> None:
    with running(models) as address, browser.page(address) as page:
        page.goto("/")
        page.click("text=ib1")
        assert page.url.endswith("/m/ib1")
        assert "Corrections" in page.text_content("main")
