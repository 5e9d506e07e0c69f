"""The kinds of columns on the command line."""

import json

import pandas as pd
import pytest

import casebase as cb

N = 40
FRAME = pd.DataFrame(
    {
        "name": [f"guest {i}" for i in range(N)],
        "pclass": [i % 3 + 1 for i in range(N)],
        "size": [["low", "medium", "high"][i % 3] for i in range(N)],
        "fare": [i * 0.5 for i in range(N)],
        "joined": [f"{i % 28 + 1}/{i % 2 + 1}/2024" for i in range(N)],
        "sum": [f"1,{i % 9}" for i in range(N)],
        "host": "h",
        "answer": ["yes" if i % 3 else "no" for i in range(N)],
    }
)


@pytest.fixture
def table(tmp_path):
    """A CSV file of all kinds."""
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_train_tells_the_kinds(run, table, tmp_path):
    """One line counts the kinds and names what is left out; a risky choice has a warning."""
    ran = run("train", table, "-o", tmp_path / "m.cb", "--kinds", "auto")
    first, warning, _ = ran.err.splitlines()

    assert first == "columns: 2 numeric, 2 symbolic, 1 date; ignored: name (key), host (constant)"
    assert warning.startswith("Warning: sum: its numbers with commas are symbols")
    assert "8 features" in ran.err


def test_without_kinds_nothing_is_said(run, table, tmp_path):
    """The line is for those who asked, and for learners that always find them."""
    ran = run("train", table, "-o", tmp_path / "m.cb", "--learner", "ib1")

    assert "columns:" not in ran.err
    assert "7 features" in ran.err


@pytest.mark.parametrize("learner", ["ib1", "c45", "igtree"])
def test_command_line_and_python_agree(run, table, tmp_path, learner):
    """The model of the command line, the one loaded from its file and the one of the estimator answer alike."""
    order = "ordinal:low,medium,high"
    run("train", table, "-o", tmp_path / "m.cb", "--learner", learner, "--kinds", "auto", "--kind", f"size={order}")
    X, y = FRAME.drop(columns="answer"), FRAME["answer"]
    kinds = dict.fromkeys(X.columns, "auto") | {"size": order}
    loaded = cb.load(tmp_path / "m.cb")
    fitted = type(loaded)(kinds=kinds)
    with pytest.warns(UserWarning, match="sum: its numbers with commas"):
        fitted.fit(X, y)
    X.drop(columns="name").to_csv(tmp_path / "new.csv", index=False)
    X.to_csv(tmp_path / "rows.csv", index=False, header=False)
    new = run("predict", tmp_path / "m.cb", tmp_path / "new.csv").out.split()
    rows = run("predict", tmp_path / "m.cb", tmp_path / "rows.csv", "--no-header").out.split()

    assert loaded.kinds == kinds
    assert loaded.kinds_ == fitted.kinds_
    assert new == rows == fitted.predict(X).tolist() == loaded.predict(X).tolist()
    assert run("evaluate", tmp_path / "m.cb", table).out.startswith("accuracy")


def test_the_header_of_new_cases(run, tmp_path):
    """The names of the columns that are learned from tell a header, even if a value is spelled like a name."""
    rows = [f"guest {i},{['red', 'blue'][i % 2]},2024-01-{i + 1:02},{'PQ'[i % 2]}" for i in range(25)]
    (tmp_path / "t.csv").write_text("\n".join(["name,colour,joined,class", *rows]) + "\n")
    (tmp_path / "new.csv").write_text("colour,joined\ncolour,2024-01-05\nred,2024-01-07\n")
    run("train", tmp_path / "t.csv", "-o", tmp_path / "m.cb", "--kinds", "auto")

    assert len(run("predict", tmp_path / "m.cb", tmp_path / "new.csv").out.split()) == 2


def test_inspect_shows_the_kinds(run, table, tmp_path):
    """As text with the reasons, and in JSON with everything."""
    run("train", table, "-o", tmp_path / "m.cb", "--kinds", "auto")
    text = run("inspect", tmp_path / "m.cb").out
    record = json.loads(run("inspect", tmp_path / "m.cb", "--json").out)

    assert "3 different whole numbers in sequence, from 1 to 3" in text
    assert record["kinds"] == [column.to_dict() for column in cb.load(tmp_path / "m.cb").kinds_]
    assert [column["kind"] for column in record["kinds"]][4:] == ["date", "symbol", "constant"]
    assert record["kinds"][4]["style"] == "dmy"


