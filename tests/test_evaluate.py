"""Reports, folds and cross-validation, with numbers worked out by hand."""

import json
from functools import partial

import numpy as np
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.evaluate import cross_validate, folds, held_out_records, leave_one_out, report
from casebase.methods import METHODS, method_named

ACTUAL = ["a", "a", "a", "b", "b", "c"]
ANSWERED = ["a", "a", "b", "b", "a", "b"]


def test_counts():
    """Three of six answers are right."""
    made = report(ACTUAL, ANSWERED)

    assert (made.n_cases, made.n_correct, made.accuracy) == (6, 3, 0.5)


def test_confusion():
    """Rows are the actual classes, columns the answers."""
    made = report(ACTUAL, ANSWERED)

    assert made.labels == ("a", "b", "c")
    assert made.confusion == ((2, 1, 0), (1, 1, 0), (0, 1, 0))


def test_scores_per_class():
    """a: 2 of 3 said, 2 of 3 found. b: 1 of 3 said, 1 of 2 found. c: never said, none of 1 found."""
    a, b, c = report(ACTUAL, ANSWERED).per_class

    assert (a.precision, a.recall, a.f_score) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (b.precision, b.recall, b.f_score) == pytest.approx((1 / 3, 1 / 2, 2 / 5))
    assert (c.precision, c.recall, c.f_score) == (None, 0.0, 0.0)
    assert [(s.n_actual, s.n_answered) for s in (a, b, c)] == [(3, 3), (2, 3), (1, 0)]


def test_macro_f_is_the_mean_over_the_classes():
    """c is never answered: its F-score of 0 counts beside 2/3 and 2/5."""
    assert report(ACTUAL, ANSWERED).macro_f == pytest.approx((2 / 3 + 2 / 5 + 0) / 3)


def test_all_answers_wrong():
    """Scores of zero are scores."""
    made = report(["a", "b"], ["b", "a"])

    assert (made.accuracy, made.macro_f) == (0.0, 0.0)


def test_an_answer_that_is_never_right():
    """A class that never occurs has no recall."""
    made = report(["a"], ["b"])

    assert (made.per_class[1].precision, made.per_class[1].recall) == (0.0, None)


def test_classes_of_other_types():
    """Whole numbers are ordered as numbers."""
    assert report([10, 9, 9], [9, 9, 10]).labels == (9, 10)


def test_as_json():
    """The record of a report is plain."""
    record = report(ACTUAL, ANSWERED, [0.5, 0.5]).to_dict()

    assert json.loads(json.dumps(record)) == record
    assert record["fold_accuracies"] == [0.5, 0.5]


@pytest.mark.parametrize(("actual", "answered"), [([], []), (["a"], []), (["a"], ["a", "b"])])
def test_answers_must_fit_cases(actual, answered):
    """There is one answer per case, and at least one."""
    with pytest.raises(CasebaseError, match="as many answers as cases"):
        report(actual, answered)


@pytest.mark.parametrize("n_folds", [2, 3, 7])
def test_folds_are_even_and_stratified(n_folds):
    """Sizes differ by one at most, and so do the shares of each class."""
    labels = np.repeat([0, 1, 2], [20, 9, 4])
    fold = folds(labels, n_folds)
    sizes = np.bincount(fold, minlength=n_folds)

    assert sizes.max() - sizes.min() <= 1
    for label in range(3):
        share = np.bincount(fold[labels == label], minlength=n_folds)
        assert share.max() - share.min() <= 1


def test_folds_depend_on_the_seed_alone():
    """The same seed, the same folds; another one shuffles."""
    labels = np.repeat([0, 1], 50)

    assert np.array_equal(folds(labels, 5, seed=3), folds(labels, 5, seed=3))
    assert not np.array_equal(folds(labels, 5, seed=3), folds(labels, 5, seed=4))


@pytest.mark.parametrize("n_folds", [-1, 0, 1, 5])
def test_number_of_folds(n_folds):
    """At least two, and no more than there are cases."""
    with pytest.raises(CasebaseError, match=r"between 2 and the number of cases \(4\)"):
        folds(np.zeros(4, dtype=int), n_folds)


@pytest.fixture
def cases():
    rows = [[f"v{i % 5}", f"w{i % 3}", "P" if i % 5 < 2 else "Q"] for i in range(30)]
    return cb.Cases.from_table(rows, target=-1)


@pytest.mark.parametrize("learner", [name for name in METHODS if name not in ("ib2", "forest")])
def test_cross_validation_answers_from_the_other_folds(cases, learner):
    """The class follows from the first feature, so every fold is answered without mistake.

    IB2 may not have kept the one case that it would need, and half of a forest's nodes try the second feature alone.
    """
    made = cross_validate(cases, method_named(learner).fit, 5)

    assert made.confusion == ((12, 0), (0, 18))
    assert made.fold_accuracies == (1.0,) * 5


