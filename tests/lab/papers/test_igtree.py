"""Tables 1, 2 and 3 of the paper on IGTree and TRIBL: rows, sizes, switch points, t-tests."""

from collections import Counter

import numpy as np
import pytest

from casebase import IGTreeClassifier
from casebase.datasets import load_objects, load_tic_tac_toe
from casebase.errors import CasebaseError
from lab.papers.igtree import PAPER, folds, new_text, tables, tagging, worked
from lab.papers.igtree.data import (
    C45,
    C45_RULES,
    EODG,
    IB1,
    IB1_IG,
    IGTREE,
    QUICK_TASKS,
    TABLE_2,
    TABLE_3,
    TASKS,
    TIMBL_OPTIONS,
    TRIBL,
    Task,
    load_soybean,
)
from lab.papers.records import Measured
from lab.papers.running import reproduce
from lab.peers import timbl
from tests.peers import require_timbl, require_weka

BY_NAME = {task.name: task for task in TASKS}
OBJECTS = Task(TABLE_3, "tic-tac-toe", load_objects, BY_NAME["tic-tac-toe"].printed, {}, switch=1)


@pytest.fixture
def no_timbl(monkeypatch):
    """Neither TiMBL nor Weka is there."""
    monkeypatch.setattr(timbl, "is_installed", lambda: False)
    monkeypatch.setenv("WEKA_JAR", "nowhere.jar")


def made_up(**accuracies):
    """Results of ten folds: the accuracies given, 90 for the rest; IGTree's differ a little from fold to fold."""
    jitter = np.tile([0.1, -0.1], 5)
    methods = (IGTREE, IB1, IB1_IG, TRIBL, EODG, C45, C45_RULES, folds.SINGLE, folds.WEIGHTED, folds.PEER_TREE)
    results = {m: Measured(tuple(accuracies.get(m, 90.0) + (m == IGTREE) * jitter)) for m in methods}
    results[folds.CONSISTENT] = results[EODG]
    results[C45, folds.WITH_EMPTY] = Measured((40.0,) * 10)
    for method in (IGTREE, EODG, C45):
        results[method, folds.NODES] = Measured((20.0,) * 10 if method == IGTREE else (30.0, 32.0) * 5)
    for method in (IGTREE, IB1_IG, TRIBL, C45):
        slow = {IGTREE: 1.0, IB1_IG: 9.0, TRIBL: 2.0, C45: 5.0}[method]
        results[method, folds.LEARNING] = results[method, folds.ASKING] = Measured(tuple(slow + jitter))
    results |= {(IGTREE, folds.KILOBYTES): Measured((0.1, 0.11) * 5), (IB1, folds.KILOBYTES): Measured((200.0,) * 10)}
    return results | {folds.SWITCH: Measured((1.0, 2.0) * 5), folds.RESTORED: Measured((100.0,) * 10)}


def test_every_figure_of_a_table_has_a_row(no_timbl):
    """Accuracies, the switch point and sizes of a data set, each with what is printed."""
    rows = tables.summary(BY_NAME["tic-tac-toe"], made_up()).rows
    assert [(row.method, row.setting, row.paper) for row in rows] == [
        (IGTREE, "", 85.59),
        (IB1, "", 98.75),
        (IB1, "a single nearest case", 98.75),
        (IB1_IG, "", 89.56),
        (TRIBL, "", 98.75),
        (TRIBL, "weighted below", 98.75),
        (TRIBL, "switch point", 1),
        (IGTREE, "nodes", None),
        (EODG, "", 89.4),
        (EODG, "until all cases are told apart", 89.4),
        (C45, "", 85.6),
        (C45, "not pruned", 85.6),
        (C45_RULES, "", 98.9),
        (EODG, "nodes", None),
        (C45, "nodes", None),
        (C45, "nodes, empty leaves too", None),
    ]


def test_a_fold_measures_all_methods(no_timbl):
    """A fold of twelve objects gives every key that the summary asks for."""
    folds.tables_of.cache_clear()
    measured = [folds.run(OBJECTS, 0, number) for number in range(2)]
    results = {key: Measured(tuple(run[key] for run in measured)) for key in measured[0]}

    rows = tables.summary(OBJECTS, results).rows
    assert all(row.ours or row.peer for row in rows)
    assert all(0 <= result.mean <= 100 for key, result in results.items() if isinstance(key, str))


def test_timbl_is_asked_on_the_same_folds(monkeypatch):
    """Where it is installed, its answers and nodes are the peer's column."""
    require_timbl()
    results = folds.run(Task(TABLE_3, "tic-tac-toe", load_tic_tac_toe, {}, {}, switch=1), 0, 0)

    for method in (IGTREE, IB1, IB1_IG):
        assert results[timbl.NAME, method] == pytest.approx(results[method], abs=3)
    assert results[timbl.NAME, TRIBL] == pytest.approx(results[folds.WEIGHTED], abs=3)
    assert results[timbl.NAME, folds.NODES] == results[IGTREE, folds.NODES]


