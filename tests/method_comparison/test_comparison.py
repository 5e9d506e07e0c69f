"""All methods on the same folds: scores agree with naive ones, and no method can stop the others."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy.stats import binomtest

import casebase as cb
from casebase.confidence import calibrate, probabilities
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.evaluate import cross_validate
from casebase.method_comparison import HeldOutAnswers, comparison
from casebase.method_comparison.contestants import MAJORITY, Contestant, TrainedModel, contestants
from casebase.methods import METHODS, method_named

FAST = ["ib1", "igtree", "c45"]


@pytest.fixture(scope="module")
def cases():
    data = cb.datasets.load_tic_tac_toe()
    return cb.Cases.from_table(data.data.tolist(), y=data.target)


@pytest.fixture(scope="module")
def compared(cases):
    return cb.compare_methods(cases, methods=FAST, random_state=3)


def recorded(monkeypatch, fit=None):
    """Let contestants record what they are trained on; `fit` replaces that of the first."""
    seen: dict[str, list] = {}

    def entered(*args, **options):
        found = contestants(*args, **options)

        def recording(one: Contestant) -> Contestant:
            inner = fit if fit is not None and one is found[0] else one.fit

            def record(cases, progress):
                seen.setdefault(one.name, []).append(cases.case_ids().tolist())
                return inner(cases, progress)

            return replace(one, fit=record)

        return [recording(one) for one in found]

    monkeypatch.setattr(comparison, "contestants", entered)
    return seen


def test_all_methods_are_compared(cases):
    """Without names: every method of the list, and the baseline; nothing else."""
    rows = cb.compare_methods(cases, cv=2).rows

    assert {row.method for row in rows} == {*METHODS, MAJORITY}
    assert {row.method for row in rows if row.role == "method"} == set(METHODS)


def test_all_learn_from_the_same_folds(cases, monkeypatch):
    """Each contestant is trained on the complement of each stratified fold, in the same order."""
    seen = recorded(monkeypatch)
    cb.compare_methods(cases, methods=FAST, cv=4, random_state=7)
    fold = folds(cases.known_labels, 4, 7)
    expected = [np.flatnonzero(fold != i).tolist() for i in range(4)]

    assert set(seen) == {*FAST, MAJORITY}
    assert all(rows == expected for rows in seen.values())


@pytest.mark.parametrize("name", FAST)
def test_accuracies_are_those_of_cross_validation(cases, compared, name):
    """The same folds give the same accuracies as `evaluate.cross_validate`, and their standard error."""
    report = cross_validate(cases, method_named(name).fit, 5, seed=3)

    assert compared[name].fold_accuracies == report.fold_accuracies
    assert compared[name].accuracy == pytest.approx(report.accuracy)
    assert compared[name].standard_error == pytest.approx(np.std(report.fold_accuracies, ddof=1) / np.sqrt(5))


@pytest.mark.parametrize("name", FAST)
def test_log_loss_agrees_with_a_naive_one(cases, compared, name):
    """Over all held-out cases: minus the log of the probability of the true class, clipped at 1e-15."""
    fold = folds(cases.known_labels, 5, 3)
    losses = []
    for i in range(5):
        model = method_named(name).fit(cases.take(np.flatnonzero(fold != i)))
        held_out = cases.take(np.flatnonzero(fold == i))
        answers = model.answer(model.schema.recode(held_out))
        shares = probabilities(model, answers, calibrate(model, cases.take(np.flatnonzero(fold != i))))
        for row, label in zip(shares, held_out.known_labels):
            losses.append(-np.log(min(max(row[label], 1e-15), 1)))

    assert compared[name].log_loss == pytest.approx(np.mean(losses))


def test_p_values_are_those_of_the_binomial_test_on_held_out_answers(cases, compared):
    """Each method against the best, over the cases on which just one of the two is right."""
    fold = folds(cases.known_labels, 5, 3)
    is_right = {}
    for name in FAST:
        right = np.zeros(cases.n_cases, dtype=bool)
        for i in range(5):
            model = method_named(name).fit(cases.take(np.flatnonzero(fold != i)))
            test = np.flatnonzero(fold == i)
            labels = model.answer(model.schema.recode(cases.take(test))).label
            right[test] = labels == cases.known_labels[test]
        is_right[name] = right
    best = is_right[compared.best]

    for name in set(FAST) - {compared.best}:
        wins, losses = int((best & ~is_right[name]).sum()), int((is_right[name] & ~best).sum())
        assert compared[name].p == pytest.approx(binomtest(wins, wins + losses).pvalue)
        assert compared[name].p < 1
        assert compared[name].within_noise == (compared[name].p >= 0.05)
    assert compared[compared.best].p is None
    assert compared[compared.best].within_noise


def test_the_best_comes_first(compared):
    """Rows are ordered by accuracy, then by log loss."""
    order = [(-row.accuracy, row.log_loss) for row in compared.rows]

    assert order == sorted(order)
    assert compared.best == compared.rows[0].method


def test_the_baseline_answers_the_most_frequent_class():
    """Its probabilities are the shares of the classes in training."""
    found = cb.compare_methods([["a"], ["b"]] * 6, list("PPPQ") * 3, methods=["igtree"], cv=3)[MAJORITY]

    assert found.accuracy == pytest.approx(0.75)
    assert found.log_loss == pytest.approx(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
    assert (found.role, found.n_bytes) == ("baseline", None)


def test_the_size_is_that_of_a_model_file(cases, tmp_path):
    """Of the model of the first fold's training cases."""
    fold = folds(cases.known_labels, 3, 0)
    model = method_named("c45").fit(cases.take(np.flatnonzero(fold != 0)))
    cb.methods.save(tmp_path / "model.cb", model)

    assert cb.compare_methods(cases, methods=["c45"], cv=3)["c45"].n_bytes == (tmp_path / "model.cb").stat().st_size


