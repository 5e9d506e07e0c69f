"""A tagger that was trained in parts is the file that memory gives, byte for byte, however the corpus is cut."""

import re
import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase import _native
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.scale.scratch import NAME
from casebase.tagging.corpora.parts import open_corpus
from tests.scale.corpora import calibrate_once, in_memory, in_parts, made_sentences, pieces, write_corpus
from tests.scale.faults import Counted, with_faults

WORDS = {"committee": {"known": {"word tag-1 ambitag+1": 1.0, "wordtag-1 wordtag-2 word": 0.5}, "frequent_from": 9}}
PRESETS = [
    {},
    {"committee": "chunks"},
    {"compat": "mbt"},
    {"known": "ddfa", "unknown": "dFapsss", "n_frequent": 5},
    {"known_learner": "tribl", "known_options": {"switch": 1}, "unknown_learner": "igtree", "hapax_limit": 0},
]


@pytest.mark.parametrize("parameters", PRESETS, ids=str)
def test_presets(tmp_path, monkeypatch, parameters):
    calibrate_once(monkeypatch)
    corpus = write_corpus(tmp_path / "c.tsv", made_sentences(200, n_columns=1))
    expected = in_memory(corpus, tmp_path / "memory.cb", **parameters)
    for rows, n_threads in ((150, 2), (400, 1), (100_000, 1)):
        resources = pieces(rows, n_threads=n_threads)
        assert in_parts(corpus, tmp_path / "parts.cb", resources, **parameters) == expected, rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.tsv", "memory.cb", "parts.cb"]


def test_a_small_corpus_is_calibrated_fifth_by_fifth(tmp_path):
    corpus = write_corpus(tmp_path / "c.tsv", made_sentences(40))
    expected = in_memory(corpus, tmp_path / "memory.cb", **WORDS)
    assert in_parts(corpus, tmp_path / "parts.cb", pieces(60), **WORDS) == expected


@pytest.mark.parametrize("format", ["tagged", "conll2000", "conllu"])
def test_formats(tmp_path, format):
    corpus = write_corpus(tmp_path / "c.txt", made_sentences(40), format)
    expected = in_memory(corpus, tmp_path / "memory.cb", compat="mbt")
    assert in_parts(corpus, tmp_path / "parts.cb", pieces(1000, 200), compat="mbt") == expected


def test_several_files_are_one_corpus(tmp_path):
    """Also files of one sentence each, an empty one, and one in another format and encoding."""
    sentences = made_sentences(30)
    whole = write_corpus(tmp_path / "whole.tsv", sentences)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for i, sentence in enumerate(sentences[:20]):
        write_corpus(folder / f"{i:02}.tsv", [sentence])
    (folder / "20.tsv").write_text("\n \n")
    write_corpus(folder / "21.txt", sentences[20:], "tagged")
    expected = in_memory(whole, tmp_path / "memory.cb", **WORDS)
    assert in_parts(str(folder / "*.t*"), tmp_path / "parts.cb", pieces(1000, 100), **WORDS) == expected
    for path in folder.iterdir():
        path.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")
    tagger = cb.scale.fit_tagger(
        cb.Tagger(**WORDS), str(folder / "*.t*"), output=tmp_path / "parts.cb", memory="300MB", encoding="utf-16"
    )
    assert (tmp_path / "parts.cb").read_bytes() == expected
    with pytest.raises(CasebaseError, match="Expected a Tagger"):
        cb.scale.fit_tagger("igtree", str(folder), output=tmp_path / "parts.cb")
    assert tagger.tag(["w1"]) == cb.load(tmp_path / "memory.cb").tag(["w1"])


