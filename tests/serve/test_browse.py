"""The table of stored cases against a naive table of records, through random corrections."""

import operator
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette")

from casebase.base.model import Model
from casebase.base.records import records_of
from casebase.data import Cases
from casebase.data.columns import spelling
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError, NotFoundError, SchemaError
from casebase.measures.weights import MEASURES, feature_tables
from casebase.methods import method_named
from casebase.neighbours import correction
from casebase.serve.records.browse import Browser, Query

COLUMNS = ["colour", "n", "a=b", "size", "born", "source", "class"]
KINDS = {
    "colour": "symbol",
    "n": "number",
    "a=b": "symbol",
    "size": ["small", "medium", "large"],
    "born": "date",
    "source": "provenance",
}
SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
LEVELS = ["small", "medium", "large"]

texts = st.sampled_from(["red", "Red", "blue", "10", "9", "9.0", "é", None])
rows = st.fixed_dictionaries(
    {
        "colour": texts,
        "n": st.sampled_from(["1", "2", "2.5", "10", "-3", None]),
        "a=b": st.sampled_from(["x", "y", "x=1", ">=2"]),
        "size": st.sampled_from([*LEVELS, None]),
        "born": st.sampled_from(["1990-01-31", "2001-12-01", "1969-05-05", None]),
        "source": st.sampled_from(["Ann", "ann's list", "Bob", None]),
        "class": st.sampled_from(["P", "Q"]),
    }
)
tables = st.lists(rows, min_size=4, max_size=14)
conditions = st.one_of(
    st.builds("{}{}{}".format, st.sampled_from(COLUMNS), st.sampled_from(["=", "!="]), texts.map(lambda t: t or "")),
    st.builds("colour{}{}".format, st.sampled_from(list(SIGNS)), st.sampled_from(["9", "9.5"])),
    st.builds("n{}{}".format, st.sampled_from([*SIGNS, "=", "!="]), st.sampled_from(["2", "2.0", "2.5", "-1"])),
    st.builds("size{}{}".format, st.sampled_from([*SIGNS, "="]), st.sampled_from(LEVELS)),
    st.builds("born{}{}".format, st.sampled_from([*SIGNS, "=", "!="]), st.sampled_from(["1990-01-31", "2000-01-01"])),
    st.sampled_from(["a=b=x", "a=b=x=1", "a=b!=x", "source=Ann", "class=P", "id=3", "id>=4", "id!=2"]),
)
queries = st.builds(
    Query,
    where=st.lists(conditions, max_size=2).map(tuple),
    search=st.sampled_from(["", "", "", "e", "RED", "1", "ann", "2.5", "1990", "É", "x=", "zz"]),
    sort=st.sampled_from(["", "-", "id", "-id", *COLUMNS, *(f"-{name}" for name in COLUMNS)]),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.lists(rows, min_size=1, max_size=3)),
        st.tuples(st.just("remove"), st.integers(0, 30)),
        st.tuples(st.just("update"), st.integers(0, 30), rows),
    ),
    max_size=4,
)


def learned(records: list[dict[str, Any]]) -> Model:
    both = [{**records[0], "class": "P"}, {**records[0], "class": "Q"}]  # corrections that lose no class
    cases = cases_with_kinds([*both, *records], target="class", kinds=KINDS)
    return method_named("ib1").fit(cases)


def corrected(model: Any, step: tuple[Any, ...]) -> Any:
    ids = records_of(model).ids.to_pylist()
    if step[0] == "insert":
        records = [{name: row[name] for name in COLUMNS[:-1]} for row in step[1]]
        return correction.insert(model, records, [row["class"] for row in step[1]])
    case = ids[step[1] % len(ids)]
    if step[0] == "remove":
        return model if len(ids) < 3 else correction.remove(model, [case])[0]
    return correction.update(model, [case], [{name: step[2][name] for name in COLUMNS[:-1]}], [step[2]["class"]])


# The oracle: plain Python over the records of the library.


def flat(record: dict[str, Any]) -> dict[str, Any]:
    return {"id": record["id"], **record["values"], **record["provenance"], "class": record["class"]}


