"""The pages of the table, of one record and of the journal: facts, forms, conflicts, downloads, hostile values."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

from casebase import methods
from casebase.base.leave_out import explain_without_itself, stored_queries
from casebase.base.log import Author, log_of
from casebase.base.records import records_of
from casebase.data import Cases
from casebase.data.columns import spelling
from casebase.methods import method_named
from casebase.serve.desks.desk import Desk
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import TOKENS, client

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "'; --",
    "two\nlines",
    "x" * 10_000,
    "\u202eevil\u2066",
    "a/b.json",
    "é & ü",
]


@pytest.fixture
def nouns(tmp_path: Path) -> Path:
    """A model of a few words with provenance."""
    rows = [
        {"ending": e, "n": n, "source": s, "plural": p}
        for e, n, s, p in [("e", 1.5, "a", "n"), ("e", 2.0, "b", "n"), ("er", 10.0, None, "s"), ("u", None, "a", "s")]
    ]
    path = tmp_path / "nouns.cb"
    methods.save(path, method_named("ib1").fit(Cases.from_table(rows, target="plural", keep="source")))
    return path


@pytest.fixture
def asking(nouns: Path) -> Iterator[Any]:
    with client(nouns) as one:
        yield one


def version(asking: Any) -> str:
    return str(asking.get("/m/nouns/table.json").json()["version"])


def test_a_page_of_the_table_has_the_records_in_order_with_links(asking: Any, nouns: Path) -> None:
    facts = asking.get("/m/nouns/table.json", params={"sort": "-n", "where": "n>=1.5", "limit": 2}).json()
    assert [one["values"]["n"] for one in facts["records"]] == [10.0, 2.0]
    assert (facts["n_matching"], facts["n_cases"], facts["first"]) == (3, 4, 0)
    rest = asking.get("/m/nouns/table.json", params={"sort": "-n", "where": "n>=1.5", "after": facts["next"]}).json()
    assert [one["id"] for one in rest["records"]] == [0]
    assert rest["previous"] is not None
    page = asking.get("/m/nouns/table", params={"sort": "-n", "where": "ending=e"}).text
    assert 'aria-sort="descending"' in page
    assert 'href="/m/nouns/record/1"' in page
    assert 'aria-label="Remove the filter ending=e"' in page
    assert "1 to 2 of 2 matching records, 4 in all" in page
    plain = asking.get("/m/nouns/table", params={"where": "ending=e", "search": "b c"}).text
    assert "casebase cases nouns.cb --where ending=e --search &#39;b c&#39;" in plain
    assert "casebase cases nouns.cb --where ending=e --sort=-n<" in page


def test_a_filter_of_the_form_becomes_part_of_the_address(asking: Any) -> None:
    new = {"column": "n", "sign": ">=", "value": "2", "where": "ending=e", "sort": "n"}
    answer = asking.get("/m/nouns/table", params=new, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/m/nouns/table?where=ending%3De&where=n%3E%3D2&sort=n"
    assert asking.get("/m/nouns/table.json", params=new).json()["n_matching"] == 1


def test_counts_lead_to_what_they_count(asking: Any) -> None:
    facts = asking.get("/m/nouns/table.json", params={"counts": ["ending", "source", "n"]}).json()
    assert [one["name"] for one in facts["counts"]] == ["ending", "source", "n"]
    for column in facts["counts"]:
        for one in column["values"]:
            found = asking.get("/m/nouns/table.json", params={"where": one["where"]}).json()
            assert found["n_matching"] == one["n"], (column["name"], one)
    by_gain = asking.get("/m/nouns/table.json", params={"measure": "information_gain"}).json()
    assert set(by_gain["relevance"]) == {"ending", "n"}
    assert by_gain["counts"][0]["name"] == "plural"


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_a_download_has_what_is_filtered_in_its_order(asking: Any, nouns: Path, kind: str) -> None:
    query = {"where": "n>=1.5", "sort": "-n"}
    answer = asking.get("/m/nouns/download", params=query | {"format": kind})
    assert answer.headers["content-disposition"].endswith(f"nouns.{kind}")
    records = records_of(methods.load(nouns).model)
    expected = [row for row in records.to_arrow().to_pylist() if row["n"] is not None][::-1]
    if kind == "parquet":
        found = pq.read_table(io.BytesIO(answer.content)).to_pylist()
    elif kind == "jsonl":
        found = [json.loads(line) for line in answer.text.splitlines()]
    else:
        found = list(csv.DictReader(io.StringIO(answer.text), delimiter="," if kind == "csv" else "\t"))
        expected = [{name: spelling(value) or "" for name, value in row.items()} for row in expected]
    assert found == expected
    none = asking.get("/m/nouns/download", params={"where": "ending=none", "format": kind})
    assert none.status_code == 200
    assert asking.get("/m/nouns/download", params={"where": "nothing=1"}).status_code == 422
    assert asking.get("/m/nouns/download", params={"format": "xml"}).status_code == 422


def test_type_ahead_gives_values_with_counts(asking: Any) -> None:
    facts = asking.get("/m/nouns/values.json", params={"feature": "ending", "q": "E"}).json()
    assert facts["values"] == [{"value": "e", "n": 2}, {"value": "er", "n": 1}]
    assert asking.get("/m/nouns/values.json", params={"feature": "edning"}).status_code == 422
    assert "er" in asking.get("/m/nouns/values", params={"feature": "ending"}).text


def test_a_record_shows_what_the_others_say_and_its_history(asking: Any, nouns: Path) -> None:
    facts = asking.get("/m/nouns/record/2.json").json()
    model = methods.load(nouns).model
    expected = explain_without_itself(model, *stored_queries(model, [2]))[0]
    assert facts["record"] == records_of(model).to_dicts()[2]
    assert facts["evidence"] == json.loads(json.dumps(expected.to_dict()))
    assert facts["history"] == []
    assert asking.get("/m/nouns/record/9.json").status_code == 404
    assert asking.get("/m/nouns/record/none").status_code == 404


def test_records_are_added_changed_erased_and_undone(asking: Any, nouns: Path) -> None:
    new = {"v.ending": "el", "v.n": "3", "p.source": "c", "class": "s", "by": "Ann", "note": "found", "id": "77"}
    answer = asking.post("/m/nouns/records", data=new | {"version": version(asking)}, follow_redirects=False)
    assert answer.headers["location"] == "/m/nouns/record/77?corrected=added"
    assert "casebase_author=Ann" in answer.headers["set-cookie"]
    assert 'value="Ann"' in asking.get("/m/nouns/add").text
    facts = asking.get("/m/nouns/record/77.json").json()
    assert facts["record"]["values"] == {"ending": "el", "n": 3.0}
    assert facts["record"]["provenance"] == {"source": "c"}
    change = {"id": "77", "v.ending": "e", "o.ending": "", "v.n": "", "class": "s", "version": version(asking)}
    assert asking.post("/m/nouns/edit", data=change, follow_redirects=False).status_code == 303
    now = asking.get("/m/nouns/record/77.json").json()
    assert now["record"]["values"] == {"ending": "e", "n": None}
    assert now["record"]["provenance"] == {"source": "c"}  # the form said nothing of it
    assert len(now["history"]) == 2
    journal = asking.get("/m/nouns/journal.json").json()
    assert [one["number"] for one in journal["corrections"]] == [2, 1]
    assert journal["corrections"][0]["cases"][0]["changes"] == [
        {"name": "ending", "before": "el", "after": "e"},
        {"name": "n", "before": "3", "after": None},
    ]
    assert [one["can_be_undone"] for one in journal["corrections"]] == [True, False]
    undone = asking.post("/m/nouns/undo", data={"number": "2", "version": version(asking), "by": "Bob"})
    assert "The correction was undone" in undone.text
    assert asking.get("/m/nouns/record/77.json").json()["record"]["values"]["ending"] == "el"
    unsure = asking.post("/m/nouns/delete", data={"id": "77", "version": version(asking)})
    assert unsure.status_code == 422
    gone = asking.post("/m/nouns/delete", data={"id": "77", "version": version(asking), "sure": "yes"})
    assert "The record was erased" in gone.text
    assert asking.get("/m/nouns/record/77").status_code == 404
    assert "erased since" in asking.get("/m/nouns/journal").text
    assert b"found" not in nouns.read_bytes() or b'"el"' not in nouns.read_bytes()
    whole = asking.get("/m/nouns/log.json").json()
    assert whole["n_corrections"] == 4


def test_the_journal_equals_the_log_on_every_page(asking: Any, nouns: Path) -> None:
    for i in range(45):
        data = {"id": str(i % 3), "v.n": str(i + 100), "class": "ns"[i % 2], "version": version(asking), "by": f"b{i}"}
        assert asking.post("/m/nouns/edit", data=data, follow_redirects=False).status_code == 303
    seen: list[Any] = []
    start: int | None = 0
    while start is not None:
        facts = asking.get("/m/nouns/journal.json", params={"start": start}).json()
        seen += facts["corrections"]
        start = facts["part"]["after"]
    assert [one["number"] for one in seen] == list(range(45, 0, -1))
    whole = asking.get("/m/nouns/log.json").json()["corrections"]
    for one, other in zip(seen, whole[::-1]):
        assert (one["by"], one["when"], one["before"]) == (other["by"], other["when"], other["before"])
        assert [{k: case[k] for k in ("id", "before", "after")} for case in one["cases"]] == [
            {k: case[k] for k in ("id", "before", "after")} for case in other["cases"]
        ]


def test_a_lost_update_is_a_page_that_shows_both(asking: Any) -> None:
    old = version(asking)
    mine = {"id": "1", "v.ending": "mine", "class": "n", "version": old}
    theirs = {"id": "1", "v.ending": "theirs", "class": "n", "version": old, "by": "Bob"}
    assert asking.post("/m/nouns/edit", data=theirs, follow_redirects=False).status_code == 303
    answer = asking.post("/m/nouns/edit", data=mine, follow_redirects=False)
    assert answer.status_code == 412
    assert "<mark>mine</mark>" in answer.text
    assert "<td>theirs</td>" in answer.text
    assert "Bob" in answer.text
    assert asking.get("/m/nouns/record/1.json").json()["record"]["values"]["ending"] == "theirs"
    again = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', answer.text))
    assert asking.post("/m/nouns/edit", data=again, follow_redirects=False).status_code == 303
    assert asking.get("/m/nouns/record/1.json").json()["record"]["values"]["ending"] == "mine"
    for place, data in (("delete", {"id": "1", "sure": "yes"}), ("records", {"v.ending": "x", "class": "n"})):
        assert asking.post(f"/m/nouns/{place}", data=data | {"version": old}).status_code == 412
    now = version(asking)
    asking.post("/m/nouns/delete", data={"id": "1", "sure": "yes", "version": now})
    lost = asking.post("/m/nouns/edit", data=mine)
    assert lost.status_code == 412
    assert "Record 1 was deleted" in lost.text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_values_are_shown_as_text_everywhere(tmp_path: Path, text: str) -> None:
    rows = [[text, "b", "P"], ["a", text, "Q"], ["a", "b", text], ["a", "c", "Q"]]
    named = [dict(zip((f"f{text}", "kept", "class"), row)) for row in rows]
    cases = Cases.from_table(named, target="class", keep="kept", ids=[text, "2", "3", "4"])
    methods.save(tmp_path / "m.cb", method_named("ib1").fit(cases))
    where = f"f{text}={text}"
    with client(tmp_path / "m.cb") as asking:
        assert asking.get("/m/m/table.json", params={"where": where}).json()["n_matching"] == (1 if text.strip() else 0)
        assert asking.get("/m/m/table.json", params={"search": text}).json()["n_matching"] == 3
        record = f"/m/m/record/{quote(text, safe='')}"
        state = asking.get("/m/m/table.json").json()["version"]
        form = {"id": "2", f"v.f{text}": text, "p.kept": text, "class": text, "version": state, "note": text}
        assert asking.post("/m/m/edit", data=form, follow_redirects=False).status_code == 303
        stale = asking.post("/m/m/edit", data=form)
        assert stale.status_code == 412
        pages = [
            asking.get("/m/m/table", params={"where": where, "search": text, "sort": f"f{text}"}),
            asking.get("/m/m/table", params={"counts": f"f{text}", "limit": 2}),
            asking.get("/m/m/values", params={"feature": f"f{text}", "q": text[:50]}),
            asking.get(record),
            asking.get("/m/m/record/2"),
            asking.get("/m/m/add"),
            asking.get("/m/m/journal"),
            stale,
            asking.get("/m/m/table", params={"where": text}),
            asking.get("/m/m/table", params={"sort": text, "after": text}),
            asking.get("/m/m/values", params={"feature": text}),
        ]
        for page in pages:
            assert page.status_code in (200, 412, 422), page.url
            for part in ("<script>alert", "<img src=x", ">49<"):
                assert part not in page.text, page.url
        for page in pages[:2]:
            shown = re.sub(r"<option[^<]*</option>|<[^>]*>", "", page.text.partition("<main")[2])
            assert "\u202e" not in shown, page.url  # a direction that would spread over the rest of the page
        assert asking.get(f"{record}.json").json()["id"] == text


def test_who_may_only_read_gets_no_forms_and_may_not_post(nouns: Path) -> None:
    with client(nouns, needs_token=True, tokens=TOKENS) as asking:
        reader = {"authorization": f"Bearer {'r' * 20}"}
        for place in ("/m/nouns/table", "/m/nouns/record/1", "/m/nouns/add", "/m/nouns/journal"):
            page = asking.get(place, headers=reader)
            assert page.status_code == 200
            assert 'method="post"' not in page.text
            assert 'href="/m/nouns/add"' not in page.text
        for place in ("records", "edit", "delete", "undo"):
            assert asking.post(f"/m/nouns/{place}", data={"id": "1"}, headers=reader).status_code == 403


def test_models_without_records_say_so(models: Path) -> None:
    with client(models) as asking:
        page = asking.get("/m/c45/table")
        assert page.status_code == 200
        assert "keeps no cases" in page.text
        assert asking.get("/m/c45/record/1").status_code == 422
        assert asking.get("/m/c45/journal").status_code == 200
        known = asking.get("/m/c45/values.json", params={"feature": "port", "q": "s"}).json()["values"]
        assert known == [{"value": "Southampton", "n": None}, {"value": "Queenstown", "n": None}]
        igtree = asking.get("/m/igtree/table.json").json()
        assert igtree["n_cases"] == 600


def test_the_log_of_the_file_is_that_of_the_page(nouns: Path) -> None:
    with client(nouns) as asking:
        asking.post("/m/nouns/edit", data={"id": "0", "class": "s", "v.n": "5", "version": version(asking)})
        shown = asking.get("/m/nouns/log.json").json()
    saved = methods.load(nouns)
    assert shown["corrections"] == json.loads(json.dumps(log_of(saved.model, saved.log).to_dict()))["corrections"]


def test_taggers_and_hyphenators_have_a_journal(tmp_path: Path) -> None:
    write_tagger(tmp_path / "dogs.cb", 1)
    write_hyphenator(tmp_path / "suomi.cb")
    with Desk.open(tmp_path / "dogs.cb") as dogs:
        dogs.learn([[("The", "D"), ("<b>wug", "N")]], author=Author("Ann", "new"))
    with Desk.open(tmp_path / "suomi.cb") as suomi:
        suomi.correct(["ka-tro"], author=Author("Bob"))
    with client(tmp_path) as asking:
        for name, who in (("dogs", "Ann"), ("suomi", "Bob")):
            page = asking.get(f"/m/{name}/journal")
            assert page.status_code == 200
            assert f"by {who}" in page.text
            assert asking.get(f"/m/{name}/log.json").json()["n_corrections"] == 1
            assert asking.get(f"/m/{name}/table").status_code == 422
        dogs = asking.get("/m/dogs/journal").text
        assert "1 sentence learned by Ann" in dogs
        assert "The/D &lt;b&gt;wug/N" in dogs
        assert "Undo" not in dogs
        assert "Undo" in asking.get("/m/suomi/journal").text


def test_a_model_without_records_completes_as_the_service_does(models: Path) -> None:
    """It knows its values, and not how often they occur."""
    with client(models / "c45.cb") as asking:
        for feature in ("sex", "class"):
            query = {"feature": feature, "q": "e"}
            shown = asking.get("/m/c45/values.json", params=query).json()["values"]
            served = asking.get("/v1/models/c45/values", params=query).json()["values"]
            assert served
            assert shown == [{"value": value, "n": None} for value in served]
