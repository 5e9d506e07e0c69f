"""The component of spaCy's pipelines."""

import pytest

import casebase as cb
from casebase.errors import CasebaseError

spacy = pytest.importorskip("spacy")

WORDS = ["The", "dogs", "bark"]
TREEBANK = [
    [
        {"form": "The", "upos": "DET", "xpos": "DT", "feats": "Definite=Def", "lemma": "the"},
        {"form": "dogs", "upos": "NOUN", "xpos": "NNS", "feats": "Number=Plur", "lemma": "dog"},
        {"form": "bark", "upos": "VERB", "xpos": "VBP", "feats": "_", "lemma": "bark"},
    ]
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "en.cb"
    cb.Annotator().fit(TREEBANK).save(path)
    return str(path)


def annotations(doc):
    return [(token.text, token.pos_, token.tag_, str(token.morph), token.lemma_) for token in doc]


EXPECTED = [
    ("The", "DET", "DT", "Definite=Def", "the"),
    ("dogs", "NOUN", "NNS", "Number=Plur", "dog"),
    ("bark", "VERB", "VBP", "", "bark"),
]


def test_the_component_is_found_by_its_name(model):
    """spaCy finds it by the entry point; all attributes are set, and white space is not a word."""
    nlp = spacy.blank("en")
    nlp.add_pipe("casebase_tagger", config={"model": model})
    doc = nlp("The dogs \n bark")

    assert [one for one in annotations(doc) if one[0].strip()] == EXPECTED
    assert [token.pos_ for token in doc if token.is_space] == ["SPACE"]
    assert [annotations(one) for one in nlp.pipe(["The dogs bark", ""])] == [EXPECTED, []]


def test_the_pipeline_is_saved_and_loaded(model, tmp_path):
    """To a folder and to bytes; the model file is not needed any more."""
    nlp = spacy.blank("en")
    nlp.add_pipe("casebase_tagger", config={"model": model})
    nlp.config["components"]["casebase_tagger"]["model"] = None
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.blank("en")
    again.add_pipe("casebase_tagger")
    again.from_bytes(nlp.to_bytes())

    assert annotations(spacy.load(tmp_path / "pipeline")("The dogs bark")) == EXPECTED
    assert annotations(again("The dogs bark")) == EXPECTED


def test_it_learns_from_examples():
    """`nlp.initialize` trains it, and `nlp.evaluate` measures it."""
    nlp = spacy.blank("en")
    nlp.add_pipe("casebase_tagger")
    columns = zip(*(one[1:] for one in EXPECTED))
    record = dict(zip(("pos", "tags", "morphs", "lemmas"), map(list, columns)))
    example = spacy.training.Example.from_dict(nlp.make_doc("The dogs bark"), record)
    nlp.initialize(lambda: [example])
    scores = nlp.evaluate([example])

    assert annotations(nlp("The dogs bark")) == EXPECTED
    assert [scores[name] for name in ("pos_acc", "tag_acc", "morph_acc", "lemma_acc")] == [1.0, 1.0, 1.0, 1.0]


def test_a_tagger_alone_sets_one_attribute(tmp_path):
    """Its column is in the configuration; what a token has already may stay."""
    path = str(tmp_path / "xpos.cb")
    cb.Tagger().fit([[("The", "DT"), ("dogs", "NNS"), ("bark", "VBP")]]).save(path)
    nlp = spacy.blank("en")
    component = nlp.add_pipe("casebase_tagger", config={"model": path, "columns": ["xpos"], "overwrite": False})
    doc = nlp.make_doc("The dogs bark")
    doc[1].tag_ = "NN"

    assert [token.tag_ for token in nlp(doc)] == ["DT", "NN", "VBP"]
    assert component.labels == ("DT", "NNS", "VBP")


def test_what_has_no_model_says_so(model):
    """Without a model file, without annotations in the examples, or with columns that the model has not."""
    nlp = spacy.blank("en")
    nlp.add_pipe("casebase_tagger")
    with pytest.raises(CasebaseError, match="has learned nothing yet"):
        nlp("The dogs bark")
    with pytest.raises(CasebaseError, match="no pos or tag to learn from"):
        nlp.initialize()
    with pytest.raises(CasebaseError, match="has no column 'tag'; it has upos, xpos, feats, lemma"):
        nlp.add_pipe("casebase_tagger", name="second", config={"model": model, "columns": ["tag"]})
