"""Forms of a new user: what is left empty, what is wrong, and what is kept of it."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from markupsafe import escape

from casebase import methods
from casebase.base.leave_out import memory_of
from casebase.data import Cases
from casebase.formats import read_table
from casebase.methods import method_named
from casebase.serve.demonstration import write_demonstration
from casebase.serve.desks.free_ids import free_ids
from tests.serve.serving import client

QUESTION = {"v.sex": "male", "v.cabin": "third", "v.fare": "9.5"}


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `casebase serve --demo`; the ids of the passengers are texts, their tickets."""
    folder = tmp_path_factory.mktemp("demonstration")
    write_demonstration(folder)
    return folder


@pytest.fixture
def folder(demonstration: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(demonstration, tmp_path / "demonstration"))


@pytest.fixture
def asking(folder: Path) -> Iterator[Any]:
    with client(folder) as one:
        yield one


def alert(response: Any) -> str:
    """Return the text of the message on a page."""
    found = re.search(r'role="alert">(.*?)</p>', response.text, re.DOTALL)
    assert found is not None, response.text
    return unescape(re.sub("<[^>]*>", "", found[1])).strip()


def test_free_ids_are_taken_by_nobody_and_never_were(folder: Path) -> None:
    memory = memory_of(methods.load(folder / "passengers.cb").model)
    assert free_ids(memory, 3) == ["new-1", "new-2", "new-3"]
    assert free_ids(memory, 2, ["new-7", "new-x", 9, "new-"]) == ["new-8", "new-9"]


def test_records_get_an_id_where_ids_are_texts(asking: Any) -> None:
    asked = asking.post("/m/passengers/ask", data=QUESTION | {"class": "yes"}, follow_redirects=False)
    assert asked.status_code == 303
    assert "record=new-1" in asked.headers["location"]
    added = asking.post("/m/passengers/records", data=QUESTION | {"class": "no"}, follow_redirects=False)
    assert added.headers["location"].startswith("/m/passengers/record/new-2?")
    posted = asking.post(
        "/v1/models/passengers/cases", json={"cases": [{"values": {"sex": "male"}, "class": "no"}] * 2}
    )
    assert posted.json()["ids"] == ["new-3", "new-4"]
    given = asking.post("/m/passengers/ask", data=QUESTION | {"class": "yes", "id": "B 7"}, follow_redirects=False)
    assert "record=B+7" in given.headers["location"]
    asking.post("/m/passengers/delete", data={"id": "new-4", "sure": "yes"})
    again = asking.post("/m/passengers/records", data=QUESTION | {"class": "no"}, follow_redirects=False)
    assert "/record/new-5?" in again.headers["location"]  # the id of an erased record is not given again


def test_forms_ask_for_an_id_where_ids_are_texts(asking: Any, models: Path) -> None:
    assert 'name="id"' in asking.get("/m/passengers/ask", params=QUESTION).text
    with client(models / "ib1.cb") as numbered:
        assert 'name="id"' not in numbered.get("/m/ib1/ask", params=QUESTION).text


@pytest.mark.parametrize("text", ["abc", "29,5", "<script>alert(1)</script>", "1.2.3"])
def test_a_wrong_number_in_a_question_is_told_beside_it(asking: Any, text: str) -> None:
    page = asking.get("/m/passengers/ask", params=QUESTION | {"v.age": text, "v.fare": text, "asked": "1"})
    assert page.status_code == 422
    assert "/m/passengers/health" in page.text  # the menu of the model
    assert f'name="v.fare" inputmode="decimal" size="10" value="{escape(text)}"' in page.text
    assert ("write 29.5" in alert(page)) == (text == "29,5")
    assert "<script>alert" not in page.text
    twin = asking.get("/m/passengers/ask.json", params=QUESTION | {"v.fare": text})
    assert (twin.status_code, twin.headers["content-type"]) == (422, "application/problem+json")


def test_a_decimal_comma_is_understood_where_the_file_had_them(tmp_path: Path) -> None:
    (tmp_path / "fares.csv").write_text("fare;class\n1,5;a\n2,5;a\n30,5;b\n31,5;b\n")
    cases = Cases.from_table(read_table(tmp_path / "fares.csv", target="class"))
    methods.save(tmp_path / "fares.cb", method_named("ib1").fit(cases))
    with client(tmp_path / "fares.cb") as asking:
        comma = asking.get("/m/fares/ask.json", params={"v.fare": "29,5"}).json()
        point = asking.get("/m/fares/ask.json", params={"v.fare": "29.5"}).json()
    assert comma["answer"] == point["answer"]
    assert comma["answer"]["label"] == "b"
    assert comma["question"] == {"fare": "29,5"}