def test_a_method_that_fails_keeps_its_row(cases, monkeypatch):
    """The row has the message; all others are measured, and failed ones come last."""

    def fail(cases, _):
        raise RuntimeError("out of luck")

    recorded(monkeypatch, fail)
    found = cb.compare_methods(cases, methods=FAST, cv=3)

    assert found.rows[-1].method == "ib1"
    assert found["ib1"].error == "RuntimeError: out of luck"
    assert found["ib1"].accuracy is None
    assert all(row.accuracy is not None for row in found.rows[:-1])
    assert "ib1 failed: RuntimeError: out of luck" in str(found)


def test_a_method_that_fails_late_is_not_scored(cases, monkeypatch):
    """Scores of a few folds beside an error would look like scores of all."""
    calls = []

    def fail_in_the_second_fold(cases, _):
        calls.append(cases)
        if len(calls) == 2:
            raise CasebaseError("enough")
        return TrainedModel(method_named("ib1").fit(cases), 1)

    recorded(monkeypatch, fail_in_the_second_fold)
    found = cb.compare_methods(cases, methods=["ib1"], cv=3)["ib1"]

    assert (found.error, found.accuracy, found.fold_accuracies) == ("enough", None, ())


def test_one_class_is_refused():
    """There is nothing to tell apart."""
    with pytest.raises(CasebaseError, match="All cases are of class 'P'"):
        cb.compare_methods([["a"], ["b"], ["c"]], list("PPP"))


def test_three_rows_have_two_folds():
    """Every method has a row, with scores or with an error."""
    found = cb.compare_methods([["a", "x"], ["a", "y"], ["b", "y"]], list("PPQ"))

    assert found.n_folds == 2
    assert sum(found.fold_sizes) == 3
    assert found.notes[:2] == (
        "2 folds instead of 5: no class has more than 2 cases.",
        "No method can answer classes with a single case from the others: 'Q'.",
    )
    assert all((row.accuracy is None) == (row.error is not None) for row in found.rows)


def test_a_rare_class_does_not_reduce_the_folds():
    """A class of two cases has one in training when the other is held out, with any number of folds."""
    found = cb.compare_methods([["a"], ["b"]] * 11, [*"PQ" * 10, "R", "R"], methods=["igtree"])

    assert (found.n_folds, found.notes) == (5, ())


def test_noise_is_called_noise():
    """If no method beats the baseline, the notes say so."""
    draw = np.random.default_rng(0)
    found = cb.compare_methods(draw.choice(list("abcd"), (60, 3)).tolist(), draw.choice(list("PQ"), 60), methods=FAST)

    assert any("most frequent class" in note for note in found.notes)


def test_a_budget_stops_a_method_between_folds(cases):
    """After the first fold the time is used up; the row says how many folds it has, and is tested on these."""
    found = cb.compare_methods(cases, methods=["ib1", "c45"], time_budget=1e-9)

    assert len(found["ib1"].fold_accuracies) == 1
    assert found["ib1"].note.startswith("stopped after 1 of 5 folds")
    assert found["ib1"].standard_error is None
    assert found["c45"].p is not None or found.best == "c45"


