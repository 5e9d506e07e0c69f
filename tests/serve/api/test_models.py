"""Models over HTTP: their description, evidence, values, exports, uploads, downloads, and jobs that make new ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from casebase import methods
from casebase.base.model import Model
from casebase.methods import method_named
from tests.serve.serving import client

ASKED = {"sex": "male", "cabin": "third", "age": "30", "fare": 7.5}


def loaded(models: Path, name: str = "ib1") -> Model:
    return methods.load(models / f"{name}.cb").model


def test_a_model_is_described_by_its_schema(trained: Path) -> None:
    model = loaded(trained)
    with client(trained, read_only=True) as asking:
        listed = asking.get("/v1/models").json()["models"]
        assert [one["name"] for one in listed] == ["c45", "ib1", "igtree"]
        found = asking.get("/v1/models/ib1").json()
        assert found["classes"] == ["no", "yes"]
        assert [column["name"] for column in found["columns"]] == list(model.schema.column_names)
        by_name = {column["name"]: column for column in found["columns"]}
        assert by_name["sex"]["values"] == ["female", "male"]
        assert (by_name["fare"]["kind"], by_name["fare"]["least"], by_name["fare"]["values"]) == ("number", 4.0, None)
        report = asking.get("/v1/models/ib1/report").json()
        assert report["parameters"]["k"] == 1
        weights = asking.get("/v1/models/ib1/weights?measures=true").json()
        assert [one["weight"] for one in weights["features"]] == [f["weight"] for f in model.summary().features]
        assert {one["feature"] for one in weights["measures"]} == set(model.schema.names)


def test_evidence_is_that_of_the_library(trained: Path) -> None:
    with client(trained, read_only=True) as asking:
        for name in ("ib1", "c45", "igtree"):
            model = loaded(trained, name)
            cases = model.schema.encode([dict.fromkeys(model.schema.column_names) | ASKED])
            found = asking.post(f"/v1/models/{name}/explain", json={"cases": [ASKED], "limit": 3}).json()
            assert found["evidence"] == json.loads(json.dumps([one.to_dict() for one in model.explain(cases, limit=3)]))
            flips = asking.post(f"/v1/models/{name}/flip", json={"cases": [ASKED], "freeze": ["age"]}).json()
            expected = methods.flip(model, cases, frozen=["age"])[0].to_dict()
            assert flips["flips"] == json.loads(json.dumps([expected]))


def test_a_stored_case_is_explained_without_itself(trained: Path) -> None:
    with client(trained, read_only=True) as asking:
        (alone,) = asking.post("/v1/models/ib1/explain", json={"ids": [17]}).json()["evidence"]
        assert (alone["id"], alone["left_out"]) == (17, 17)
        (whole,) = asking.post("/v1/models/ib1/explain", json={"ids": [17], "leave_out": False}).json()["evidence"]
        assert whole["left_out"] is None
        assert asking.post("/v1/models/ib1/flip", json={"ids": [17]}).json()["flips"][0]["left_out"] == 17
        for wrong in ({"ids": [99999]}, {"ids": ["x"]}, {"ids": [True]}, {"ids": []}, {"ids": [1], "cases": [{}]}):
            assert asking.post("/v1/models/ib1/explain", json=wrong).status_code == 422


def naive_neighbours(model: Any, row: dict[str, Any], k: int, keep: Any) -> list[tuple[float, int]]:
    """Return the ids of the cases at the k nearest distances, by asking for all distances."""
    cases = model.schema.encode([dict.fromkeys(model.schema.column_names) | row])
    found = model.nearest(cases, model.memory.n_cases)
    pairs, at = [], 0
    for distance, n_rows in zip(found.distance.tolist(), found.n_rows.tolist()):
        ids = model.memory.ids(found.rows[at : at + n_rows].astype("int64")).tolist()
        pairs += [(distance, case) for case in ids if keep(case)]
        at += n_rows
    within = sorted({distance for distance, _ in pairs})[:k]
    return sorted(pair for pair in pairs if pair[0] in within)


@pytest.mark.parametrize("k", [1, 3, 20])
def test_neighbours_are_the_nearest(trained: Path, k: int) -> None:
    model = loaded(trained)
    with client(trained, read_only=True) as asking:
        ports = {
            one["id"]: one["values"]["port"] for one in asking.get("/v1/models/ib1/cases?limit=1000").json()["cases"]
        }
        for where, keep in (({}, lambda case: True), ({"port": "Cherbourg"}, lambda case: ports[case] == "Cherbourg")):
            body = {"cases": [ASKED], "k": k, "limit": 1000} | ({"where": where} if where else {})
            (found,) = asking.post("/v1/models/ib1/neighbours", json=body).json()["answers"]
            pairs = [(one["distance"], one["id"]) for one in found["neighbours"]]
            assert sorted(pairs) == pytest.approx(naive_neighbours(model, ASKED, k, keep))
            assert [far for far, _ in pairs] == sorted(far for far, _ in pairs)
        (own,) = asking.post("/v1/models/ib1/neighbours", json={"ids": [5], "k": k}).json()["answers"]
        assert 5 not in [one["id"] for one in own["neighbours"]]
        assert asking.post("/v1/models/c45/neighbours", json={"cases": [ASKED]}).status_code == 422


def test_values_complete_what_was_typed(trained: Path) -> None:
    with client(trained, read_only=True) as asking:

        def values(**query: Any) -> Any:
            return asking.get("/v1/models/ib1/values", params=query).json()

        assert values(feature="sex")["values"] == ["female", "male"]
        assert values(feature="sex", q="MALE")["values"] == ["male", "female"]
        assert values(feature="class", q="y")["values"] == ["yes"]
        assert values(feature="fare")["values"] == []
        assert values(feature="name", q="a", limit=3)["n_matching"] > 3
        assert len(values(feature="name", q="a", limit=3)["values"]) == 3
        assert "Did you mean 'sex'" in values(feature="sexx")["detail"]
        assert asking.get("/v1/models/ib1/values").status_code == 422


def test_a_value_that_no_case_has_any_more_is_not_offered(models: Path) -> None:
    with client(models) as asking:
        new = {"values": {"sex": "unheard of"}, "class": "no"}
        done = asking.post("/v1/models/ib1/cases", json={"cases": [new]})
        assert asking.get("/v1/models/ib1/values?feature=sex&q=unheard").json()["values"] == ["unheard of"]
        asking.delete(done.headers["location"])
        assert asking.get("/v1/models/ib1/values?feature=sex&q=unheard").json()["values"] == []


def test_exports(trained: Path) -> None:
    model = loaded(trained, "c45")
    with client(trained, read_only=True) as asking:
        for to, write in method_named("c45").exports.items():
            assert asking.get(f"/v1/models/c45/export?to={to}").text == write(model)
        assert "Did you mean 'sql'" in asking.get("/v1/models/c45/export?to=sq").json()["detail"]
        assert asking.get("/v1/models/ib1/export?to=sql").status_code == 422


def test_a_model_goes_down_and_up(models: Path, tmp_path: Path) -> None:
    with client(models, folder=tmp_path / "kept") as asking:
        asking.delete("/v1/models/ib1/cases/3")
        version = asking.get("/v1/models/ib1").json()["version"]
        content = asking.get("/v1/models/ib1/model").content
        assert asking.put("/v1/models/copy", content=content).status_code == 201
        assert asking.get("/v1/models/copy").json()["version"] == version
        assert asking.put("/v1/models/copy", content=content).status_code == 428
        assert asking.put("/v1/models/copy", content=content, headers={"if-match": '"old"'}).status_code == 412
        damaged = content[: len(content) // 2]
        assert asking.put("/v1/models/copy", content=damaged, headers={"if-match": f'"{version}"'}).status_code == 422
        assert asking.get("/v1/models/copy").json()["version"] == version  # the damaged one has not replaced it
        other = (models / "c45.cb").read_bytes()
        assert asking.put("/v1/models/copy", content=other, headers={"if-match": f'"{version}"'}).status_code == 200
        assert asking.get("/v1/models/copy").json()["method"] == "c45"
        assert asking.put("/v1/models/ib1", content=other, headers={"if-match": "*"}).status_code == 409
        assert asking.delete("/v1/models/copy", headers={"if-match": '"old"'}).status_code == 412
        assert asking.delete("/v1/models/copy").status_code == 204
        assert asking.get("/v1/models/copy").status_code == 404
        assert asking.put("/v1/models/x", content=b"no model").status_code == 422
        assert asking.put("/v1/models/x", content=b"").status_code == 422
        assert asking.put("/v1/models/..%2Fx", content=content).status_code in (404, 405, 422)
        assert asking.put("/v1/models/a b", content=content).status_code == 422
        assert asking.put("/v1/models/x", content=b"a", headers={"content-type": "image/png"}).status_code == 415
        assert not list((tmp_path / "kept").glob(".upload*"))
    with client(models, read_only=True) as asking:
        assert asking.put("/v1/models/x", content=content).status_code == 422


def ended(asking: TestClient, answer: Any) -> dict[str, Any]:
    """Return a job after its end, which its events tell."""
    assert answer.status_code == 202, answer.text
    events = asking.get(answer.headers["location"] + "/events").text.strip().split("\n\n")
    kinds = [event.split("\n")[0] for event in events]
    assert set(kinds[:-1]) <= {"event: progress"}
    assert kinds[-1] == "event: end"
    found: dict[str, Any] = json.loads(events[-1].split("\n")[1].removeprefix("data: "))
    assert asking.get(answer.headers["location"]).json() == found
    return found


def test_jobs_learn_evaluate_compare_and_examine(passengers_table: Path, tmp_path: Path) -> None:
    with client(passengers_table, folder=tmp_path / "kept") as asking:
        read = {"target": "class", "ignore": ["name"], "id": "ticket"}
        asked = {"kind": "train", "table": "passengers", "learner": "ib1", "settings": {"k": 3}, "name": "three"} | read
        done = ended(asking, asking.post("/v1/jobs", json=asked))
        assert (done["state"], done["result"]["model"]) == ("done", "three")
        assert asking.get("/v1/models/three").json()["version"] == done["result"]["version"]
        assert asking.get("/v1/models/three/report").json()["parameters"]["k"] == 3
        assert asking.get("/v1/models/three/cases?limit=1").json()["cases"][0]["id"].startswith("T")
        report = ended(asking, asking.post("/v1/jobs", json={"kind": "evaluate", "model": "three"}))["result"]
        assert report["n_cases"] == 600
        compared = asking.post(
            "/v1/jobs", json={"kind": "compare", "model": "three", "methods": ["ib1", "c45"], "cv": 2}
        )
        assert ended(asking, compared)["result"]["n_folds"] == 2
        assert "findings" in ended(asking, asking.post("/v1/jobs", json={"kind": "health", "model": "three"}))["result"]
        assert [one["kind"] for one in asking.get("/v1/jobs").json()["jobs"]] == [
            "train",
            "evaluate",
            "compare",
            "health",
        ]


def test_a_job_can_be_stopped(passengers_table: Path, tmp_path: Path) -> None:
    with client(passengers_table, folder=tmp_path / "kept") as asking:
        started = asking.post("/v1/jobs", json={"kind": "evaluate", "table": "passengers", "learner": "c45", "cv": 300})
        place = started.headers["location"]
        assert asking.delete(place).status_code in (200, 202)
        assert ended(asking, started)["state"] == "cancelled"
        assert asking.delete(place).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({}, 422, "/kind"),
        ({"kind": ["train"]}, 422, "/kind"),
        ({"kind": "train"}, 422, "/table"),
        ({"kind": "train", "table": "nothing"}, 404, None),
        ({"kind": "train", "table": "passengers", "learner": "ib"}, 422, "/learner"),
        ({"kind": "train", "table": "passengers", "settings": {"kk": 1}}, 422, "/settings/kk"),
        ({"kind": "train", "table": "passengers", "learner": "ib1", "settings": {"k": "x"}}, 422, None),
        ({"kind": "train", "table": "passengers", "name": "../x"}, 422, None),
        ({"kind": "evaluate", "table": "passengers", "cv": 1}, 422, "/cv"),
        ({"kind": "compare", "table": "passengers", "methods": ["ib"]}, 422, "/methods"),
        ({"kind": "health", "model": "nothing"}, 404, None),
        ({"kind": "health", "table": "passengers", "limit": 3}, 422, "/limit"),
    ],
)
def test_wrong_jobs_are_refused(
    passengers_table: Path, tmp_path: Path, body: dict[str, Any], status: int, pointer: str | None
) -> None:
    with client(passengers_table, folder=tmp_path / "kept") as asking:
        answer = asking.post("/v1/jobs", json=body)
        assert answer.status_code == status, answer.text
        assert pointer is None or answer.json()["errors"][0]["pointer"] == pointer
        assert asking.get("/v1/jobs").json() == {"jobs": []}
        assert asking.get("/v1/jobs/1").status_code == asking.get("/v1/jobs/1/events").status_code == 404


def test_a_job_that_fails_says_why(passengers_table: Path, tmp_path: Path) -> None:
    with client(passengers_table, folder=tmp_path / "kept") as asking:
        asked = {"kind": "train", "table": "passengers", "learner": "ib1", "target": "clas"}
        failed = ended(asking, asking.post("/v1/jobs", json=asked))
        assert failed["state"] == "failed"
        assert "Did you mean 'class'" in failed["error"]