def test_a_correction_without_a_class_keeps_question_and_answer(asking: Any) -> None:
    given = {"by": "ann", "note": "seen <b>", "id": "N 1"}
    page = asking.post("/m/passengers/ask", data=QUESTION | given)
    assert page.status_code == 422
    assert alert(page) == "Choose the right class, or write it."
    assert all(f'value="{escape(text)}"' in page.text for text in given.values())
    assert "Is this wrong?" in page.text
    assert 'name="v.sex" value="male" checked' in page.text
    known = asking.get("/m/passengers/table.json").json()["records"][0]["id"]
    twice = asking.post("/m/passengers/ask", data=QUESTION | {"class": "yes", "id": known})
    assert twice.status_code == 422
    assert "already a case with id" in alert(twice)


def test_a_correction_of_another_version_leads_to_the_question(asking: Any) -> None:
    page = asking.post("/m/passengers/ask", data=QUESTION | {"class": "yes", "version": "0" * 32})
    assert page.status_code == 412
    assert alert(page).startswith("Somebody corrected passengers meanwhile, and your correction was not saved.")
    again = re.search(r'href="([^"]*)">Ask the same question again', page.text)
    assert again is not None
    assert asking.get(unescape(again[1]).replace("/ask?", "/ask.json?")).json()["answer"]["label"] in ("yes", "no")


@pytest.mark.parametrize("value", ["abc", "<script>alert(1)</script>"])
def test_a_wrong_filter_is_told_on_the_table(asking: Any, value: str) -> None:
    form = {"column": "fare", "sign": ">", "value": value, "where": "sex=male"}
    for place in ("/m/passengers/table", "/m/passengers/table?where=sex%3Dmale&where=fare%3E" + quote(value)):
        page = asking.get(place, params=form if "?" not in place else None)
        assert page.status_code == 422
        assert value in alert(page)
        assert "<option selected>fare</option>" in page.text
        assert "<option selected>&gt;</option>" in page.text
        assert f'name="value" size="10" value="{escape(value)}"' in page.text
        assert "Remove the filter sex=male" in page.text
        assert "<script>alert" not in page.text
    assert asking.get("/m/passengers/table.json", params={"where": f"fare>{value}"}).status_code == 422


def test_a_wrong_record_is_told_beside_its_form(asking: Any) -> None:
    known = asking.get("/m/passengers/table.json").json()["records"][0]["id"]
    for place, given, said in [
        ("records", {"id": known, "class": "yes"}, "already a case"),
        ("records", {"class": "yes", "v.fare": "much"}, "much"),
        ("records", {"id": "N 1"}, "Choose a class"),
        ("edit", {"id": known, "class": "yes", "v.fare": "much"}, "much"),
        ("edit", {"id": known, "other_class": "perhaps", "v.fare": "9,5"}, "write 9.5"),
        ("edit", {"id": known}, "Choose a class"),
        ("delete", {"id": known}, "Confirm"),
    ]:
        page = asking.post(f"/m/passengers/{place}", data={"p.name": "Ö <i>", "by": "ann", "note": "why"} | given)
        assert page.status_code == 422, given
        assert said in alert(page)
        assert "/m/passengers/health" in page.text
        if place != "delete":
            values = ["Ö <i>", "ann", "why", *(given.get(name) for name in ("v.fare", "other_class", "id"))]
            assert all(f'value="{escape(text)}"' in page.text for text in values if text), given
    assert asking.get("/m/passengers/table.json").json()["corrections"] == 0


def test_pages_of_problems_have_the_menu_of_the_model(asking: Any) -> None:
    html = {"accept": "text/html"}
    for place in ("/m/passengers/record/none", "/m/passengers/nothing", "/m/passengers/values"):
        page = asking.get(place, headers=html)
        assert page.status_code in (404, 422)
        assert 'aria-label="Pages of passengers"' in page.text
        assert ">Back to passengers</a>" in page.text
    assert "Back to" not in asking.get("/m/none/ask", headers=html).text
