"""casebase methods"""

import json

import pytest

import casebase as cb
from casebase.method_comparison import comparison
from casebase.method_comparison.contestants import MAJORITY
from casebase.methods import METHODS
from tests.cli.conftest import WEATHER, columns

TIMES = ("fit_seconds", "answers_per_second")


def without_times(record):
    return record | {"rows": [{k: v for k, v in row.items() if k not in TIMES} for row in record["rows"]]}


def test_every_method_has_a_row_and_the_best_its_command(run, weather, tmp_path):
    """The last line trains the best method, and works as it stands."""
    ran = run("methods", weather, "--cv", "3")
    record = json.loads(run("methods", weather, "--cv", "3", "--json").out)
    *_, last = ran.out.splitlines()

    assert ran.code == 0
    for name in [*METHODS, MAJORITY]:
        assert sum(name in line.split()[:2] for line in ran.out.splitlines()) >= 1, name
    assert last == f"Next: casebase train {weather} -o model.cb --learner {record['best_method']}"
    words = last.removeprefix("Next: casebase ").replace("model.cb", str(tmp_path / "model.cb")).split()
    assert run(*words).code == 0


def test_json_is_the_record_of_the_library(run, weather):
    """The same folds, scores and notes as `compare_methods`; only times differ."""
    printed = json.loads(run("methods", weather, "--methods", "ib1, c45", "--cv", "12", "--seed", "4", "--json").out)
    cases = cb.read_cases(weather)
    record = cb.compare_methods(cases, methods=["ib1", "c45"], cv=12, random_state=4).to_dict()

    assert without_times(printed) == without_times(json.loads(json.dumps(record)))
    assert printed["notes"][0] == "9 folds instead of 12: no class has more than 9 cases."


def test_options_of_the_file_are_in_the_next_command(run, written):
    """They are needed to read it again."""
    data = written(columns(WEATHER, 4, 0, 1, 3).partition("\n")[2], "my weather.csv")
    ran = run("methods", data, "--no-header", "--target", "1", "--methods", "igtree", "--cv", "2")

    assert f"casebase train '{data}' -o model.cb --learner igtree --no-header --target 1" in ran.out


def test_the_page_is_written_or_printed(run, weather, tmp_path):
    """To a file beside the table, or alone to standard output."""
    page = tmp_path / "methods.html"
    ran = run("methods", weather, "--methods", "igtree", "--html", page)
    printed = run("methods", weather, "--methods", "igtree", "--html", "-").out

    assert f"Written to {page}." in ran.err
    assert ran.out.splitlines()[-1].startswith("Next: ")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert printed.startswith("<!DOCTYPE html>")
    assert printed.endswith("</html>\n")


def test_peers_are_added_on_request(run, weather):
    """They can be best, but the next command trains a method."""
    record = json.loads(run("methods", weather, "--methods", "igtree", "--peers", "--cv", "2", "--json").out)

    assert {row["method"] for row in record["rows"] if row["role"] == "peer"} >= {"random_forest"}
    assert record["best_method"] == "igtree"


def test_standard_input_can_be_compared(run):
    """The next command names no file that is not there."""
    ran = run("methods", "-", "--methods", "igtree", "--cv", "2", stdin=WEATHER)

    assert ran.out.splitlines()[-1] == "Next: casebase train DATA -o model.cb --learner igtree"


def test_a_long_run_is_announced(run, weather, monkeypatch):
    """A method with a cost of n² on many cases: an estimate first, unless there is a budget."""
    monkeypatch.setattr(comparison, "N_CASES_SLOW", 5)
    monkeypatch.setattr(comparison, "estimated_seconds", lambda one, cases: 600.0 if one.name == "ib2" else None)
    arguments = ["methods", weather, "--methods", "ib2,igtree", "--cv", "2"]

    assert "ib2 takes about 20 min" in run(*arguments).err
    assert run(*arguments, "--time-budget", "1000").err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["absent.csv"], 1, "absent.csv"),
        (["{data}", "--target", "tag"], 1, "tag"),
        (["{data}", "--methods", "ib3"], 1, "Unknown method 'ib3'"),
        (["{data}", "--methods", ","], 1, "methods is empty"),
        (["{data}", "--cv", "1"], 2, "--cv"),
        (["{data}", "--time-budget", "0"], 2, "--time-budget"),
        (["{data}", "--json", "--html", "-"], 2, "standard output"),
        (["{data}", "--differences"], 2, "--json"),
        (["{data}", "--html", "{data}"], 1, "{data}"),
        (["{one}"], 1, "All cases are of class 'P'"),
    ],
)
def test_what_is_wrong_is_named(run, weather, written, arguments, code, message):
    """In one line, before anything is trained."""
    places = {"data": str(weather), "one": str(written("a,class\nx,P\ny,P\nz,P\n", "one.csv"))}
    ran = run("methods", *(text.format(**places) for text in arguments))

    assert ran.code == code
    assert message.format(**places) in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(("command", "other"), [("methods", "casebase compare"), ("compare", "casebase methods")])
def test_each_help_names_the_other_comparison(run, command, other):
    """Methods on one file, or representations for one method: they are easily taken for each other."""
    assert f"`{other}` compares" in " ".join(run(command, "--help").out.split())


def test_the_records_of_a_model_are_compared_and_learned_from(run, tmp_path):
    """As the table that they come from, with the kinds of its columns and without its ids."""
    table, model, tree = tmp_path / "fruit.csv", tmp_path / "fruit.cb", tmp_path / "tree.cb"
    rows = [f"n{i},{'red' if i % 3 else 'green'},{i % 4},{'apple' if i % 3 else 'pear'}" for i in range(24)]
    table.write_text("\n".join(["name,colour,size,kind", *rows]) + "\n")
    reading = ("--target", "kind", "--id-column", "name", "--kind", "size=symbol")
    assert run("train", table, "-o", model, "--learner", "ib1", *reading).code == 0
    options = ("--methods", "ib1,c45", "--cv", "3", "--json")
    of_model, of_table = (json.loads(run("methods", *first, *options).out) for first in ((model,), (table, *reading)))
    sizes = [row.pop("n_bytes") for record in (of_model, of_table) for row in record["rows"]]
    assert len(sizes) == 6
    assert without_times(of_model) == without_times(of_table)

    ran = run("train", model, "-o", tree, "--learner", "c45")
    assert (ran.code, "24 cases, 2 features" in ran.err) == (0, True)
    direct = tmp_path / "direct.cb"
    assert run("train", table, "-o", direct, "--learner", "c45", *reading).code == 0
    assert cb.load(tree).get_params() == cb.load(direct).get_params()
    predicted = [run("predict", one, table, "--target", "kind", "--id-column", "name").out for one in (tree, direct)]
    assert predicted[0] == predicted[1]
    for command in (("methods", model), ("train", model, "-o", tree)):
        assert "a model knows its columns" in run(*command, "--target", "kind").err
    for command in (("methods", tree), ("train", tree, "-o", tmp_path / "x.cb")):
        assert "keeps no cases" in run(*command).err
