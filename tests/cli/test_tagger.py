"""casebase tagger: train, tag, evaluate, explain, learn."""

import json

import pytest
from click.testing import CliRunner

from casebase.cli import cli
from casebase.errors import CasebaseError, FormatError, ModelFileError
from casebase.tagging.tagger import Tagger
from tests.cli.conftest import APART

CORPUS = """the D
dog N
barks V
. P

a D
cat N
sees V
the D
dog N
. P

dogs N
bark V
. P
""".replace(" ", "\t")
CHUNKS = "the D B-NP\ndog N I-NP\nbarks V B-VP\n. P O\n\na D B-NP\ncat N I-NP\nruns V B-VP\n. P O\n"


def run(*arguments, stdin=None):
    result = CliRunner(**APART).invoke(cli, ["tagger", *map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.tsv"
    path.write_text(CORPUS, encoding="utf-8")
    return path


@pytest.fixture
def model(corpus, tmp_path):
    path = tmp_path / "corpus.cb"
    assert run("train", corpus, "-o", path).exit_code == 0
    return path


def test_train_says_what_was_learnt(corpus, tmp_path):
    result = run("train", corpus, "-o", tmp_path / "m.cb")
    assert "tagger: 13 words in 3 sentences, 9 different words, 4 tags" in result.stderr


def test_options_reach_the_tagger(corpus, tmp_path):
    path = tmp_path / "m.cb"
    run(
        "train",
        corpus,
        "-o",
        path,
        "-p",
        "dfa",
        "-P",
        "Fpss",
        "--known-learner",
        "ib1",
        "--known-option",
        "k=3",
        "--known-option",
        "weighting=information_gain",
        "-%",
        10,
        "-M",
        5,
        "-n",
        2,
        "-B",
        2,
    )
    tagger = Tagger.load(path)
    assert (tagger.known, tagger.unknown, tagger.known_learner, tagger.beam) == ("dfa", "Fpss", "ib1", 2)
    assert tagger.known_options == {"k": 3, "weighting": "information_gain"}
    assert (tagger.ambiguity_threshold, tagger.n_frequent, tagger.hapax_limit) == (10, 5, 2)


@pytest.mark.parametrize(
    ("text", "tagged"),
    [
        ("the dog barks .\n\na cat .\n", "the/D dog/N barks/V ./P\n\na/D cat/N ./P\n"),
        ("the dog barks.\n", "the/D dog/N barks/V ./P\n"),
        ("the\ndog\n\nbarks\n", "the D\ndog N\n\nbarks V\n"),
        ("the\tX\ndog\tX\n", "the\tD\ndog\tN\n"),
    ],
)
def test_lines_come_out_as_they_went_in(model, text, tagged):
    assert run("tag", model, stdin=text).stdout == tagged


def test_conllu_keeps_its_comments(model):
    line = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n"
    text = (
        "# text = the dog\n" + line.format(1, "the", "_") + line.format("2-3", "dogs", "_") + line.format(2, "dog", "_")
    )
    expected = text.replace("the\t_\t_", "the\t_\tD").replace("dog\t_\t_", "dog\t_\tN")
    assert run("tag", model, "--format", "conllu", stdin=text).stdout == expected


def test_other_formats_and_json_come_out_on_demand(model):
    assert run("tag", model, "--to", "tsv", stdin="the dog\n").stdout == "the\tD\ndog\tN\n\n"
    (row,) = run("tag", model, "--json", stdin="the fox\n").stdout.splitlines()
    assert [(one["word"], one["is_known"]) for one in json.loads(row)] == [("the", True), ("fox", False)]
    assert run("tag", model, "--json", "--to", "tsv", stdin="x").exit_code == 2


def test_evaluate_reports_known_and_unknown_words(model, corpus):
    record = json.loads(run("evaluate", model, corpus, "--json").stdout)
    assert record["all"] == {"n_words": 13, "n_right": 13, "accuracy": 1.0}
    assert record["unknown"]["accuracy"] is None
    shown = run("evaluate", model, "-", stdin="the\tD\nfoxes\tX\n").stdout
    assert "unknown      1      0     0.00%" in shown
    assert "the >foxes<" in shown


def test_chunks_are_learnt_over_columns_and_scored_as_chunks(tmp_path):
    corpus, path = tmp_path / "chunks.txt", tmp_path / "chunks.cb"
    corpus.write_text(CHUNKS, encoding="utf-8")
    run("train", corpus, "-o", path, "-p", "tag-1 word column1 column1+1", "-P", "tag-1 column1 column1+1")
    assert json.loads(run("evaluate", path, corpus, "--json").stdout)["chunks"]["f_score"] == 1.0
    assert run("tag", path, stdin="the D\ncat N\n. P\n").stdout == "the D B-NP\ncat N I-NP\n. P O\n"
    assert run("tag", path, stdin="the D X\ncat N X\n").stdout == "the D B-NP\ncat N I-NP\n"
    with pytest.raises(FormatError, match="expected a word and 1 more on each line"):
        run("tag", path, "--format", "conll2000", stdin="the D X Y\n")


def test_a_corpus_of_chunks_is_met_with_a_hint(corpus, tmp_path):
    """Without a word, the column that chunks are found by was not looked at."""
    chunks, path = tmp_path / "chunks.txt", tmp_path / "chunks.cb"
    chunks.write_text(CHUNKS, encoding="utf-8")
    assert "--committee chunks uses them" in run("train", chunks, "-o", path).stderr
    for said in (["--committee", "chunks"], ["-p", "tag-1 column1"], ["--compat", "mbt"]):
        assert "--committee" not in run("train", chunks, "-o", path, *said).stderr
    assert "--committee" not in run("train", corpus, "-o", path).stderr


def test_a_chunk_that_is_never_found_has_no_precision(tmp_path):
    """Nothing was found, so nothing can be said of what was found; tags are told likewise."""
    chunks, path = tmp_path / "chunks.txt", tmp_path / "chunks.cb"
    chunks.write_text(CHUNKS, encoding="utf-8")
    run("train", chunks, "-o", path, "--committee", "chunks")
    record = json.loads(run("evaluate", path, "-", "--json", stdin="the D B-XP\ndog N I-XP\n").stdout)
    never = next(one for one in record["chunks"]["per_type"] if one["type"] == "XP")
    assert (never["precision"], never["recall"], never["f_score"]) == (None, 0.0, 0.0)


def test_tags_of_a_tagged_text_are_replaced(model):
    """`the/D` was taken for a word, and became `the/D/N`."""
    result = run("tag", model, stdin="the/X dog/Y\na/X dog/Y\n")
    assert result.stdout == "the/D dog/N\na/D dog/N\n"
    assert "as word/TAG text, whose tags are replaced; change this with --format" in result.stderr
    assert run("tag", model, stdin="either/or ? the dog\n").stdout.startswith("either/or/")


def test_folds_are_of_sentences(corpus):
    with pytest.raises(CasebaseError, match=r"number of sentences \(3\); got 5"):
        run("train", corpus, "--cv", 5)


def test_explain_shows_places_of_the_corpus(model):
    assert "the [dog] barks" in run("explain", model, "the dog").stdout
    records = json.loads(run("explain", model, "the", "dog", "--json").stdout)
    assert [record["tag"] for record in records] == ["D", "N"]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["The dog barks. A cat!"], []),
        (["the", "dog."], []),
        (["the/X", "dog/Y"], []),
        (["-"], []),
        (["the dog."], ["--format", "tokens"]),
    ],
)
def test_explain_splits_text_as_tag_does(model, words, options):
    """Arguments, or standard input: punctuation is split off, and tags that are there are replaced."""
    text = "The dog barks." if words == ["-"] else " ".join(words)
    tagged = run("tag", model, "--json", *options, stdin=text).stdout.splitlines()
    expected = [(one["word"], one["tag"], one["confidence"]) for line in tagged for one in json.loads(line)]
    explained = json.loads(run("explain", model, *words, "--json", *options, stdin=text).stdout)
    assert [(one["word"], one["tag"], one["confidence"]) for one in explained] == expected


