"""The autopilot on the command line: what it says, what Ctrl-C keeps, and input from which little can be learned."""

import io
import json

import numpy as np
import pytest
from rich import progress as bars
from rich.console import Console

import casebase as cb
from casebase import cli as program
from casebase.autopilot import committee
from casebase.autopilot.auto import fit_auto
from casebase.autopilot.pool import Pool
from casebase.data.kinds import cases_with_kinds
from casebase.formats import read_table
from casebase.progress import note, part_of
from casebase.render.progress_bar import Bar
from tests.cli.conftest import WEATHER

READINGS = list(committee.READINGS)


@pytest.fixture(scope="module")
def trained(run, weather, tmp_path_factory):
    """What `casebase train` said, and the model file."""
    path = tmp_path_factory.mktemp("auto") / "m.cb"
    return run("train", weather, "-o", path), path


@pytest.fixture
def interrupted(monkeypatch):
    """A function that lets Ctrl-C come while a reading learns."""

    def at(reading):
        def choose(*_):
            raise KeyboardInterrupt

        monkeypatch.setitem(committee.READINGS, reading, choose)

    return at


def test_it_is_the_default(trained):
    ran, path = trained

    assert ran.code == 0
    assert isinstance(cb.load(path), cb.AutoClassifier)


def test_train_says_what_was_chosen(trained):
    """The readings with their shares, the largest first, and how well held-out cases are answered."""
    ran, path = trained
    model = cb.load(path).model_
    shares = sorted(zip(model.pool.exponents / model.pool.exponents.sum(), model.readings), reverse=True)

    assert "auto: 14 cases, 4 features, 2 classes; class play, header in the first line; " in ran.err
    assert "; " + ", ".join(f"{name} {share:.0%}" for share, name in shares) + "; " in ran.err
    assert f"held-out accuracy {model.held_out_accuracy:.1%}, log loss {model.held_out_loss:.3f}; " in ran.err


def test_inspect_lists_all_readings_that_were_tried(run, trained):
    """Those in use have exponents, whose shares sum to 1; the loss of every one is there."""
    record = json.loads(run("inspect", trained[1], "--json").out)
    readings = {one["reading"]: one for one in record["readings"]}
    model = cb.load(trained[1]).model_

    assert set(readings) == set(READINGS)
    assert {name: one["log_loss"] for name, one in readings.items()} == model.losses
    assert {name for name, one in readings.items() if one["exponent"] > 0} == set(model.readings)
    assert sum(one["share"] for one in readings.values()) == pytest.approx(1)
    assert (record["held_out_log_loss"], record["held_out_accuracy"]) == (model.held_out_loss, model.held_out_accuracy)


def test_inspect_says_why(run, trained):
    """One row per reading, with its loss; a reading without an exponent is not used."""
    model = cb.load(trained[1]).model_
    unused = set(model.losses) - set(model.readings)
    assert unused  # of so few cases at least one reading says nothing
    out = run("inspect", trained[1]).out
    rows = {line.split()[0]: line for line in out.splitlines() if line}

    assert all(rows[name].endswith(f"{loss:.4f}") for name, loss in model.losses.items())
    assert {name for name in READINGS if "not used" in rows[name]} == unused
    assert rows["together"].endswith(f"{model.held_out_loss:.4f}")
    assert f"answer {model.held_out_accuracy:.1%} of the held-out cases right" in out


def test_readings_may_be_named(run, weather, tmp_path):
    """Only these are tried."""
    assert run("train", weather, "-o", tmp_path / "m.cb", "--readings", "opinions,forest").code == 0

    assert set(cb.load(tmp_path / "m.cb").model_.losses) == {"opinions", "forest"}


def test_an_unknown_reading_is_refused(run, weather, tmp_path):
    ran = run("train", weather, "-o", tmp_path / "m.cb", "--readings", "forrest")

    assert ran.code == 1
    assert "Did you mean 'forest'?" in ran.err


def test_given_kinds_are_kept(run, weather, tmp_path):
    """The loaded estimator has the kinds that were typed; it finds the others, as it does by default."""
    assert run("train", weather, "-o", tmp_path / "m.cb", "--kind", "humidity=symbol").code == 0
    loaded = cb.load(tmp_path / "m.cb")

    assert loaded.get_params()["kinds"] == {"humidity": "symbol"}
    assert {column.name: column.kind for column in loaded.model_.schema.kinds}["humidity"] == "symbol"


