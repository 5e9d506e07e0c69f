"""Label Studio's backend, with requests in the form that Label Studio sends."""

import re
from types import SimpleNamespace

import pytest

import casebase as cb
from casebase import methods
from casebase.errors import CasebaseError
from casebase.serve.desks.desk import Desk
from casebase.serve.ports import label_studio

CHOICES = """
<View>
  <Text name="gender" value="$gender"/>
  <View style="padding: 20px"><Header value="Which plural?"/>
    <Choices name="plural" toName="gender" choice="single" showInLine="true">
      <Choice value="n"/><Choice value="en"/><Choice value="e"/>
    </Choices>
  </View>
</View>
"""
LABELS = """
<View>
  <Labels name="label" toName="text">
    <Label value="PER" background="red"/><Label value="LOC" background="darkorange"/>
  </Labels>
  <Text name="text" value="$text"/>
</View>
"""
ROWS = [
    {"noun": "Blume", "gender": "f", "last": "e", "plural": "n"},
    {"noun": "Lampe", "gender": "f", "last": "e", "plural": "n"},
    {"noun": "Frau", "gender": "f", "last": "u", "plural": "en"},
    {"noun": "Tag", "gender": "m", "last": "g", "plural": "e"},
]
NAMES = [("Ann", "B-PER"), ("Lee", "I-PER"), ("saw", "O"), ("York", "B-LOC"), (".", "O")]


@pytest.fixture
def desk(tmp_path):
    rows = [{name: row[name] for name in ("gender", "last", "plural")} for row in ROWS]
    model = methods.method_named("ib1").fit(cb.Cases.from_table(rows, target="plural"))
    methods.save(tmp_path / "nouns.cb", model)
    with Desk.open(tmp_path / "nouns.cb") as desk:
        yield desk


@pytest.fixture
def names(tmp_path):
    cb.Tagger().fit([NAMES, [("He", "O"), ("saw", "O"), ("Ann", "B-PER"), ("Lee", "I-PER")]] * 3).save(
        tmp_path / "names.cb"
    )
    with Desk.open(tmp_path / "names.cb") as desk:
        yield desk


def predict(desk, *data, config=CHOICES):
    request = {
        "tasks": [{"id": i, "data": one} for i, one in enumerate(data)],
        "model_version": None,
        "project": "1.1000000000",
        "label_config": config,
        "params": {"login": None, "password": None, "context": None},
    }
    return label_studio.predict(request, desk.snapshot)["results"]


def event(action, annotation, data, config=CHOICES):
    record = {
        "id": 7,
        "completed_by": 3,
        "was_cancelled": False,
        "created_at": "2026-01-01",
        "updated_at": "2026-01-01",
    }
    return {
        "action": action,
        "annotation": record | annotation,
        "task": {"id": 1, "data": data},
        "project": {"id": 1, "label_config": config},
    }


def choice(label):
    value = {"choices": [label]}
    return [{"id": "a1", "from_name": "plural", "to_name": "gender", "type": "choices", "value": value}]


def label(begin, end, name):
    value = {"start": begin, "end": end, "labels": [name]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}


def test_a_connection_test_is_answered(desk, names):
    """Label Studio asks whether a backend is up."""
    assert label_studio.health(desk.snapshot) == {"status": "UP", "model_class": "casebase ib1"}
    assert label_studio.health(names.snapshot) == {"status": "UP", "model_class": "casebase tagger"}


def test_setup_gives_the_fingerprint_as_the_version(desk):
    """The version of the model is its fingerprint."""
    request = {"project": "1.1000000000", "schema": CHOICES, "hostname": "http://localhost", "extra_params": {}}

    assert label_studio.setup(request, desk.snapshot) == {"model_version": desk.snapshot.version}


def test_a_record_gets_a_choice_with_the_cases_that_decided(desk):
    """The data of a task are a record; what it has beside the columns is left out."""
    (told,) = predict(desk, {"gender": "f", "last": "e", "url": "http://x", "html": {"a": 1}})

    assert told["model_version"] == desk.snapshot.version
    (result,) = told["result"]
    assert (result["from_name"], result["to_name"], result["type"]) == ("plural", "gender", "choices")
    assert result["value"] == {"choices": ["n"]}
    assert result["score"] == told["score"] > 0.5
    text = "\n".join(result["meta"]["text"])
    assert text.startswith("plural = n: ")
    assert re.search(r"^ *0 +n +0", text, re.MULTILINE)


