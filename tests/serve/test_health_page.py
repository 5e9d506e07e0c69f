"""Health and review: findings, decisions as corrections, undo, and records that were kept."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

from casebase import methods
from casebase.base.leave_out import memory_of
from casebase.base.log import Author
from casebase.checkup import health
from casebase.checkup.page import how
from casebase.checkup.training import model_commands
from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.serve import kept
from casebase.serve.desks.desk import Desk
from casebase.serve.records.stored import records_with
from tests.serve.serving import TOKENS, client
from tests.serve.test_compare_page import HOSTILE, done


def small(path: Path, *, name: str = "ib1") -> Path:
    """A model of fruit, in which records 5 and 12 have the wrong class; with provenance and ids."""
    rows = [
        {"colour": c, "shape": s, "note": f"basket {i}"}
        for i, (c, s) in enumerate([("red", "round"), ("green", "long"), ("yellow", "bent")] * 10)
    ]
    labels = ["apple", "bean", "banana"] * 10
    labels[5], labels[12] = "apple", "bean"
    columns = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    cases = cases_with_kinds(columns, labels, keep=["note"], ids=[f"r{i}" for i in range(30)])
    methods.save(path, method_named(name).fit(cases))
    return path


def examined(asking: TestClient, name: str) -> Any:
    response = asking.post(f"/m/{name}/health", follow_redirects=False)
    assert done(asking, response.headers["location"]) == f"/m/{name}/health"
    return asking.get(f"/m/{name}/health.json").json()


def decide(asking: TestClient, name: str = "fruit", **fields: Any) -> Any:
    """Decide about the record that the page shows."""
    suspect = asking.get(f"/m/{name}/review.json").json()["suspect"]
    told = {"record": suspect["record"], "was": suspect["label"]} | fields
    response = asking.post(f"/m/{name}/review", data=told, follow_redirects=False)
    assert response.status_code == 303, response.text
    return asking.get(f"/m/{name}/review.json").json()


def test_the_page_has_the_report_of_the_library(models: Path) -> None:
    model = methods.load(models / "ib1.cb").model
    report = health(model, commands=model_commands(model, None, "ib1.cb"))
    with client(models / "ib1.cb") as asking:
        assert asking.get("/m/ib1/health.json").json()["report"] is None
        facts = examined(asking, "ib1")
        assert facts["report"]["counts"] == report.counts
        for kind in ("mislabelled", "redundant", "pivotal", "column"):
            told = asking.get("/m/ib1/health.json", params={"kind": kind}).json()["kind"]
            assert told["part"]["total"] == report.counts[kind]
            expected = [one.to_dict() for one in report.of(kind)[:50]]
            own = ("is_there", "places")
            assert [{k: v for k, v in one.items() if k not in own} for one in told["findings"]] == expected
        page = asking.get("/m/ib1/health?kind=mislabelled").text
        assert f'/m/ib1/record/{report.of("mislabelled")[0].record}"' in page
        assert "style=" not in page
        assert asking.get("/m/ib1/health?kind=<b>").status_code == 422


def test_decisions_are_corrections_with_a_name(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        examined(asking, "fruit")
        facts = asking.get("/m/fruit/review.json").json()
        first = facts["suspect"]
        assert (facts["n_suspects"], first["record"], first["label"], first["suggested"]) == (2, "r12", "bean", "apple")
        facts = decide(asking, label="apple", by="Ada")
        assert (facts["n_decided"], facts["last"]) == (1, {"record": "r12", "choice": "class"})
        facts = decide(asking, choice="remove", by="Ada")
        assert facts["suspect"] is None
        assert facts["counts"] == {"keep": 0, "class": 1, "remove": 1, "skip": 0}
        assert "All 2 records are decided" in asking.get("/m/fruit/review").text
    saved = methods.load(path)
    assert [(one.action, one.ids, one.by, one.note) for one in saved.log] == [
        ("update", ("r12",), "Ada", "review"),
        ("remove", ("r5",), "Ada", "review"),
    ]
    assert records_with(saved.model, ["r12", "r5"])["r12"]["class"] == "apple"


def test_each_decision_can_be_undone(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        before = {one["id"]: one for one in records(asking)}
        examined(asking, "fruit")
        for fields in ({"label": "apple"}, {"choice": "remove"}, {"choice": "keep"}, {"choice": "skip"}):
            shown = asking.get("/m/fruit/review.json").json()["suspect"]
            decide(asking, **fields)
            assert asking.get("/m/fruit/review.json").json()["suspect"]["record"] != shown["record"]
            assert asking.post("/m/fruit/review/undo", follow_redirects=False).status_code == 303
            again = asking.get("/m/fruit/review.json").json()["suspect"]
            assert (again["record"], again["values"], again["label"]) == (
                shown["record"],
                shown["values"],
                shown["label"],
            )
            assert {one["id"]: one for one in records(asking)} == before, fields
        assert not kept.kept_records(path, ())
        assert asking.post("/m/fruit/review/undo").status_code == 422


def records(asking: TestClient) -> list[dict[str, Any]]:
    model = asking.app.app.state.shelf.desk("fruit").snapshot.saved.model
    memory = memory_of(model)
    return list(records_with(model, memory.ids(memory.in_given_order).tolist()).values())


def test_a_removed_record_is_in_no_file(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        examined(asking, "fruit")
        decide(asking, choice="keep")
        decide(asking, choice="remove")
        for file in tmp_path.iterdir():
            assert b"basket 5" not in file.read_bytes(), file


def test_what_was_kept_does_not_come_back_until_it_changes(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        examined(asking, "fruit")
        decide(asking, choice="keep", by="Ada")
    with client(path) as asking:  # after a restart
        examined(asking, "fruit")
        facts = asking.get("/m/fruit/review.json").json()
        assert (facts["n_suspects"], facts["n_kept_before"], facts["suspect"]["record"]) == (1, 1, "r5")
        desk: Desk = asking.app.app.state.shelf.desk("fruit")
        desk.update(["r12"], {"class": ["banana"]}, author=Author("Bob"))
        examined(asking, "fruit")
        assert [one["record"] for one in asking.get("/m/fruit/health.json").json()["kind"]["findings"]] == ["r12", "r5"]
        assert asking.get("/m/fruit/review.json").json()["n_suspects"] == 2


def test_a_record_that_somebody_else_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        examined(asking, "fruit")
        desk: Desk = asking.app.app.state.shelf.desk("fruit")
        fields = {"record": "r12", "was": "bean", "label": "apple"}
        desk.update(["r12"], {"class": ["banana"]})
        assert asking.post("/m/fruit/review", data=fields).status_code == 412
        desk.remove(["r12"])
        assert asking.post("/m/fruit/review", data=fields).status_code == 412
        assert decide(asking, choice="skip")["suspect"]["record"] == "r5"
        assert asking.post("/m/fruit/review", data=fields | {"choice": "skip"}).status_code == 412
        assert asking.post("/m/fruit/review", data=fields | {"record": "r1"}).status_code == 404


def test_what_a_correction_changes_is_found_by_doing_it(models: Path) -> None:
    """The changed answers are those of the corrected model, record by record."""
    with client(models / "ib1.cb") as asking:
        examined(asking, "ib1")
        before = {case["id"]: case for case in cells(asking)}
        suspect = asking.get("/m/ib1/review.json").json()["suspect"]
        decide(asking, "ib1", label=suspect["suggested"])
        after = {case["id"]: case for case in cells(asking)}
        changed = {
            case: (before[case]["predicted"], after[case]["predicted"])
            for case in before
            if case != suspect["record"] and before[case]["predicted"] != after[case]["predicted"]
        }
        told = {one["id"]: (one["before"], one["after"]) for one in suspect["effects"]["changed"]}
        assert suspect["effects"]["n_changed"] == len(changed)
        assert told.items() <= changed.items()


def cells(asking: TestClient) -> list[dict[str, Any]]:
    found = []
    for label in ("yes", "no"):
        start: int | None = 0
        while start is not None:
            cell = asking.get("/m/ib1/errors.json", params={"actual": label, "start": start}).json()["cell"]
            found += cell["cases"]
            start = cell["part"]["after"]
    return found


def test_who_may_review(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    reader = {"authorization": f"Bearer {'r' * 20}"}
    with client(path, tokens=TOKENS, needs_token=True) as asking:
        assert asking.post("/m/fruit/health", headers=reader).status_code == 200
        assert asking.post("/m/fruit/review", headers=reader, data={"choice": "keep"}).status_code == 403
        page = asking.get("/m/fruit/review", headers=reader).text
        assert 'value="remove"' not in page
    with client(path, read_only=True) as asking:
        examined(asking, "fruit")
        assert (
            asking.post("/m/fruit/review", data={"record": "r12", "was": "bean", "choice": "keep"}).status_code >= 400
        )
        assert not kept.file_of(path).exists()


@pytest.mark.parametrize("name", ["c45", "rules"])
def test_models_that_cannot_be_reviewed_say_so(tmp_path: Path, name: str) -> None:
    path = small(tmp_path / "fruit.cb", name=name)
    with client(path) as asking:
        if name == "c45":
            assert "nothing to look at" in asking.get("/m/fruit/health").text
            assert "nothing to review" in asking.get("/m/fruit/review").text
            assert asking.post("/m/fruit/health").status_code == 422
        else:
            examined(asking, "fruit")
            assert "cannot be corrected" in asking.get("/m/fruit/review").text


def test_wrong_requests_are_named(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    with client(path) as asking:
        assert asking.post("/m/fruit/review", data={"record": "r12", "choice": "keep"}).status_code == 422
        examined(asking, "fruit")
        for fields in ({"choice": HOSTILE}, {"choice": "class"}, {"record": HOSTILE, "choice": "keep"}):
            response = asking.post("/m/fruit/review", data={"record": "r12", "was": "bean"} | fields)
            assert response.status_code in (404, 422), fields
            assert "<script>alert" not in response.text
        assert asking.get("/m/fruit/review.json").json()["n_decided"] == 0
    kept.file_of(path).write_text("nonsense\n")
    with pytest.raises(CasebaseError, match="Delete it to review them again"):
        kept.kept_records(path, ())


def test_a_class_with_a_line_break_survives_a_form(tmp_path: Path) -> None:
    """A browser sends each line break as CR and LF."""
    labels = ["two\nlines", "other\nlines"] * 10
    labels[0] = "other\nlines"
    rows = [["a", "x"], ["b", "y"]] * 10
    methods.save(tmp_path / "fruit.cb", method_named("ib1").fit(Cases.from_table(rows, y=labels)))
    with client(tmp_path / "fruit.cb") as asking:
        examined(asking, "fruit")
        facts = decide(asking, was="other\r\nlines", label="two\r\nlines")
        assert facts["counts"]["class"] == 1
        desk: Desk = asking.app.app.state.shelf.desk("fruit")
        saved = desk.snapshot.saved
        assert isinstance(saved, methods.Saved)
        assert records_with(saved.model, [0])[0]["class"] == "two\nlines"


def test_hostile_values_are_shown_as_text(tmp_path: Path) -> None:
    rows = [[HOSTILE, "a\nb"], ["\u202eb", "b"], ["'; --", HOSTILE]] * 10
    labels = [HOSTILE, "x", "y"] * 10
    labels[0] = "x"
    methods.save(tmp_path / "fruit.cb", method_named("ib1").fit(Cases.from_table(rows, y=labels)))
    with client(tmp_path / "fruit.cb") as asking:
        examined(asking, "fruit")
        decide(asking, label=HOSTILE, by=HOSTILE)
        asking.post("/m/fruit/review/undo", data={"by": HOSTILE})
        for place in ("/m/fruit/health", "/m/fruit/review", f"/m/fruit/review?by={HOSTILE}"):
            page = asking.get(place).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "{{7*7}}" in page


def test_findings_lead_to_pages_and_suspects_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for i in range(12):
        rows.append({"colour": "red", "shape": "round", "size": float(i), "fruit": "bean" if i == 3 else "apple"})
        rows.append({"colour": "green", "shape": "long", "size": float(i), "fruit": "bean"})
    rows.append({"colour": "green", "shape": "square", "size": 1000.0, "fruit": "bean"})
    methods.save(tmp_path / "fruit.cb", method_named("ib1").fit(Cases.from_table(rows, target="fruit")))
    with client(tmp_path / "fruit.cb") as asking:
        facts = examined(asking, "fruit")
        assert facts["n_suspects"] == 2
        assert facts["suspects"] == ["1 probably mislabelled", "1 outlier"]
        page = asking.get("/m/fruit/health").text
        for one in facts["kind"]["findings"]:
            assert one["places"]["Open the record"] == f"/m/fruit/record/{one['record']}"
            assert one["places"]["Review"] == "/m/fruit/review"
            assert f'<a href="/m/fruit/record/{one["record"]}">Open the record</a>' in page
        assert "casebase update" not in page
        assert "Review 2 suspect records" in page
        assert "1 probably mislabelled, 1 outlier" in page
        rare = asking.get("/m/fruit/health.json?kind=rare value").json()["kind"]["findings"]
        assert "/m/fruit/table?where=shape%3Dsquare" in [one["places"].get("Records with this value") for one in rare]


def test_a_ceiling_of_all_records_is_not_mentioned(tmp_path: Path) -> None:
    path = small(tmp_path / "fruit.cb")
    report = health(methods.load(path).model)
    assert ("no method can exceed" in how(report)) == (report.ceiling < 0.9995)
    assert "no method can exceed 93.3% on these features." in how(replace(report, ceiling=0.933))
    assert "exceed" not in how(replace(report, ceiling=0.99999))
