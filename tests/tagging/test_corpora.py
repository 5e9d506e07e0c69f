"""Corpora in their formats: what is read, what comes back with tags, and what is refused."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native
from casebase.errors import CasebaseError, FormatError
from casebase.tagging.corpora import corpus_text, read_corpus
from casebase.tagging.tagger import Tagger
from casebase.tagging.tokens import tokens_of

TSV = b"The\tD\ndog\tN\n\n\nStop\tV\n!\tP\n"
CONLLU = """# sent_id = 1
# text = Vamos al mar
1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_
2\ta\ta\tADP\tP\t_\t4\tcase\t_\t_
3\tel\tel\tDET\tD\t_\t4\tdet\t_\t_
3.1\tx\tx\tX\tX\t_\t_\t_\t_\t_
4\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_

"""


def columns(corpus):
    sentences = corpus.sentences
    return sentences.lists(), None if sentences.tags is None else sentences.lists(sentences.tags)


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (TSV, "tsv"),
        (b"The D\ndog N\n<utt>\nStop V\n! P\n<utt>\n", "conll2000"),
        (b"The/D dog/N\n\nStop/V !/P\n", "tagged"),
        (TSV.replace(b"\n", b"\r\n"), "tsv"),
        (b"\xef\xbb\xbf" + TSV, "tsv"),
    ],
)
def test_words_tags_and_sentences_are_those_of_the_file(data, format):
    corpus = read_corpus(data)
    assert corpus.format == format
    assert columns(corpus) == ([["The", "dog"], ["Stop", "!"]], [["D", "N"], ["V", "P"]])


def test_columns_between_word_and_tag_are_kept():
    corpus = read_corpus(b"Confidence NN B-NP\nin IN B-PP\n")
    assert [column.to_pylist() for column in corpus.sentences.extra] == [["NN", "IN"]]
    assert corpus.sentences.tags.to_pylist() == ["B-NP", "B-PP"]
    by_tag = read_corpus(b"Confidence NN B-NP\nin IN B-PP\n", tag_column=1)
    assert by_tag.sentences.tags.to_pylist() == ["NN", "IN"]


def test_words_of_conllu_are_the_lines_with_whole_numbers():
    corpus = read_corpus(CONLLU.encode())
    assert columns(corpus) == ([["Vamos", "a", "el", "mar"]], [["VERB", "ADP", "DET", "NOUN"]])
    assert read_corpus(CONLLU.encode(), tag="xpos").sentences.tags.to_pylist() == ["V", "P", "D", "N"]


def test_conllu_keeps_comments_and_all_other_lines():
    corpus = read_corpus(CONLLU.encode())
    assert corpus_text(corpus, corpus.sentences.tags.to_pylist()) == CONLLU
    assert corpus_text(corpus, ["A", "B", "C", "D"]).split("\n")[2] == "1\tVamos\tir\tA\tV\t_\t0\troot\t_\t_"


@pytest.mark.parametrize("data", [TSV, b"The/D dog/N\n\nStop/V !/P\n", b"a X B\n\n\n\nb Y I\n"])
def test_a_corpus_is_written_as_it_was_read(data):
    corpus = read_corpus(data)
    assert corpus_text(corpus, corpus.sentences.tags.to_pylist()).encode() == data


@pytest.mark.parametrize(
    ("data", "tags", "expected"),
    [
        ("1\u00a0000 CD B\n\x85 X O\n", "IO", "1\u00a0000 CD I\n\x85 X O\n"),
        ("a\tX\nb\t\x85\n", "YZ", "a\tY\nb\tZ\n"),
        ("1" + "\tw" + "\t" * 8 + "\n", "N", "1\tw\t\tN" + "\t" * 6 + "\n"),
    ],
)
def test_tags_go_where_the_reader_found_their_column(data, tags, expected):
    """Blanks of Unicode are part of a word, and empty columns are columns; once they shifted or lost the tag."""
    corpus = read_corpus(data.encode(), tagged=None, n_columns=len(re.split("[ \t]", data.split("\n")[0])))
    assert corpus_text(corpus, list(tags)) == expected


def test_blanks_of_unicode_are_words_to_which_a_tag_is_added():
    corpus = read_corpus("\u00a0\nb\x85\n".encode(), tagged=False, format="tsv")
    assert corpus_text(corpus, ["X", "Y"]) == "\u00a0 X\nb\x85 Y\n"


@pytest.mark.parametrize("tagged", [True, False, None])
def test_the_format_of_a_corpus_that_begins_with_blanks(tagged):
    """Blanks of Unicode, many empty lines and <utt> alone ended in a traceback where the format was looked for."""
    assert read_corpus(b"\n" * 3000 + b"a/N b/V\n", tagged=tagged).format == ("tokens" if tagged is False else "tagged")
    assert read_corpus("\x85/N\n".encode(), tagged=tagged).sentences.lists()
    if tagged:
        with pytest.raises(FormatError, match="has no words"):
            read_corpus(b"<utt>\n", tagged=tagged)
    else:
        assert read_corpus(b"<utt>\n", tagged=tagged).format == "tokens"


def test_a_column_of_tags_is_added_to_words_alone():
    corpus = read_corpus(b"The\ndog\n\nStop\n", tagged=False)
    assert corpus_text(corpus, ["D", "N", "V"]) == "The D\ndog N\n\nStop V\n"


@pytest.mark.parametrize("format", ["tagged", "tsv", "conll2000", "conllu"])
def test_other_formats_hold_the_same_words_and_tags(format):
    corpus = read_corpus(TSV)
    again = read_corpus(corpus_text(corpus, corpus.sentences.tags.to_pylist(), format=format).encode(), format=format)
    assert columns(again) == columns(corpus)


def test_running_text_keeps_its_lines():
    corpus = read_corpus(b"The dog barks .\n\nStop !\n", tagged=False)
    assert corpus.format == "tokens"
    assert corpus_text(corpus, list("DNVPVP")) == "The/D dog/N barks/V ./P\n\nStop/V !/P\n"


letters = st.sampled_from(
    ["a", "bé", " ", "\n", "\t", "\r", "\f", "\v", '"', "?", "<utt>", "\u2028", "\xa0", "\x85", "\x1c"]
)


@given(st.lists(letters, max_size=14).map("".join))
def test_tokens_are_what_stands_between_blanks(text):
    """Only blanks of ASCII separate; a line is a sentence, and an empty one is kept for the output."""
    lines = [[token for token in re.split("[ \t\r\f\v]+", line) if token] for line in text.split("\n")]
    if not any(lines):
        with pytest.raises(FormatError, match=r"has no words|is empty"):
            read_corpus(text.encode(), tagged=False, format="tokens")
        return
    corpus = read_corpus(text.encode(), tagged=False, format="tokens")
    assert corpus.sentences.lists() == [line for line in lines if line]
    written = corpus_text(corpus, ["x"] * corpus.sentences.n_tokens)
    lines = lines[:-1] if text.endswith("\n") else lines
    assert written == "".join(" ".join(f"{token}/x" for token in line) + "\n" for line in lines)


def test_words_of_a_part_of_a_dictionary_are_written():
    """Arrow may keep the words as a part of a longer array; the tags may be any text."""
    corpus = read_corpus(b"b c\nc\n", tagged=False, format="tokens")
    words = pa.DictionaryArray.from_arrays(corpus.sentences.words.indices, pa.array(["a", "b", "c\u00e9"])[1:])
    corpus = replace(corpus, sentences=replace(corpus.sentences, words=words))
    assert corpus_text(corpus, ["x", "\u20ac", "x"]) == "b/x c\u00e9/\u20ac\nc\u00e9/x\n"


@pytest.mark.parametrize("tags", [["x"], ["x"] * 3, ["x", 1], ["x", "\ud800"]])
def test_tags_that_cannot_be_written(tags):
    corpus = read_corpus(b"a b\n", tagged=False, format="tokens")
    with pytest.raises((ValueError, TypeError)):
        corpus_text(corpus, tags)


@given(st.integers(0, 4), st.lists(st.integers(-1, 4), max_size=3), st.lists(st.integers(-1, 3), max_size=3))
def test_lines_that_do_not_fit_are_refused(n_bytes, words, lines):
    offsets = np.array([0, 1, 4], np.int32)
    arguments = (np.array(words, np.int64), np.full(n_bytes, 97, np.uint8), offsets, np.array(lines, np.int64))
    fits = n_bytes == 4 and all(0 <= word < 2 for word in words) and min(lines, default=0) >= 0
    if fits and sum(lines) == len(words):
        assert _native.tagged_lines(*arguments, ["t"] * len(words)).count("/t") == len(words)
        return
    with pytest.raises(ValueError, match=r"fit|a word is out of range|among the bytes|every word in a line"):
        _native.tagged_lines(*arguments, ["t"] * len(words))


def test_text_as_people_write_it_is_cut_into_tokens():
    corpus = read_corpus(b"The dog barks. It is old, he said.\n\nStop!\n", tagged=False)
    assert corpus.format == "text"
    assert corpus.sentences.lists() == [
        ["The", "dog", "barks", "."],
        ["It", "is", "old", ",", "he", "said", "."],
        ["Stop", "!"],
    ]
    lines = corpus_text(corpus, ["x"] * corpus.sentences.n_tokens).split("\n")
    assert [line.count("/x") for line in lines] == [11, 0, 2, 0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("   ", []),
        ("...", [["..."]]),
        ("Dr. No came.", [["Dr.", "No", "came", "."]]),
        ("U.S. troops (3.14%)", [["U.S.", "troops", "(", "3.14", "%", ")"]]),
        ("don't e-mail", [["don't", "e-mail"]]),
        ("Really?! Yes.", [["Really", "?", "!"], ["Yes", "."]]),
        ("他来了。 好！", [["他来了", "。"], ["好", "！"]]),
        ("a\u00a0b", [["a", "b"]]),
    ],
)
def test_tokens_of_a_line(line, expected):
    assert tokens_of(line, {"Dr."}) == expected


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (b"", {}, "is empty"),
        (b"\n \n", {}, "is empty"),
        (b"The\tD\ndog\n", {}, "line 2: expected a word and its tag, got 1: 'dog'"),
        (b"The/D dog/N\nbarks\n", {}, "line 2: 'barks' has no tag; expected word/TAG"),
        (b"The/D\n/N\n", {"format": "tagged"}, "line 2: '/N' has no word; expected word/TAG"),
        (b"The/D old man/N\n", {}, "line 1: 'old' has no tag; expected word/TAG"),
        (b"The dog\xff\tN\n", {}, "line 1: expected UTF-8"),
        (b"The\tD\nd\0g\tN\n", {}, "line 2: .*NUL"),
        (b"The/D\nd\0g/N\n", {"format": "tagged"}, "line 2: .*NUL"),
        (b"The\nbig d\0g\n", {"format": "tokens", "tagged": False}, "line 2: .*NUL"),
        (b"The\ndog\n", {"format": "tsv"}, "line 1: expected a word and its tag, got 'The'"),
        (b"1\tThe\t_\tDET\n", {"format": "conllu"}, "line 1: expected 10 columns"),
        (CONLLU.replace("NOUN", "_").encode(), {}, "line 8: 'mar' has no tag in column UPOS"),
        (CONLLU.replace("3.1", "x").encode(), {}, "line 7: expected the number of a word"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(data, options, message):
    with pytest.raises(FormatError, match=message):
        read_corpus(data, **options)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (b"The\tD\n", {"tag_column": 4}, "no column 4"),
        (b"The\tD\n", {"tag_column": 0}, "no column 0"),
        (b"The dog", {"format": "text"}, "has no tags"),
        (CONLLU.encode(), {"tag": "pos"}, "Unknown column of tags 'pos'"),
        (b"a", {"format": "word"}, "Unknown format of a corpus 'word'"),
    ],
)
def test_options_that_do_not_fit_the_file_are_named(data, options, message):
    with pytest.raises(CasebaseError, match=message):
        read_corpus(data, **options)


def test_a_corpus_can_be_iterated():
    """Each sentence is a list of (word, …, tag), or of words; a tagger takes the corpus as it is."""
    corpus = read_corpus(b"The/D dog/N\nStop/V\n")
    assert list(corpus) == [[("The", "D"), ("dog", "N")], [("Stop", "V")]]
    assert len(corpus) == 2
    assert "2 sentences, 3 words" in repr(corpus)
    assert list(read_corpus(b"The dog\nStop\n", tagged=False)) == [["The", "dog"], ["Stop"]]
    assert list(read_corpus(b"the D B\ndog N I\n\n")) == [[("the", "D", "B"), ("dog", "N", "I")]]
    assert Tagger().fit(corpus).tag_many(corpus) == [["D", "N"], ["V"]]
    assert Tagger().fit(list(corpus)).tag_many(list(corpus.sentences.untagged())) == [["D", "N"], ["V"]]
