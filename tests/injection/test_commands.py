"""Hostile names, values and classes in what commands print: a terminal obeys nothing of it."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import casebase as cb
import casebase.cli
from casebase.methods import METHODS
from tests.injection.hostile import HOSTILE, NAMES, check_page, check_text, hostile_table

ESC = "\x1b[31m"
WORD = "a\x1b[31mb"  # in a text: no space, no line break
LEARNERS = ["auto", "ib1", "igtree", "c45", "rules", "oblivious_graph", "perceptron_tree", "smile"]
SHORT = [name for name in METHODS if name in LEARNERS]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "cases.parquet"
    hostile_table().to_parquet(path)
    return path


@pytest.fixture(scope="module")
def model(data, cli_run):
    path = data.parent / "ib1.cb"
    checked(cli_run("train", data, "-o", path, "--learner", "ib1"))
    return path


def checked(ran):
    """Return what a command printed, which must be harmless."""
    assert ran.code == 0, ran.err
    check_text(ran.out)
    check_text(ran.err)
    return ran.out


@pytest.mark.parametrize("learner", SHORT)
def test_reports_on_a_model(learner, data, tmp_path, cli_run):
    path = tmp_path / "model.cb"
    checked(cli_run("train", data, "-o", path, "--learner", learner))
    text = checked(cli_run("inspect", path))
    assert r"\x1b[31m=1+1\n$\frac{$" in re.sub(r"\s+", "", text)
    checked(cli_run("evaluate", path, data))
    checked(cli_run("explain", path, data, "--first", "20"))
    check_page(checked(cli_run("explain", path, data, "--first", "20", "--html", "-")))
    for command in (["inspect", path], ["explain", path, data, "--first", "20"]):
        json.loads(checked(cli_run(*command, "--json")))


def test_reports_on_a_table(data, cli_run):
    for command in ("recognise", "weights", "select", "health"):
        checked(cli_run(command, data))
    for options in (["--method", "relief"], ["--method", "focus"], ["--method", "c45"]):
        checked(cli_run("select", data, *options))
    check_page(checked(cli_run("health", data, "--html", "-")))
    compared = ["methods", data, "--methods", "igtree,c45", "--cv", "2"]
    checked(cli_run(*compared))
    check_page(checked(cli_run(*compared, "--html", "-")))


def test_cases_and_their_log(model, tmp_path, cli_run):
    path = tmp_path / "corrected.cb"
    names = ["--by", f"{ESC}me", "--note", "\x1b]0;x\x07\nand more"]
    checked(cli_run("update", model, "--id", "1", "--set", f"{NAMES[0]}={ESC}", "-o", path, *names))
    checked(cli_run("remove", path, "3", *names))
    shown = checked(cli_run("cases", path))
    assert ":smile:" in shown  # a name of a picture is no picture
    assert "[bold]x[/bold][/]" in shown
    checked(cli_run("log", path))
    assert json.loads(checked(cli_run("log", path, "--json")))["corrections"][0]["by"] == f"{ESC}me"
    assert len(json.loads(checked(cli_run("cases", path, "--json")))["cases"]) == 3 * len(HOSTILE) - 1


@pytest.mark.parametrize(
    "command",
    [
        ["inspect", ESC],
        ["explain", "MODEL", "--case", f"{ESC},2,3,4"],
        ["cases", "MODEL", "--where", f"{ESC}=1"],
        ["inspect", "MODEL", f"--{ESC}"],
        ["predict", "MODEL", os.fsencode("x\udcff.csv")],
    ],
    ids=["file", "case", "column", "option", "bytes"],
)
def test_messages(command, model):
    command = [str(model) if word == "MODEL" else word for word in command]
    ran = subprocess.run([sys.executable, "-m", "casebase", *command], capture_output=True)
    assert ran.returncode in (1, 2) or command[0] == "explain"
    check_text(ran.stderr.decode())
    check_text(ran.stdout.decode())


def test_answers_are_data_in_a_pipe_and_text_on_a_terminal(model, data):
    """A file gets the classes as they are; a terminal obeys nothing of them."""
    command = [sys.executable, "-m", "casebase", "predict", str(model), str(data), "--json"]
    piped = subprocess.run(command, capture_output=True).stdout.decode()
    reader, terminal = pty.openpty()
    running = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    try:
        while block := os.read(reader, 65536):
            shown += block
    except OSError:  # the other end of the terminal is closed
        pass
    os.close(reader)
    assert running.wait() == 0
    check_text(shown.decode().replace("\r\n", "\n"))
    assert len(piped.splitlines()) == 3 * len(HOSTILE)


def test_hyphens_tags_strings_and_words(tmp_path, cli_run):
    """Words, tags, classes and phonemes may have any character."""
    words = tmp_path / "words.txt"
    words.write_text("\n".join(["le-sen", "le-ben", "ge-ben", "ra-ten", f"na-{WORD}", f"{WORD}-gel"] * 3))
    hyphens = tmp_path / "hyphens.cb"
    checked(cli_run("hyphen", "train", words, "-o", hyphens))
    for command in (
        ["inspect", hyphens],
        ["hyphen", "explain", hyphens, f"na{WORD}"],
        ["hyphen", "evaluate", hyphens, words],
    ):
        checked(cli_run(*command))
    check_page(checked(cli_run("hyphen", "explain", hyphens, f"na{WORD}", "--html", "-")))
    corpus = tmp_path / "corpus.tsv"
    tokens = ["the\tD", "<cbevil>\tN<cbevil>", f"{WORD}\tV{ESC}", "\"'\tN&lt;", ".\t."]
    corpus.write_text("\n\n".join("\n".join(tokens) for _ in range(8)) + "\n")
    tagger = tmp_path / "tagger.cb"
    checked(cli_run("tagger", "train", corpus, "-o", tagger, "--format", "tsv"))
    asked = ["tagger", "explain", tagger, f"the {WORD} <cbevil> ."]
    for command in (["inspect", tagger], ["tagger", "evaluate", tagger, corpus, "--format", "tsv"], asked):
        checked(cli_run(*command))
    check_page(checked(cli_run(*asked, "--html", "-")))
    strings = tmp_path / "strings.tsv"
    strings.write_text(
        "".join(f"{word}\t{label}\n" for word, label in [("ab", f"x{ESC}"), ("ac", "<cbevil>"), (WORD, "y")] * 4)
    )
    rules = tmp_path / "rules.cb"
    checked(cli_run("strings", "train", strings, "-o", rules))
    asked = ["strings", "explain", rules, WORD]
    for command in (["inspect", rules], asked, ["strings", "export", rules], ["strings", "evaluate", rules, strings]):
        checked(cli_run(*command))
    check_page(checked(cli_run(*asked, "--html", "-")))
    text = tmp_path / "text.txt"
    text.write_text(f"the {WORD} sat on the <cbevil> mat .\n" * 6)
    checked(cli_run("lm", "train", text, "-o", tmp_path / "lm.cb"))
    checked(cli_run("lm", "predict", tmp_path / "lm.cb", "the"))


def test_commands_print_through_one_place():
    """Only the module of the output prints, so that nothing is printed that a terminal obeys."""
    home = Path(casebase.cli.__file__).parent
    printing = {file.name for file in home.rglob("*.py") if "click.echo" in file.read_text()}
    assert printing <= {"__init__.py", "output.py", "timbl.py"}


@pytest.mark.parametrize("options", [[], ["--proba"], ["--confidence", "0.9"]])
def test_a_line_has_one_answer(tmp_path, cli_run, options):
    """Regression: a class with a line break was two lines, and every later answer was that of another case."""
    cases, path = tmp_path / "cases.csv", tmp_path / "model.cb"
    cases.write_text("a\nx\ny\n")
    cb.IB1Classifier().fit(pd.DataFrame({"a": ["x", "y"]}), ["two\nlines", "P"]).save(path)

    assert "'two\\nlines' has a line break" in cli_run("predict", path, cases, *options).err
    assert len(cli_run("predict", path, cases, "--json").out.splitlines()) == 2
    assert cli_run("predict", path, cases, "--append").out == 'a,class\nx,"two\nlines"\ny,P\n'
