"""Predictions over HTTP are those of the model, in every media type; what is wrong is pointed to."""

import csv
import io
import json
import socket
import struct
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

from casebase import methods
from casebase.base.records import records_of
from casebase.confidence import calibrate, prediction_sets, probabilities
from casebase.serve.api.bodies import ARROW, CSV, NDJSON, TSV
from casebase.serve.config import Limits
from tests.serve.serving import client, running

PREDICT = "/v1/models/ib1/predict"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "'; --",
    "a\nb\r\nc\t\x00",
    "x" * 10_000,
    "\u202eabc\u2066",
    "é😀",
]


@pytest.fixture(scope="module")
def rows(trained: Path) -> list[dict[str, Any]]:
    """The passengers without their class, as a program would send them."""
    return [one["values"] for one in records_of(methods.load(trained / "ib1.cb").model).to_dicts()]


@pytest.fixture(scope="module")
def asking(trained: Path) -> Iterator[TestClient]:
    with client(trained, read_only=True) as found:
        yield found


def expected(trained: Path, rows: list[dict[str, Any]], name: str = "ib1") -> list[Any]:
    model = methods.load(trained / f"{name}.cb").model
    return [model.schema.classes[c] for c in model.answer(model.schema.encode(rows)).label]


@pytest.mark.parametrize("name", ["ib1", "c45", "igtree"])
def test_predictions_are_those_of_the_model(
    trained: Path, asking: TestClient, rows: list[dict[str, Any]], name: str
) -> None:
    answer = asking.post(f"/v1/models/{name}/predict", json={"cases": rows}).json()
    assert [one["label"] for one in answer["predictions"]] == expected(trained, rows, name)
    assert answer["version"] == asking.get(f"/v1/models/{name}").json()["version"]


def test_one_case_at_a_time_gives_the_same(trained: Path, asking: TestClient, rows: list[dict[str, Any]]) -> None:
    some = rows[:40]
    found = [asking.post(PREDICT, json={"cases": [row]}).json()["predictions"][0]["label"] for row in some]
    assert found == expected(trained, some)


def test_many_cases_are_coded_like_one(asking: TestClient) -> None:
    fares = [7, 7.25, None, "8", True, 120, 1e300, -3] * 10
    for name in ("sex", "family", "fare"):
        cases = [{name: fare, "cabin": "first"} for fare in fares if name != "fare" or fare is not True]
        singly = [asking.post(PREDICT, json={"cases": [case]}).json()["predictions"][0] for case in cases[:8]]
        assert asking.post(PREDICT, json={"cases": cases}).json()["predictions"][:8] == singly


def test_columns_and_lists_give_the_same(asking: TestClient, rows: list[dict[str, Any]]) -> None:
    some = rows[:50]
    by_name = asking.post(PREDICT, json={"cases": some}).json()
    columns = {name: [row[name] for row in some] for name in some[0]}
    assert asking.post(PREDICT, json={"columns": columns}).json() == by_name
    assert asking.post(PREDICT, json={"cases": [list(row.values()) for row in some]}).json() == by_name


def test_a_column_that_is_left_out_is_missing_and_a_class_is_ignored(asking: TestClient) -> None:
    given = {"sex": "female", "class": "no"}
    whole = {"sex": "female", "age": None, "cabin": None}
    answers = [asking.post(PREDICT, json={"cases": [case]}).json() for case in (given, whole)]
    assert answers[0] == answers[1]


def test_probabilities_and_sets_are_those_of_the_library(
    trained: Path, asking: TestClient, rows: list[dict[str, Any]]
) -> None:
    some = rows[:60]
    wish = {"proba": True, "set": 0.8, "abstain": True, "class_conditional": True}
    found = asking.post(PREDICT, json={"cases": some} | wish).json()
    model = methods.load(trained / "ib1.cb").model
    cases, calibration = model.schema.encode(some), calibrate(model)
    shares = probabilities(model, model.answer(cases), calibration)
    sets = prediction_sets(model, calibration, cases, 0.8, class_conditional=True)
    assert found["guarantee"] == sets.guarantee
    for i, one in enumerate(found["predictions"]):
        assert one["set"] == list(sets[i])
        assert one["label"] == sets.answers()[i]
        assert one["distribution"] == pytest.approx({str(c): s for c, s in zip(model.schema.classes, shares[i]) if s})


