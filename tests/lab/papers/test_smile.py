"""Table 1 of the paper on SMILE: its rows, what is said about them, and what is not."""

import numpy as np
import pytest

from lab.papers.records import Measured
from lab.papers.running import reproduce
from lab.papers.smile import PAPER
from lab.papers.smile.data import ALL_CUTS, AS_NUMBERS, QUICK_TASKS, SMILE, TASKS
from lab.papers.smile.folds import AUTO, C45, CHOSEN, IB1, N_FOLDS, SECONDS, run, tables_of
from lab.papers.smile.peers import PEERS
from lab.papers.smile.table import overall, summary
from tests.peers import require_weka

BY_NAME = {task.name: task for task in TASKS}
WEATHER = BY_NAME["Weather"]


def made_up(task, smile=(80.0, 82.0), peer=(70.0, 72.0), peer_name="Weka"):
    """Results of two folds in which alpha 2 is best."""
    flat, better = Measured((50.0, 52.0)), Measured((60.0, 62.0))
    results = {alpha: better if alpha == 2 else flat for alpha in task.alphas}
    results |= {(how, a): better if a == 2 else flat for how in (ALL_CUTS, AS_NUMBERS) for a in task.alphas}
    results |= {AUTO: Measured(smile), CHOSEN: Measured((1.0, 3.0)), IB1: flat, C45: better}
    results[SECONDS] = Measured((0.1, 0.1))
    return results | {(peer_name, peer_of): Measured(peer) for peer_of in PEERS}


@pytest.fixture(scope="module")
def weather_rows():
    """The rows of the fourteen days, all ten folds."""
    results = [run(WEATHER, 0, number) for number in range(N_FOLDS)]
    measured = {key: Measured(tuple(result[key] for result in results)) for key in results[0]}
    return summary(WEATHER, measured).rows


def test_every_method_of_the_table_has_a_row(weather_rows):
    """SMILE in two settings and the paper's four others, each with the printed figure."""
    assert [(row.method, row.setting, row.paper) for row in weather_rows[:1] + weather_rows[2:]] == [
        ("SMILE", 'alpha="auto"', 80.0),
        ("kNN", "k = 1", 70.0),
        ("kNN", "k = 10", 70.0),
        ("naive Bayes", "", 70.0),
        ("J48", "", 65.0),
        ("SVM", "", 40.0),
    ]
    assert all(row.ours.n_runs == 10 for row in weather_rows if row.method == SMILE)
    assert {row.verdict for row in weather_rows if row.ours is None} <= {"peer inside", "peer outside"}
    assert [row.setting for row in weather_rows if row.verdict == "another reading"] == [
        weather_rows[1].setting,
        "k = 1",
    ]


@pytest.mark.parametrize("peer_name", ["Weka", "scikit-learn"])
def test_j48_is_our_c45_beside_a_peer(peer_name):
    """The row of the paper's tree has casebase's C4.5, and the tree of whichever peer was asked; a note says which."""
    part = summary(WEATHER, made_up(WEATHER, peer_name=peer_name))
    (row,) = [row for row in part.rows if row.method == "J48"]
    assert (row.ours.mean, row.peer.mean, row.peer_name) == (61.0, 71.0, peer_name)
    assert ("stands in" in part.notes[0]) == (peer_name == "scikit-learn")


def test_weka_answers_the_same_folds(monkeypatch):
    """Where Weka is installed all five methods are its own; without it scikit-learn's are asked."""
    require_weka()
    asked = {key for key in run(WEATHER, 0, 0) if isinstance(key, tuple)}
    assert asked == {("Weka", peer) for peer in PEERS}
    monkeypatch.setenv("WEKA_JAR", "nowhere.jar")
    asked = {key for key in run(WEATHER, 0, 0) if isinstance(key, tuple)}
    assert asked == {("scikit-learn", peer) for peer in PEERS}


def test_folds_hold_every_case_out_once():
    """Each of the fourteen days is in one fold, and each class is spread over the folds."""
    fold = tables_of(WEATHER, 0).fold
    assert sorted(np.bincount(fold, minlength=10).tolist()) == [1] * 6 + [2] * 4


