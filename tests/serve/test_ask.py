"""The Ask page: the form, the answer, another method beside it, and the correction."""

import re
from pathlib import Path

import numpy as np
import pytest

from casebase import methods
from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.formats import read_table
from casebase.formats.line import line_table, named_table
from casebase.serve.questions import plain_row
from tests.serve.serving import client

QUESTION = {"v.sex": "male", "v.cabin": "third", "v.fare": "9.5"}


def test_the_form_follows_from_the_schema(models: Path) -> None:
    with client(models) as asking:
        fields = {field["name"]: field for field in asking.get("/m/ib1/ask.json").json()["fields"]}
    assert fields["sex"]["widget"] == "buttons"
    assert fields["sex"]["values"] == ["female", "male"]
    assert fields["age"]["widget"] == "list"
    assert fields["ticket"]["widget"] == "typed"
    assert fields["fare"]["widget"] == "number"
    assert fields["fare"]["least"] < fields["fare"]["greatest"]


def test_the_answer_is_that_of_the_model(models: Path) -> None:
    saved = methods.load(models / "ib1.cb")
    cases = saved.model.schema.encode(line_table("sex=male, cabin=third, fare=9.5", saved.model.schema))
    expected = saved.model.schema.classes[int(saved.model.answer(cases).label[0])]
    with client(models) as asking:
        answer = asking.get("/m/ib1/ask.json", params=QUESTION).json()["answer"]
    assert answer["label"] == expected
    assert answer["evidence"] == saved.model.explain(cases)[0].to_dict()
    assert abs(sum(answer["probabilities"].values()) - 1) < 1e-9
    assert answer["label"] in answer["set"]
    assert answer["flip"] is not None


def test_numbers_and_values_never_seen(models: Path) -> None:
    with client(models) as asking:
        asked = asking.get("/m/ib1/ask", params={"v.sex": "", "o.sex": "unheard-of"})
        assert "never seen" in asked.text
        wrong = asking.get("/m/ib1/ask.json", params={"v.fare": "much"})
        assert wrong.status_code == 422
        assert "much" in wrong.json()["detail"]
        unknown = asking.get("/m/ib1/ask.json", params={"v.sexx": "male"})
        assert unknown.status_code == 422
        assert "Did you mean 'sex'" in unknown.json()["detail"]


def test_another_method_answers_the_same_question(models: Path) -> None:
    with client(models) as asking:
        both = asking.get("/m/ib1/ask.json", params=QUESTION | {"with": "c45"}).json()
        named = asking.get("/m/ib1/ask.json", params=QUESTION | {"with": "igtree"}).json()
        wrong = asking.get("/m/ib1/ask.json", params=QUESTION | {"with": "c55"})
    assert both["other"]["label"] in ("yes", "no")
    assert named["other"]["evidence"]
    assert wrong.status_code == 422
    assert "Did you mean 'c45'" in wrong.json()["detail"]


def test_a_wrong_answer_is_corrected_and_shown_before_and_after(models: Path) -> None:
    with client(models) as asking:
        before = asking.get("/m/ib1/ask.json", params=QUESTION).json()
        right = "yes" if before["answer"]["label"] == "no" else "no"
        form = QUESTION | {"class": right, "by": "ann", "note": "I know her", "version": before["version"]}
        done = asking.post("/m/ib1/ask", data=form, follow_redirects=False)
        assert done.status_code == 303
        after = asking.get(done.headers["location"].replace("/ask?", "/ask.json?")).json()
        assert after["corrected"]["was"] == before["answer"]["label"]
        assert after["version"] != before["version"]
        assert after["answer"]["label"] == right  # the same question is now a record of its own
        page = asking.get(done.headers["location"]).text
        assert re.search(r"Remembered as record .*600", page)
        late = asking.post("/m/ib1/ask", data=form)
    assert late.status_code == 412
    assert "Somebody corrected ib1 meanwhile" in late.text
    assert not re.search(r"[0-9a-f]{32}(?!\")", late.text)  # but in the hidden field
    assert "Ask the same question again" in late.text


def test_a_reader_sees_no_form_to_correct(models: Path) -> None:
    with client(models, needs_token=True, tokens={"r" * 20: "read"}) as asking:
        headers = {"authorization": f"Bearer {'r' * 20}"}
        page = asking.get("/m/ib1/ask", params=QUESTION, headers=headers).text
        assert "Is this wrong?" not in page
        assert asking.post("/m/ib1/ask", data=QUESTION | {"class": "yes"}, headers=headers).status_code == 403


def test_a_class_must_be_given(models: Path) -> None:
    with client(models) as asking:
        assert "Choose the right class" in asking.post("/m/ib1/ask", data=QUESTION).text


TEXTS = [
    "male",
    "third",
    "42",
    "42.0",
    "Third class",
    "7",
    "007",
    "7.5",
    "-3",
    "1e3",
    "?",
    "NA",
    "nan",
    "x.y",
    "é",
    "a,b",
    "1,5",
    "a b-c",
]


@pytest.mark.parametrize("has_kinds", [False, True])
def test_a_plain_question_is_coded_as_a_table_would_be(passengers_table: Path, has_kinds: bool) -> None:
    """The short way for words and numbers gives what reading them from a file gives."""
    table = read_table(passengers_table, target="class")
    schema = (cases_with_kinds(table, kinds="auto") if has_kinds else Cases.from_table(table)).schema
    n_plain = 0
    for name in schema.needed_columns:
        for text in TEXTS:
            row = plain_row({name: text}, schema)
            if row is None:
                continue
            n_plain += 1
            short, long = schema.encode([row]), schema.encode(named_table({name: text}, schema))
            for one, other in zip(short.columns, long.columns, strict=True):
                assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), (name, text)
    assert n_plain >= 3 * len(schema.needed_columns)