words = st.sampled_from(["a", "A", "b", "the", "The", "ß", "Ünd", "(", "b-2"])
tokens = st.tuples(words, st.sampled_from(["x", "y"]), st.sampled_from(["N", "V", "D"]))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(tokens, min_size=1, max_size=5), min_size=1, max_size=12),
    st.integers(8, 40),
    st.sampled_from([WORDS, {"committee": "chunks"}, {"compat": "mbt"}]),
)
def test_any_corpus_and_any_cut(tmp_path, sentences, rows, parameters):
    corpus = write_corpus(tmp_path / "any.tsv", sentences)
    expected = in_memory(corpus, tmp_path / "memory.cb", **parameters)
    assert in_parts(corpus, tmp_path / "parts.cb", pieces(rows, 20), **parameters) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), max_size=60), st.booleans(), st.integers(1, 20))
def test_a_stream_grows_the_tree_of_all_contexts(rows, splits_pure, block):
    """The oracle is the grower in memory: one sentence per row, with codes as they are."""
    codes = np.array(rows, dtype=np.uint32).reshape(-1, 4)
    first, n = np.arange(len(codes) + 1, dtype=np.uint64), len(codes)
    tags = np.ascontiguousarray(codes[:, 3])
    levels = [(np.ascontiguousarray(codes[:, i]), None, 0, 9) for i in range(3)]
    lesson = (levels, np.arange(n, dtype=np.uint32))
    (expected,) = _native.grow_contexts([lesson], first, tags, 4, splits_pure, 1)
    ordered, times = np.unique(codes, axis=0, return_counts=True)
    stream = _native.ContextStream(3, 4, splits_pure)
    for start in range(0, len(ordered), block):
        part = ordered[start : start + block]
        *columns, tag = (np.ascontiguousarray(part[:, i]) for i in range(4))
        stream.add(columns, tag, times[start : start + block].astype(np.uint32))
    for one, other in zip(stream.finish(), expected, strict=True):
        assert one.tolist() == other.tolist()


def error_of(data, folder, part_bytes=150, **parameters):
    """Return the message of a training that fails; it must leave nothing behind, and the old model as it was."""
    output = folder / "m.cb"
    output.write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(CasebaseError) as caught:
        in_parts(data, output, pieces(1000, part_bytes), **parameters)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert output.read_text() == "old"
    return str(caught.value)


@pytest.mark.parametrize(
    ("format", "bad", "message"),
    [
        ("tsv", "alone", r"line 26: expected a word and its tag, got 1: 'alone'"),
        ("tsv", "too\tmany\tN", r"line 26: expected a word and its tag, got 3: 'too\\tmany\\tN'"),
        ("tagged", "untagged", r"line 26: 'untagged' has no tag; expected word/TAG"),
        ("conllu", "1\tword", r"line 26: expected 10 columns with TABs between them, got 2"),
    ],
)
def test_a_line_in_the_middle_that_is_damaged(tmp_path, format, bad, message):
    corpus = write_corpus(tmp_path / f"c.{format}", made_sentences(30), format)
    lines = corpus.read_text(encoding="utf-8").split("\n")
    lines[25] = bad
    corpus.write_text("\n".join(lines), encoding="utf-8")
    for part_bytes in (1, 150):
        assert re.match(re.escape(f"{corpus}, ") + message, error_of(corpus, tmp_path, part_bytes))


def test_files_that_do_not_fit_together(tmp_path):
    write_corpus(tmp_path / "a.tsv", made_sentences(3))
    write_corpus(tmp_path / "b.tsv", made_sentences(3, n_columns=2))
    message = error_of([tmp_path / "a.tsv", tmp_path / "b.tsv"], tmp_path, 1000)
    assert message == f"{tmp_path}/b.tsv: expected 0 columns beside word and tag, as in {tmp_path}/a.tsv, got 2."


def test_bytes_that_are_not_utf8(tmp_path):
    corpus = write_corpus(tmp_path / "c.tsv", made_sentences(30))
    data = corpus.read_bytes().split(b"\n")
    data[25] = b"w\xff\tN"
    corpus.write_bytes(b"\n".join(data))
    assert error_of(corpus, tmp_path).startswith(f"{corpus}, line 26: expected UTF-8 text, got the byte 0xFF")


