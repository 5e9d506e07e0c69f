"""Stored cases over HTTP: pages, searches, corrections made for a version and under a key, and the same in the file."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from casebase import methods
from casebase.base.records import records_of
from casebase.data import Cases
from casebase.formats import read_table
from casebase.methods import method_named
from tests.serve.serving import TOKENS, client

CASES = "/v1/models/ib1/cases"
NEW = {"values": {"sex": "male", "age": "30", "fare": 7.5}, "class": "yes"}


def all_pages(asking: TestClient, address: str) -> list[Any]:
    found, more = [], address
    while more:
        page = asking.get(more).json()
        found += page["cases"]
        more = page["next"]
    return found


def test_pages_have_every_case_once(models: Path) -> None:
    stored = records_of(methods.load(models / "ib1.cb").model).to_dicts()
    with client(models) as asking:
        assert all_pages(asking, f"{CASES}?limit=97") == stored
        women = [one for one in stored if one["values"]["sex"] == "female"]
        assert all_pages(asking, f"{CASES}?limit=50&where=sex=female") == women
        third = [one for one in women if one["values"]["cabin"] == "third"]
        found = asking.get(f"{CASES}?limit=1000&where=sex=female&where=cabin=third").json()
        assert (found["cases"], found["n_matching"], found["next"]) == (third, len(third), None)
        holm = [one for one in stored if "holm" in str(one).lower()]
        assert all_pages(asking, f"{CASES}?limit=7&q=HOLM") == holm
        assert asking.get(f"{CASES}/5").json()["case"] == stored[5]
        fares = [one["values"]["fare"] for one in all_pages(asking, f"{CASES}?limit=100&sort=-fare")]
        assert fares == sorted(fares, reverse=True)


def test_corrections_change_the_model_and_its_file(models: Path) -> None:
    with client(models) as asking:
        before = asking.get("/v1/models/ib1").json()["version"]
        done = asking.post(CASES, json={"cases": [NEW, NEW], "by": "Ada", "note": "two more"})
        assert done.status_code == 201
        assert done.json() | {"version": ""} == {
            "version": "",
            "before": before,
            "ids": [600, 601],
            "is_repeated": False,
        }
        assert asking.get("/v1/models/ib1").headers["etag"] == f'"{done.json()["version"]}"' == done.headers["etag"]
        assert asking.patch(f"{CASES}/600", json={"values": {"age": "31"}}).status_code == 200
        changed = asking.get(f"{CASES}/600").json()["case"]
        assert (changed["values"]["age"], changed["values"]["fare"], changed["class"]) == ("31", 7.5, "yes")
        assert asking.put(f"{CASES}/600", json={"values": {"sex": "female"}, "class": "no"}).status_code == 200
        changed = asking.get(f"{CASES}/600").json()["case"]
        assert {name: value for name, value in changed["values"].items() if value is not None} == {"sex": "female"}
        assert changed["class"] == "no"
        assert asking.delete(f"{CASES}/600", params={"by": "Ada"}).status_code == 200
        last = asking.delete(f"{CASES}/601").json()
        assert last["version"] == before
        assert asking.get(f"{CASES}/600").status_code == 404
        assert asking.get("/metrics").text.count('casebase_corrections_total{model="ib1"} 5') == 1
    saved = methods.load(models / "ib1.cb")
    assert [(entry.action, entry.by) for entry in saved.log] == [
        ("insert", "Ada"),
        ("update", None),
        ("update", None),
        ("remove", "Ada"),
        ("remove", None),
    ]


def test_an_update_that_would_be_lost_is_refused(models: Path) -> None:
    with client(models) as asking:
        version = asking.get("/v1/models/ib1").headers["etag"]
        assert asking.patch(f"{CASES}/3", json={"class": "yes"}, headers={"if-match": version}).status_code == 200
        for late in (
            asking.patch(f"{CASES}/3", json={"class": "no"}, headers={"if-match": version}),
            asking.post(CASES, json={"cases": [NEW]}, headers={"if-match": version}),
            asking.delete(f"{CASES}/4", headers={"if-match": version}),
        ):
            assert (late.status_code, late.json()["type"]) == (412, "/problems/changed")
        assert asking.get(f"{CASES}/3").json()["case"]["class"] == "yes"
        now = asking.get("/v1/models/ib1").headers["etag"]
        either = f"{version}, {now}"
        assert asking.delete(f"{CASES}/4", headers={"if-match": either}).status_code == 200


def test_a_request_under_a_key_is_done_once(models: Path) -> None:
    with client(models) as asking:
        key = {"idempotency-key": "7f"}
        first = asking.post(CASES, json={"cases": [NEW]}, headers=key).json()
        again = asking.post(CASES, json={"cases": [NEW]}, headers=key)
        assert (again.status_code, again.json()) == (201, first | {"is_repeated": True})
        assert asking.get(CASES).json()["n_cases"] == 601
        other = asking.post(CASES, json={"cases": [NEW | {"class": "no"}]}, headers=key)
        assert other.status_code == 422
        gone = [asking.delete(f"{CASES}/600", headers={"idempotency-key": "d"}) for _ in range(2)]
        assert [one.json()["is_repeated"] for one in gone] == [False, True]
        assert asking.delete(f"{CASES}/600", headers={"idempotency-key": "e"}).status_code == 404


def test_what_is_known_is_not_sent_again(models: Path) -> None:
    with client(models) as asking:
        for path in ("", "/cases", "/cases/3", "/values?feature=sex", "/weights", "/report", "/model", "/openapi.json"):
            first = asking.get(f"/v1/models/ib1{path}")
            assert first.status_code == 200
            known = {"if-none-match": f'"other", W/{first.headers["etag"]}'}
            second = asking.get(f"/v1/models/ib1{path}", headers=known)
            assert (second.status_code, second.content) == (304, b""), path
        asking.delete(f"{CASES}/3")
        assert asking.get("/v1/models/ib1", headers=known).status_code == 200


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"cases": [NEW, {"values": {"sexx": "male"}, "class": "no"}]}, "/cases/1/values/sexx"),
        ({"cases": [{"values": {"sex": ["male"]}, "class": "no"}]}, "/cases/0/values/sex"),
        ({"cases": [{"values": {"fare": "much"}, "class": "no"}]}, "/cases/0/values/fare"),
        ({"cases": [{"values": {"sex": "male"}}]}, "/cases/0/class"),
        ({"cases": [{"class": "no"}]}, "/cases/0/values"),
        ({"cases": [{"values": {}, "class": ["no"]}]}, "/cases/0/class"),
        ({"cases": [NEW | {"id": 1.5}]}, "/cases/0/id"),
        ({"cases": [NEW | {"id": 10**30}]}, "/cases/0/id"),
        ({"cases": [NEW, NEW | {"id": 7000}]}, "/cases/0/id"),
        ({"cases": [NEW | {"weight": 2}]}, "/cases/0/weight"),
        ({"cases": [7]}, "/cases/0"),
        ({"cases": {}}, "/cases"),
        ({}, "/cases"),
        ({"cases": [NEW], "by": ""}, "/by"),
    ],
)
def test_wrong_new_cases_are_pointed_to_and_nothing_is_stored(models: Path, body: dict[str, Any], pointer: str) -> None:
    with client(models) as asking:
        answer = asking.post(CASES, json=body)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == pointer
        assert asking.get(CASES).json()["n_cases"] == 600


def test_wrong_addresses_and_parameters(models: Path) -> None:
    with client(models) as asking:
        for wrong in ("x", "³", "-", "1_000", "٣", "+1", ""):
            assert asking.get(f"{CASES}/{wrong}").status_code in ((404, 200) if not wrong else (404,))
            assert asking.delete(f"{CASES}/{wrong}", headers={"idempotency-key": "k"}).status_code in (404, 405)
        assert asking.get(f"{CASES}/{10**30}").status_code == 404
        assert asking.get("/v1/models/c45/cases").status_code == 422  # a tree keeps no cases
        for query, pointer in (("limit=0", "/limit"), ("limt=3", "/limt")):
            answer = asking.get(f"{CASES}?{query}")
            assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)
        assert asking.get(f"{CASES}?where=sexx=male").status_code == 422
        assert asking.get(f"{CASES}?after=99999").status_code == 422
        assert asking.get(f"{CASES}?sort=sexx").status_code == 422
        assert asking.post("/v1/models/c45/cases", json={"cases": [NEW]}).status_code == 403
        assert asking.patch(f"{CASES}/3", json={}).status_code == 422
        wrong = asking.patch(f"{CASES}/3", json={"values": {"fare": "much"}})
        assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "/values/fare")
        assert asking.patch(f"{CASES}/3", json={"id": 4}).status_code == 422


def test_roles(models: Path) -> None:
    reading, correcting = ({"authorization": f"Bearer {token}"} for token in list(TOKENS)[:2])
    with client(models, folder=models.parent / "kept", needs_token=True, tokens=TOKENS) as asking:
        assert asking.get(CASES).status_code == 401
        assert asking.get("/healthz").status_code == asking.get("/readyz").status_code == 200
        assert asking.get(CASES, headers=reading).status_code == 200
        assert asking.post("/v1/models/ib1/predict", json={"cases": [{}]}, headers=reading).status_code == 200
        assert asking.post(CASES, json={"cases": [NEW]}, headers=reading).status_code == 403
        assert asking.post(CASES, json={"cases": [NEW]}, headers=correcting).status_code == 201
        assert asking.delete("/v1/models/ib1", headers=correcting).status_code == 403
        assert asking.put("/v1/models/x", content=b"a", headers=correcting).status_code == 403
        job = {"kind": "train", "table": "x"}
        assert asking.post("/v1/jobs", json=job, headers=correcting).status_code == 403
        assert asking.post("/v1/jobs", json=job | {"kind": "health"}, headers=reading).status_code == 403


def test_ids_that_are_text_and_columns_that_are_kept(tmp_path: Path) -> None:
    rows = "".join(f"n/{i},{'mf'[i % 2]},book {i},{'en' if i % 3 else 'e'}\n" for i in range(9))
    table = read_table(f"name,gender,source,plural\n{rows}".encode(), header=True)
    cases = Cases.from_table(table, ids=[f"n/{i}" for i in range(9)], ignore=["name"], keep=["source"])
    methods.save(tmp_path / "nouns.cb", method_named("ib1").fit(cases))
    with client(tmp_path / "nouns.cb") as asking:
        one = asking.get("/v1/models/nouns/cases/n%2F3").json()["case"]
        assert (one["id"], one["provenance"]) == ("n/3", {"source": "book 3"})
        new = {"id": "ö ?", "values": {"gender": "f"}, "provenance": {"source": "me"}, "class": "en"}
        done = asking.post("/v1/models/nouns/cases", json={"cases": [new]})
        assert asking.get(done.headers["location"]).json()["case"]["provenance"] == {"source": "me"}
        answer = asking.post("/v1/models/nouns/predict", json={"cases": [{"gender": "f", "source": "x"}]})
        assert answer.status_code == 200