def test_weka_is_asked_on_the_same_folds():
    """Where it is installed, J48's answers and nodes stand beside C4.5's, which are the same on these boards."""
    require_weka()
    task = Task(TABLE_3, "tic-tac-toe", load_tic_tac_toe, {}, {}, switch=1)
    results = {key: Measured((value,)) for key, value in folds.run(task, 0, 0).items()}
    rows = {(row.method, row.setting): row for row in tables.summary(task, results).rows}

    assert rows[C45, ""].peer == rows[C45, ""].ours
    counted = rows[C45, "nodes, empty leaves too"]
    assert counted.peer == counted.ours
    assert rows[C45, ""].peer_name == "Weka's J48"


def test_a_run_of_timbl_that_fails_is_told(monkeypatch):
    """What it printed is in the message."""
    monkeypatch.setattr(timbl, "PROGRAM", "false")
    held_out = np.array([True, False, False, False])
    with timbl.Fold(np.zeros((4, 2), int), held_out) as fold, pytest.raises(CasebaseError, match="ended with status 1"):
        fold.ask(*TIMBL_OPTIONS[IB1])


def test_cuts_come_from_the_cases_that_are_learnt_from():
    """A value far away in the held-out part has no say."""
    data = np.array([[1.0], [2.0], [3.0], [4.0], [7.0], [8.0], [9.0], [10.0], [100.0]], dtype=object)
    labels = np.array(["a"] * 4 + ["b"] * 4 + ["a"])
    cut = folds._cut(folds.Tables(data, data, labels, np.zeros(9)), np.arange(9) == 8)

    assert sorted(set(cut[:, 0])) == ["> 5.5", "≤ 5.5"]
    assert cut[8, 0] == "> 5.5"


def test_soybean_has_each_case_once(tmp_path, monkeypatch):
    """Cases that are there twice, class and all, are taken once, in their order."""
    (tmp_path / "soybean.csv").write_text("leaf,stem,kind\na,b,x\nc,d,y\na,b,x\na,b,y\n", encoding="utf-8")
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))

    soybean = load_soybean()
    assert soybean.data.tolist() == [["a", "b"], ["c", "d"], ["a", "b"]]
    assert soybean.target.tolist() == ["x", "y", "y"]


@pytest.mark.parametrize(
    ("accuracies", "verdict", "against"),
    [
        ({IGTREE: 80.0, IB1: 98.0, IB1_IG: 85.0, TRIBL: 98.0}, "holds", ""),
        ({IGTREE: 80.0, IB1: 98.0, IB1_IG: 85.0, TRIBL: 97.0}, "does not hold", "IB1 and TRIBL"),
        ({IGTREE: 99.0, IB1: 98.0, IB1_IG: 85.0, TRIBL: 98.0}, "does not hold", "IGTree and IB1,"),
        ({IGTREE: 85.0, IB1: 98.0, IB1_IG: 85.0, TRIBL: 98.0}, "not decided", ""),
    ],
)
def test_differences_are_judged_by_t_tests_as_told(accuracies, verdict, against):
    """All pairs but IB1 and TRIBL differ, in the direction of the printed figures; the pairs that do not are named."""
    claim = tables.summary(BY_NAME["tic-tac-toe"], made_up(**accuracies)).claims[0]
    assert claim.verdict == verdict
    assert against in claim.note


def test_a_single_fold_decides_nothing():
    """There is no t-test of one difference."""
    one = {key: Measured(measured.runs[:1]) for key, measured in made_up().items()}
    for task in (BY_NAME["chess"], BY_NAME["mushroom"]):
        judged = [claim for claim in tables.summary(task, one).claims if "Lossless" not in claim.claim]
        assert {claim.verdict for claim in judged} == {"not decided"}


