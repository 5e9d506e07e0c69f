"""The explorer's table of stored records: the worst request of each kind, on all windows."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.testclient import TestClient

from casebase import methods
from casebase.data import Cases
from casebase.formats import read_table
from casebase.methods import method_named
from casebase.neighbours import correction
from casebase.serve.app import make_app
from casebase.serve.config import Config
from casebase.serve.records.browse import Browser, Query
from casebase.serve.shelf import Shelf
from lab.bench.data import windows
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, core_clock

MILLI = 1000.0
TARGET = 50.0  # milliseconds
TEXTS = ("ing", "e", "1", "123", "no record has this")
Operation = Callable[[Browser], object]


def browse(sizes: Sizes) -> Iterator[Row]:
    """Measure the CPU time of single requests, repeated; a row has the slowest kind of request."""
    files = windows(sizes)
    cases = Cases.from_table(read_table(files.many, target=-1))
    model: Any = method_named("ib1").fit(cases)
    size = f"{files.size(files.many)} records of {cases.n_features} features"
    first = Runs(tuple(_milliseconds(lambda browser: browser.page(), Browser(model)) for _ in range(3)))
    yield alone(f"table of {size}: the first page after a load", first, TARGET, "ms")
    browser = Browser(model)
    browser.prepare()
    yield from _rows(browser, size, sizes)
    larger, _ = correction.remove(model, [5])
    larger = correction.insert(larger, [["something new"] * cases.n_features], [cases.schema.classes[0]])
    start = time.thread_time()
    after = Browser(larger, browser)
    spent = [time.thread_time() - start]
    for operation in (*_pages(after).values(), *_searches().values()):
        spent.append(_milliseconds(operation, after) / MILLI)
    worst = Runs((max(spent) * MILLI,))
    yield alone(f"table of {size}: the slowest first request of a kind after a correction", worst, TARGET, "ms")
    yield from _over_http(model, browser, size)


def _rows(browser: Browser, size: str, sizes: Sizes) -> Iterator[Row]:
    groups = {
        "a page, in any order, at either end and before the last": _pages(browser),
        "a filter with a sort": _filters(browser),
        "a search": _searches(),
        "the value counts of a column under a filter": _counts(browser),
        "type-ahead": _values(browser),
    }
    for what, operations in groups.items():
        runs = {name: _runs(operation, browser, sizes) for name, operation in operations.items()}
        slowest = max(runs, key=lambda name: runs[name].median)
        work = f"table of {size}: {what}, the slowest of {len(runs)} ({slowest})"
        yield alone(work, runs[slowest], TARGET, "ms")


def _page(one: Browser, query: Query, before: str | None = None) -> object:
    return one.page(query, before=before)


def _count(one: Browser, name: str, query: Query) -> object:
    return one.counts(name, query)


def _like(one: Browser, name: str, text: str) -> object:
    return one.values(name, text)


def _pages(browser: Browser) -> dict[str, Operation]:
    found: dict[str, Operation] = {}
    for name in ["", *(column.name for column in browser.columns)]:
        for sort in (name, f"-{name}"):
            query = Query(sort=sort)
            found[f"first by {sort or 'insertion'}"] = partial(_page, query=query)
            found[f"last by {sort or 'insertion'}"] = partial(_page, query=query, before="")
            place = browser.page(query, before="").previous
            found[f"before the last by {sort or 'insertion'}"] = partial(_page, query=query, before=place)
    found["1000 records"] = lambda one: one.page(limit=1000)
    return found


def _filters(browser: Browser) -> dict[str, Operation]:
    found: dict[str, Operation] = {}
    columns = [column.name for column in browser.columns[1:]]
    for name, other in zip(columns, columns[1:] + columns[:1]):
        common = browser.values(name, "", 1)[0].value
        for sign in ("=", "!="):
            query = Query((f"{name}{sign}{common}", f"{other}!="), sort=f"-{other}")
            found[f"{name}{sign}{common}"] = partial(_fresh, query=query)
    return found


def _searches() -> dict[str, Operation]:
    return {text: partial(_fresh, query=Query(search=text, sort="class")) for text in TEXTS}


def _counts(browser: Browser) -> dict[str, Operation]:
    name = browser.columns[1].name
    query = Query((f"{name}!={browser.values(name, '', 1)[0].value}",))
    browser.select(query)
    return {column.name: partial(_count, name=column.name, query=query) for column in browser.columns}


def _values(browser: Browser) -> dict[str, Operation]:
    return {
        f"{column.name}, {text!r}": partial(_like, name=column.name, text=text)
        for column in browser.columns[1:]
        for text in ("", "e", "ing")
    }


def _fresh(browser: Browser, query: Query) -> object:
    """Return the last page of a query whose records are not remembered."""
    browser.forget()
    return browser.page(query, before="")


def _runs(operation: Operation, browser: Browser, sizes: Sizes) -> Runs:
    return Runs(tuple(_milliseconds(operation, browser) for _ in range(sizes.repeats)))


def _milliseconds(operation: Operation, browser: Browser) -> float:
    """Return the CPU time of this thread: the indexes that are made in the background are not waited for."""
    start = time.thread_time()
    operation(browser)
    return (time.thread_time() - start) * MILLI


def _over_http(model: Any, browser: Browser, size: str) -> Iterator[Row]:
    """Measure whole pages, from the request to the HTML."""
    name = browser.columns[1].name
    where = f"{name}!={browser.values(name, '', 1)[0].value}"
    places = ["/m/windows/table", f"/m/windows/table?where={where}&sort=-{name}", "/m/windows/record/7"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "windows.cb"
        methods.save(path, model)
        shelf = Shelf(None, read_only=True)
        shelf.add([path])
        with TestClient(make_app(shelf, Config(needs_token=False)), base_url="http://localhost") as asking:
            asking.get(places[0])
            time.sleep(10)  # until the indexes are made
            runs = {place: Runs(tuple(_request(asking, place) for _ in range(5))) for place in places}
            # A search is remembered, so each is made once.
            found = tuple(_request(asking, f"/m/windows/table?sort=-{name}&search={text}") for text in "aeios")
            runs["a search for a letter"] = Runs(found)
    slowest = max(runs, key=lambda place: runs[place].median)
    yield alone(f"table of {size}: a whole page, the slowest of {len(runs)} ({slowest})", runs[slowest], TARGET, "ms")


def _request(asking: TestClient, place: str) -> float:
    start = core_clock()
    assert asking.get(place).status_code == 200, place
    return (core_clock() - start) * MILLI
