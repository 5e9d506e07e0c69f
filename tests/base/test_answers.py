"""Answers: of rules, of some cases, of one case."""

import numpy as np
import pytest

from casebase.base.answers import Answers, rule_answers


def test_a_rule_has_the_cases_that_it_decides_as_votes():
    """Most of them are of its class."""
    answers = rule_answers(np.array([1]), np.array([[1.0, 3.0]]))

    assert answers.votes_of(0) == {0: 1.0, 1: 3.0}


def test_a_rule_that_has_decided_more_of_another_class_has_all_votes():
    """As many of another class are a tie, which is told; no votes at all would be shares that are not numbers."""
    answers = rule_answers(np.array([0, 0, 1]), np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]))

    assert [answers.votes_of(i) for i in range(3)] == [{0: 4.0}, {0: 2.0, 1: 2.0}, {1: 1.0}]


def answers_of_three() -> Answers:
    return Answers(
        np.array([1, 0, 1], np.uint32),
        np.array([0, 2, 3, 6], np.uint64),
        np.array([0, 1, 0, 0, 1, 2], np.uint32),
        np.array([1.0, 2.0, 5.0, 1.0, 3.0, 2.0]),
        depth=np.array([3, 4, 5]),
    )


def shown(answers: Answers) -> list[object]:
    """Return everything that answers hold, with its types."""
    return [None if part is None else (part.dtype, part.tolist()) for part in vars(answers).values()]


@pytest.mark.parametrize("case", [0, 1, 2])
def test_one_case_is_picked_as_one_of_several(case):
    """The answers for one case are the first of those for it and others."""
    answers = answers_of_three()
    two = answers.take(np.array([case, 0]))

    one = answers.take(np.array([case], dtype=np.uint32))

    n = int(two.first_vote[1])
    assert one.votes_of(0) == answers.votes_of(case) == two.votes_of(0)
    assert shown(one) == shown(
        Answers(two.label[:1], two.first_vote[:2], two.vote_label[:n], two.votes[:n], depth=two.depth[:1])
    )


@pytest.mark.parametrize("has_depth", [True, False])
def test_one_case_is_replaced_as_one_of_several(has_depth):
    """Votes are those of the other answer; what only one of them tells stays as it was."""
    answers = answers_of_three()
    other = answers.take(np.array([2]))
    if not has_depth:
        other = Answers(other.label, other.first_vote, other.vote_label, other.votes)

    alone = answers.take(np.array([0])).replace_at(np.array([0]), other)

    assert shown(alone) == shown(answers.take(np.array([0, 1])).replace_at(np.array([0]), other).take(np.array([0])))
