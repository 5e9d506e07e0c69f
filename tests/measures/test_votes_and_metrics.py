"""How votes are weighed and features compared, by name."""

import numpy as np
import pytest

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.distances import resolve_metrics
from casebase.measures.votes import VOTES, VOTES_ABOVE_ZERO, Decay, checked_vote


def cases():
    return Cases.from_table([["1", 0.5, "P"], ["2", 1.5, "Q"]], target=-1)


def kinds(cases):
    return [feature.kind for feature in cases.schema.features]


def test_equal_votes():
    """Every group counts once, however far."""
    assert VOTES["equal"](np.array([0.0, 2.0, 1.0]), np.array([2, 1]), Decay()).tolist() == [1, 1, 1]


def test_exponential_votes_of_far_groups():
    """A nearer group counts more, however far all are: exp(-100) was less than what exp(-1100) was rounded to."""
    distances, n_groups = np.array([100.0, 1100.0, 800.0, 801.0, 0.5]), np.array([2, 2, 1])

    assert VOTES["exponential"](distances, n_groups, Decay()) == pytest.approx([1, 0, 1, np.exp(-1), np.exp(-0.5)])
    assert VOTES_ABOVE_ZERO["exponential"](distances, n_groups, Decay())[:3] == pytest.approx(
        [np.exp(-100), 2**-52, 2**-52]
    )


def test_exponential_votes_of_powers_beyond_all_numbers():
    """Groups whose exponents are infinite cannot be told apart, and count alike."""
    assert VOTES["exponential"](np.array([10.0, 20.0]), np.array([2]), Decay(1.0, 1e3)).tolist() == [1.0, 1.0]


def test_unknown_vote():
    """A misspelt vote is answered with the nearest one."""
    with pytest.raises(CasebaseError, match="Did you mean 'equal'"):
        checked_vote("equl")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("overlap", ["symbolic", "numeric"]),
        ("numeric", ["numeric", "numeric"]),
        ({0: "numeric", 1: "overlap"}, ["numeric", "symbolic"]),
        ({"f1": "ignored"}, ["ignored", "numeric"]),
        ({}, ["symbolic", "numeric"]),
    ],
)
def test_metrics(metric, expected):
    """One metric for all features, or a name for each; floats are numeric unless they are named."""
    assert kinds(resolve_metrics(cases(), metric)[0]) == expected


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("overlapp", "Did you mean 'overlap'"),
        ({0: "numerc"}, "Did you mean 'numeric'"),
        ({"f11": "numeric"}, "Did you mean 'f1'"),
        ({7: "numeric"}, "no feature 7"),
        ("ignored", "All features are ignored"),
        (3, "name per feature"),
    ],
)
def test_metrics_that_cannot_be(metric, message):
    """Unknown metrics and features are answered with the nearest spelling."""
    with pytest.raises(CasebaseError, match=message):
        resolve_metrics(cases(), metric)