def test_the_best_alpha_is_marked_as_chosen_afterwards():
    """A row with the best of several alphas says that the test cases chose it."""
    best = summary(WEATHER, made_up(WEATHER)).rows[1]
    assert best.setting == "alpha 2"
    assert "an upper limit, no result" in best.note
    assert (
        "chosen with the paper's figure in view" in summary(BY_NAME["Letter"], made_up(BY_NAME["Letter"])).rows[1].note
    )


def test_cuts_from_all_cases_are_marked():
    """The row of Sonar in which held-out cases had a say is there, and says so."""
    sonar = BY_NAME["Sonar"]
    honest, leaking = summary(sonar, made_up(sonar)).rows[1:3]
    assert leaking.setting == "alpha 2, cuts from all cases"
    assert "held-out cases had a say" in leaking.note
    assert "held-out cases had a say" not in honest.note
    assert (honest.orientation, leaking.orientation) == (None, 82.7)


def test_letter_is_read_as_symbols_and_as_numbers():
    """The paper's integers may be taken as they are, or be cut; both are shown."""
    letter = BY_NAME["Letter"]
    settings = [row.setting for row in summary(letter, made_up(letter)).rows if row.method == SMILE]
    assert settings == ['alpha="auto"', "alpha 8", "alpha 8, integers cut too"]


def test_a_part_of_the_cases_is_not_judged():
    """In a quick look at Letter nothing is called inside or outside."""
    letter = next(task for task in QUICK_TASKS if task.name == "Letter")
    part = summary(letter, made_up(letter))
    assert {row.verdict for row in part.rows} == {"not comparable", "another reading"}
    assert all("2000 cases" in row.setting for row in part.rows)


@pytest.mark.parametrize(
    ("smile", "peer", "verdicts"),
    [
        ((90.0, 90.5), (70.0, 70.0), ["holds", "holds"]),
        ((70.0, 70.5), (90.0, 90.0), ["does not hold", "does not hold"]),
        ((70.0, 95.0), (90.0, 85.0), ["not decided", "not decided"]),
        ((90.0, 90.0), (90.5, 90.5), ["holds", "does not hold"]),
        ((89.0, 91.0), (90.5, 90.5), ["not decided", "not decided"]),
    ],
)
def test_claims(smile, peer, verdicts):
    """Comparable is at most a point below the best of the others; better is above by a 95 % interval."""
    assert [claim.verdict for claim in summary(WEATHER, made_up(WEATHER, smile, peer)).claims] == verdicts


@pytest.mark.parametrize(("smile", "verdict"), [(90.0, "holds"), (50.0, "does not hold")])
def test_most_of_the_data_sets(smile, verdict):
    """What holds on more than half of the data sets holds on most of them."""
    tasks = [BY_NAME[name] for name in ("Weather", "Zoo", "Iris")]
    parts = [summary(task, made_up(task, (smile, smile + 0.1))) for task in tasks]
    assert [claim.verdict for claim in overall(parts).claims] == [verdict]
    assert overall([]).claims == ()


def test_missing_data_is_a_row(tmp_path, monkeypatch):
    """Where a data set cannot be had, its row says where it was looked for, and the others are there."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))
    tables_of.cache_clear()
    zoo = next(e for e in PAPER.experiments(0, True, 1) if e.data == "Zoo")
    few = type(PAPER)("few", "", "", lambda seed, quick, n_runs: [zoo])
    rows = reproduce([few]).papers[0].rows
    tables_of.cache_clear()
    assert [(row.method, row.paper) for row in rows] == list(BY_NAME["Zoo"].printed.items())
    assert {row.verdict for row in rows} == {"no data"}
    assert str(tmp_path) in rows[0].note


def test_fewer_folds_can_be_asked_for():
    """One run is one fold of the ten."""
    assert {experiment.n_runs for experiment in PAPER.experiments(0, False, 3)} == {3}
    assert {experiment.n_runs for experiment in PAPER.experiments(0, False, 99)} == {10}
    assert {experiment.n_runs for experiment in PAPER.experiments(0, True, None)} == {3}