def outcome(name, cases, labels, role="method"):
    one = Contestant(name, name, role, lambda cases: None)
    return comparison._Outcome(one, labels, np.zeros(cases.n_cases), [0.5, 0.5], [1.0, 1.0], 1.0)


def test_some_folds_are_not_better_than_all(cases):
    """A method without errors in half of the cases comes behind one with all cases, if there is one."""
    right = cases.known_labels.astype(np.int64)
    half = np.where(np.arange(cases.n_cases) % 2, right, -1)
    some = np.where(np.arange(cases.n_cases) % 3, right, 1 - right)
    partial, complete = outcome("partial", cases, half), outcome("complete", cases, some)
    baseline = outcome("majority", cases, np.ones_like(right), "baseline")

    first, *_, last = comparison._scores([partial, baseline, complete], cases)
    assert (first.method, last.method, last.accuracy) == ("complete", "partial", 1.0)
    assert comparison._scores([partial, baseline], cases)[0].method == "partial"


def test_a_budget_keeps_slow_methods_from_starting(cases, monkeypatch):
    """A method with a cost of n² has its time estimated where there are many cases."""
    monkeypatch.setattr(comparison, "N_CASES_SLOW", 100)
    monkeypatch.setattr(comparison, "SAMPLE_SIZES", (50, 100))
    found = cb.compare_methods(cases, methods=["ib1", "ib2"], time_budget=1e-9)

    assert found["ib2"].note.startswith("not run: one fold is estimated to take")
    assert found["ib2"].accuracy is None
    assert len(found["ib1"].fold_accuracies) == 1


def test_an_estimate_grows_with_the_cost(cases, monkeypatch):
    """Fits of 1 and 4 seconds on samples of 50 and 100 cases: a quadratic method, extrapolated as one."""
    monkeypatch.setattr(comparison, "N_CASES_SLOW", 100)
    monkeypatch.setattr(comparison, "SAMPLE_SIZES", (50, 100))
    clock = iter([0.0, 1.0, 10.0, 14.0])
    monkeypatch.setattr(comparison.time, "perf_counter", lambda: next(clock))
    method = Contestant("slow", "", "method", lambda cases, _: None, "n²")

    assert comparison.estimated_seconds(method, cases) == pytest.approx(4 * (cases.n_cases / 100) ** 2)
    assert comparison.estimated_seconds(replace(method, cost="n log n"), cases) is None


def test_an_interruption_keeps_what_is_finished(cases, monkeypatch):
    """Ctrl-C in the second method leaves the first."""
    calls = []

    def entered(*args, **options):
        found = contestants(*args, **options)

        def interrupt(cases, _):
            raise KeyboardInterrupt

        return [found[0], replace(found[1], fit=interrupt), *found[2:]]

    monkeypatch.setattr(comparison, "contestants", entered)
    found = cb.compare_methods(cases, methods=FAST, progress=lambda done, total: calls.append((done, total)))

    assert [row.method for row in found.rows] == ["ib1"]
    assert found.was_interrupted
    assert "Interrupted: igtree, c45, majority did not finish." in found.notes
    assert calls[0] == (1, 20)


def test_the_record_is_json_and_frozen(compared):
    """What `to_dict` gives survives JSON unchanged, tuples aside."""
    record = compared.to_dict()

    assert json.loads(json.dumps(record))["rows"][0]["accuracy"] == compared.rows[0].accuracy
    assert set(record) == set(compared.__dataclass_fields__) - {"held_out"}
    with pytest.raises(FrozenInstanceError):
        compared.best = "ib2"


def test_the_same_seed_gives_the_same_scores(cases, compared):
    """For any number of threads; only times differ."""
    again = cb.compare_methods(cases, methods=FAST, random_state=3, n_jobs=2)

    assert [(row.method, row.fold_accuracies, row.log_loss, row.p) for row in again.rows] == [
        (row.method, row.fold_accuracies, row.log_loss, row.p) for row in compared.rows
    ]


