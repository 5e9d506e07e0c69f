"""Answers of rules: their class, and what they decided in training as votes."""

import numpy as np

from casebase.base.answers import rule_answers


def test_a_rule_has_the_cases_that_it_decides_as_votes():
    """Most of them are of its class."""
    answers = rule_answers(np.array([1]), np.array([[1.0, 3.0]]))

    assert answers.votes_of(0) == {0: 1.0, 1: 3.0}


def test_a_rule_that_has_decided_more_of_another_class_has_all_votes():
    """As many of another class are a tie, which is told; no votes at all would be shares that are not numbers."""
    answers = rule_answers(np.array([0, 0, 1]), np.array([[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]))

    assert [answers.votes_of(i) for i in range(3)] == [{0: 4.0}, {0: 2.0, 1: 2.0}, {1: 1.0}]
