"""Pages in a real browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit


class Browser:
    """A browser that opens pages, and refuses any request to a host other than that of the page."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium

    @contextmanager
    def page(self, address: str, **settings: Any) -> Iterator[Any]:
        """Yield a page; afterwards there must have been no request to another host, and no error in its scripts."""
        context = self.chromium.new_context(base_url=address, **settings)
        page = context.new_page()
        foreign: list[str] = []
        errors: list[str] = []
        host = urlsplit(address).netloc
        page.on("request", lambda request: foreign.append(request.url) if _leaves(request.url, host) else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        yield page
        context.close()
        assert not foreign, f"a page asked another host: {foreign}"
        assert not errors, f"the browser complained: {errors}"


def _leaves(url: str, host: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("data", "blob") and parts.netloc != host
