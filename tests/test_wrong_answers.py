"""Reports have the wrong answers, a baseline and an interval."""

from functools import partial

import numpy as np
import pytest

from casebase import evaluate
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.methods import method_named
from casebase.neighbours import ib1, tribl2
from casebase.trees import c45

ROWS = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["a", "x"], ["b", "x"], ["b", "z"], ["c", "z"]]
LABELS = ["P", "P", "Q", "P", "Q", "Q", "Q", "Q"]


@pytest.fixture
def cases():
    return Cases.from_table(ROWS, y=LABELS, ids=[f"id {i}" for i in range(8)])


def test_baseline_and_interval():
    """The most frequent class of the evaluated cases, and Wilson's interval of the accuracy."""
    report = evaluate.report(["a", "a", "a", "b"], ["a", "b", "a", "b"])

    assert (report.accuracy, report.majority, report.baseline) == (0.75, "a", 0.75)
    assert [round(limit, 4) for limit in report.interval] == [0.3006, 0.9544]
    assert report.to_dict()["interval"] == list(report.interval)
    assert (report.errors[0].row, report.errors[0].id) == (1, 1)
    assert (report.errors[0].actual, report.errors[0].predicted, report.errors[0].nearest) == ("a", "b", ())


def test_leave_one_out_lists_the_neighbours_that_misled(cases):
    """They are those of a fit on all other cases."""
    report = evaluate.leave_one_out(cases, {"k": 1}, nearest=2)

    assert len(report.errors) == report.n_cases - report.n_correct > 0
    for error in report.errors:
        rest = [i for i in range(8) if i != error.row]
        others = Cases.from_table([ROWS[i] for i in rest], y=[LABELS[i] for i in rest], ids=np.array(rest))
        model = ib1.fit(others)
        (evidence,) = model.explain(model.schema.encode([ROWS[error.row]]))
        assert (error.actual, error.id, error.values) == (LABELS[error.row], f"id {error.row}", tuple(ROWS[error.row]))
        nearest = evidence.neighbours[: len(error.nearest)]
        assert error.predicted == evidence.label
        assert [near.id for near in error.nearest] == [f"id {one.id}" for one in nearest]
        assert [near.distance for near in error.nearest] == pytest.approx([one.distance for one in nearest])
        assert [near.label for near in error.nearest] == [one.label for one in nearest]
        assert len(error.nearest) == min(
            2, sum(d == evidence.distances[0] for d in (n.distance for n in evidence.neighbours))
        )


def test_cross_validation_lists_the_records_of_the_other_folds(cases):
    """Each wrong answer has the nearest records of the model that gave it."""
    report = evaluate.cross_validate(cases, partial(tribl2.fit), 4, nearest=3)

    fold = folds(cases.known_labels, 4, 0)
    assert report.errors
    for error in report.errors:
        assert error.actual == LABELS[error.row] != error.predicted
        assert 1 <= len(error.nearest) <= 3
        assert all(fold[int(near.id.split()[1])] != fold[error.row] for near in error.nearest)
        assert all(near.values == tuple(ROWS[int(near.id.split()[1])]) for near in error.nearest)


def test_learners_without_cases_list_the_query_alone(cases):
    """A tree has no records to show; without being asked, a report keeps neither values nor records."""
    report = evaluate.cross_validate(cases, partial(c45.fit), 4, nearest=3)
    assert [error.nearest for error in report.errors] == [()] * len(report.errors) != []
    assert report.errors[0].to_dict()["values"] == dict(zip(("f1", "f2"), ROWS[report.errors[0].row]))

    plain = evaluate.leave_one_out(cases)
    assert {(error.values, error.nearest) for error in plain.errors} == {((), ())}


def test_a_committee_lists_the_cases_with_the_largest_shares(cases):
    """For the answer and against it."""
    report = evaluate.cross_validate(cases, method_named("opinions").fit, 2, nearest=2)

    assert report.errors
    for error in report.errors:
        shares = [near.share for near in error.nearest]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) == 2
