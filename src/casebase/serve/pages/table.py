"""Table: the stored records, filtered, sorted and counted, a page at a time; what is filtered can be downloaded."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from casebase.errors import CasebaseError, unknown_name
from casebase.serve.desks.desk import Desk
from casebase.serve.pages.about import summary_of
from casebase.serve.pages.ask import saved_model
from casebase.serve.records.browse import RELEVANCE, Browser, Query, browser_of
from casebase.serve.records.columns import NumberColumn
from casebase.serve.records.downloads import FORMATS, stream
from casebase.serve.records.filters import SIGNS, condition
from casebase.serve.records.stored import why_no_records
from casebase.serve.records.value_counts import Count, ValueCounts, known_values, matching_values
from casebase.serve.web import Page, Shown, desk_of, link, page, see, with_problem

PAGE = 50
N_COUNTED = 3  # columns whose values are counted unless others are asked for


def routes() -> list[Route]:
    return [
        *page("/m/{name}/table", table),
        *page("/m/{name}/values", values),
        *page("/m/{name}/download", download)[1:],  # a file has no twin
    ]


def table(request: Request) -> Shown:
    """Show a page of the records, with the counts of some columns and the relevance of the features."""
    desk = desk_of(request)
    saved = saved_model(desk)
    facts: dict[str, Any] = {
        "name": desk.name,
        **summary_of(desk),
        "why_not": why_no_records(saved.model),
        "tried": None,
    }
    if facts["why_not"]:
        return Page("table.html", f"Table of {desk.name}", facts, desk=desk)
    query, is_new = query_of(request)
    try:
        return _table(request, desk, facts | {"tried": None}, query, is_new)
    except CasebaseError as error:
        wrong = [text for text in query.where if not _is_condition(browser_of(desk), text)]
        if not wrong:
            raise
        rest = replace(query, where=tuple(text for text in query.where if text not in wrong))
        shown = _table(request, desk, facts | {"tried": _parts(browser_of(desk), wrong[-1])}, rest, False)
        return with_problem(shown, error) if isinstance(shown, Page) else shown


def _is_condition(browser: Browser, text: str) -> bool:
    """Return whether a text is a condition that records can be compared by."""
    try:
        browser.page(Query((text,), "", ""), limit=1)
    except CasebaseError:
        return False
    return True


def _parts(browser: Browser, text: str) -> dict[str, str]:
    """Return a wrong condition as the fields of the form."""
    try:
        return _described(browser, text)
    except CasebaseError:
        return {"text": text, "column": "", "sign": "", "value": text}


def _table(request: Request, desk: Desk, facts: dict[str, Any], query: Query, is_new: bool) -> Shown:
    browser, parameters = browser_of(desk), request.query_params
    asked: dict[str, Any] = {
        "where": list(query.where),
        "search": query.search or None,
        "sort": query.sort or None,
        "counts": parameters.getlist("counts"),
        "measure": parameters.get("measure") or None,
        "limit": parameters.get("limit") or None,
    }
    if is_new and not request.url.path.endswith(".json") and all(_is_condition(browser, text) for text in query.where):
        return see(link(request.url.path, **asked))  # the address has the filter that a form described
    listing = browser.page(
        query, after=parameters.get("after"), before=parameters.get("before"), limit=_whole(parameters, "limit", PAGE)
    )
    measure = parameters.get("measure") or "model"
    relevance = browser.relevance(measure)
    facts = facts | {
        "asked": asked,
        "columns": [_column(browser, i, query.sort) for i in range(len(browser.columns))],
        "records": listing.records.to_dicts(),
        "n_cases": listing.n_cases,
        "n_matching": listing.n_matching,
        "first": listing.first,
        "next": listing.next,
        "previous": listing.previous,
        "conditions": [_described(browser, text) for text in query.where],
        "counts": [counts_facts(browser, name, query) for name in counted(browser, asked["counts"])],
        "measure": measure,
        "measures": list(RELEVANCE),
        "relevance": None if relevance is None else _descending(relevance),
        "signs": list(SIGNS),
        "formats": list(FORMATS),
    }
    return Page("table.html", f"Table of {desk.name}", facts, _command(desk, query), desk=desk)


def query_of(request: Request) -> tuple[Query, bool]:
    """Return the query of an address, and whether it has a condition that the form of a filter describes."""
    parameters = request.query_params
    where = [text for text in parameters.getlist("where") if text]
    is_new = bool(parameters.get("column"))
    if is_new:
        sign = parameters.get("sign") or "="
        if sign not in SIGNS:
            raise CasebaseError(unknown_name("sign", sign, SIGNS))
        where.append(f"{parameters['column']}{sign}{parameters.get('value', '').strip()}")
    return Query(tuple(dict.fromkeys(where)), parameters.get("search", "").strip(), parameters.get("sort", "")), is_new


def _whole(parameters: Mapping[str, str], name: str, otherwise: int) -> int:
    text = parameters.get(name)
    try:
        return int(text) if text else otherwise
    except ValueError:
        raise CasebaseError(f"{name} is a whole number; got {text!r}.") from None


def _column(browser: Browser, i: int, sort: str) -> dict[str, Any]:
    """Return a column with how the table is sorted by it now, and the order that a click gives."""
    column = browser.columns[i]
    order = "ascending" if sort == column.name else "descending" if sort == f"-{column.name}" else "none"
    return {
        "name": column.name,
        "kind": column.kind,
        "order": order,
        "next_sort": f"-{column.name}" if order == "ascending" else column.name,
        "is_number": isinstance(column, NumberColumn) and column.kind == "number",
    }


def _described(browser: Browser, text: str) -> dict[str, str]:
    one = condition(text, browser.columns)
    return {"text": text, "column": one.column.name, "sign": one.sign, "value": one.text}


def counted(browser: Browser, asked: list[str]) -> list[str]:
    """Return the columns whose values are counted: those asked for, else the class and the most relevant features."""
    target = browser.columns[-1].name
    if asked:
        return [browser.column(name).name for name in dict.fromkeys(asked)]
    names = {column.name for column in browser.columns}
    weights = _descending(browser.relevance("model") or {})
    relevant = [name for name in weights if name in names] or [column.name for column in browser.columns[1:-1]]
    return [target, *relevant[: N_COUNTED - 1]]


def counts_facts(browser: Browser, name: str, query: Query, limit: int = 12) -> dict[str, Any]:
    """Return the counts of a column's values, each with the conditions that choose its records."""
    found = browser.counts(name, query, limit)
    most = max((one.n or 0 for one in found.counts), default=0) or 1
    return {
        "name": found.name,
        "n_values": found.n_values,
        "n_rows": found.n_rows,
        "values": [
            {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "percent": round(100 * (one.n or 0) / most),
                "where": _conditions(found, i),
            }
            for i, one in enumerate(found.counts)
        ],
    }


