"""INCEpTION's external recommender, with requests in the form that INCEpTION sends."""

import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.serve.desks.desk import Desk
from casebase.serve.ports import inception
from casebase.serve.ports.xmi import features_of, read_document
from tests.serve.uima import LAYER, prediction, training, type_system, xmi

WORDS = [("The", "D"), ("dog", "N"), ("runs", "V"), (".", ".")]
TEXT = "The dog runs."
SENTENCE = ["The", "dog", "runs", "."]
NAMES = [("Ann", "B-PER"), ("Lee", "I-PER"), ("saw", "O"), ("York", "B-LOC")]


@pytest.fixture(scope="module")
def measured():
    """A tagger with enough words to know how often it is right."""
    return cb.Tagger().fit([[("The", "D"), (f"w{i % 7}", "N" if i % 3 else "V"), (".", ".")] for i in range(300)])


@pytest.fixture(scope="module")
def tagger():
    return cb.Tagger().fit([WORDS, [("The", "D"), ("run", "N"), ("ends", "V"), (".", ".")]] * 3)


def answer(request, tagger):
    return inception.predict(request, SimpleNamespace(saved=tagger))["document"]


def suggested(document):
    """Return the predicted annotations of a document, as a standard parser reads them."""
    root = ET.fromstring(document)
    members = root.find("{http:///uima/cas.ecore}View").get("members").split()
    found = []
    for element in root:
        if element.get("inception_internal_predicted") == "true":
            assert element.tag == "{http:///webanno/custom.ecore}Part"
            assert members.count(element.get("{http://www.omg.org/XMI}id")) == 1
            found.append(element)
    ids = [element.get("{http://www.omg.org/XMI}id") for element in root]
    assert len(ids) - ids.count(None) == len(set(ids) - {None})
    return found


def test_each_token_gets_a_suggestion_with_the_places_that_decided(tagger):
    """A suggestion has the label, its place, a score and an explanation with sentences of the corpus."""
    found = suggested(answer(prediction(xmi(TEXT, [SENTENCE])), tagger))

    assert [(one.get("begin"), one.get("end"), one.get("value")) for one in found] == [
        ("0", "3", "D"),
        ("4", "7", "N"),
        ("8", "12", "V"),
        ("12", "13", "."),
    ]
    assert (
        found[1]
        .get("value_score_explanation")
        .startswith(
            "3 places in the corpus say N: The [dog] runs . → N (sentence 1) | The [dog] runs . → N (sentence 3) | "
        )
    )


def test_the_score_is_how_often_such_a_tag_is_right(measured):
    """Where the confidence was measured it is the score."""
    found = suggested(answer(prediction(xmi("The w1.", [["The", "w1", "."]])), measured))

    expected = [confidence for _, confidence in measured.tag(["The", "w1", "."], confidence=True)]
    assert [float(one.get("value_score")) for one in found] == expected
    assert 0 < expected[1] < 1


def test_all_else_comes_back_as_it_came(tagger):
    """The document is the one that was sent, but for the suggestions and the list of members."""
    document = xmi('A "dog" <runs> & é\nends.', [["A", '"', "dog", '"'], ["ends", "."]], [(2, 7, "old & <new>")])
    told = answer(prediction(document), tagger)

    without = re.sub(r'<pos:Part [^>]*inception_internal_predicted="true"[^>]*/>', "", told)
    assert re.sub(r'members="([^"]*)"', "", without) == re.sub(r'members="([^"]*)"', "", document)


def test_chunks_are_spans_over_their_tokens():
    """A tagger of chunks suggests whole names, and nothing outside of them."""
    tagger = cb.Tagger().fit([NAMES, [("He", "O"), ("saw", "O"), ("Ann", "B-PER"), ("Lee", "I-PER")]] * 3)
    found = suggested(answer(prediction(xmi("Ann Lee saw York", [["Ann", "Lee", "saw", "York"]])), tagger))

    assert [(one.get("begin"), one.get("end"), one.get("value")) for one in found] == [
        ("0", "7", "PER"),
        ("12", "16", "LOC"),
    ]
    assert [line.split(":")[0] for line in found[0].get("value_score_explanation").split("\n")] == ["Ann", "Lee"]