def test_nothing_to_learn_from(tmp_path):
    (tmp_path / "a.tsv").write_text("\n\n")
    (tmp_path / "b.conllu").write_text("# nothing\n\n")
    assert error_of(tmp_path / "a.tsv", tmp_path) == f"{tmp_path}/a.tsv is empty; expected a corpus."
    assert error_of(tmp_path / "b.conllu", tmp_path) == f"{tmp_path}/b.conllu has no words."
    assert error_of(str(tmp_path / "*.txt"), tmp_path) == f"No file matches '{tmp_path}/*.txt'."
    write_corpus(tmp_path / "a.tsv", made_sentences(3))
    assert "use 1 columns beside the words, but the corpus has 0" in error_of(
        tmp_path / "a.tsv", tmp_path, committee="chunks"
    )


def test_a_full_disk(tmp_path, monkeypatch):
    corpus = write_corpus(tmp_path / "c.tsv", made_sentences(50))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**6, 10**6, 3_000))
    assert error_of(corpus, tmp_path).startswith("The training needs some 1 MB in")


def test_what_is_cut_is_a_sentence():
    text = b"a\tN\nb\tN\n<utt>\nc\tN\n\r\n\nd\tN"
    for part_bytes in range(1, len(text) + 2):
        corpus = open_corpus(text, part_bytes=part_bytes)
        read = [part.read() for part in corpus.parts]
        assert [one for part in read if part is not None for one in part.lists()] == [["a", "b"], ["c"], ["d"]]
        assert b"".join(part.file.read(part.start, part.end) for part in corpus.parts) == text


class Stop(Exception):
    pass


class StopsAt(Counted):
    """Writes down which tasks were run, and ends the training after one of them."""

    def __call__(self, stage, number):
        super().__call__(stage, number)
        if (stage, number) == ("growing known", 0):
            raise Stop


def test_resume(tmp_path, monkeypatch):
    """A training that was stopped does the rest, and gives the same file."""
    calibrate_once(monkeypatch)
    corpus = write_corpus(tmp_path / "c.tsv", made_sentences(100))
    expected = in_memory(corpus, tmp_path / "memory.cb", **WORDS)
    log, scratch = tmp_path / "tasks", tmp_path / "scratch"

    def train(fault, **others):
        resources = with_faults(fault, scratch=scratch)
        return in_parts(corpus, tmp_path / "m.cb", resources, **{**WORDS, **others})

    with pytest.raises(Stop):
        train(StopsAt(log))
    before = log.read_text().splitlines()
    assert not (tmp_path / "m.cb").exists()
    with pytest.raises(CasebaseError, match=r"or of this one before a change \(of settings\)"):
        train(None, ambiguity_threshold=7)
    log.unlink()
    assert train(Counted(log)) == expected
    again = log.read_text().splitlines()
    assert again[0] == "growing known 0"
    assert not {task for task in before if task.split()[0] in ("reading", "coding", "sorting")} & set(
        again[: again.index("counting 0")]
    )
    assert not (scratch / NAME).exists()


def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = write_corpus(tmp_path / "whole.txt", made_sentences(40), "tagged")
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    for i in range(2):
        (tmp_path / f"{i}.txt").write_text("".join(lines[20 * i : 20 * i + 20]), encoding="utf-8")

    def run(*arguments):
        return CliRunner().invoke(cli, ["tagger", "train", *arguments], catch_exceptions=False)

    assert run("whole.txt", "-o", "memory.cb", "-B", "2").exit_code == 0
    for data in (["whole.txt", "--memory", "300MB", "--scratch", "s"], ["0.txt", "1.txt"], ["[01].txt", "-j", "1"]):
        outcome = run(*data, "-o", "parts.cb", "-B", "2")
        assert outcome.exit_code == 0, outcome.output
        assert re.match(
            r"tagger: [\d,]+ words in 40 sentences, \d+ different words, \d+ tags; .* Saved", outcome.output
        )
        assert (tmp_path / "parts.cb").read_bytes() == (tmp_path / "memory.cb").read_bytes()
    outcome = run("0.txt", "1.txt", "--cv", "3")
    assert outcome.exit_code == 2
    assert "--cv needs the whole corpus in memory" in outcome.output
