"""Ids, columns left out, provenance and single cases on the command line."""

import json

import pandas as pd
import pytest

import casebase as cb

TITANIC = """\
passenger,pclass,sex,name,age,cabin,port,source,survived
p1,1,male,"Smith, John",25.0,C2,S,list A,survived
p2,1,female,"Smith, Jane",31.5,B5,S,list A,survived
p3,3,male,"Rice, Tom",22.0,,C,list B,died
p4,3,female,"Kelly, Ann",18.0,,Q,,survived
p5,2,male,"Hill, Max",40.0,,C,list B,died
p6,2,female,"Ward, Eva",29.0,E1,S,list B,survived
"""
LEFT_OUT = ("--id-column", "passenger", "--ignore", "name", "--keep", "source")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "titanic.csv"
    path.write_text(TITANIC)
    return path


def saved(run, tmp_path, data, *options, learner="ib1"):
    model = tmp_path / f"{learner}.cb"
    ran = run("train", data, "-o", model, "--learner", learner, *options)
    assert ran.code == 0, ran.err
    return model


@pytest.mark.parametrize("learner", ["ib1", "c45", "rules", "kernel"])
def test_explain_gives_the_answer_of_predict(run, tmp_path, data, learner):
    """`1,male,25.0,,C` was predicted *died* and explained as *survived*: its empty field was a value of its own."""
    model = saved(run, tmp_path, data, "--ignore", "name,passenger", "--keep", "source", learner=learner)
    for line in ("1,male,25.0,,C", '3,female,"18.0",,Q', "2,male,40.0,E1,S"):
        new = tmp_path / "new.csv"
        new.write_text(f"pclass,sex,age,cabin,port\n{line}\n")
        label = json.loads(run("predict", model, new, "--json").out)["label"]
        from_file = json.loads(run("explain", model, new, "--json").out)

        explained = json.loads(run("explain", model, "--case", line, "--json").out)

        assert explained == from_file
        assert explained[0]["label"] == label


def test_case_by_name(run, tmp_path, data):
    """Columns that are not named are missing; an unknown name is refused."""
    model = saved(run, tmp_path, data, *LEFT_OUT)

    (evidence,) = json.loads(run("explain", model, "--case", "sex=male, pclass=3", "--json").out)
    refused = run("explain", model, "--case", "sx=male")

    assert dict(zip(evidence["features"], evidence["values"])) == {
        "pclass": "3", "sex": "male", "age": None, "cabin": None, "port": None
    }  # fmt: skip
    assert refused.code == 1
    assert "Did you mean 'sex'" in refused.err


def test_ids_and_provenance_are_quoted(run, tmp_path, data):
    """Cases are called by their id, and come with the source they are from."""
    model = saved(run, tmp_path, data, *LEFT_OUT)

    (evidence,) = json.loads(run("explain", model, "--case", "sex=male, age=22.0", "--json", "--limit", "1").out)
    text = run("explain", model, "--case", "sex=male, age=22.0").out

    assert (evidence["neighbours"][0]["id"], evidence["neighbours"][0]["provenance"]) == ("p3", {"source": "list B"})
    assert "p3" in text
    assert "list B" in text
    assert "Rice" not in text


def test_new_tables_need_only_what_is_learned_from(run, tmp_path, data):
    """The other columns may be there; ids name the answers."""
    model = saved(run, tmp_path, data, *LEFT_OUT)
    frame = pd.read_csv(data, dtype=str)
    short = tmp_path / "short.csv"
    frame[["sex", "pclass", "port", "cabin", "age"]].to_csv(short, index=False)

    answers = [json.loads(line) for line in run("predict", model, data, "--json").out.splitlines()]
    unnamed = [json.loads(line) for line in run("predict", model, short, "--json").out.splitlines()]

    assert [answer["id"] for answer in answers] == list(frame["passenger"])
    assert [answer["label"] for answer in answers] == [answer["label"] for answer in unnamed]
    assert "id" not in unnamed[0]


def test_queries_can_be_named_by_a_column_that_the_model_does_not_know(run, tmp_path, data):
    """`--id-column` takes the column out of a table with a header, and of one without."""
    model = saved(run, tmp_path, data, "--ignore", "passenger,name,source")
    new = tmp_path / "new.csv"
    new.write_text("pclass,sex,nr,age,cabin,port\n1,male,007,25.0,,C\n")
    plain = tmp_path / "plain.txt"
    plain.write_text("a x P\nb y Q\n")
    model_of_words = saved(run, tmp_path, plain, learner="igtree")
    numbered = tmp_path / "numbered.txt"
    numbered.write_text("17 a x\n18 b y\n")

    named = json.loads(run("predict", model, new, "--json", "--id-column", "nr").out)
    by_number = run("predict", model_of_words, numbered, "--json", "--id-column", "1").out.splitlines()

    assert named["id"] == "007"
    assert [json.loads(line) for line in by_number] == [{"id": 17, "label": "P"}, {"id": 18, "label": "Q"}]
    assert run("explain", model_of_words, numbered, "--id-column", "9").code == 1


