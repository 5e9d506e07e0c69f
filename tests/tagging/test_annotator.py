"""Annotators: the columns of a treebank, learned together."""

import io

import pytest

import casebase as cb
from casebase.errors import CasebaseError, ModelFileError

TEXT = """\
# sent_id = 1
1-2\tIsnt\t_\t_\t_\t_\t_\t_\t_\t_
1\tIs\tbe\tAUX\tVBZ\tTense=Pres\t0\troot\t_\t_
2\tnt\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_
3\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t1\tnsubj\t_\tX=1
3.1\t_\t_\tVERB\t_\t_\t_\t_\t_\t_

1\tdogs\t_\tNOUN\tNNS\tNumber=Plur\t0\troot\t_\t_

"""


@pytest.fixture(scope="module")
def annotator():
    return cb.Annotator().fit(cb.read_corpus(TEXT.encode(), format="conllu"))


def test_all_columns_are_learned(annotator):
    """Words without a lemma teach no lemma; new words get all columns."""
    words = annotator.annotate([["nt", "dogs"], []])

    assert annotator.columns_ == ("upos", "xpos", "feats", "lemma")
    assert words[0][1] == {"form": "dogs", "upos": "NOUN", "xpos": "NNS", "feats": "Number=Plur", "lemma": "dog"}
    assert words[1] == []
    assert annotator.parts_["lemma"].summary()["n_tokens"] == 3


def test_scores_of_each_column(annotator):
    """Lemmas are counted where the treebank has one."""
    scores = annotator.evaluate(cb.read_corpus(TEXT.encode(), format="conllu"))
    assert {name: (one.all.n_words, one.all.n_right) for name, one in scores.items()} == {
        "upos": (4, 4),
        "xpos": (4, 4),
        "feats": (4, 4),
        "lemma": (3, 3),
    }


def test_the_file_has_the_files_of_its_parts(annotator, tmp_path):
    """Loading and saving gives the same bytes; a damaged part is an error that names it."""
    annotator.save(tmp_path / "a.cb")
    again = cb.load(tmp_path / "a.cb")
    content = io.BytesIO()
    again.save(content)

    assert content.getvalue() == (tmp_path / "a.cb").read_bytes()
    with pytest.raises(ModelFileError, match="not an annotator"):
        cb.Annotator.load(_saved(annotator.parts_["upos"], tmp_path / "t.cb"))


def _saved(part, path):
    part.save(path)
    return path


def test_bad_columns_are_refused(annotator):
    """Unknown ones, lemmas without tags, and columns in which a word has nothing."""
    treebank = [[{"form": "a", "upos": "X"}]]
    for columns, message in ((["pos"], "upos"), (["lemma"], "need 'upos' too"), (["xpos"], "'a' has nothing in XPOS")):
        with pytest.raises(CasebaseError, match=message):
            cb.Annotator(columns).fit(treebank)
    with pytest.raises(CasebaseError, match="There are no words"):
        cb.Annotator().fit([])
    with pytest.raises(CasebaseError, match="expected tokens with form"):
        cb.Annotator().fit([[("a", "X")]])
    with pytest.raises(CasebaseError, match="upos, xpos, feats, lemma"):
        annotator.explain(["a"], "head")
    with pytest.raises(CasebaseError, match="has learned nothing yet"):
        cb.Annotator().annotate([["a"]])
