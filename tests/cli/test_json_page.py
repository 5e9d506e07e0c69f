"""The page on JSON has the keys that the commands print, and no others."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from casebase.methods import METHODS
from tests.paths import DOCS

PAGE = DOCS / "json.md"
SECTIONS = {part.splitlines()[0]: part for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]}
NUMBERS = "weight,shape,class\n" + "".join(f"{n / 2},{'ab'[n % 2]},{'PQ'[n > 4]}\n" for n in range(10))


def keys_of(section: str, learner: str | None = None) -> set[str]:
    """Return the keys in the first column of a table; where the second tells of whom, those of one learner."""
    return keys_in(SECTIONS[section], learner)


def keys_in(text: str, learner: str | None = None) -> set[str]:
    """Return the keys in the first columns of the tables of a text."""
    keys: set[str] = set()
    for row in re.findall(r"^\| (`.*) \|$", text, flags=re.MULTILINE):
        cells = re.split(r" \| ", row)
        if learner is None or cells[1] == "all" or learner in cells[1].split(", "):
            keys |= set(re.findall(r"`([^`]+)`", cells[0]))
    return keys


def paths(printed: Any, told: set[str], path: str = "") -> Iterator[str]:
    """Return the path of every value; records whose keys are the user's own are not gone into."""
    if isinstance(printed, dict) and f"{path}{{}}" in told:
        yield f"{path}{{}}"
    elif isinstance(printed, dict):
        for key, inner in printed.items():
            yield from paths(inner, told, f"{path}.{key}" if path else key)
    elif isinstance(printed, list) and path not in told:
        for inner in printed or [None]:
            yield from paths(inner, told, f"{path}[]" if path else "")
    elif path:
        yield path


def compare(printed: Any, told: set[str]) -> None:
    """Fail unless all that was printed is told; what is told may be inside of what was empty or null."""
    found = set(paths(printed, told))
    empty = {path for path in found - told if any(is_inside(one, path) for one in told)}

    assert found - told - empty == set()
    assert {one for one in told - found if not any(is_inside(one, path) for path in empty)} == set()


def is_inside(path: str, other: str) -> bool:
    return path.startswith((f"{other}.", f"{other}[", f"{other}{{"))


@pytest.fixture
def files(run, written, tmp_path):
    """Return the paths of the files that the commands below are given, by name."""
    made = {
        "data": written(NUMBERS, "data.csv"),
        "ids": written("2\n", "ids.txt"),
        "corpus": written(
            "the/D old/A dog/N barks/V\na/D cat/N runs/V\nthe/D run/N ends/V\nthe/D old/N run/V\n", "c.txt"
        ),
        "words": written("ta-lo\nkis-sa\nka-la\nkuk-ka-ro\n", "words.txt"),
        "others": written("tal-o\nka-lo\n", "others.txt"),
        "strings": written("|cat\tK\n|cell\tS\n|cut\tK\n|city\tS\n", "strings.txt"),
    }
    made |= {
        name: tmp_path / f"{name}.cb"
        for name in ("model", "tagger", "hyphenator", "rules", "language", "new", "corrected", "neighbours")
    }
    made["wrong"] = tmp_path / "wrong.json"
    for command in (
        "train {data} -o {model}",
        "train {data} -o {corrected} --learner ib1",
        "train {data} -o {neighbours} --learner ib1",
        "update {corrected} --id 2 --set shape=b",
        "tagger train {corpus} -o {tagger}",
        "hyphen train {words} -o {hyphenator}",
        "strings train {strings} -o {rules} --window 0.5",
        "lm train {corpus} -o {language}",
    ):
        assert run(*command.format(**made).split()).code == 0
    return made


