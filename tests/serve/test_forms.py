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
from casebase.data.kinds import cases_with_kinds
from casebase.data.tables import as_table
from casebase.formats import read_table
from casebase.methods import method_named
from casebase.serve.demonstration import write_demonstration
from casebase.serve.desks.free_ids import free_ids
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import TOKENS, client

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
    assert "<option selected>yes</option>" in page.text
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


def test_ask_offers_models_of_the_same_columns_alone(asking: Any, models: Path) -> None:
    assert asking.get("/m/passengers/ask.json").json()["others"] == []  # the other model is of tic-tac-toe
    nouns = Cases.from_table([{"ending": "e", "plural": "n"}, {"ending": "u", "plural": "s"}], target="plural")
    methods.save(models / "nouns.cb", method_named("ib1").fit(nouns))
    with client(models) as other:
        assert other.get("/m/ib1/ask.json").json()["others"] == ["c45", "igtree"]
        assert other.get("/m/nouns/ask.json").json()["others"] == []


def test_a_value_that_was_left_empty_is_not_said_to_be_unseen(models: Path) -> None:
    with client(models) as asking:
        empty = asking.get("/m/ib1/ask", params={"v.fare": "9.5"}).text
        typed = asking.get("/m/ib1/ask", params={"v.fare": "9.5", "o.sex": "unheard-of"}).text
    assert "never seen" not in empty
    assert "never seen: sex = unheard-of" in typed


def test_a_model_is_downloaded_and_deleted(folder: Path) -> None:
    with client(folder, folder=folder) as asking:
        page = asking.get("/m/passengers").text
        assert "Delete this model and its file" in page
        place = re.search(r'href="([^"]*)" download>Download the model', page)
        assert place is not None
        sent = asking.get(place[1])
        assert "passengers.cb" in sent.headers["content-disposition"]
        (folder / "copy.cb").write_bytes(sent.content)
        assert methods.load(folder / "copy.cb").model.summary().size == "600 cases in memory"
        unsure = asking.post("/m/passengers/drop")
        assert unsure.status_code == 422
        assert "Confirm" in alert(unsure)
        assert (folder / "passengers.cb").exists()
        dropped = asking.post("/m/passengers/drop", data={"sure": "yes"}, follow_redirects=False)
        assert dropped.headers["location"] == "/"
        assert asking.get("/m/passengers").status_code == 404
    assert not (folder / "passengers.cb").exists()


def test_a_model_from_elsewhere_keeps_its_file_and_only_admins_delete(folder: Path) -> None:
    with client(folder / "passengers.cb", needs_token=True, tokens=TOKENS) as asking:
        own = {role: {"authorization": f"Bearer {token}"} for token, role in TOKENS.items()}
        assert "/drop" not in asking.get("/m/passengers", headers=own["correct"]).text
        refused = asking.post("/m/passengers/drop", data={"sure": "yes"}, headers=own["correct"])
        assert refused.status_code == 403
        assert "its file stays" in asking.get("/m/passengers", headers=own["admin"]).text
        asking.post("/m/passengers/drop", data={"sure": "yes"}, headers=own["admin"])
        assert asking.get("/m/passengers", headers=own["read"]).status_code == 404
    assert (folder / "passengers.cb").exists()


def test_examples_have_the_token_that_the_server_needs(folder: Path) -> None:
    with client(folder / "passengers.cb", needs_token=True, tokens=TOKENS) as asking:
        guarded = asking.get("/v1.json", headers={"authorization": f"Bearer {'r' * 20}"}).json()
    with client(folder / "passengers.cb") as asking:
        free = asking.get("/v1.json").json()
    assert "-H 'Authorization: Bearer TOKEN'" in guarded["models"][0]["example"]
    assert "Authorization" not in free["models"][0]["example"]


def test_the_menu_has_pages_of_records_only_if_there_are_some(models: Path) -> None:
    with client(models) as asking:
        for name, is_shown in (("ib1", True), ("c45", False)):
            page = asking.get(f"/m/{name}").text
            assert f'href="/m/{name}/ask"' in page
            for part in ("table", "health", "compare", "errors"):
                assert (f'href="/m/{name}/{part}"' in page) == is_shown


def test_errors_say_why_other_pages_have_other_figures(asking: Any) -> None:
    assert "with its own settings" in asking.get("/m/passengers/errors").text


def test_samples_of_a_column_are_told_apart(asking: Any) -> None:
    (name,) = [one["name"] for one in asking.get("/index.json").json()["tables"] if one["file"] == "passengers.csv"]
    page = asking.get(f"/t/{name}").text
    assert re.search(r"<td class=\"words\">[^<]*, [^<]* · [^<]*, [^<]*</td>", page)  # names such as "Berg, Ivan"


def test_free_ids_pass_over_those_of_the_table(tmp_path: Path) -> None:
    rows = [{"id": f"new-{i}", "ending": "eu"[i % 2], "plural": "ns"[i % 2]} for i in (1, 2, 3, 5)]
    cases = cases_with_kinds(as_table(rows, "plural"), kinds={"id": "id"})
    methods.save(tmp_path / "nouns.cb", method_named("ib1").fit(cases))
    assert free_ids(memory_of(methods.load(tmp_path / "nouns.cb").model), 3) == ["new-4", "new-6", "new-7"]
    with client(tmp_path / "nouns.cb") as asking:
        row = {"values": {"ending": "e"}, "class": "n"}
        done = asking.post("/v1/models/nouns/cases", json={"cases": [row] * 3}, headers={"idempotency-key": "a"})
        same = asking.post("/v1/models/nouns/cases", json={"cases": [row] * 3}, headers={"idempotency-key": "a"})
    assert done.json()["ids"] == same.json()["ids"] == ["new-4", "new-6", "new-7"]
    assert same.json()["is_repeated"]


