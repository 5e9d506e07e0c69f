"""Compare: methods on a model's records, the cases on which they differ, and learning one of them."""

import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import casebase as cb
from casebase import methods
from casebase.data import Cases
from casebase.formats import read_table
from casebase.methods import method_named, stored_records
from casebase.serve.learning import Choices, cases_of
from tests.serve.serving import TOKENS, client

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{7*7}}'


def done(asking: TestClient, place: str) -> str:
    """Return the place where a form leads, after waiting for its job."""
    if not place.startswith("/jobs/"):
        return place
    place = place.partition("?")[0]
    for _ in range(200):
        job = asking.get(f"{place}.json").json()["job"]
        if job["is_ended"]:
            assert job["state"] == "done", job
            return str(job["place"])
        time.sleep(0.05)
    raise AssertionError("the job does not end")


def compared(asking: TestClient, name: str = "ib1", **fields: Any) -> Any:
    fields = {"method": ["ib1", "igtree", "c45"], "cv": 3} | fields
    response = asking.post(f"/m/{name}/compare", data=fields, follow_redirects=False)
    assert response.status_code == 303, response.text
    assert done(asking, response.headers["location"]) == f"/m/{name}/compare"
    return asking.get(f"/m/{name}/compare.json").json()


def test_the_page_has_the_comparison_of_the_library(models: Path) -> None:
    with client(models / "ib1.cb") as asking:
        assert asking.get("/m/ib1/compare.json").json()["comparison"] is None
        facts = compared(asking)
        cases = stored_records(methods.load(models / "ib1.cb").model).cases
        record = cb.compare_methods(cases, methods=["ib1", "igtree", "c45"], cv=3)
        assert [row["accuracy"] for row in facts["comparison"]["rows"]] == [row.accuracy for row in record.rows]
        found = record.differences()
        assert facts["differences"]["part"]["total"] == len(found)
        assert [one["id"] for one in facts["differences"]["cases"]] == [one.id for one in found[:50]]
        assert facts["differences"]["cases"][0]["answers"] == found[0].answers
        page = asking.get("/m/ib1/compare").text
        assert "<svg" in page
        assert f"/m/ib1/record/{found[0].id}" in page
        assert "style=" not in page

        two = asking.get("/m/ib1/compare.json?between=ib1&between=c45&start=10").json()["differences"]
        expected = record.differences(["ib1", "c45"])
        assert two["part"]["total"] == len(expected)
        assert two["cases"][0]["id"] == expected[10].id
        assert set(two["cases"][0]["answers"]) == {"ib1", "c45"}


def test_a_correction_makes_the_comparison_old(models: Path) -> None:
    with client(models / "ib1.cb") as asking:
        assert compared(asking)["is_current"]
        asking.app.app.state.shelf.desk("ib1").remove([0])
        facts = asking.get("/m/ib1/compare.json").json()
        assert (facts["comparison"]["n_cases"], facts["is_current"]) == (600, False)
        assert "corrected since" in asking.get("/m/ib1/compare").text


def test_a_method_is_learned_as_a_new_model(models: Path, tmp_path: Path) -> None:
    with client(models / "ib1.cb", folder=tmp_path / "new") as asking:
        compared(asking)
        assert 'value="c45"' in asking.get("/m/ib1/compare").text
        response = asking.post("/m/ib1/learn", data={"method": "c45"}, follow_redirects=False)
        assert done(asking, response.headers["location"]) == "/m/ib1-c45"
        assert asking.get("/m/ib1-c45.json").json()["method"] == "c45"
    learned = methods.load(tmp_path / "new" / "ib1-c45.cb").model
    assert learned.summary().size == methods.load(models / "c45.cb").model.summary().size


def test_a_model_without_records_says_so(models: Path) -> None:
    with client(models / "c45.cb") as asking:
        assert "keeps no cases" in asking.get("/m/c45/compare.json").json()["why_not"]
        assert "nothing to compare" in asking.get("/m/c45/compare").text
        assert asking.post("/m/c45/compare", data={"cv": 3}).status_code == 422
        assert asking.post("/m/c45/learn", data={"method": "ib1"}).status_code == 422


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": HOSTILE}, "Unknown method"),
        ({"cv": "1"}, "cv is a number from 2 to 20"),
        ({"cv": "nan"}, "cv is a number"),
        ({"cv": HOSTILE}, "cv is a number"),
        ({"seconds": "1e99"}, "seconds is a number"),
        ({"seed": "-1"}, "seed is a number"),
    ],
)
def test_wrong_fields_are_named_before_anything_runs(models: Path, fields: dict[str, str], message: str) -> None:
    with client(models / "ib1.cb") as asking:
        response = asking.post("/m/ib1/compare", data=fields)
        assert response.status_code == 422
        assert message in response.text
        assert "<script>alert" not in response.text
        assert asking.get("/jobs.json").json()["jobs"] == []