COMMANDS = {
    "`casebase predict --json --proba --confidence 0.9`": "predict {model} {data} --json --proba --confidence 0.9",
    "`casebase evaluate --json`": "evaluate {data} --learner ib1 --cv 2 --json",
    "`casebase evaluate --errors FILE.json`": "evaluate {data} --learner ib1 --cv 2 --errors {wrong}",
    "`casebase cases --json`": "cases {model} --json",
    "`casebase log --json`": "log {corrected} --json",
    "`casebase explain --flip --json`": "explain {neighbours} {data} --flip --json",
    "`casebase inspect --json` of a tagger": "inspect {tagger} --json",
    "`casebase inspect --json` of a hyphenator": "inspect {hyphenator} --json",
    "`casebase recognise --json`": "recognise {data} --json",
    "`casebase weights --json`": "weights {data} --json",
    "`casebase select --method oblivion --json`": "select {data} --json",
    "`casebase select --method focus --json`": "select {data} --method focus --json",
    "`casebase select --method relief --json`": "select {data} --method relief --json",
    "`casebase remove --json`": "remove {model} --ids {ids} --json",
    "`casebase health --json`": "health {data} --json",
    "`casebase methods --json`": "methods {data} --methods ib1,igtree --cv 2 --json --differences",
    "`casebase compare --json`": "compare --learner igtree {data} --vary features=weight,shape --max-runs 2 --json",
    "`casebase demo --json`": "demo --json",
    "`casebase hyphen apply --json`": "hyphen apply {hyphenator} {words} --json",
    "`casebase hyphen explain --json`": "hyphen explain {hyphenator} talossa --json",
    "`casebase hyphen correct --json`": "hyphen correct {hyphenator} tal-o -o {new} --json",
    "`casebase hyphen evaluate --json`": "hyphen evaluate {hyphenator} {others} --json",
    "`casebase inspect --json` of rules over strings": "inspect {rules} --json",
    "`casebase strings predict --json`": "strings predict {rules} {strings} --json",
    "`casebase strings explain --json`": "strings explain {rules} |cell --json",
    "`casebase strings evaluate --json`": "strings evaluate {rules} {strings} --by-string --json",
    "`casebase tagger tag --json`": "tagger tag {tagger} {corpus} --json",
    "`casebase tagger explain --json`": "tagger explain {tagger} the old run --json",
    "`casebase tagger evaluate --json`": "tagger train {corpus} --cv 2 --json",
    "`casebase lm predict --json`": "lm predict {language} the old --json",
    "`casebase lm evaluate --json`": "lm evaluate {language} {corpus} --json",
}


@pytest.mark.parametrize("section", COMMANDS)
def test_the_keys_of_a_command_are_those_of_the_page(run, files, section):
    """Each key that is printed has its place on the page, and each of the page is printed."""
    printed = run(*COMMANDS[section].format(**files).split()).out
    printed = files["wrong"].read_text() if files["wrong"].exists() else printed
    try:
        record = json.loads(printed)
    except json.JSONDecodeError:  # a record a line
        record = [json.loads(line) for line in printed.splitlines()]

    compare(record, keys_of(section))


@pytest.mark.parametrize("learner", METHODS)
def test_the_keys_of_every_model_are_those_of_the_page(run, files, learner):
    """What only some learners have is told of just these."""
    run("train", files["data"], "-o", files["new"], "--learner", learner)
    record = json.loads(run("inspect", files["new"], "--json").out)

    compare(record, keys_of("`casebase inspect --json`", learner))


def test_all_kinds_of_evidence_have_the_keys_of_the_page(run, files):
    """Those that all have are listed, and no others."""
    records = []
    for learner in METHODS:
        run("train", files["data"], "-o", files["new"], "--learner", learner)
        records.append(json.loads(run("explain", files["new"], files["data"], "--json").out)[0])

    assert set.intersection(*(set(record) for record in records)) == keys_of("`casebase explain --json`")


def test_every_command_that_prints_json_is_on_the_page():
    """A new `--json` fails here until the page has its keys."""
    pages = (PAGE.parent / "commands.md").read_text(encoding="utf-8").split("\n## ")[1:]
    with_json = {part.split("`")[1] for part in pages if "\n| `--json`" in part}

    told = " ".join(SECTIONS) + PAGE.read_text(encoding="utf-8")
    assert {command for command in with_json if command not in told} == set()