def test_confidence_of_each_word(tmp_path):
    """By the held-out words, all of them for a word that is not in the lexicon, since too few such words were."""
    model = tmp_path / "m.cb"
    run("train", "-", "-o", model, stdin="the/D dog/N barks/V ./P\na/D cat/N runs/V ./P\n" * 20)
    (line,) = run("tag", model, "--json", stdin="the dog , runs\n").stdout.splitlines()
    confidences = [one["confidence"] for one in json.loads(line)]
    assert all(0.9 < one < 1 for one in confidences)
    assert "in the lexicon or not" in run("explain", model, "the ,").stdout
    assert "confidence 9" in run("explain", model, "the dog").stdout


def test_explain_as_a_page(model, tmp_path):
    """--html writes a page with a row for each word, alone or beside --json, and '-' prints it."""
    page = tmp_path / "why.html"
    assert run("explain", model, "the dog", "--html", page).stdout == ""
    assert page.read_text(encoding="utf-8").count('<details class="cb-one"') == 2
    assert "the <mark>[dog]</mark> barks" in run("explain", model, "the dog", "--html", "-").stdout
    assert len(json.loads(run("explain", model, "the dog", "--html", page, "--json").stdout)) == 2
    assert "both write to standard output" in run("explain", model, "the dog", "--html", "-", "--json").stderr