def test_the_seed_is_that_of_the_methods_that_draw(cases):
    """Methods without random numbers have no such setting."""
    drawing = [name for name in METHODS if "random_state" in method_named(name).settings.public()]
    few = cases.take(np.arange(600, 700))

    assert drawing
    for one in contestants(drawing, peers=False, random_state=9, n_threads=1)[:-1]:
        assert one.fit(few, None).model.settings.random_state == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["ib3"]}, "ib3"),
        ({"methods": "ib1"}, "list of names"),
        ({"methods": []}, "empty"),
        ({"cv": 1}, "cv is the number of folds"),
        ({"time_budget": 0}, "time_budget"),
        ({"random_state": -1}, "random_state"),
        ({"progress": 3}, "progress"),
        ({"y": ["a"]}, "pass them without y"),
    ],
)
def test_wrong_arguments_are_named(cases, options, message):
    """Before anything is trained."""
    with pytest.raises(CasebaseError, match=message):
        cb.compare_methods(cases, **options)


def test_a_table_without_classes_is_refused():
    """A table is not `Cases`: it needs y."""
    with pytest.raises(CasebaseError, match="pass y"):
        cb.compare_methods([["a", "b"]])


def test_weights_of_cases_are_refused():
    """Accuracies and tests count cases."""
    cases = cb.Cases.from_table([["a"], ["b"]], y=["P", "Q"], weights=[2, 1])
    with pytest.raises(CasebaseError, match="repeat"):
        cb.compare_methods(cases)


def test_without_peers_scikit_learn_is_not_imported():
    """Programs that do not ask for it do not load it."""
    script = (
        "import sys, casebase as cb; cb.compare_methods([['a'], ['b']] * 4, list('PQ') * 4, cv=2); "
        "print(callable(cb.compare_methods), 'sklearn' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["True", "False"]


def test_differences_are_the_cases_with_unequal_answers(cases, compared):
    """Found again case by case, from models that are trained on the same folds."""
    fold = folds(cases.known_labels, 5, 3)
    answered = {name: np.empty(cases.n_cases, dtype=int) for name in FAST}
    for name in FAST:
        for i in range(5):
            model = method_named(name).fit(cases.take(np.flatnonzero(fold != i)))
            test = np.flatnonzero(fold == i)
            answered[name][test] = model.answer(model.schema.recode(cases.take(test))).label
    classes, ids = cases.schema.classes, cases.case_ids().tolist()

    def expected(names):
        rows = [i for i in range(cases.n_cases) if len({int(answered[name][i]) for name in names}) > 1]
        return {ids[i]: {name: classes[answered[name][i]] for name in names} for i in rows}

    assert {one.id: one.answers for one in compared.differences(["ib1", "c45"])} == expected(["ib1", "c45"])
    found = compared.differences()
    assert {one.id: one.answers for one in found} == expected(FAST)
    assert 0 < len(found) < cases.n_cases
    assert found[0].label == classes[cases.known_labels[ids.index(found[0].id)]]
    assert json.loads(json.dumps(compared.to_dict(differences=True)))["differences"][0] == found[0].to_dict()
    with pytest.raises(CasebaseError, match="Unknown method 'ib3'"):
        compared.differences(["ib1", "ib3"])


def test_what_was_not_answered_does_not_differ():
    """A method that has stopped after some folds says nothing about the other cases."""
    held_out = HeldOutAnswers(
        np.array(["a", "b", "c"], dtype=object),
        ("P", "Q"),
        np.array([0, 1, 1]),
        {"x": np.array([0, -1, 1]), "y": np.array([0, 1, 0]), "z": np.array([-1, -1, -1])},
    )

    assert held_out.differing(["x", "y"]).tolist() == [2]
    assert held_out.differing(["x", "z"]).tolist() == []
    assert held_out.differing(["x"]).tolist() == []
    assert held_out.difference(1, ["x", "y"]).answers == {"y": "Q"}


def test_a_comparison_can_be_stopped_while_a_method_learns():
    """What a method reports of its training comes through, as a fold that is not done; an error there stops it."""
    rows = [[str(i % 3), str(i % 4), str(i % 5)] for i in range(60)]
    labels = [str(i % 2) for i in range(60)]
    reported = []
    cb.compare_methods(rows, labels, methods=["oblivion"], cv=2, progress=lambda *state: reported.append(state))
    assert [state for i, state in enumerate(reported) if state not in reported[:i]] == [(i, 4) for i in range(5)]
    assert reported.count((0, 4)) > 1

    class Stopped(BaseException):
        pass

    def stop(done, total):
        raise Stopped(done)

    with pytest.raises(Stopped, match="0"):
        cb.compare_methods(rows, labels, methods=["oblivion"], cv=2, progress=stop)
