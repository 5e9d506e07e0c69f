"""What the first rule that holds depends on."""

from collections.abc import Sequence

import numpy as np

Tests = Sequence[tuple[int, np.ndarray]]


def asked_by_rules(rules: Sequence[Tests], n_cases: int, n_features: int) -> np.ndarray:
    """Return the features on which the choice of a rule depends, a row per case.

    A rule is a list of tests: the feature, and for which cases the test holds. As long as the rule that decided holds,
    and one failed test of every earlier rule fails, no change of other features matters. Of the failed tests one is
    taken whose feature counts already, if there is one.

    >>> holds, fails = np.array([True]), np.array([False])
    >>> asked_by_rules([[(0, holds), (1, fails), (2, fails)], [(2, holds)]], 1, 4)[0].tolist()
    [False, False, True, False]
    """
    tested = np.zeros((n_cases, n_features), dtype=bool)
    is_open = np.ones(n_cases, dtype=bool)
    failed_rules = []
    for tests in rules:
        holds = np.ones(n_cases, dtype=bool)
        for _, passed in tests:
            holds &= passed
        fires = is_open & holds
        for feature, _ in tests:
            tested[fires, feature] = True
        is_open &= ~holds
        failed_rules.append((tests, is_open.copy()))
    for tests, failed in failed_rules:
        left = failed.copy()
        for feature, passed in tests:
            left &= ~(~passed & tested[:, feature])
        for feature, passed in tests:
            here = left & ~passed
            tested[here, feature] = True
            left &= passed
    return tested