def test_offsets_count_utf_16_units(tagger):
    """A letter beyond the first plane has two units, as in Java."""
    document = xmi("😀 The dog 𝔵 runs.", [["😀", "The", "dog", "𝔵", "runs", "."]])
    found = suggested(answer(prediction(document), tagger))

    places = [(int(one.get("begin")), int(one.get("end"))) for one in found]
    units = "😀 The dog 𝔵 runs.".encode("utf-16-le")
    words = [units[2 * begin : 2 * end].decode("utf-16-le") for begin, end in places]
    assert words == ["😀", "The", "dog", "𝔵", "runs", "."]


def test_only_the_sentences_of_the_range_are_tagged(tagger):
    """INCEpTION may ask for a part of a document."""
    document = xmi("The dog runs. The run ends.", [SENTENCE, ["The", "run", "ends", "."]])
    found = suggested(answer(prediction(document, range={"begin": 14, "end": 20}), tagger))

    assert [one.get("begin") for one in found] == ["14", "18", "22", "26"]


def test_a_type_system_without_explanations_gets_none(measured):
    """An annotation has no feature that its type does not have: INCEpTION would refuse the document."""
    request = prediction(xmi("The w1.", [["The", "w1", "."]]))
    request["typeSystem"] = type_system(is_new=False)
    document = answer(request, measured)

    assert 'value="N"' in document
    assert "explanation" not in document
    assert "_score" not in document


def test_a_long_document_is_explained_at_its_beginning(tagger, monkeypatch):
    """Suggestions behind the limit have a label and a score, and no explanation."""
    monkeypatch.setattr("casebase.serve.ports.spans.MOST_EXPLAINED", 5)
    document = xmi("The dog runs. The run ends.", [SENTENCE, ["The", "run", "ends", "."]])
    found = suggested(answer(prediction(document), tagger))

    assert [one.get("value") for one in found] == ["D", "N", "V", "."] * 2
    assert [one.get("value_score_explanation") is None for one in found] == [False] * 4 + [True] * 4


def test_training_learns_new_sentences_once(tmp_path, tagger):
    """INCEpTION sends all documents each time: a sentence is learned when it is new, and in full."""
    tagger.save(tmp_path / "words.cb")
    text = "The fox naps. The dog runs. A cat."
    labels = [(0, 3, "D"), (4, 7, "N"), (8, 12, "V"), (12, 13, "."), (14, 17, "D"), (18, 21, "N"), (22, 26, "V")]
    labels += [(26, 27, "."), (28, 29, "D")]
    request = training(xmi(text, [["The", "fox", "naps", "."], SENTENCE, ["A", "cat", "."]], labels))
    with Desk.open(tmp_path / "words.cb") as desk:
        before = desk.snapshot.saved.model_.corpus.n_sentences
        assert inception.train(request, desk) == 1
        version = desk.snapshot.version
        assert inception.train(request, desk) == 0

        assert desk.snapshot.version == version
        assert desk.snapshot.saved.model_.corpus.n_sentences == before + 1
        assert desk.snapshot.saved.tag(["The", "fox", "naps", "."]) == ["D", "N", "V", "."]
        assert desk.snapshot.saved._log[-1].by == "klie"


def test_training_on_chunks_makes_tags_of_spans(tmp_path):
    """Tokens outside of all annotations are O, and a sentence without an annotation is not learned."""
    cb.Tagger().fit([NAMES] * 3).save(tmp_path / "names.cb")
    text = "Bob Day saw Ann. Nobody saw."
    document = xmi(text, [["Bob", "Day", "saw", "Ann", "."], ["Nobody", "saw", "."]], [(0, 7, "PER"), (12, 15, "PER")])
    with Desk.open(tmp_path / "names.cb") as desk:
        assert inception.train(training(document), desk) == 1
        corpus = desk.snapshot.saved.model_.corpus

    assert corpus.tags.to_pylist()[-5:] == ["B-PER", "I-PER", "O", "B-PER", "O"]