def test_evidence_names_its_query(run, tmp_path, data):
    """As text, on a page and in JSON; a case without an id has none."""
    model = saved(run, tmp_path, data, *LEFT_OUT)

    text = run("explain", model, data, "--first", "2").out
    page = run("explain", model, data, "--html", "-").out
    records = json.loads(run("explain", model, data, "--json").out)
    alone = json.loads(run("explain", model, "--case", "sex=male", "--json").out)

    assert text.startswith("p1: ")
    assert "\n\np2: " in text
    assert "p6 → " in page or ">p6<" in page
    assert [record["id"] for record in records] == [f"p{i}" for i in range(1, 7)]
    assert "id" not in alone[0]


def test_inserted_cases_bring_ids_and_provenance(run, tmp_path, data):
    """From the column of the model, or from another; an id that is stored already is named."""
    model = saved(run, tmp_path, data, *LEFT_OUT)
    more = tmp_path / "more.csv"
    more.write_text("passenger,pclass,sex,age,cabin,port,survived\np7,1,male,50.0,,C,died\n")
    assert run("insert", model, more).code == 0
    again = run("insert", model, more)
    more.write_text("nr,pclass,sex,age,cabin,port,survived,source\np8,1,male,51.0,,C,died,web\n")
    assert run("insert", model, more, "--id-column", "nr").code == 0

    clf = cb.load(model)
    memory = clf.model_.memory
    assert clf.ids_.tolist() == [f"p{i}" for i in range(1, 9)]
    assert memory.provenance(memory.in_given_order)[-2:].tolist() == [[None], ["web"]]
    assert again.code == 1
    assert "already a case with id 'p7'" in again.err


def test_ids_that_occur_twice_are_named(run, tmp_path, data):
    """The message names the id, and nothing is saved."""
    data.write_text(TITANIC.replace("p5", "p3"))

    ran = run("train", data, "-o", tmp_path / "m.cb", "--id-column", "passenger")

    assert ran.code == 1
    assert "same id, 'p3'" in ran.err
    assert not (tmp_path / "m.cb").exists()


def test_a_learner_without_cases_says_that_nothing_is_kept(run, tmp_path, data):
    """The columns are left out all the same."""
    ran = run("train", data, "-o", tmp_path / "m.cb", "--learner", "c45", *LEFT_OUT)

    assert "c45 stores no cases" in ran.err
    assert "5 features" in ran.err


def test_loaded_models_keep_the_choice(run, tmp_path, data):
    """The estimator of a model file can be fitted again with the same columns left out."""
    clf = cb.load(saved(run, tmp_path, data, *LEFT_OUT))

    assert (clf.ignore, clf.keep, clf.kinds) == (["name"], ["source"], {"passenger": "id"})
    frame = pd.read_csv(data, dtype={"pclass": str})
    again = clf.fit(frame.drop(columns="survived"), frame["survived"])
    assert again.ids_.tolist() == list(frame["passenger"])


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "--learner", "ib1", "--loo"),
        ("methods", "--methods", "ib1,c45", "--cv", "2"),
        ("select", "--method", "relief"),
        ("weights",),
    ],
)
def test_other_commands_leave_columns_out(run, tmp_path, data, command):
    """They give what they give on a table without these columns."""
    short = tmp_path / "short.csv"
    pd.read_csv(data, dtype=str).drop(columns=["passenger", "name", "source"]).to_csv(short, index=False)
    name, *options = command

    left_out = LEFT_OUT if name != "select" else ("--id-column", "passenger", "--ignore", "name,source")
    with_all = run(name, data, *options, *left_out, "--json")
    without = run(name, short, *options, "--json")

    assert with_all.code == 0, with_all.err
    assert _timeless(with_all.out) == _timeless(without.out)


def _timeless(text):
    record = json.loads(text)
    if isinstance(record, dict):
        record.pop("kinds", None)
        for row in record.get("rows", []):
            for key in [key for key in row if "second" in key or key == "n_bytes"]:
                del row[key]
    return record


def test_the_next_command_has_the_columns(run, data):
    """`casebase methods` names the command that trains the best method, with the same columns left out."""
    ran = run("methods", data, "--methods", "ib1", "--cv", "2", *LEFT_OUT)

    assert "--ignore name --keep source --id-column passenger" in ran.out


def test_messages_ask_only_for_columns_in_use(run, written, tmp_path):
    """Columns of ids, provenance, and those left out are neither expected nor offered."""
    data = written("pid,name,sex,deck,source,class\nP1,Ann,f,A,tel,yes\nP2,Bob,m,B,web,no\nP3,Cy,m,A,web,no\n", "t.csv")
    model = tmp_path / "t.cb"
    options = ("--learner", "ib1", "--id-column", "pid", "--ignore", "name", "--keep", "source")
    assert run("train", data, "-o", model, *options).code == 0
    for arguments in (["--case", "f"], ["--case", "sx=f"], ["--case", "sex=f", "--flip", "--freeze", "name"]):
        said = run("explain", model, *arguments).err
        assert "sex" in said
        assert "pid" not in said
        assert "source" not in said


def test_ids_that_several_queries_have_are_named(run, written, tmp_path):
    """Predictions of such queries cannot be told apart."""
    data = written("pid,sex,class\nP1,f,yes\nP2,m,no\n", "t.csv")
    model = tmp_path / "t.cb"
    run("train", data, "-o", model, "--learner", "ib1", "--id-column", "pid")
    assert "several queries have the id Q1" in run("predict", model, written("pid,sex\nQ1,f\nQ1,m\n", "q.csv")).err
    assert "several" not in run("predict", model, written("pid,sex\nQ1,f\nQ2,m\n", "r.csv")).err