@pytest.mark.parametrize(
    ("field", "text"), [("cv", "1"), ("cv", "<script>alert(1)</script>"), ("seed", "-1"), ("seconds", "1e99")]
)
@pytest.mark.parametrize("place", ["/m/passengers/compare", "/t/passengers/compare"])
def test_a_wrong_comparison_is_told_beside_its_form(asking: Any, place: str, field: str, text: str) -> None:
    data = {"cv": "7", "seed": "3", "seconds": "9", "method": ["ib1", "c45"], "target": "saved"} | {field: text}
    page = asking.post(place, data=data)
    assert page.status_code == 422
    assert f"{field} is a number" in alert(page)
    assert "<script>alert" not in page.text
    for name in ("cv", "seed", "seconds"):
        assert f'name="{name}" value="{escape(data[name])}"' in page.text
    assert re.findall(r'name="method" value="(\w+)" checked', page.text) == ["ib1", "c45"]
    if place.startswith("/t/"):
        assert '<input type="hidden" name="target" value="saved">' in page.text
    unknown = asking.post(place, data=data | {field: "2", "method": "ib7", "target": "saved"})
    assert "Did you mean" in alert(unknown)
    assert asking.get("/jobs.json").json()["jobs"] == []


@pytest.fixture
def language(tmp_path: Path) -> Iterator[Any]:
    write_tagger(tmp_path / "dogs.cb", copies=2)
    write_hyphenator(tmp_path / "finnish.cb")
    with client(tmp_path) as one:
        yield one


def test_a_wrong_text_is_told_beside_its_form(language: Any) -> None:
    for name, page, field, most in (("dogs", "tag", "text", 4_000), ("finnish", "hyphenate", "words", 2_000)):
        text = "<b>wug " * (most // 7 + 1)
        shown = language.get(f"/m/{name}/{page}", params={field: text})
        assert shown.status_code == 422
        assert f"a page takes {most:,}" in alert(shown)
        assert str(escape(text)) in shown.text
        twin = language.get(f"/m/{name}/{page}.json", params={field: text})
        assert (twin.status_code, twin.headers["content-type"]) == (422, "application/problem+json")
    shown = language.get("/m/dogs/tag", params={"text": "The dog", "format": "<b>"})
    assert shown.status_code == 422
    assert "format" in alert(shown)
    assert ">\nThe dog</textarea>" in shown.text


def test_a_wrong_tag_keeps_the_text_and_the_tags(language: Any) -> None:
    version = language.get("/m/dogs/tag.json").json()["version"]
    data = {"text": "The dog walks", "at": "1.2", "version": version, "by": "Ö <i>", "note": "why"}
    for tags, said in ((["", "N N", "X"], "without blanks"), (["", ""], "Expected 3 fields")):
        page = language.post("/m/dogs/tag", data=data | {"tag": tags})
        assert page.status_code == 422
        assert said in alert(page)
        assert 'name="by" value="Ö &lt;i&gt;"' in page.text
        assert 'name="note" value="why"' in page.text
        assert ">\nThe dog walks</textarea>" in page.text
        assert "Put it right" in page.text
        if len(tags) == 3:
            assert re.findall(r'name="tag" value="(.*?)"', page.text) == tags
    page = language.post("/m/dogs/tag", data=data | {"tag": ["", "V", ""], "version": "0" * 32})
    assert page.status_code == 412
    assert alert(page).startswith("Somebody corrected dogs meanwhile, and your correction was not saved.")
    assert f'name="version" value="{version}"' in page.text
    assert language.get("/m/dogs/tag.json").json()["version"] == version
    lost = language.post("/m/dogs/tag", data=data | {"at": "9.9", "tag": "V"})
    assert "Expected the number of a sentence" in alert(lost)


def test_wrong_breaks_keep_the_word_and_the_places(language: Any) -> None:
    version = language.get("/m/finnish/hyphenate.json").json()["version"]
    data = {"words": "kissa talo", "at": "kissa", "version": version, "by": "Ö <i>", "among": "kala", "place": "1"}
    for change, said in (({"place": ["1", "9"]}, "A place is a number"), ({"at": "kis sa"}, "Expected one word")):
        for page in (
            language.post("/m/finnish/hyphenate", data=data | change),
            language.get("/m/finnish/hyphenate", params=data | change | {"try": "1"}),
        ):
            if page.request.method == "GET" and "at" in change:
                continue  # a word that is not in the text is not shown
            assert page.status_code == 422
            assert said in alert(page)
            assert ">\nkissa talo</textarea>" in page.text
            if "place" in change:
                assert re.findall(r'name="place" value="(\d)" checked', page.text) == ["1"]
                assert 'name="by" value="Ö &lt;i&gt;"' in page.text
                assert ">\nkala</textarea>" in page.text
    page = language.post("/m/finnish/hyphenate", data=data | {"version": "0" * 32})
    assert page.status_code == 412
    assert alert(page).startswith("Somebody corrected finnish meanwhile, and your correction was not saved.")
    assert re.findall(r'name="place" value="(\d)" checked', page.text) == ["1"]
    assert language.get("/m/finnish/hyphenate.json").json()["version"] == version
