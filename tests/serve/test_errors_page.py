"""Errors: held-out scores, the confusion grid, and the cases of its cells."""

from pathlib import Path

import numpy as np

from casebase import methods
from casebase.data import Cases
from casebase.evaluate import cross_validate
from casebase.methods import method_named, stored_records
from casebase.neighbours import ib1
from tests.serve.serving import client
from tests.serve.test_compare_page import HOSTILE, done


def test_the_grid_is_that_of_leave_one_out(models: Path) -> None:
    """Answers are found again by a model of all other records, one record at a time."""
    cases = stored_records(methods.load(models / "ib1.cb").model).cases
    classes, labels = cases.schema.classes, cases.known_labels
    confusion = np.zeros((2, 2), dtype=int)
    answered = {}
    rows = range(0, cases.n_cases, 40)
    for i in rows:
        model = ib1.fit(cases.take(np.delete(np.arange(cases.n_cases), i)))
        answered[i] = int(model.answer(model.schema.recode(cases.take(np.array([i])))).label[0])
    with client(models / "ib1.cb") as asking:
        facts = asking.get("/m/ib1/errors.json").json()
        assert facts["how"] == "leave-one-out"
        told = {}
        for actual in classes:
            for predicted in classes:
                place, n, start = "/m/ib1/errors.json", 0, 0
                while start is not None:
                    asked = {"actual": actual, "predicted": predicted, "start": start}
                    cell = asking.get(place, params=asked).json()["cell"]
                    told |= {case["id"]: predicted for case in cell["cases"]}
                    n, start = n + len(cell["cases"]), cell["part"]["after"]
                confusion[classes.index(actual), classes.index(predicted)] = n
        assert sorted(told) == list(range(600))
        assert {i: classes.index(told[i]) for i in rows} == answered
        assert [[cell["count"] for cell in row["cells"]] for row in facts["grid"]["rows"]] == confusion.tolist()
        assert facts["report"]["n_correct"] == int(confusion.trace())
        right = [labels[i] == classes.index(told[i]) for i in range(600)]
        wrong = [i for i in range(600) if not right[i]]
        assert facts["cell"]["part"]["total"] == len(wrong)
        assert [case["id"] for case in facts["cell"]["cases"]] == wrong[:50]


def test_a_cell_leads_to_its_records(models: Path) -> None:
    with client(models / "ib1.cb") as asking:
        page = asking.get("/m/ib1/errors").text
        assert 'href="/m/ib1/errors?actual=yes&amp;predicted=no#cases"' in page
        assert "style=" not in page
        cell = asking.get("/m/ib1/errors.json?actual=yes&predicted=no").json()["cell"]
        assert {(case["class"], case["predicted"]) for case in cell["cases"]} == {("yes", "no")}
        assert f'/m/ib1/record/{cell["cases"][0]["id"]}"' in asking.get("/m/ib1/errors?actual=yes&predicted=no").text


def test_other_methods_learn_from_folds_as_a_job(models: Path, tmp_path: Path) -> None:
    cases = stored_records(methods.load(models / "igtree.cb").model).cases
    with client(models / "igtree.cb") as asking:
        assert asking.get("/m/igtree/errors.json").json()["report"] is None
        assert "Find the errors" in asking.get("/m/igtree/errors").text
        response = asking.post("/m/igtree/errors", follow_redirects=False)
        assert done(asking, response.headers["location"]) == "/m/igtree/errors"
        facts = asking.get("/m/igtree/errors.json").json()
        report = cross_validate(cases, method_named("igtree").fit)
        assert (facts["how"], facts["report"]["n_correct"]) == ("10 folds", report.n_correct)
        assert [case["id"] for case in facts["cell"]["cases"]] == [error.id for error in report.errors][:50]
        asking.app.app.state.shelf.desk("igtree").remove([0, 1, 2])
        assert not asking.get("/m/igtree/errors.json").json()["is_current"]
        assert "Find them again" in asking.get("/m/igtree/errors").text


def test_a_model_without_records_says_so(models: Path) -> None:
    with client(models / "c45.cb") as asking:
        assert "keeps no cases" in asking.get("/m/c45/errors.json").json()["why_not"]
        assert "none can be shown here" in asking.get("/m/c45/errors").text
        assert asking.post("/m/c45/errors").status_code == 422


def test_many_classes_and_hostile_values(tmp_path: Path) -> None:
    labels = [HOSTILE, "\u202eq", "'; --", *(f"c{i}" for i in range(40))] * 3
    rows = [[HOSTILE, f"v{i % 7}", "x\ny" * 50] for i in range(len(labels))]
    methods.save(tmp_path / "many.cb", method_named("ib1").fit(Cases.from_table(rows, y=labels)))
    with client(tmp_path / "many.cb") as asking:
        facts = asking.get("/m/many/errors.json").json()
        assert (len(facts["grid"]["rows"]), facts["grid"]["n_left_out"]) == (25, 18)
        for place in ("/m/many/errors", f"/m/many/errors?actual={HOSTILE}"):
            page = asking.get(place).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "49" not in page.replace("/record/49", "").replace(">49<", "")
        assert asking.get("/m/many/errors", params={"actual": "<b>"}).status_code == 422
        assert asking.get("/m/many/errors", params={"start": "<b>"}).status_code == 422
        assert asking.get("/m/many/errors.json?start=99999").json()["cell"]["part"]["start"] < 129