def as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def has(row: dict[str, Any], text: str) -> bool:
    names = sorted(row, key=len, reverse=True)
    name = next(n for n in names if text.startswith(n) and text[len(n) :].startswith(("=", "!=", ">", "<")))
    rest, value = text[len(name) :], row[name]
    sign = next(s for s in ("!=", ">=", "<=", ">", "<", "=") if rest.startswith(s))
    wanted = rest[len(sign) :]
    if sign in ("=", "!="):
        if not wanted:
            is_equal = value is None
        elif isinstance(value, float):
            is_equal = value == as_number(wanted)
        else:
            is_equal = spelling(value) == wanted
        return is_equal == (sign == "=")
    if name == "size":
        return value is not None and SIGNS[sign](LEVELS.index(value), LEVELS.index(wanted))
    if name == "born":
        return value is not None and SIGNS[sign](value, wanted)
    number = as_number(value)
    return number is not None and SIGNS[sign](number, float(wanted))


def sort_key(row: dict[str, Any], name: str) -> tuple[Any, ...]:
    value = row[name]
    if value is None:
        return (2,)
    if name == "size":
        return (0, LEVELS.index(value))
    number = as_number(value)
    if name in ("n", "id") or number is not None:
        return (0, number, str(value))
    return (1, value)


def expected(model: Model, query: Query) -> list[dict[str, Any]]:
    found = records_of(model)
    if query.search:
        found = found.search(query.search)
    rows = [flat(record) for record in found.to_dicts()]
    rows = [row for row in rows if all(has(row, text) for text in query.where)]
    name = query.sort.removeprefix("-")
    if name:
        rows.sort(key=lambda row: sort_key(row, name))
    return rows[::-1] if query.sort.startswith("-") else rows