def as_csv(rows: list[dict[str, Any]], separator: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_arrow(rows: list[dict[str, Any]]) -> bytes:
    table = pa.Table.from_pylist(rows)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    return sink.getvalue()


def labels_in(content: bytes, kind: str) -> list[str]:
    if kind == ARROW:
        return pa.ipc.open_stream(content).read_all()["label"].to_pylist()
    if kind == NDJSON:
        return [json.loads(line)["label"] for line in content.splitlines()]
    return [
        row["label"] for row in csv.DictReader(io.StringIO(content.decode()), delimiter="," if kind == CSV else "\t")
    ]


def test_streams_of_every_type_give_the_same(trained: Path, asking: TestClient, rows: list[dict[str, Any]]) -> None:
    bodies = {
        NDJSON: "\n".join(map(json.dumps, rows)).encode(),
        CSV: as_csv(rows).encode(),
        TSV: as_csv(rows, "\t").encode(),
        ARROW: as_arrow(rows),
    }
    right = expected(trained, rows)
    version = asking.get("/v1/models/ib1").headers["etag"]
    for sent in bodies:
        for wanted in bodies:
            answer = asking.post(PREDICT, content=bodies[sent], headers={"content-type": sent, "accept": wanted})
            assert answer.status_code == 200, answer.text
            assert labels_in(answer.content, wanted) == right, (sent, wanted)
            assert answer.headers["etag"] == version
    sure = asking.post(f"{PREDICT}?proba=true&set=0.9", content=bodies[CSV], headers={"content-type": CSV}).text
    assert sure.splitlines()[0] == "label,set,remark,p(no),p(yes)"


def test_a_line_that_is_wrong_has_its_problem_in_its_place(asking: TestClient) -> None:
    lines = ['{"sex": "male"}', '{"sexx": "male"}', "{", "7", '{"fare": "much"}', '{"sex": "female"}']
    answer = asking.post(PREDICT, content="\n".join(lines), headers={"content-type": NDJSON})
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [one.get("label") or one["status"] for one in found] == ["no", 422, 400, 422, 422, "yes"]
    assert found[1]["errors"][0] == {
        "pointer": "/1/sexx",
        "detail": found[1]["detail"],
        "did_you_mean": "sex",
    }
    assert found[4]["errors"][0]["pointer"] == "/4/fare"


def test_a_stream_answers_before_the_request_ends(trained: Path) -> None:
    """The client sends a case and reads the answer to it before it sends the next."""
    with running(trained) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            head = f"POST {PREDICT} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {NDJSON}\r\n"
            connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            received = b""
            for sex, label in (("male", b'"no"'), ("female", b'"yes"'), ("male", b'"no"')):
                line = json.dumps({"sex": sex}).encode() + b"\n"
                connection.sendall(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                before = len(received)
                while label not in received[before:]:
                    part = connection.recv(4096)
                    assert part, received
                    received += part
            connection.sendall(b"0\r\n\r\n")
            assert received.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("body", "pointers", "meant"),
    [
        ({"cases": [{"sex": "male"}, {"sexx": "male"}]}, ["/cases/1/sexx"], "sex"),
        ({"cases": [{"sex": ["male"]}, {"sex": {}}]}, ["/cases/0/sex", "/cases/1/sex"], None),
        ({"cases": [{"sex": "male"}] * 50 + [{"fare": "much"}]}, ["/cases/50/fare"], None),
        ({"cases": [{"fare": True}]}, ["/cases/0/fare"], None),
        ({"cases": [["male"]]}, ["/cases/0"], None),
        ({"cases": [7, None]}, ["/cases/0", "/cases/1"], None),
        ({"cases": []}, ["/cases"], None),
        ({"cases": {}}, ["/cases"], None),
        ({}, ["/cases"], None),
        ({"columns": {"sex": ["male", "male"], "fare": [1, "much"]}}, ["/columns/fare/1"], None),
        ({"columns": {"sex": ["male", "male"], "fare": [1]}}, ["/columns/fare"], None),
        ({"columns": {"sex": "male"}}, ["/columns/sex"], None),
        ({"columns": {"sexx": ["male"]}}, ["/columns/sexx"], "sex"),
        ({"columns": {"sex": ["male", ["male"]]}}, ["/columns/sex/1"], None),
        ({"cases": [{"sex": "male"}], "probа": True}, ["/probа"], "proba"),
        ({"cases": [{"sex": "male"}], "set": 2}, ["/set"], None),
        ({"cases": [{"sex": "male"}], "proba": "perhaps"}, ["/proba"], None),
    ],
)
def test_a_problem_points_to_each_wrong_value(
    asking: TestClient, body: dict[str, Any], pointers: list[str], meant: str | None
) -> None:
    answer = asking.post(PREDICT, json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    errors = answer.json()["errors"]
    assert [error["pointer"] for error in errors] == pointers
    assert errors[0].get("did_you_mean") == meant


@pytest.mark.parametrize(
    ("content", "kind", "status", "says"),
    [
        (b'{"cases": [}', "application/json", 400, "line 1, column 12"),
        (b'{"cases": [{"fare": NaN}]}', "application/json", 400, "NaN"),
        (b"[" * 100_000, "application/json", 400, "nested"),
        (b"\xff\xfe", "application/json", 400, "byte 0"),
        (b"[1]", "application/json", 422, "object"),
        (b'{"cases": [{"sex": "\\ud800"}]}', "application/json", 422, "surrogate"),
        (b'{"cases": [{"\\ud800": 1}]}', "application/json", 422, "surrogate"),
        (b'{"cases": [{"fare": 1e999}]}', "application/json", 422, "infinity"),
        (b'{"cases": [{"fare": ' + b"9" * 5_000 + b"}]}", "application/json", 400, "digits"),
        (b"a=1", "application/x-www-form-urlencoded", 415, "application/json"),
        (b"a,b\n1\n", CSV, 422, ""),
        (b"", CSV, 422, "at least one line"),
        (b"ARROW1", ARROW, 400, "Arrow"),
        (b"x" * 2_000_000, NDJSON, 413, "line"),
        (b'{"cases": [' + b'{"sex": "male"},' * 10_000 + b'{"sex": "male"}]}', "application/json", 413, "10,000"),
        (b'{"cases": ["' + b"x" * 2_000_000 + b'"]}', "application/json", 413, "bytes"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(
    asking: TestClient, content: bytes, kind: str, status: int, says: str
) -> None:
    answer = asking.post(PREDICT, content=content, headers={"content-type": kind})
    assert (answer.status_code, says in answer.json()["detail"]) == (status, True), answer.text


def test_an_arrow_stream_with_wrong_offsets_is_refused(asking: TestClient) -> None:
    """Offsets beyond the data would let Arrow read memory that is not its own."""
    names = ("ticket", "name", "cabin", "sex", "age", "family", "fare", "port", "clerk")
    whole = as_arrow([dict.fromkeys(names, "male")] * 3)
    offsets = struct.pack("<4i", 0, 4, 8, 12)
    assert whole.count(offsets) == len(names)
    damaged = whole.replace(offsets, struct.pack("<4i", 0, 2**30, 8, 12))
    answer = asking.post(PREDICT, content=damaged, headers={"content-type": ARROW})
    assert answer.status_code == 400, answer.text


def test_an_arrow_stream_with_a_name_that_is_not_text_is_refused(asking: TestClient) -> None:
    """Regression: the answer was 500."""
    damaged = as_arrow([{"age": "1", "sex": "male"}]).replace(b"sex", b"s\xff\xfe")
    answer = asking.post(PREDICT, content=damaged, headers={"content-type": ARROW})
    assert (answer.status_code, "not a usable Arrow stream" in answer.json()["detail"]) == (400, True), answer.text


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_are_values(asking: TestClient, value: str) -> None:
    body = {"cases": [{"sex": value, "name": value}]}
    assert asking.post(PREDICT, json=body).status_code == 200
    evidence = asking.post("/v1/models/ib1/explain", json=body).json()["evidence"][0]
    assert {one["feature"] for one in evidence["unseen"] if one["value"] == value} == {"sex", "name"}
    assert asking.post(PREDICT, json={"cases": [{value: "x"}]}).status_code == 422
    assert asking.post(PREDICT, json={value: "x"}).status_code == 422
    assert asking.get("/v1/models/ib1/values", params={"feature": "sex", "q": value}).json()["values"] == []
    assert asking.get("/v1/models/ib1/cases", params={"q": value}).status_code == 200


def test_other_methods_and_types_are_refused(asking: TestClient) -> None:
    answer = asking.get(PREDICT)
    assert answer.status_code == 405
    assert "POST" in answer.headers["allow"]
    assert asking.request("OPTIONS", PREDICT).status_code == 204
    assert asking.post(PREDICT, json={"cases": [{}]}, headers={"accept": "image/png"}).status_code == 406
    unknown = asking.post("/v1/models/ib/predict", json={"cases": [{}]})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/not-found")
    assert "Did you mean 'ib1'" in unknown.json()["detail"]


def test_limits_of_the_server_hold(trained: Path) -> None:
    with client(trained, read_only=True, limits=Limits(cases=2, body=300)) as asking:
        assert asking.post(PREDICT, json={"cases": [{}] * 3}).status_code == 413
        assert asking.post(PREDICT, json={"cases": [{"sex": "x" * 400}]}).status_code == 413
        assert asking.post(PREDICT, content="{}\n" * 500, headers={"content-type": NDJSON}).status_code == 200


def test_threads_get_the_answers_to_their_own_questions(trained: Path, rows: list[dict[str, Any]]) -> None:
    right = expected(trained, rows)
    wrong: list[int] = []
    with running(trained) as address:

        def ask(first: int) -> None:
            for i in range(first, 120, 4):
                body = json.dumps({"cases": [rows[i]]}).encode()
                request = urllib.request.Request(address + PREDICT, body, {"content-type": "application/json"})
                with urllib.request.urlopen(request) as answer:
                    if json.load(answer)["predictions"][0]["label"] != right[i]:
                        wrong.append(i)

        threads = [threading.Thread(target=ask, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