def test_a_case_is_never_answered_by_itself():
    """With a value of its own, each case can only be guessed from the others."""
    cases = cb.Cases.from_table([[f"v{i}", "P" if i < 3 else "Q"] for i in range(6)], target=-1)

    assert cross_validate(cases, method_named("ib1").fit, 6).n_correct == 0
    assert leave_one_out(cases, {}).n_correct == 0


def test_progress_is_told(cases):
    """Progress ends with all cases."""
    told = []
    cross_validate(cases, method_named("ib1").fit, 4, progress=lambda done, total: told.append((done, total)))

    assert [total for _, total in told] == [30] * 4
    assert told[-1] == (30, 30)


def test_leave_one_out_of_a_single_case():
    """There is nothing left to answer from."""
    with pytest.raises(CasebaseError, match="at least two cases"):
        leave_one_out(cb.Cases.from_table([["a", "P"]], target=-1), {})


@pytest.mark.parametrize(
    "fit", [cb.IB1Classifier(), cb.IB1Classifier().fit, "ib1"], ids=["estimator", "method", "name"]
)
def test_an_estimator_is_no_function_of_cases(fit):
    """It raised a TypeError about a missing y."""
    cases = cb.Cases.from_table([["a"], ["b"]], y=["P", "Q"])

    with pytest.raises(CasebaseError, match=r"such as casebase\.neighbours\.ib1\.fit; got .*cross_val_score"):
        cross_validate(cases, fit, n_folds=2)


def test_parameters_of_leave_one_out_are_a_dict_or_left_out():
    """An estimator in their place is refused; none are IB1's defaults."""
    cases = cb.Cases.from_table([["a"], ["a"], ["b"], ["b"]], y=list("PPQQ"))

    assert leave_one_out(cases).accuracy == 1.0
    with pytest.raises(CasebaseError, match=r"as a dict, such as \{'k': 3\}; got IB1Classifier\(\)"):
        leave_one_out(cases, cb.IB1Classifier())


def test_a_report_is_short():
    """One line in a list, a small table when printed and in a notebook; folds are summed up."""
    short = report(["a", "a", "b<"], ["a", "b<", "b<"], [0.5, 1.0])

    assert repr(short) == "<Report: accuracy 0.667: 2 of 3 predictions right, macro F 0.667>"
    assert str(short).splitlines() == [
        "accuracy 0.667: 2 of 3 predictions right, macro F 0.667",
        "",
        "2 folds, accuracy 0.500 to 1.000",
        "",
        "class  precision  recall      F  actual  predicted",
        "a          1.000   0.500  0.667       2          1",
        "b<         0.500   1.000  0.667       1          2",
    ]
    assert "<td>b&lt;</td>" in short._repr_html_()
    assert "folds" not in str(report(["a"], ["a"]))


def test_a_report_of_many_classes_shows_the_largest():
    """Twelve classes, and how many more there are."""
    many = report([str(i) for i in range(30)], ["0"] * 30)

    assert len(str(many).splitlines()) == 15
    assert "… and 18 smaller classes" in many._repr_html_()


@pytest.mark.parametrize("name", ["ib1", "igtree", "tribl"])
def test_held_out_records_are_those_of_the_model(name):
    """IB1 leaves one out; the others learn from folds, with the settings of the model."""
    data = cb.datasets.load_tic_tac_toe()
    cases = cb.Cases.from_table(data.data[::3].tolist(), y=data.target[::3])
    model = method_named(name).fit(cases, weighting="none")
    found = held_out_records(model)
    if name == "ib1":
        expected = leave_one_out(cases, {"weighting": "none"})
        assert found.how == "leave-one-out"
    else:
        expected = cross_validate(found.cases, partial(method_named(name).fit, weighting="none"))
        assert found.how == "10 folds"
    assert found.report == expected
    actual = [found.cases.schema.classes[code] for code in found.cases.known_labels]
    wrong = [i for i, (a, b) in enumerate(zip(actual, found.predicted)) if a != b]
    assert wrong == [error.row for error in expected.errors]
    assert [found.predicted[i] for i in wrong] == [error.predicted for error in expected.errors]


def test_held_out_records_need_records():
    cases = cb.Cases.from_table([["a", "P"], ["b", "Q"]] * 5, target=-1)
    with pytest.raises(CasebaseError, match="keeps no cases"):
        held_out_records(method_named("c45").fit(cases))