def test_suggestions_that_nobody_has_accepted_are_not_learned(tmp_path, tagger):
    """What a recommender has predicted is no training data."""
    tagger.save(tmp_path / "words.cb")
    text = "The fox naps."
    document = answer(prediction(xmi(text, [["The", "fox", "naps", "."]])), tagger)
    with Desk.open(tmp_path / "words.cb") as desk:
        assert inception.train(training(document), desk) == 0


def test_other_models_are_refused_with_what_is_needed(tmp_path):
    """A table's model or a hyphenator cannot annotate words."""
    hyphenator = cb.Hyphenator().fit(["ta-lo", "ka-la", "pa-lo"])
    classifier = cb.methods.Saved(cb.neighbours.ib1.fit(cb.Cases.from_table([["a", "P"], ["b", "Q"]], target=-1)))
    for saved, what in ((hyphenator, "a hyphenator"), (classifier, "a classifier of records")):
        with pytest.raises(CasebaseError, match=f"this model is {what}. Serve a tagger"):
            answer(prediction(xmi(TEXT, [SENTENCE])), saved)


BAD = {
    "nothing": ({}, "Expected a record as 'metadata'"),
    "no layer": (prediction(xmi(TEXT, [SENTENCE]), layer=None), "Expected text as 'layer'"),
    "other layer": (prediction(xmi(TEXT, [SENTENCE]), layer="x.Y"), "does not have the layer 'x.Y'"),
    "other feature": (prediction(xmi(TEXT, [SENTENCE]), feature="w"), "does not have the feature 'w'"),
    "sentences": (prediction(xmi(TEXT, [SENTENCE]), anchoringMode="sentences"), "annotates whole sentences"),
    "range": (prediction(xmi(TEXT, [SENTENCE]), range={"begin": -1, "end": 2}), "Expected a range"),
    "no document": (prediction(xmi(TEXT, [SENTENCE])) | {"document": []}, "Expected a record as 'document'"),
    "no xml": (prediction("hello"), "The document is not well-formed XML"),
    "other xml": (prediction("<a/>"), "there is no cas:Sofa"),
    "no view": (prediction(re.sub("<cas:View[^>]*>", "", xmi(TEXT, [SENTENCE]))), "there is no cas:View"),
    "entities": (prediction('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "document type declaration is not allowed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_says_what_was_expected(name, tagger):
    """Each message names the part of the request."""
    request, message = BAD[name]
    with pytest.raises(CasebaseError, match=re.escape(message)):
        answer(request, tagger)


@pytest.mark.parametrize("text", ["", "\x00", "</xmi:XMI>", "]]>", "\ud800", "a\u2028b", "&amp;"])
def test_hostile_labels_and_texts_stay_text(text):
    """A tag or a word with XML in it comes back as a value; what XML cannot contain is replaced."""
    word = text.strip("\ud800\x00") or "w"
    tag = text or "T"
    tagger = cb.Tagger().fit([[(word, tag.replace("\ud800", "T").strip() or "T"), ("x", "X")]] * 2)
    found = suggested(answer(prediction(xmi(f"{word} x", [[word, "x"]])), tagger))

    assert len(found) == 2
    assert found[1].get("value") == "X"


def test_a_document_without_a_package_in_its_layer():
    """A type without a package has UIMA's own namespace."""
    document = xmi(TEXT, [SENTENCE])
    read = read_document(document, (LAYER,))
    told = read.with_annotations("Part", [{"begin": "0", "end": "3"}])

    assert ET.fromstring(told).find("{http:///uima/noNamespace.ecore}Part").get("end") == "3"
    assert features_of(type_system("Part"), "Part") >= {"value", "value_score"}
