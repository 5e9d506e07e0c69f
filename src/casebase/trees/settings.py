"""Settings that decision trees share."""

from typing import Any

from casebase.base import common
from casebase.base.settings import setting
from casebase.trees.growth import CRITERIA, checked_confidence, checked_criterion, checked_depth, checked_min_cases


def criterion(default: str, help: str = "The measure that chooses the test.") -> Any:
    takes = '{"information_gain", "gain_ratio"}'
    return setting(default, takes, help, checked_criterion, kind="choice", choices=tuple(CRITERIA))


def max_depth() -> Any:
    return setting(None, "int, optional", "The largest number of tests on a path.", checked_depth, kind="whole")


def min_cases(default: float) -> Any:
    help = "At least two branches of a test must hold this many cases."
    return setting(default, "float", help, checked_min_cases, kind="number")


def confidence(help: str) -> Any:
    return setting(0.25, "float", help, checked_confidence, kind="number")


def metric() -> Any:
    return common.metric(
        'Which features are "numeric" or "ignored": a dict by feature, or one name for all. By default floats are '
        "numbers and other values are symbols."
    )