@pytest.mark.parametrize("how", [["--cv", 3], ["--loo"]])
def test_evaluate(run, weather, how):
    """It learns again for each fold, and for each case left out."""
    record = json.loads(run("evaluate", weather, *how, "--readings", "opinions", "--json").out)

    assert record["n_cases"] == 14
    assert len(record["fold_accuracies"]) == (3 if how[0] == "--cv" else 14)


def test_leaving_out_each_of_many_cases_is_said_to_take_long(run, written):
    many = written(WEATHER.splitlines()[0] + "\n" + "".join(WEATHER.splitlines(True)[1:]) * 8)
    ran = run("evaluate", many, "--loo", "--readings", "discriminant")

    assert "auto learns 112 times, once without each case; --cv 10 learns 10 times." in ran.err
    assert "learns" not in run("evaluate", many, "--cv", 2, "--readings", "discriminant").err


def test_ctrl_c_keeps_the_readings_that_are_ready(run, weather, tmp_path, interrupted, recwarn):
    """The command says so, saves the model, and ends well."""
    interrupted("forest")
    ran = run("train", weather, "-o", tmp_path / "m.cb")

    assert ran.code == 0
    assert "Interrupted: the model has only what was ready; it is saved, and answers." in ran.err
    assert not recwarn.list
    assert set(cb.load(tmp_path / "m.cb").model_.losses) == {"discriminant", "opinions"}
    assert len(run("predict", tmp_path / "m.cb", weather).out.split()) == 14


def test_ctrl_c_before_the_first_reading_saves_nothing(weather, tmp_path, interrupted, monkeypatch, capsys):
    """As with the other learners: exit code 130, and no file."""
    interrupted(READINGS[0])
    monkeypatch.setattr("sys.argv", ["casebase", "train", str(weather), "-o", str(tmp_path / "m.cb")])
    with pytest.raises(SystemExit) as end:
        program.main()

    assert end.value.code == 130
    assert "Interrupted: nothing was changed." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:Interrupted")
def test_ctrl_c_stops_an_evaluation(weather, interrupted, monkeypatch, capsys):
    """The accuracy of a model with only some readings is not that of the autopilot."""
    interrupted("forest")
    monkeypatch.setattr("sys.argv", ["casebase", "evaluate", str(weather), "--cv", "2"])
    with pytest.raises(SystemExit) as end:
        program.main()

    assert end.value.code == 130
    assert not capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:Interrupted")
def test_ctrl_c_stops_a_comparison_of_methods(run, weather, interrupted):
    """The methods that have finished are shown; the autopilot was not among them."""
    interrupted("forest")
    ran = run("methods", weather, "--methods", "ib1,auto", "--cv", 2, "--json")
    record = json.loads(ran.out)

    assert ran.code == 130
    assert record["was_interrupted"]
    assert "auto" not in {row["method"] for row in record["rows"]}


class Recorded:
    """A progress function that remembers its notes."""

    def __init__(self):
        self.notes = []

    def __call__(self, done, total):
        pass

    def note(self, text):
        self.notes.append(text)


def test_the_best_reading_so_far_is_noted(trained, weather):
    """After each reading: the one with the least loss of those that are ready."""
    losses = cb.load(trained[1]).model_.losses
    recorded = Recorded()
    cases = cases_with_kinds(read_table(weather))
    fit_auto(cases, progress=part_of(recorded, 3, 10))

    ready = [READINGS[: n + 1] for n in range(len(READINGS))]
    best = [min(names, key=losses.get) for names in ready]
    assert recorded.notes == [f"{name}, held-out log loss {losses[name]:.3f} so far" for name in best]


def test_a_plain_function_takes_no_notes():
    """Progress functions of two numbers stay what they were."""
    note(None, "so far")
    note(lambda done, total: None, "so far")
    note(part_of(lambda done, total: None, 1, 2), "so far")


def test_the_bar_shows_the_note_behind_its_label():
    """Brackets are text."""
    shown = io.StringIO()
    with bars.Progress(console=Console(file=shown, width=100, force_terminal=True), transient=False) as bar:
        show = Bar(bar, bar.add_task("auto", total=5), "auto")
        show(2, 5)
        show.note("[red]opinions, held-out log loss 0.412 so far")

    assert "auto: [red]opinions, held-out log loss 0.412 so far" in shown.getvalue()
    assert "40%" in shown.getvalue()