def walked(browser: Browser, query: Query, limit: int, *, is_backward: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    listing = browser.page(query, before="" if is_backward else None, limit=limit)
    while True:
        here = [flat(record) for record in listing.records.to_dicts()]
        assert listing.first == (listing.n_matching - len(rows) - len(here) if is_backward else len(rows))
        rows = here + rows if is_backward else rows + here
        assert (listing.previous is None) == (listing.first == 0)
        assert (listing.next is None) == (listing.first + len(here) == listing.n_matching)
        place = listing.previous if is_backward else listing.next
        if place is None:
            return rows
        listing = browser.page(query, **{"before" if is_backward else "after": place}, limit=limit)


@settings(max_examples=40, deadline=None)
@given(tables, steps, st.lists(queries, min_size=1, max_size=3), st.integers(1, 5), st.booleans())
def test_pages_show_every_match_once_in_order_after_corrections(
    table: list[dict[str, Any]], changes: Any, asked: list[Query], limit: int, is_backward: bool
) -> None:
    model = learned(table)
    browser = Browser(model)
    for step in [None, *changes]:
        if step is not None:
            model = corrected(model, step)
            browser = Browser(model, browser)  # continues the one before
        for query in asked:
            rows = expected(model, query)
            assert walked(browser, query, limit, is_backward=is_backward) == rows
            if query.sort and not query.where and not query.search:  # as `casebase cases --sort` does
                assert records_of(model).sort(query.sort).ids.to_pylist() == [row["id"] for row in rows]
            for name in ("colour", "source", "class", "size"):
                found = {one.value: one.n for one in browser.counts(name, query, limit=100).counts}
                assert found == Counter(row[name] for row in rows)


@settings(max_examples=25, deadline=None)
@given(tables, queries, steps)
def test_a_walk_survives_corrections_by_others(table: list[dict[str, Any]], query: Query, changes: Any) -> None:
    """Cases that match all the time are shown exactly once, whatever is inserted and removed between two pages."""
    model = learned(table)
    browser = Browser(model)
    changes = [step for step in changes if step[0] != "update"]  # an update may move a case past the reader
    always = {row["id"] for row in expected(model, query)}
    seen: list[int] = []
    listing = browser.page(query, limit=3)
    while True:
        seen += listing.records.ids.to_pylist()
        if listing.next is None:
            break
        if changes:
            model = corrected(model, changes.pop())
            browser = Browser(model, browser)
            always &= {row["id"] for row in expected(model, query)}
        listing = browser.page(query, after=listing.next, limit=3)
    assert len(seen) == len(set(seen))
    assert always <= set(seen)


@pytest.mark.parametrize("learner", ["igtree", "ib2", "rules"])
def test_models_that_keep_cases_otherwise_are_browsed_alike(learner: str) -> None:
    rows = [
        {"colour": c, "n": n, "a=b": "x", "size": "small", "born": b, "source": None, "class": k}
        for c, n, b, k in [("red", "2", "1990-01-31", "P"), ("blue", "10", None, "Q"), ("red", None, "2001-12-01", "Q")]
    ]
    model = method_named(learner).fit(cases_with_kinds(rows, target="class", kinds=KINDS))
    browser = Browser(model)
    for query in (Query(sort="n"), Query(sort="-born"), Query(("n=10.0",)), Query(("n>=2",)), Query(search="1990")):
        assert walked(browser, query, 2, is_backward=False) == expected(model, query), query


def test_a_cursor_holds_when_its_cases_are_removed_and_all_is_sorted_again() -> None:
    table = [[str(i % 3), "P" if i % 2 else "Q"] for i in range(40)]
    model: Any = method_named("ib1").fit(Cases.from_table(table, target=-1))
    browser = Browser(model)
    listing = browser.page(limit=20)
    assert listing.next is not None
    model, _ = correction.remove(model, [*range(3, 12), 19])  # the last case of the page is number 19
    model = model.in_order()  # positions are counted anew
    rest = Browser(model).page(after=listing.next, limit=100).records.ids.to_pylist()
    assert rest == list(range(20, 40))


def test_type_ahead_puts_beginnings_first_then_frequency() -> None:
    words = ["Inga"] * 2 + ["ingot"] * 5 + ["ringing"] * 9 + ["other"] * 3
    model: Any = method_named("ib1").fit(Cases.from_table([[word, "P"] for word in words] + [["x", "Q"]], target=-1))
    browser = Browser(model)
    name = browser.columns[1].name
    assert [one.value for one in browser.values(name, "ING")] == ["ingot", "Inga", "ringing"]
    assert [one.value for one in browser.values(name, "", limit=2)] == ["ringing", "ingot"]
    larger = correction.insert(model, [["Ingrid"]] * 7, ["P"] * 7)
    after = Browser(larger, browser)
    assert [(one.value, one.n) for one in after.values(name, "ing")][:2] == [("Ingrid", 7), ("ingot", 5)]
    smaller, _ = correction.remove(larger, list(range(len(words) + 1, len(words) + 8)))
    assert "Ingrid" not in [one.value for one in Browser(smaller, after).values(name, "ing")]


def test_numbers_are_counted_by_interval_as_filters_compare() -> None:
    table = [{"n": i / 10, "class": "PQ"[i % 2]} for i in range(300)]
    model = method_named("ib1").fit(Cases.from_table(table, target="class"))
    browser = Browser(model)
    counted = browser.counts("n").counts
    assert sum(one.n for one in counted) == 300
    for one in counted:
        sign = "<=" if one.is_last else "<"
        assert browser.page(Query((f"n>={one.low}", f"n{sign}{one.high}"))).n_matching == one.n


def test_relevance_is_that_of_the_measures() -> None:
    cases = Cases.from_table([["a", "x", "P"], ["b", "x", "Q"], ["b", "y", "Q"], ["a", "y", "P"]], target=-1)
    browser = Browser(method_named("ib1").fit(cases))
    for measure in ("gain_ratio", "information_gain", "chi_squared", "shared_variance"):
        found = browser.relevance(measure)
        assert found is not None
        assert list(found.values()) == [MEASURES[measure](table) for table in feature_tables(cases).values()]
    with pytest.raises(CasebaseError, match="gain_ratio"):
        browser.relevance("gain-ratio")


def test_wrong_requests_say_what_was_expected() -> None:
    model = learned([dict.fromkeys(COLUMNS[:-1], None) | {"a=b": "x", "class": "P", "colour": "red"}])
    browser = Browser(model)
    for query, message in (
        (Query(("color=red",)), "colour"),
        (Query(("colour",)), "sign"),
        (Query(("n>=many",)), "number"),
        (Query(("born<yesterday",)), "YYYY-MM-DD"),
        (Query(("size>huge",)), "small < medium < large"),
        (Query(sort="colr"), "colour"),
        (Query(search="\ud800"), "surrogate"),
        (Query(("colour=\ud800",)), "surrogate"),
    ):
        with pytest.raises(CasebaseError, match=message):
            browser.page(query)
    for cursor in ("x", "[]", "W10", "é", "WzEsMiwzXQ", "a" * 10_000):
        with pytest.raises(CasebaseError, match="no place in the table"):
            browser.page(after=cursor)
    for limit in (0, -1, 1001):
        with pytest.raises(CasebaseError, match="1 to 1000"):
            browser.page(limit=limit)
    for case in ("none", "99", "1e3", "9" * 40):
        with pytest.raises(NotFoundError):
            browser.record(case)
    with pytest.raises(SchemaError):
        browser.counts("nothing")
    assert browser.record("1")[1]["id"] == 1