def test_a_class_that_the_project_does_not_offer_is_not_suggested(desk):
    """A choice that is not in the interface could not be shown."""
    (told,) = predict(desk, {"gender": "f", "last": "u"}, config=CHOICES.replace('<Choice value="en"/>', ""))

    assert told["result"] == []


def test_a_text_gets_labels_with_the_places_that_decided(names):
    """Chunks become spans; the text is split into sentences and tokens as the tagger does it."""
    (told,) = predict(names, {"text": "Ann Lee saw York. He saw Ann."}, config=LABELS)

    values = [result["value"] for result in told["result"]]
    assert [(one["start"], one["end"], one["text"], one["labels"]) for one in values] == [
        (0, 7, "Ann Lee", ["PER"]),
        (12, 16, "York", ["LOC"]),
        (25, 28, "Ann", ["PER"]),
    ]
    assert all(result["type"] == "labels" and result["meta"]["text"] for result in told["result"])
    assert told["result"][0]["meta"]["text"][0].startswith("Ann: ")


def test_an_annotation_is_inserted_then_changed_then_removed(desk):
    """One annotation is one case, whatever happens to it, and an event that comes twice counts once."""
    data = {"gender": "n", "last": "d"}
    created = event("ANNOTATION_CREATED", {"result": choice("en")}, data)
    first = label_studio.webhook(created, desk)
    assert first["status"] == "ok"
    assert label_studio.webhook(created, desk)["result"]["ids"] == first["result"]["ids"]
    assert desk.snapshot.saved.model.memory.n_cases == len(ROWS) + 1
    assert predict(desk, data)[0]["result"][0]["value"] == {"choices": ["en"]}
    assert predict(desk, data)[0]["model_version"] == first["result"]["model_version"]

    label_studio.webhook(event("ANNOTATION_UPDATED", {"result": choice("e"), "updated_at": "2026-01-02"}, data), desk)
    assert desk.snapshot.saved.model.memory.n_cases == len(ROWS) + 1
    assert label_studio.webhook(created, desk)["result"]["ids"] == first["result"]["ids"]
    assert predict(desk, data)[0]["result"][0]["value"] == {"choices": ["e"]}
    assert desk.snapshot.saved.log[-1].by == "3"

    label_studio.webhook({"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 7}], "project": {"id": 1}}, desk)
    assert desk.snapshot.saved.model.memory.n_cases == len(ROWS)


def test_a_skipped_task_and_other_events_change_nothing(desk):
    """Only an answer is learned."""
    version = desk.snapshot.version
    data = {"gender": "n", "last": "d"}
    label_studio.webhook(event("ANNOTATION_CREATED", {"result": choice("en"), "was_cancelled": True}, data), desk)
    label_studio.webhook(event("ANNOTATION_CREATED", {"result": []}, data), desk)
    assert label_studio.webhook({"action": "TASKS_CREATED", "tasks": []}, desk) == {"status": "Unknown event"}
    label_studio.webhook({"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 99}]}, desk)

    assert desk.snapshot.version == version


def test_cases_with_names_get_one_from_the_annotation(tmp_path):
    """Where ids are texts, the id of the annotation makes one."""
    cases = cb.Cases.from_table([["f", "n"], ["m", "e"]], target=-1, ids=["Blume", "Tag"])
    methods.save(tmp_path / "named.cb", methods.method_named("ib1").fit(cases))
    with Desk.open(tmp_path / "named.cb") as desk:
        config = CHOICES.replace("plural", "class")
        result = [one | {"from_name": "class"} for one in choice("e")]
        told = label_studio.webhook(event("ANNOTATION_CREATED", {"result": result}, {"f1": "n"}, config), desk)

    assert told["result"]["ids"] == ["labelstudio-7"]


def test_a_labelled_text_is_learned_sentence_by_sentence(names):
    """The sentences that have a label are learned; the tokens outside of labels are O."""
    data = {"text": "Bob Day saw Rome. Nobody saw."}
    results = [label(0, 7, "PER"), label(12, 16, "LOC")]
    n_before = names.snapshot.saved.model_.corpus.n_sentences
    label_studio.webhook(event("ANNOTATION_CREATED", {"result": results}, data, LABELS), names)
    corpus = names.snapshot.saved.model_.corpus

    assert corpus.n_sentences == n_before + 1
    assert corpus.tags.to_pylist()[-5:] == ["B-PER", "I-PER", "O", "B-LOC", "O"]


def test_a_hyphenator_is_refused():
    """There is nothing in Label Studio that a hyphenator could fill."""
    snapshot = SimpleNamespace(saved=cb.Hyphenator().fit(["ta-lo", "ka-la", "pa-lo"]), version="0")
    with pytest.raises(CasebaseError, match="this model is a hyphenator"):
        label_studio.setup({"schema": CHOICES}, snapshot)


BAD = {
    "no tasks": ({"label_config": CHOICES}, "Expected a list of at most 10,000 tasks"),
    "no config": ({"tasks": []}, "Expected the label config as XML, got NoneType"),
    "bad config": ({"tasks": [], "label_config": "<View>"}, "The label config is not well-formed XML"),
    "no choices": ({"tasks": [], "label_config": LABELS}, "The label config has no <Choices>"),
    "task": ({"tasks": [3], "label_config": CHOICES}, "Expected the data of task 0 as a record"),
    "columns": ({"tasks": [{"data": {"a": 1}}], "label_config": CHOICES}, "none of the model's columns (gender, last)"),
    "nested": (
        {"tasks": [{"data": {"gender": ["f"]}}], "label_config": CHOICES},
        "Expected text, a number or nothing as 'gender' of a task, got list",
    ),
    "entities": ({"tasks": [], "label_config": '<!DOCTYPE a [<!ENTITY b "c">]><View/>'}, "declaration is not allowed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_says_what_was_expected(name, desk):
    """Each message names the part of the request."""
    request, message = BAD[name]
    with pytest.raises(CasebaseError, match=re.escape(message)):
        label_studio.predict(request, desk.snapshot)


def test_two_controls_are_told_apart_by_the_name_of_the_class(desk):
    """Of several choices, the one that is called like the class is filled."""
    second = '<Choices name="other" toName="gender"><Choice value="n"/></Choices></View>'
    both = CHOICES.rstrip()[: -len("</View>")] + second
    assert predict(desk, {"gender": "f", "last": "e"}, config=both)[0]["result"][0]["from_name"] == "plural"
    with pytest.raises(CasebaseError, match=r"several <Choices>: kind, other\. Name one of them 'plural'"):
        predict(desk, {"gender": "f"}, config=both.replace('name="plural"', 'name="kind"'))


@pytest.mark.parametrize(
    "result",
    [
        5,
        "x",
        {"a": 1},
        [{"from_name": "plural", "value": 5}],
        [{"from_name": "plural", "value": None}],
        [{"from_name": "plural", "value": {"choices": 5}}],
        [{"from_name": "plural", "value": {"choices": "en"}}],
        [{"from_name": "plural", "value": {"choices": [5]}}],
    ],
)
def test_results_of_other_types_are_errors(desk, result):
    """Regression: they were errors of Python's, and the answer was 500."""
    request = event("ANNOTATION_CREATED", {"result": result}, {"gender": "f", "last": "e"})
    with pytest.raises(CasebaseError, match=r"^Expected a (list|record|list of texts) as "):
        label_studio.webhook(request, desk)


@pytest.mark.parametrize("labels", [5, "PER", [5], {"PER": 1}])
def test_labels_of_other_types_are_errors(names, labels):
    """Regression: a number was an error of Python's, and a text was taken for the list of its letters."""
    result = [{"from_name": "label", "value": {"start": 0, "end": 3, "labels": labels}}]
    with pytest.raises(CasebaseError, match="Expected a list of texts as 'labels'"):
        label_studio.webhook(event("ANNOTATION_CREATED", {"result": result}, {"text": "Ann saw."}, LABELS), names)


def test_a_label_outside_of_the_text_is_an_error(names):
    """Places that the text does not have are not learned."""
    request = event("ANNOTATION_CREATED", {"result": [label(3, 99, "PER")]}, {"text": "Ann saw."}, LABELS)
    with pytest.raises(CasebaseError, match="Expected the place of a label in the text"):
        label_studio.webhook(request, names)