def test_evaluate_with_kinds(run, table):
    """Cross-validation learns from the kinds, and JSON has them."""
    record = json.loads(run("evaluate", "--learner", "c45", table, "--cv", 4, "--kinds", "auto", "--json").out)

    assert record["accuracy"] == 1.0
    assert {column["name"]: column["kind"] for column in record["kinds"]}["pclass"] == "ordinal"
    assert "kinds" not in json.loads(run("evaluate", "--learner", "c45", table, "--cv", 4, "--json").out)


@pytest.mark.parametrize("command", [["weights"], ["select"], ["select", "--method", "relief"]])
def test_other_commands_that_learn(run, table, command):
    """They see the features of the kinds."""
    ran = run(*command, table, "--kinds", "auto")

    assert ran.code == 0
    assert "joined.month" in ran.out
    assert "columns: 2 numeric" in ran.err


def test_compare_with_kinds(run, table):
    """Representations can be derived from the features of the kinds."""
    ran = run("compare", table, "--vary", "features=joined.weekday,pclass", "--kinds", "auto", "--no-sensitivity")

    assert ran.code == 0, ran.err
    assert "features=pclass" in ran.out


def test_explain_one_case(run, table, tmp_path):
    """One case has the columns of the table."""
    run(
        "train", table, "-o", tmp_path / "m.cb", "--learner", "c45", "--kind", "joined=date", "--kind", "pclass=ordinal"
    )
    told = run("explain", tmp_path / "m.cb", "--case", "x\t2\tlow\t1.5\t28/1/2024\t1,2\th")
    wrong = run("explain", tmp_path / "m.cb", "--case", "x\t2")

    assert told.code == 0, told.err
    assert "Expected 7 values (name, pclass, size, fare, joined, sum, host)" in wrong.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "pclas=ordinal"], "table.csv: Unknown column 'pclas'. Did you mean 'pclass'?"),
        (["--kind", "pclass=ordnal"], "Column 'pclass': Unknown kind 'ordnal'. Did you mean 'ordinal'? Known: number,"),
        (["--kind", "size=number"], "row 1 of 40 has 'low', which is not a number"),
        (["--kind", "size=ordinal"], "'low' in row 1 of 40, so give their order"),
        (["--kind", "answer=symbol"], "Column 'answer' is the class"),
        (["--kind", "ordinal"], "--kind takes a column and its kind, such as pclass=ordinal; got 'ordinal'"),
        (["--kinds", "all"], "'all' is not"),
    ],
)
def test_kinds_that_are_wrong(run, table, tmp_path, options, message):
    """The error says what is expected."""
    ran = run("train", table, "-o", tmp_path / "m.cb", *options)

    assert ran.code != 0
    assert message in ran.err
    assert not (tmp_path / "m.cb").exists()


def test_a_model_keeps_its_kinds(run, table, tmp_path):
    """The options make no sense with a model."""
    run("train", table, "-o", tmp_path / "m.cb")
    ran = run("evaluate", tmp_path / "m.cb", table, "--kind", "pclass=ordinal")

    assert (ran.code, "--kind goes with --cv or --loo" in ran.err) == (2, True)


def test_inserted_cases(run, table, tmp_path):
    """More cases get the kinds of the model; a value of another kind is refused."""
    run("train", table, "-o", tmp_path / "m.cb", "--kinds", "auto")
    FRAME[:2].drop(columns="host").to_csv(tmp_path / "more.csv", index=False)
    FRAME[:2].assign(joined="soon").to_csv(tmp_path / "wrong.csv", index=False)

    assert "2 cases inserted" in run("insert", tmp_path / "m.cb", tmp_path / "more.csv").err
    assert "row 1 of 2 has 'soon'" in run("insert", tmp_path / "m.cb", tmp_path / "wrong.csv").err
