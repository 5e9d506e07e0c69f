"""Table 1 of the paper on SMILE: its rows, what is said about them, and what is not."""

import numpy as np
import pytest

from lab.papers.records import Measured
from lab.papers.running import reproduce
from lab.papers.smile import PAPER, missing
from lab.papers.smile.data import ALL_CUTS, AS_NUMBERS, QUICK_TASKS, SIZE_ALPHAS, SMILE, TASKS
from lab.papers.smile.folds import AS_NEIGHBOUR, AUTO, BY_SIZE, C45, CHOSEN, IB1, N_FOLDS, SECONDS, run, tables_of
from lab.papers.smile.peers import PEERS, SVMS
from lab.papers.smile.table import LIKE_NEIGHBOURS, overall, summary
from tests.peers import require_weka

BY_NAME = {task.name: task for task in TASKS}
WEATHER = BY_NAME["Weather"]


def made_up(task, smile=(80.0, 82.0), peer=(70.0, 72.0), peer_name="Weka"):
    """Results of two folds in which alpha 2 is best."""
    flat, better = Measured((50.0, 52.0)), Measured((60.0, 62.0))
    results = {alpha: better if alpha == 2 else flat for alpha in task.alphas}
    results |= {(how, a): better if a == 2 else flat for how in (ALL_CUTS, AS_NUMBERS) for a in task.alphas}
    results |= {AUTO: Measured(smile), CHOSEN: Measured((1.0, 3.0)), IB1: flat, C45: better}
    results |= {(BY_SIZE, how, a): Measured(smile) for how in ("", ALL_CUTS, AS_NUMBERS) for a in SIZE_ALPHAS}
    results |= {(AS_NEIGHBOUR, key): flat for key in (AUTO, *((BY_SIZE, "", a) for a in SIZE_ALPHAS))}
    results |= {("scikit-learn", setting): flat for setting in SVMS}
    results[SECONDS] = Measured((0.1, 0.1))
    return results | {(peer_name, peer_of): Measured(peer) for peer_of in PEERS}


@pytest.fixture(scope="module")
def weather_rows():
    """The rows of the fourteen days, all ten folds."""
    results = [run(WEATHER, 0, number) for number in range(N_FOLDS)]
    measured = {key: Measured(tuple(result[key] for result in results)) for key in results[0]}
    return summary(WEATHER, measured).rows


def test_every_method_of_the_table_has_a_row(weather_rows):
    """SMILE in four settings and the paper's four others, each with the printed figure."""
    assert [(row.method, row.setting, row.paper) for row in weather_rows[:1] + weather_rows[2:]] == [
        ("SMILE", 'alpha="auto"', 80.0),
        ("SMILE", 'pools="size", alpha 1', 80.0),
        ("SMILE", 'pools="size", alpha 0', 80.0),
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
        'pools="size", alpha 1',
        'pools="size", alpha 0',
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
    asked = {key for key in run(WEATHER, 0, 0) if isinstance(key, tuple) and key[1] in PEERS}
    assert asked == {("Weka", peer) for peer in PEERS}
    monkeypatch.setenv("WEKA_JAR", "nowhere.jar")
    asked = {key for key in run(WEATHER, 0, 0) if isinstance(key, tuple) and key[1] in PEERS}
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
    assert settings[:3] == ['alpha="auto"', "alpha 8", "alpha 8, integers cut too"]
    assert settings[3:5] == ['pools="size", alpha 1', 'pools="size", alpha 1, integers cut too']


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
    found = summary(WEATHER, made_up(WEATHER, smile, peer)).claims
    assert [claim.verdict for claim in found] == verdicts * 3  # as printed, and with pools by size


@pytest.mark.parametrize(("smile", "verdict"), [((50.0, 52.0), "holds"), ((60.0, 62.5), "does not hold")])
def test_likeness_to_neighbours_is_judged_where_cases_are_most(smile, verdict):
    """Within a point of the nearest neighbour's 51 %; the share of equal answers is told."""
    letter = BY_NAME["Letter"]
    found = [c for c in summary(letter, made_up(letter, smile)).claims if c.claim == LIKE_NEIGHBOURS]
    assert [claim.verdict for claim in found] == [verdict] * 3
    assert all("say the same of 51.0 %" in claim.measured for claim in found)


def test_missing_values_are_judged_against_the_neighbour():
    """Of three readings, the one below it does not give a satisfactory performance; nothing is printed to compare."""
    results = {(one, share): Measured((60.0, 60.5)) for one in missing.CONTENDERS for share in missing.SHARES}
    results[missing.PRINTED, 0.5] = Measured((50.0, 50.4))
    part = missing.summary(BY_NAME["Zoo"], results)
    assert [claim.verdict for claim in part.claims] == ["does not hold", "holds", "holds"]
    assert "SMILE changes by -10.0 points" in part.claims[0].measured
    assert {row.verdict for row in part.rows} == {"no figure printed"}


def test_values_are_erased_from_memory_and_queries():
    """With more values missing a method has less to go by: Iris by one nearest neighbour falls."""
    found = [missing.run(BY_NAME["Iris"], 0, number) for number in range(2)]
    assert set(found[0]) == {(one, share) for one in missing.CONTENDERS for share in missing.SHARES}
    means = [np.mean([one[missing.NEAREST, share] for one in found]) for share in missing.SHARES]
    assert means[-1] < max(means)


@pytest.mark.parametrize(("smile", "verdict"), [(90.0, "holds"), (50.0, "does not hold")])
def test_most_of_the_data_sets(smile, verdict):
    """What holds on more than half of the data sets holds on most of them."""
    tasks = [BY_NAME[name] for name in ("Weather", "Zoo", "Iris")]
    parts = [summary(task, made_up(task, (smile, smile + 0.1))) for task in tasks]
    assert [claim.verdict for claim in overall(parts).claims] == [verdict] * 3
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