def test_who_may_do_what(models: Path, tmp_path: Path) -> None:
    with client(models / "ib1.cb", folder=tmp_path / "new", tokens=TOKENS, needs_token=True) as asking:
        correct = {"authorization": f"Bearer {'c' * 20}"}
        assert asking.post("/m/ib1/learn", data={"method": "c45"}, headers=correct).status_code == 403
    with client(models / "ib1.cb") as asking:  # without a folder there is nowhere to keep a new model
        assert "--folder" in asking.post("/m/ib1/learn", data={"method": "c45"}).text


def test_a_stopped_comparison_leaves_no_result(models: Path) -> None:
    with client(models / "ib1.cb") as asking:
        response = asking.post(
            "/m/ib1/compare", data={"method": ["c45rules", "forest", "smile"], "cv": 20}, follow_redirects=False
        )
        place = response.headers["location"].partition("?")[0]
        assert place.startswith("/jobs/")
        asking.post(f"{place}/cancel")
        for _ in range(400):
            job = asking.get(f"{place}.json").json()["job"]
            if job["is_ended"]:
                break
            time.sleep(0.05)
        assert job["state"] == "cancelled"
        assert asking.get("/m/ib1/compare.json").json()["comparison"] is None


def test_hostile_values_are_shown_as_text(tmp_path: Path) -> None:
    rows = [[HOSTILE, "a", "x\ny"], ["\u202eb", "b", "z"], ["c", HOSTILE, "z"]] * 8
    labels = [HOSTILE, "'; --", "\u202eq"] * 7 + ["'; --", HOSTILE, "w"]
    cases = Cases.from_table(rows, y=labels)
    methods.save(tmp_path / "hostile.cb", method_named("ib1").fit(cases))
    with client(tmp_path / "hostile.cb") as asking:
        compared(asking, "hostile", method=["ib1", "igtree", "oblivion"], cv=2)
        page = asking.get("/m/hostile/compare?between=ib1&between=majority").text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "&lt;script&gt;" in page
        assert "{{7*7}}" in page
        wrong = asking.get("/m/hostile/compare", params={"between": HOSTILE})
        assert wrong.status_code == 422
        assert "<script>alert" not in wrong.text


def test_methods_are_compared_on_a_table_before_anything_is_learned(passengers_table: Path, tmp_path: Path) -> None:
    """The figures and the differing cases are those of the library; a method is learned from there."""
    choices = {"target": "class", "kind.age": "symbol"}
    with client(passengers_table, folder=tmp_path / "new") as asking:
        first = asking.get("/t/passengers", params=choices).text
        assert 'formaction="/t/passengers/compare"' in first
        assert asking.get("/t/passengers/compare.json", params=choices).json()["comparison"] is None
        data = choices | {"method": ["ib1", "c45"], "cv": "3", "seed": "1"}
        place = done(
            asking, asking.post("/t/passengers/compare", data=data, follow_redirects=False).headers["location"]
        )
        assert place == "/t/passengers/compare?target=class&kind.age=symbol"
        facts = asking.get(place.replace("compare?", "compare.json?")).json()
        recognised = Choices.of(list(choices.items())).recognised(passengers_table)
        cases = cases_of(passengers_table, recognised).cases
        record = cb.compare_methods(cases, methods=["ib1", "c45"], cv=3, random_state=1)
        assert [row["accuracy"] for row in facts["comparison"]["rows"]] == [row.accuracy for row in record.rows]
        found = record.differences()
        assert [one["id"] for one in facts["differences"]["cases"]] == [one.id for one in found[:50]]
        values = facts["differences"]["cases"][0]["values"]
        table = read_table(passengers_table, target="class")
        own = {name: column[found[0].id].as_py() for name, column in zip(table.names, table.columns)}
        assert values["sex"] == own["sex"]
        page = asking.get(place).text
        assert "/record/" not in page
        assert 'action="/t/passengers/learn"><input type="hidden" name="target" value="class">' in page
        assert asking.get("/t/passengers/compare.json", params={"target": "class"}).json()["comparison"] is None
        wrong = asking.get(place, params={"target": "class", "kind.age": "symbol", "between": HOSTILE})
        assert wrong.status_code == 422
        assert "<script>alert" not in wrong.text
        passengers_table.touch()
        assert asking.get(place.replace("compare?", "compare.json?")).json()["comparison"] is None, "of another file"


def test_a_table_without_a_class_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain.csv").write_text("colour\nred\ngreen\nred\n")
    with client(tmp_path / "plain.csv") as asking:
        assert "/t/plain/compare" not in asking.get("/t/plain").text
        assert "nothing to compare" in asking.get("/t/plain/compare").text
        assert asking.post("/t/plain/compare", data={"cv": "3"}).status_code == 422
