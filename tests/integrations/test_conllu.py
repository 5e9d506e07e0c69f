"""Token lists of the package conllu, in and out."""

import pytest

import casebase as cb
from casebase.errors import CasebaseError

conllu = pytest.importorskip("conllu")
from casebase.integrations.conllu import annotated, sentences  # noqa: E402

TEXT = """\
# text = im Haus
1-2\tim\t_\t_\t_\t_\t_\t_\t_\t_
1\tin\tin\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\tART\tCase=Dat|Number=Sing\t3\tdet\t_\t_
3\tHaus\tHaus\tNOUN\tNN\tCase=Dat|Number=Sing\t0\troot\t_\tSpaceAfter=No
3.1\t_\t_\tVERB\t_\t_\t_\t_\t_\t_

1\tHäuser\tHaus\tNOUN\tNN\tCase=Nom|Number=Plur\t0\troot\t_\t_

"""


def blank(token_lists):
    for sentence in token_lists:
        for token in sentence:
            if isinstance(token["id"], int):
                token |= {"upos": "_", "xpos": None, "feats": None, "lemma": "_"}
    return token_lists


def test_a_tagger_learns_upos():
    """It learned the last field of a token, and all tags were `misc`; ranges and empty nodes are not words."""
    tagger = cb.Tagger().fit(conllu.parse(TEXT))

    assert tagger.tags_ == ["ADP", "DET", "NOUN"]
    assert tagger.model_.corpus.lists() == [["in", "dem", "Haus"], ["Häuser"]]
    assert tagger.tag_many(conllu.parse(TEXT)) == [["ADP", "DET", "NOUN"], ["NOUN"]]
    assert tagger.evaluate(conllu.parse_incr(open_text(TEXT))).all.n_right == 4


def open_text(text):
    import io

    return io.StringIO(text)


@pytest.mark.parametrize(("tag", "first"), [("upos", "ADP"), ("xpos", "APPR"), ("feats", "_")])
def test_other_columns_are_tags(tag, first):
    """XPOS and FEATS are asked for by name."""
    assert next(iter(sentences(conllu.parse(TEXT), tag)))[0] == ("in", first)


def test_a_file_and_its_token_lists_are_one_corpus(tmp_path):
    """The reader of files and that of token lists find the same words and tags."""
    (tmp_path / "a.conllu").write_text(TEXT, encoding="utf-8")
    for tag in ("upos", "xpos", "feats"):
        assert list(cb.read_corpus(tmp_path / "a.conllu", tag=tag)) == list(sentences(conllu.parse(TEXT), tag))


def test_an_annotator_fills_all_columns():
    """What was learned comes back, everything else of the token lists stays, and the text is that of before."""
    treebank = conllu.parse(TEXT)
    annotator = cb.Annotator().fit(treebank)
    result = annotated(annotator, blank(conllu.parse(TEXT)))

    assert annotator.columns_ == ("upos", "xpos", "feats", "lemma")
    assert "".join(one.serialize() for one in result) == TEXT


def test_a_tagger_fills_one_column():
    """The column that is named, in copies of the token lists."""
    given = blank(conllu.parse(TEXT))
    result = annotated(cb.Tagger().fit(sentences(conllu.parse(TEXT), "xpos")), given, "xpos")

    assert [token["xpos"] for token in result[0] if isinstance(token["id"], int)] == ["APPR", "ART", "NN"]
    assert given[0][1]["xpos"] is None


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ([{"id": 1, "form": "in"}], "Sentence 1, word 1: 'in' has nothing in UPOS"),
        ([{"id": 1, "form": "in", "upos": "_"}], "'in' has nothing in UPOS"),
        ([{"id": 1, "upos": "ADP"}], "expected a token with a form"),
        ([{"id": "x", "form": "in", "upos": "ADP"}], "Expected the number of a word"),
        ([{"id": 1, "form": "in", "upos": "ADP"}, ("dem", "DET")], "Some tokens of a sentence are mappings"),
        ({"id": 1, "form": "in"}, "expected a list of words"),
    ],
)
def test_what_cannot_be_read_is_refused(sentence, message):
    """No token is guessed."""
    with pytest.raises(CasebaseError, match=message):
        cb.Tagger().fit([sentence])


def test_unknown_columns_are_refused():
    """The message lists the columns."""
    with pytest.raises(CasebaseError, match="upos"):
        sentences(conllu.parse(TEXT), "pos")
    with pytest.raises(CasebaseError, match="upos"):
        annotated(cb.Tagger().fit(conllu.parse(TEXT)), conllu.parse(TEXT), "pos")