def table(*rows):
    return "a,b,class\n" + "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected at least one line of data"),
        ("a,b,class\n", "expected data after the header"),
        (table("x,1,P"), "No column is left to learn from: a (constant), b (constant)."),
        (table(*(f"x,1,{'PQ'[i % 2]}" for i in range(12))), "No column is left to learn from: a (constant)"),
        (table(*(f"?,,{'PQ'[i % 2]}" for i in range(12))), "No column is left to learn from: a (constant)"),
        (table(*(f"{1000 + i},name{i:03},{'PQ'[i % 2]}" for i in range(40))), "learn from: a (key), b (key)."),
        (table(*(f"{'xy'[i % 2]},{i},{'P' if i else ''}" for i in range(9))), "The class is missing in 1 case,"),
    ],
    ids=["empty", "header", "one row", "constants", "all missing", "keys", "no class"],
)
@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_nothing_to_learn_from_is_said(run, written, tmp_path, content, message, command):
    """With the file, the columns and what to do; nothing is saved."""
    data = written(content, "data.csv")
    ran = run("train", data, "-o", tmp_path / "m.cb") if command == "train" else run("evaluate", data, "--cv", 2)

    assert ran.code == 1
    assert f"{data}: " in ran.err
    assert message in ran.err
    assert not (tmp_path / "m.cb").exists()


LITTLE = {
    "two rows": table("x,1.5,P", "y,2,Q"),
    "three rows": table("x,1.5,P", "y,2,Q", "x,3,P"),
    "one class": table(*(f"{'xy'[i % 2]},{i / 2},P" for i in range(12))),
    "a class per row": table(*(f"{'xy'[i % 2]},{i / 2},C{i}" for i in range(12))),
    "nearly all missing": table(*(f"{'x' * (i == 3)},{'1.5' * (i == 4)},{'PQ'[i % 2]}" for i in range(20))),
    "missing in every row": table(
        *(f"{'?' if i % 2 else 'xyz'[i % 3]},{'' if i % 3 else i / 2},{'PQ'[i % 2]}" for i in range(24))
    ),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("content", LITTLE.values(), ids=LITTLE)
def test_little_to_learn_from(run, written, tmp_path, content):
    """Every command works, and probabilities are probabilities."""
    data, model, more = written(content, "data.csv"), tmp_path / "m.cb", tmp_path / "more.cb"
    assert run("train", data, "-o", model).code == 0
    lines = run("predict", model, data, "--proba", "--json").out.splitlines()
    sums = [sum(json.loads(line)["distribution"].values()) for line in lines]

    assert sums == pytest.approx([1.0] * (content.count("\n") - 1))
    assert run("evaluate", data, "--cv", 2).code == 0
    assert run("explain", model, data).code == 0
    assert run("inspect", model).code == 0
    assert run("insert", model, data, "-o", more).code == 0
    assert len(run("predict", more, data).out.splitlines()) == len(sums)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kinds", [["a=number", "b=number"], ["a=symbol", "b=number"], ["a=symbol", "b=symbol"]])
def test_constant_columns_that_are_given_kinds(run, written, tmp_path, kinds):
    """Regression: the discriminant could not learn from columns without any difference."""
    data = written(table(*(f"2,1,{'PPQ'[i % 3]}" for i in range(12))), "data.csv")
    options = [word for kind in kinds for word in ("--kind", kind)]
    ran = run("train", data, "-o", tmp_path / "m.cb", *options)

    assert ran.code == 0
    assert set(run("predict", tmp_path / "m.cb", data).out.split()) == {"P"}
    assert run("explain", tmp_path / "m.cb", data).code == 0
    assert run("evaluate", data, "--cv", 3, *options).code == 0


@pytest.mark.filterwarnings("error")
def test_folds_without_any_difference(run, written):
    """The columns differ only in the case that is left out."""
    data = written(
        table(*(f"{3.5 if i == 5 else 4},{1.5 if i == 5 else 2},{'PQ'[i % 2]}" for i in range(8))), "data.csv"
    )

    assert run("evaluate", data, "--loo").code == 0


def test_without_a_reading_the_class_frequencies_answer(run, written, tmp_path, monkeypatch):
    """When no reading helps: said by train and inspect, and the frequencies are the probabilities."""
    monkeypatch.setattr(committee, "fit_pool", lambda told, *_, **__: Pool(np.zeros(told.shape[2]), np.zeros(2)))

    weather = written(WEATHER, "weather.csv")
    assert "class frequencies alone; " in run("train", weather, "-o", tmp_path / "m.cb").err
    assert "No reading answers held-out cases better" in run("inspect", tmp_path / "m.cb").out
    first = json.loads(run("predict", tmp_path / "m.cb", weather, "--proba", "--json").out.splitlines()[0])
    assert sorted(first["distribution"].values()) == pytest.approx([5 / 14, 9 / 14])