def test_learn_adds_sentences_as_if_they_had_been_in_the_corpus(model, corpus, tmp_path):
    assert "1 sentence with 2 words learned" in run("learn", model, stdin="the/D wug/W\n").stderr
    corpus.write_text(CORPUS + "\nthe\tD\nwug\tW\n", encoding="utf-8")
    again = tmp_path / "again.cb"
    run("train", corpus, "-o", again)
    assert model.read_bytes() == again.read_bytes()


def test_new_tags_in_lines_of_blanks_are_learnt_on_demand(model):
    run("learn", model, "--format", "conll2000", stdin="oh UH\n")
    assert run("tag", model, "--to", "tagged", stdin="oh").stdout == "oh/UH\n"


def test_folds_are_evaluated_without_saving_anything(corpus, tmp_path):
    record = json.loads(run("train", corpus, "--cv", 3, "--json").stdout)
    assert record["all"]["n_words"] == 13
    assert record["unknown"]["n_words"] > 0
    assert list(tmp_path.iterdir()) == [corpus]


def test_inspect_knows_taggers(model):
    result = CliRunner(**APART).invoke(cli, ["inspect", str(model)])
    assert "learned from 13 words in 3 sentences; 9 different words, 4 tags" in result.stdout
    record = json.loads(CliRunner().invoke(cli, ["inspect", str(model), "--json"]).stdout)
    assert record["tags"][0] == {"tag": "N", "frequency": 4}


@pytest.mark.parametrize(
    ("arguments", "stdin", "error", "message"),
    [
        (["train", "-", "-o", "{m}"], "", FormatError, "standard input is empty"),
        (
            ["train", "-", "-o", "{m}"],
            "the\tD\ndog\n",
            FormatError,
            "standard input, line 2: expected a word and its tag",
        ),
        (["train", "no.tsv", "-o", "{m}"], None, CasebaseError, "no such file"),
        (["train", "-", "-o", "{m}", "-p", "xyz"], "the\tD\n", CasebaseError, "xyz"),
        (["tag", "{model}"], "", FormatError, "standard input is empty"),
        (["tag", "{model}"], b"caf\xe9 au lait", FormatError, "line 1: expected UTF-8"),
        (["tag", "{corpus}"], "the dog", ModelFileError, "corpus.tsv"),
        (["learn", "{model}", "-o", "{m}"], "The/D old dog/N\n", FormatError, "line 1: 'old' has no tag"),
        (["learn", "{model}", "-o", "{m}"], "the old dog\n", FormatError, "line 1: 'the' has no tag"),
        (["evaluate", "{model}", "-"], "the dog\nbarks\n", FormatError, "line 2: expected a word and its tag"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(model, corpus, tmp_path, arguments, stdin, error, message):
    path = tmp_path / "new.cb"
    names = {"m": path, "model": model, "corpus": corpus}
    with pytest.raises(error, match=message):
        run(*(argument.format(**names) for argument in arguments), stdin=stdin)
    assert not path.exists()


@pytest.mark.parametrize(
    "arguments",
    [["train", "c.tsv"], ["train", "c.tsv", "-o", "-"], ["train", "c.tsv", "-o", "m", "--known-option", "k"]],
)
def test_wrong_usage_exits_with_2(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments).exit_code == 2