def _conditions(found: ValueCounts, i: int) -> list[str]:
    one = found.counts[i]
    if one.low is not None:
        return [f"{found.name}>={one.low}", f"{found.name}{'<=' if one.is_last else '<'}{one.high}"]
    return [f"{found.name}={'' if one.value is None else one.value}"]


def _descending(weights: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(weights.items(), key=lambda pair: -pair[1]))


def _command(desk: Desk, query: Query) -> str | None:
    """Return the command that shows the same records; it knows no ranges."""
    if any("=" not in text or text[text.index("=") - 1 : text.index("=")] in "<>!" for text in query.where):
        return None
    where = "".join(f" --where {shlex.quote(text)}" for text in query.where)
    search = f" --search {shlex.quote(query.search)}" if query.search else ""
    sort = f" --sort={shlex.quote(query.sort)}" if query.sort else ""  # a name may begin with '-'
    return f"casebase cases {shlex.quote(desk.path.name)}{where}{search}{sort}"


def values(request: Request) -> Page:
    """Show the values of a column that begin with a text or contain it, the most frequent first."""
    desk, parameters = desk_of(request), request.query_params
    model = saved_model(desk).model
    name, text = parameters.get("feature"), parameters.get("q", "")
    if not name:
        raise CasebaseError("Name a column: ?feature=NAME.")
    limit = min(max(_whole(parameters, "limit", 20), 1), 1000)
    if why_no_records(model) is None:
        browser = browser_of(desk)
        name, found = browser.column(name).name, browser.values(name, text, limit)
    else:
        known, _ = matching_values(known_values(model.schema, name), text, limit)
        found = [Count(value, None) for value in known]
    facts = {
        "name": desk.name,
        "feature": name,
        "q": text,
        "values": [{"value": one.value, "n": one.n} for one in found],
    }
    return Page("values.html", f"Values of {name}", facts, desk=desk)


def download(request: Request) -> Response:
    """Send the records that match, in their order, as a file."""
    desk = desk_of(request)
    query, _ = query_of(request)
    kind = request.query_params.get("format") or "csv"
    if kind not in FORMATS:
        raise CasebaseError(unknown_name("format", kind, list(FORMATS)))
    saved_model(desk)
    browser = browser_of(desk)
    browser.page(query, limit=1)  # an error comes before the first byte
    names = f"attachment; filename*=UTF-8''{quote(desk.name)}.{kind}"
    return StreamingResponse(
        stream(browser, query, kind), media_type=FORMATS[kind], headers={"content-disposition": names}
    )
