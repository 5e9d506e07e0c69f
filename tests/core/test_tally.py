"""Votes counted and decided by the kernel, against the oracle's choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native
from tests.oracles.ib1 import choose, count_votes

CLASSES = ["A", "B", "C", "D"]


def tally(queries, factors, labels, counts, frequency, rank):
    """`queries` is a list of lists of groups of rows."""
    u32 = np.uint32
    return _native.tally(
        np.array([len(groups) for groups in queries], u32),
        np.array([f for groups in factors for f in groups], float),
        np.array([len(rows) for groups in queries for rows in groups], u32),
        np.array([row for groups in queries for rows in groups for row in rows], u32),
        [(np.array(labels, u32), None if counts is None else np.array(counts, float))],
        np.array(frequency, float),
        np.array(rank, u32),
    )


def result(found, query):
    entries = slice(int(found["first_vote"][query]), int(found["first_vote"][query + 1]))
    votes = {CLASSES[c]: v for c, v in zip(found["vote_label"][entries], found["votes"][entries])}
    return CLASSES[found["label"][query]], bool(found["is_tied"][query]), votes


@st.composite
def elections(draw):
    labels = draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    rows = st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=5)
    queries = draw(st.lists(st.lists(rows, min_size=1, max_size=3), min_size=1, max_size=4))
    factors = [[draw(st.sampled_from([1.0, 0.5, 0.25])) for _ in groups] for groups in queries]
    counts = draw(st.none() | st.lists(st.sampled_from([1, 2, 0.5]), min_size=len(labels), max_size=len(labels)))
    frequency = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=4, max_size=4))
    return queries, factors, labels, counts, frequency, draw(st.permutations(range(4)))


@given(elections())
def test_choice_is_that_of_the_oracle(election):
    """Votes, class and tie: more votes, then the more frequent class, then the rank."""
    queries, factors, labels, counts, frequency, rank = election
    names = [CLASSES[c] for c in labels]
    found = tally(*election)
    for q, groups in enumerate(queries):
        votes = {}
        for rows, factor in zip(groups, factors[q]):
            for label, n in count_votes(rows, names, counts or [1] * len(labels)).items():
                votes[label] = votes.get(label, 0.0) + factor * n
        by_rank = sorted(CLASSES, key=lambda label: rank[CLASSES.index(label)])
        label, is_tied = choose(votes, dict(zip(CLASSES, frequency)), by_rank)
        assert result(found, q) == (label, is_tied, votes)


def test_votes_of_a_group_are_weighted_together():
    """Ten cases at factor 0.1 have one vote, not ten times a rounded tenth."""
    found = tally([[list(range(10)), [10]]], [[0.1, 1.0]], [0] * 10 + [1], None, [1, 1, 0, 0], [0, 1, 2, 3])
    assert result(found, 0) == ("A", True, {"A": 1.0, "B": 1.0})


@pytest.mark.parametrize(("rank", "is_tied"), [([0, 1, 2, 3], False), ([1, 0, 2, 3], True)])
def test_a_class_that_comes_later_wins_by_a_rounding_error(rank, is_tied):
    """0.1 + 0.2 is more than 0.3, to a computer; a class that comes first with it is tied with 0.3 all the same."""
    found = tally([[[0], [1], [2]]], [[0.3, 0.1, 0.2]], [0, 1, 1], None, [1, 1, 0, 0], rank)
    assert result(found, 0)[:2] == ("B", is_tied)


@pytest.mark.parametrize(
    ("n_groups", "factors", "n_rows", "rows", "labels"),
    [
        ([1], [1.0], [1], [2], [0, 1]),
        ([1], [1.0], [1], [0], [4, 1]),
        ([2], [1.0], [1], [0], [0, 1]),
        ([1], [1.0], [2], [0], [0, 1]),
        ([1], [1.0, 1.0], [1], [0], [0, 1]),
        ([0], [], [], [], [0, 1]),
    ],
    ids=["row", "label", "groups", "rows", "factors", "no neighbours"],
)
def test_bad_arguments(n_groups, factors, n_rows, rows, labels):
    """Rows, labels and groups that are not there are refused."""
    u32 = np.uint32
    with pytest.raises(ValueError, match=r"out of range|do not fit|one weight|without neighbours"):
        _native.tally(
            np.array(n_groups, u32),
            np.array(factors, float),
            np.array(n_rows, u32),
            np.array(rows, u32),
            [(np.array(labels, u32), None)],
            np.ones(4),
            np.arange(4, dtype=u32),
        )


def test_preference_of_another_length():
    """There is one frequency and one rank per class."""
    with pytest.raises(ValueError, match="one number per class"):
        tally([[[0]]], [[1.0]], [0], None, [1, 1], [0, 1, 2])
