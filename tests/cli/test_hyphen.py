"""casebase hyphen: train, apply, explain, correct, evaluate."""

import json

import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.errors import CasebaseError
from tests.cli.conftest import APART

WORDS = ["ka-la", "ta-lo-ja", "kis-sa", "hy-vä", "äi-ti", "auk-ko", "tie-to-ko-ne", "koi-ra", "o-pe-tus"]


def run(*arguments, stdin=None):
    result = CliRunner(**APART).invoke(cli, ["hyphen", *map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def model(words, tmp_path):
    path = tmp_path / "words.cb"
    assert run("train", words, "-o", path).exit_code == 0
    return path


def test_train_says_what_was_learnt(words, tmp_path):
    """Also duplicates and contradictory words, and all options are taken."""
    with words.open("a", encoding="utf-8") as file:
        file.write("\nkis-sa\t2\nkiss-a\n")
    result = run(
        "train",
        words,
        "-o",
        tmp_path / "m.cb",
        "--depth",
        "auto",
        "--cost",
        "length",
        "--classes",
        "K=kstlpr,E=aeiou",
        "--left-min",
        "1",
        "--max-length",
        "9",
        "--max-class-length",
        "4",
        "--window",
        "1",
        "--forbid",
        "K-K",
        "--force",
        "q-=forbid",
        "--hyphen",
        "-",
    )

    assert "1 word given more than once" in result.stderr
    assert "Contradictory: learned kis-sa, not kiss-a" in result.stderr
    assert "right on all words" in result.stderr


WITHOUT_SENSE = ("--depth x", "--window 0", "--force a-b", "--classes KK=a", "--classes K=", "--classes K=a,K=b")


@pytest.mark.parametrize("option", WITHOUT_SENSE)
def test_train_refuses_what_makes_no_sense(words, tmp_path, option):
    """With a message."""
    try:
        result = run("train", words, "-o", tmp_path / "m.cb", *option.split())
    except CasebaseError:
        return
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "has no words"),
        (b"ka-la\n\n--\n", "line 3: '--' has only hyphens"),
        (b"ka-la\tx\n", "line 1: expected a word"),
        (b"animal,legs,home\n", "line 1: 'animal,legs,home' has ',' inside. Expected one hyphenated word a line"),
        (b"the/D dog/N ./P\n", "line 1: 'the/D dog/N ./P' has '/' inside"),
        (b"ka-la\n\xff\n", "line 2: expected UTF-8"),
    ],
)
def test_errors_name_the_line(tmp_path, content, why):
    """The file's name is there too."""
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(CasebaseError, match=rf"bad\.txt.*{why}"):
        run("train", path, "-o", tmp_path / "m.cb")


def test_what_is_learnt_by_default_can_be_exported(words, model, tmp_path):
    """Long patterns of classes stand for more patterns of letters than a file can hold."""
    long = tmp_path / "long.cb"
    run("train", words, "-o", long, "--max-class-length", 0)
    lengths = [
        max(len(str(p).strip(".").replace("-", "")) for p in cb.load(path).patterns_ if p.is_classes)
        for path in (model, long)
    ]
    assert (cb.load(model).max_class_length, cb.load(long).max_class_length) == (3, None)
    assert lengths[0] <= 3 < lengths[1]


def test_apply_reads_words_from_standard_input_or_a_file(model, tmp_path):
    """One a line, in the same order; empty lines stay."""
    assert run("apply", model, stdin="Kissa\n\ntaloja\n").output == "Kis-sa\n\nta-lo-ja\n"
    path = tmp_path / "new.txt"
    path.write_text("kissa\r\n", encoding="utf-8")
    assert run("apply", model, path, "--sep", "soft").output == "kis\u00adsa\n"


def test_apply_json_has_positions(model):
    """One record a line."""
    record = json.loads(run("apply", model, "--json", stdin="taloja\n").output)
    assert record == {"word": "taloja", "hyphenated": "ta-lo-ja", "positions": [2, 4]}


def test_apply_text_keeps_the_rest(model):
    """Lines of several words are running text; a single word is if --text says so."""
    text = "Kissa, 7 taloja"
    assert run("apply", model, stdin=text).stdout == "Kis-sa, 7 ta-lo-ja"
    assert "standard input as running text" in run("apply", model, stdin=text).stderr
    assert run("apply", model, "--text", stdin="7.kissa").output == "7.kis-sa"
    records = [json.loads(line) for line in run("apply", model, "--json", stdin=text).stdout.splitlines()]
    assert [record["hyphenated"] for record in records] == ["Kis-sa", "ta-lo-ja"]


def test_a_list_without_a_hyphen_is_refused(tmp_path):
    with pytest.raises(CasebaseError, match=r"none of the 2 words has a hyphen \('-'\), .*--hyphen"):
        run("train", "-", "-o", tmp_path / "m.cb", stdin="talo\nkissa\n")
    assert not (tmp_path / "m.cb").exists()


def test_explain_as_text_and_json(model):
    """Which pattern decided."""
    assert "kis|sa  break: " in run("explain", model, "kissa").output
    assert json.loads(run("explain", model, "kissa", "--json").output)[0]["hyphenated"] == "kis-sa"


def test_explain_as_a_page(model, tmp_path):
    """--html writes a page: of one word as it is, of several with a row for each."""
    page = tmp_path / "why.html"
    assert run("explain", model, "kissa", "kala", "--html", page).stdout == ""
    assert page.read_text(encoding="utf-8").count('<details class="cb-one"') == 2
    assert "kissa → kis-sa" in run("explain", model, "kissa", "--html", "-").stdout
    assert "both write to standard output" in run("explain", model, "kissa", "--html", "-", "--json").stderr


def test_correct_saves_and_tells_what_changed(model, tmp_path):
    """Into the model itself, or another file."""
    other = tmp_path / "other.cb"
    record = json.loads(run("correct", model, "rec-ord", "-o", other, "--json").stdout)
    assert record["word"] == "rec-ord"
    assert run("apply", other, stdin="record\n").output == "rec-ord\n"
    assert "rec-ord" in run("correct", model, "rec-ord").output
    assert run("apply", model, stdin="record\n").output == "rec-ord\n"


def test_evaluate_as_text_and_json(model, words):
    """All training words are right."""
    assert "100.0000% of 9 entirely right" in run("evaluate", model, words).output
    assert json.loads(run("evaluate", model, words, "--json").output)["word_accuracy"] == 1.0


def test_inspect_shows_the_patterns(model):
    """Level by level, and as JSON."""
    shown = CliRunner().invoke(cli, ["inspect", str(model)]).output
    assert "level 1 allows:" in shown
    record = json.loads(CliRunner().invoke(cli, ["inspect", str(model), "--json"]).output)
    assert record["n_words"] == 9
    assert record["patterns"]
