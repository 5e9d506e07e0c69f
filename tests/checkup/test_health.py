"""The report: every kind of finding is found where it was planted, with its reason and its command."""

import io
import json
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.checkup.page import render_page, render_text
from casebase.data import Cases
from casebase.errors import CasebaseError
from tests.oracles import checkup as oracle


def boards(n_wrong: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tic-tac-toe's boards, their classes with some wrong ones, and which are wrong."""
    data = cb.datasets.load_tic_tac_toe()
    labels = data.target.astype(object).copy()
    wrong = np.random.default_rng(5).permutation(len(labels))[:n_wrong]
    labels[wrong] = np.where(labels[wrong] == "positive", "negative", "positive")
    return data.data, labels, wrong


@pytest.fixture(scope="module")
def messy() -> tuple[pd.DataFrame, pd.Series]:
    """A table with an id, a constant, a leak, a misspelled value, a lonely class, copies and a contradiction."""
    draw = np.random.default_rng(0)
    n = 500
    shape = draw.choice(["round", "long"], n)
    size = draw.normal(10, 1, n).round(2)
    kind = np.where(shape == "round", "apple", "banana").astype(object)
    table = pd.DataFrame(
        {
            "id": [f"x{i:04d}" for i in range(n)],
            "shape": shape,
            "colour": np.where(draw.random(n) < 0.5, "red", "green"),
            "planet": "earth",
            "size": size,
            "price": np.where(kind == "apple", 1.5, 2.5) + draw.random(n) / 10,
        }
    )
    table.loc[7, "colour"] = "gren"
    table.loc[11, "size"] = 99.0
    table.loc[21, ["shape", "colour", "size", "price"]] = table.loc[20, ["shape", "colour", "size", "price"]].to_numpy()
    table.loc[31, ["shape", "colour", "size", "price"]] = table.loc[30, ["shape", "colour", "size", "price"]].to_numpy()
    kind[21], kind[31] = kind[20], "banana" if kind[30] == "apple" else "apple"
    kind[40] = "bananna"
    return table, pd.Series(kind, name="fruit")


def test_planted_faults_are_found(messy):
    table, fruit = messy

    report = cb.health(table, fruit)

    assert {one.column: one.reason for one in report.of("column") if one.column in ("id", "planet")}.keys() == {
        "id",
        "planet",
    }
    leaks = [one for one in report.of("column") if "leak" in one.reason]
    assert {"shape", "price"} >= {one.column for one in leaks} >= {"price"}
    rare = {(one.column, one.value): one for one in report.of("rare value")}
    assert "spelled almost alike" in rare["colour", "gren"].reason
    assert rare["colour", "gren"].command == "casebase update MODEL --id 7 --set colour=green --note misspelled"
    assert rare["fruit", "bananna"].suggested == "banana"
    assert report.of("outlier")[0].record == 11
    assert (20, (21,)) in [(one.record, one.others) for one in report.of("duplicate")]
    assert {30, 31} <= {one.record for one in report.of("contradiction")}
    assert report.ceiling == pytest.approx(499 / 500)


def test_wrong_classes_come_first():
    rows, labels, wrong = boards(40)

    report = cb.health(rows, labels)

    found = report.of("mislabelled")
    assert len(set(wrong.tolist()) & {one.record for one in found[:40]}) >= 30
    first = found[0]
    assert {first.label, first.suggested} == {"positive", "negative"}
    assert f"casebase update MODEL --id {first.record} --set class={first.suggested}" in first.command
    assert first.others
    assert all(labels[other] == first.suggested for other in first.others)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert (report.scores.suspicion[[one.record for one in found]] > 0).all()


def test_notes_contain_no_value_and_no_class(messy):
    """A note stays in the log as it was written, also after the record was removed with all its values."""
    table, fruit = messy
    fruit = fruit.copy()
    fruit[[100, 101, 102]] = np.where(fruit[[100, 101, 102]] == "apple", "banana", "apple")

    report = cb.health(table, fruit)

    words = {str(value) for column in table for value in table[column]} | set(fruit)
    commands = [shlex.split(one.command) for one in report.findings if "--note" in one.command]
    notes = [command[command.index("--note") + 1] for command in commands]
    kinds = {one.kind for one in report.findings if "--note" in one.command}
    assert kinds >= {"mislabelled", "rare value"}
    assert any(note.startswith("like ") for note in notes)
    assert not [note for note in notes for word in words if word in note.replace(",", " ").split()]


def test_contradictions_and_ceiling_equal_plain_loops():
    draw = np.random.default_rng(3)
    rows = draw.integers(0, 2, size=(60, 3)).astype(str).tolist()
    labels = draw.choice(list("PQR"), 60).tolist()

    report = cb.health(rows, labels)

    assert report.ceiling == pytest.approx(float(oracle.ceiling(rows, labels)))
    # A record contradicts if no class is more frequent among its equals than all others, or it is not that class.
    expected = set()
    for i, row in enumerate(rows):
        equal = [labels[j] for j in range(60) if rows[j] == row]
        counts = {label: equal.count(label) for label in equal}
        best = [label for label in counts if counts[label] == max(counts.values())]
        if len(counts) > 1 and best != [labels[i]]:
            expected.add(i)
    assert {one.record for one in report.of("contradiction")} == expected


def test_redundant_records_keep_all_answers():
    rows, labels, _ = boards(30)
    rows, labels = rows[:150].tolist(), labels[:150].tolist()

    report = cb.health(rows, labels, weighting="none")

    gone = set(report.records("redundant"))
    left = [i for i in range(150) if i not in gone]
    assert gone
    assert oracle.answers(rows, labels, left) == oracle.answers(rows, labels, range(150))


def test_values_sum_to_the_shares_of_the_vote():
    rows, labels, _ = boards(30)

    report = cb.health(rows[:200].tolist(), labels[:200], weighting="none", epsilon=0)

    shares = 0.0
    for i in range(200):
        near = oracle.groups(rows[:200].tolist(), i, range(200))[0]
        shares += np.mean(labels[near] == labels[i])
    assert report.scores.shapley.sum() == pytest.approx(shares)


def test_a_model_is_examined_under_its_own_metric_and_ids():
    rows, labels, _ = boards(20)
    ids = [f"b{i}" for i in range(len(labels))]
    classifier = cb.IB1Classifier(weighting="information_gain").fit(rows, labels, ids=ids)

    report = cb.health(classifier)

    assert report.metric == "overlap, weighted by information gain"
    assert str(report.of("mislabelled")[0].record).startswith("b")
    assert report.findings == cb.health(classifier.model_).findings


@pytest.mark.parametrize(
    "kind",
    [
        "IGTreeClassifier",
        "TRIBLClassifier",
        "TRIBL2Classifier",
        "CaseForestClassifier",
        "SMILEClassifier",
        "HierarchicalRuleClassifier",
    ],
)
def test_every_model_that_keeps_its_cases_is_examined(kind, tmp_path):
    rows, labels, _ = boards(20)
    model = getattr(cb, kind)().fit(rows[:200], labels[:200])
    model.save(tmp_path / "model.cb")

    report = cb.health(tmp_path / "model.cb")

    assert report.n_cases == 200
    assert report.of("mislabelled")


def test_numbers_of_a_model_are_numbers_again():
    rows = [[shape, float(size)] for size in range(30) for shape in ("round", "long")]
    labels = ["big" if size > 14 else "small" for _, size in rows]
    plain = cb.health(rows, labels, kinds=None)

    for kind in (cb.SMILEClassifier, cb.HierarchicalRuleClassifier):
        report = cb.health(kind().fit(rows, labels))
        assert report.scores.distance.tolist() == plain.scores.distance.tolist()
        assert report.metric == plain.metric


def test_a_model_that_cannot_be_corrected_says_so():
    rows, labels, _ = boards(20)

    notes = " ".join(cb.health(cb.IB2Classifier().fit(rows[:200], labels[:200])).notes)

    assert "A model of ib2 cannot be corrected" in notes
    assert "keeps only some of the cases" in notes
    assert not cb.health(cb.IB1Classifier().fit(rows[:200], labels[:200])).notes


def test_a_path_of_data_is_read(messy, tmp_path):
    table, fruit = messy
    path = tmp_path / "fruit.csv"
    table.assign(fruit=fruit)[["fruit", *table.columns]].to_csv(path, index=False)

    report = cb.health(str(path), target="fruit", ignore="price", keep=["planet"])

    assert report.target == "fruit"
    assert {one.column for one in report.of("column")} == {"id", "shape"}
    command = report.of("column")[-1].command
    assert command == f"casebase train {path} -o MODEL --target fruit --keep planet --ignore price,shape,id"
    assert report.scores.answer.tolist() == (
        cb.health(table, fruit, ignore=["price"], keep="planet").scores.answer.tolist()
    )
    with pytest.raises(CasebaseError, match="leave out y"):
        cb.health(path, fruit)
    with pytest.raises(CasebaseError, match=r"none\.csv"):
        cb.health(tmp_path / "none.csv")


@pytest.mark.parametrize("option", ["ignore", "keep", "target"])
def test_a_model_has_its_columns_already(option):
    classifier = cb.IB1Classifier().fit([["a"], ["b"]], ["P", "Q"])

    with pytest.raises(CasebaseError, match=f"{option}.*for tables"):
        cb.health(classifier, **{option: "f1"})


def test_redundant_records_have_one_command(messy):
    table, fruit = messy

    text = str(cb.health(table, fruit, weighting="none"))

    assert "casebase health DATA --weighting none --list redundant | casebase remove MODEL --ids -" in text


def test_cases_and_tables_have_the_same_health(messy):
    table, fruit = messy
    from casebase.data.kinds import cases_with_kinds

    assert cb.health(cases_with_kinds(table, fruit)).findings == cb.health(table, fruit).findings


def test_the_number_of_threads_changes_nothing(messy):
    assert cb.health(*messy, n_jobs=2).findings == cb.health(*messy).findings


def test_a_sample_is_asked_where_numbers_are_many(monkeypatch):
    draw = np.random.default_rng(4)
    rows = draw.normal(size=(400, 3))
    labels = np.where(rows[:, 0] > 0, "P", "Q")
    whole = cb.health(rows, labels)
    monkeypatch.setattr("casebase.checkup.examination.COMPARISONS", 100 * 400)
    monkeypatch.setattr("casebase.checkup.examination.FEWEST_ASKED", 50)

    report = cb.health(rows, labels)

    assert report.n_asked == 100
    assert "100 records, drawn at random" in report.notes[0]
    assert not report.of("redundant")
    assert report.scores.shapley.sum() == pytest.approx(whole.scores.shapley.sum(), rel=0.2)
    assert [one.record for one in report.of("mislabelled")] == [one.record for one in whole.of("mislabelled")]
    assert all(one.others for one in report.of("mislabelled"))


def test_one_class_has_nothing_to_contradict():
    report = cb.health([["a", "x"], ["b", "x"], ["a", "y"]], ["P", "P", "P"])

    assert report.accuracy == report.ceiling == 1.0
    assert not report.of("mislabelled")
    assert "All records have one class" in str(report)


def test_equal_records_are_all_copies():
    report = cb.health([["a", "x"]] * 30, ["P"] * 20 + ["Q"] * 10)

    assert report.ceiling == pytest.approx(2 / 3)
    assert len(report.of("contradiction")) == 10
    assert [len(one.others) for one in report.of("duplicate")] == [19, 9]
    assert {one.column for one in report.of("column")} == {"f1", "f2"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([["a"]], ["P"]), "at least two"),
        (([["a"], ["b"]],), "There is no class"),
        ((cb.IB1Classifier(),), "not fitted"),
        ((cb.Cases.from_table([["a"], ["b"]], y=["P", "Q"]), ["P", "Q"]), "leave out y"),
        (([], []), "no cases|empty|no rows|at least one"),
        (([["a"], ["b"]], ["P"]), "one class per case"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(CasebaseError, match=message):
        cb.health(*arguments)


@pytest.mark.parametrize("epsilon", [-0.1, 2, "much", float("nan"), None, True])
def test_a_bad_epsilon_is_refused(epsilon):
    with pytest.raises(CasebaseError, match="epsilon"):
        cb.health([["a"], ["b"]], ["P", "Q"], epsilon=epsilon)


def test_a_bad_metric_is_refused():
    with pytest.raises(CasebaseError, match="metric"):
        cb.health([["a"], ["b"]], ["P", "Q"], metric="nonsense")


def test_a_model_without_cases_is_refused():
    rows, labels, _ = boards()

    tree = cb.C45Classifier().fit(rows[:50], labels[:50])
    for model in (tree, tree.model_):
        with pytest.raises(CasebaseError, match=r"c45 keeps no cases.*data that it was trained on"):
            cb.health(model)
    with pytest.raises(CasebaseError, match=r"keep_cases=False.*data that it was trained on"):
        cb.health(cb.IGTreeClassifier(keep_cases=False).fit(rows[:50], labels[:50]))


def test_cases_without_classes_are_refused():
    cases = Cases.from_table([["a"], ["b"]], y=["P", "Q"])

    with pytest.raises(CasebaseError, match="no class"):
        cb.health(replace(cases, labels=None))


def test_weights_are_left_out_and_said_so():
    cases = Cases.from_table([["a"], ["b"], ["a"]], y=["P", "Q", "P"], weights=[1, 2, 5])

    assert "weights" in cb.health(cases).notes[0]


def test_missing_values_are_values(messy):
    table, fruit = messy
    table = table.copy()
    table.loc[50:60, "size"] = np.nan
    table.loc[55:70, "shape"] = None

    assert cb.health(table, fruit).n_cases == 500


def test_the_report_is_text_page_json_and_csv(messy):
    table, fruit = messy
    fruit = fruit.str.replace("apple", "<apple>")
    report = cb.health(table, fruit)

    text, page = str(report), render_page(report)
    assert "Suspicious columns" in text
    for shown in (text, page):
        assert "with the distances held" in " ".join(shown.split())
    assert all("held" in one.reason for one in report.of("redundant"))
    assert "<apple>" in text
    assert "<apple>" not in page
    assert "&lt;apple&gt;" in page
    assert "http" not in page
    assert "<code><span>casebase</span> " in page
    assert "<apple>" not in report._repr_html_()
    record = json.loads(json.dumps(report.to_dict()))
    assert len(record["findings"]) == sum(record["counts"].values()) == len(report.findings)
    lines = pd.read_csv(io.StringIO(report.to_csv()), dtype=str, keep_default_na=False)
    assert len(lines) == len(report.findings)
    assert lines["command"].tolist() == [one.command for one in report.findings]


def test_a_text_has_few_findings_of_each_kind():
    rows, labels, _ = boards(100)

    report = cb.health(rows, labels)

    assert "… and" in render_text(report, 1)
    assert render_text(report, 1).count("casebase update") == 1
