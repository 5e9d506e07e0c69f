"""casebase hyphen export and import."""

import json

import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.hyphenation.pattern_files import TooManyPatternsError, from_dic, from_tex
from tests.cli.conftest import APART

WORDS = ["ka-la", "ta-lo-ja", "kis-sa", "hy-vä", "äi-ti", "auk-ko", "tie-to-ko-ne", "koi-ra", "o-pe-tus"]


def run(*arguments, stdin=None):
    result = CliRunner(**APART).invoke(cli, ["hyphen", *map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "words.cb"
    cb.Hyphenator().fit(WORDS).save(path)
    return path


@pytest.mark.parametrize(("kind", "read"), [("tex", from_tex), ("hunspell", from_dic)])
def test_exported_patterns_break_the_training_words(model, tmp_path, kind, read):
    """In both formats, and to a file or to standard output."""
    exported = run("export", model, "--to", kind, "-o", tmp_path / "out")
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert exported.stderr.endswith(f"out, as {len(text.splitlines()):,} lines.\n")

    patterns = read(text)

    assert run("export", model, "--to", kind).stdout == text
    for word in WORDS:
        assert (
            "".join(
                f"-{c}" if i in patterns.positions(word.replace("-", "")) else c
                for i, c in enumerate(word.replace("-", ""))
            )
            == word
        )


def test_json_has_the_patterns_as_they_are(model):
    """Those of classes too."""
    record = json.loads(run("export", model, "--to", "json").stdout)

    assert len(record["patterns"]) == len(cb.Hyphenator.load(model).patterns_)
    assert record["format"] == "casebase patterns"


@pytest.mark.parametrize("kind", ["tex", "hunspell", "json"])
def test_an_exported_file_imported_answers_alike(model, tmp_path, kind):
    """Export, import, apply."""
    run("export", model, "--to", kind, "-o", tmp_path / "patterns")
    assert run("import", tmp_path / "patterns", "-o", tmp_path / "again.cb").exit_code == 0
    asked = "talokala\nkissa\näitikoira\n"

    answers = [run("apply", path, stdin=asked).stdout for path in (model, tmp_path / "again.cb")]

    assert answers[0] == answers[1]
    assert "kis-sa\n" in answers[0]


def test_an_imported_model_can_be_corrected_and_exported_again(tmp_path):
    """A corrected word is an exception, which TeX has a place for."""
    (tmp_path / "hyph.tex").write_text("\\patterns{1co}\\lefthyphenmin=1 \\righthyphenmin=1", encoding="utf-8")
    run("import", tmp_path / "hyph.tex", "-o", tmp_path / "m.cb")
    hyphenator = cb.Hyphenator.load(tmp_path / "m.cb")
    hyphenator.correct("rec-ord")
    hyphenator.save(tmp_path / "m.cb")

    text = run("export", tmp_path / "m.cb", "--to", "tex").stdout

    assert "\\hyphenation{\nrec-ord\n}" in text
    assert from_tex(text).positions("recorder") == [2]


def test_too_many_patterns_are_refused_with_what_to_do(model):
    """Nothing is written."""
    with pytest.raises(TooManyPatternsError, match="--max-class-length 3"):
        run("export", model, "--to", "tex", "--limit", "1")


def test_a_wrong_file_is_told_with_its_line(tmp_path):
    """And no model is written."""
    (tmp_path / "hyph.dic").write_text("UTF-8\na1b\na12b\n", encoding="utf-8")

    with pytest.raises(CasebaseError, match=r"hyph\.dic, line 3"):
        run("import", tmp_path / "hyph.dic", "-o", tmp_path / "m.cb")
    assert not (tmp_path / "m.cb").exists()


def test_wrong_lines_can_be_left_away(tmp_path):
    """They are listed."""
    (tmp_path / "hyph.dic").write_text("UTF-8\na1b\na12b\n", encoding="utf-8")

    result = run("import", tmp_path / "hyph.dic", "-o", tmp_path / "m.cb", "--skip-wrong")

    assert "Skipped" in result.stderr
    assert "line 3" in result.stderr
    assert len(cb.Hyphenator.load(tmp_path / "m.cb").patterns_) == 1


def test_wrong_usage():
    """A kind that is not known, and a model on standard output."""
    assert run("export", "m.cb", "--to", "word").exit_code == 2
    assert run("import", "hyph.dic", "-o", "-").exit_code == 2