def test_fewer_folds_do_not_show_that_there_is_no_difference():
    """Told that IB1 and TRIBL do not differ, ten folds without a difference agree, and four leave it open."""
    task, same = BY_NAME["tic-tac-toe"], (IB1, TRIBL)
    for n_folds, expected in ((10, True), (4, None)):
        difference = Measured((0.5, -0.5) * (n_folds // 2))
        assert tables.agrees_with_text(task, same, difference, is_told=False) is expected


@pytest.mark.parametrize(("tribl", "verdict"), [(98.0, "holds"), (90.0, "does not hold")])
def test_tribl_is_as_good_as_the_best(tribl, verdict):
    """Two points below are as good, eight are not; on letter it is the other way round."""
    accuracies = {IGTREE: 80.0, IB1: 98.0, IB1_IG: 85.0, TRIBL: tribl}
    other = {"holds": "does not hold", "does not hold": "holds"}[verdict]
    for name, expected in (("tic-tac-toe", verdict), ("letter", other)):
        claims = tables.summary(BY_NAME[name], made_up(**accuracies)).claims
        (claim,) = [claim for claim in claims if claim.claim.startswith("TRIBL attains")]
        assert claim.verdict == expected


def test_memory_and_time_are_claims_of_single_data_sets():
    """Mushroom is compressed by 99.9 %; on letter IGTree learns faster than C4.5, and TRIBL is asked as fast."""
    mushroom, letter = (tables.summary(BY_NAME[name], made_up()).claims for name in ("mushroom", "letter"))
    assert [claim.verdict for claim in mushroom[-2:]] == ["holds", "holds"]
    assert "99.95 %" in mushroom[-1].measured
    assert [claim.verdict for claim in letter[-3:]] == ["holds", "holds", "holds"]


def test_training_cases_are_restored_unless_they_contradict_each_other():
    """Of two equal cases with different classes none counts."""
    data, labels = np.array([["a"], ["a"], ["b"]], dtype=object), np.array(["x", "y", "z"])
    tree = IGTreeClassifier().fit(data, labels)
    assert folds.percent_restored(tree, data, labels) == 100.0
    assert folds.percent_restored(tree, data[2:], np.array(["x"])) == 0.0


def test_the_worked_example():
    """The gains are the paper's to two decimals, and so are the sizes of both trees."""
    rows = worked.summary({key: Measured((value,)) for key, value in worked.run(0).items()}).rows
    assert [(row.setting, row.verdict) for row in rows] == [
        ("size", "inside"),
        ("shape", "inside"),
        ("holes", "inside"),
        ("nodes", "inside"),
        ("nodes", "inside"),
    ]


def test_a_tagger_of_igtrees_on_new_text(corpus):
    """Sentences that were never seen: three figures and a speed, of which none is judged, and another reading."""
    results = {key: Measured((value,)) for key, value in new_text.run(corpus, 0, 0).items()}
    rows = new_text.summary(corpus, results).rows
    assert [row.paper for row in rows] == [96.7, 90.6, 96.4, 1200, 96.7, 90.6, 96.4]
    assert [row.ours.mean for row in rows[:4:2]] == [100.0, 100.0]
    assert [row.verdict for row in rows] == ["not comparable"] * 4 + ["another reading"] * 3
    assert all(row.setting.endswith("90 words") for row in rows)


def test_the_smaller_tree():
    """IGTree's twenty nodes are fewer than thirty."""
    claim = tables.summary(BY_NAME["mushroom"], made_up()).claims[1]
    assert claim.verdict == "holds"
    assert "IGTree 20.0 nodes" in claim.measured


def test_a_part_of_the_cases_is_not_judged():
    """In a quick look at letter nothing is called inside or outside."""
    letter = next(task for task in QUICK_TASKS if task.name == "letter")
    rows = tables.summary(letter, made_up()).rows
    assert {row.verdict for row in rows} <= {"not comparable", "no figure printed", "another reading"}
    assert all("2000 cases" in row.setting for row in rows)


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Thirty times the same sentence, and one that is beyond the words wanted."""
    lines = "the D\ndog N\nbarks V\n\n" * 30 + "never X\n"
    (tmp_path / "text").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))
    tagging.cases_of.cache_clear()
    return tagging.Corpus("tiny", "text", " ", n_words=90)


def test_words_become_cases(corpus):
    """Two tags before, the tags that a word and the next one may have; nothing beyond the last word wanted."""
    cases = tagging.cases_of(corpus)
    assert cases.n_cases == 90
    assert cases.schema.classes == ("D", "N", "V")
    assert [feature.name for feature in cases.schema.features] == ["tag-2", "tag-1", "ambitag", "ambitag+1"]


def test_tagging_has_accuracy_time_and_memory(corpus, no_timbl):
    """Nine figures, of which none is judged for a part of the words; and claims, that pruning harms among them."""
    results = [tagging.run(corpus, 0, number) for number in range(2)]
    part = tagging.summary(corpus, {key: Measured(tuple(r[key] for r in results)) for key in results[0]})

    assert [row.paper for row in part.rows] == [93.9, 97.0, 96.6, 2614, 2985, 29, 900, 900, 21]
    assert {row.verdict for row in part.rows} == {"not comparable"}
    assert all(row.ours.mean == 100.0 for row in part.rows[:3])
    verdicts = {claim.claim.partition(" ")[0]: claim.verdict for claim in part.claims}
    assert len(part.claims) == 8
    assert (verdicts["Accuracy"], verdicts["The"]) == ("does not hold", "holds")  # all is right here, pruned or not


def test_missing_data_is_a_row(tmp_path, monkeypatch):
    """Where a file cannot be had, its row says where it was looked for."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))
    tagging.cases_of.cache_clear()
    folds.tables_of.cache_clear()
    absent = [e for e in PAPER.experiments(0, True, 1) if e.data in ("Brown", "soybean", "glass")]
    rows = reproduce([type(PAPER)("few", "", "", lambda seed, quick, n_runs: absent)]).papers[0].rows
    assert {row.verdict for row in rows} == {"no data"}
    n_printed = {(where, data): n for (where, data), n in Counter((row.experiment, row.data) for row in rows).items()}
    assert n_printed == {
        ("Section 3.1", "Brown"): 4,
        ("Table 1", "Brown"): 9,
        (TABLE_2, "soybean"): 9,
        (TABLE_3, "glass"): 5,
    }
    assert all(row.paper is not None for row in rows)
    assert [row.data for row in rows if str(tmp_path) in row.note] == ["Brown", "Brown", "soybean", "glass"]
