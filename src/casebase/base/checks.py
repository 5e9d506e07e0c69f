"""Checks of settings that several methods have: each raises an error that says what is expected."""

from collections.abc import Callable, Iterable, Mapping

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.distances import METRICS

Check = Callable[[object], None]


def checked_missing(missing: str) -> bool:
    """Return whether two missing values agree."""
    if missing not in ("value", "unknown"):
        raise CasebaseError(
            f"missing is 'value' (a missing value is a value like any other) or 'unknown' (it agrees with nothing); "
            f"got {missing!r}."
        )
    return missing == "value"


def checked_metric(metric: object) -> None:
    """Raise an error for a metric that no table can have; the features it names are checked with the table."""
    if isinstance(metric, Mapping):
        return
    if not isinstance(metric, str):
        raise CasebaseError(f"metric is the name of a metric, or a name per feature; got {metric!r}.")
    if metric not in METRICS:
        raise CasebaseError(unknown_name("metric", metric, METRICS))


def check_flag(name: str) -> Check:
    """Return a check that a setting is True or False."""

    def check(value: object) -> None:
        if not isinstance(value, bool):
            raise CasebaseError(f"{name} is True or False; got {value!r}.")

    return check


def check_optional_whole(name: str, means: str, at_least: int) -> Check:
    """Return a check that a setting is a whole number, or None."""

    def check(value: object) -> None:
        if value is not None and not is_whole(value, at_least):
            raise CasebaseError(f"{name} is {means}: a whole number of at least {at_least}, or None; got {value!r}.")

    return check


def check_whole(name: str, means: str, at_least: int, word: str | None = None) -> Check:
    """Return a check that a setting is a whole number, or a word; several words are separated by a bar."""
    words = [] if word is None else word.split("|")

    def check(value: object) -> None:
        if isinstance(value, str) and value in words:
            return
        if not is_whole(value, at_least):
            other = f", or {' or '.join(map(repr, words))}" if words else ""
            raise CasebaseError(f"{name} is {means}: a whole number of at least {at_least}{other}; got {value!r}.")

    return check


def check_name(what: str, names: Iterable[str]) -> Check:
    """Return a check that a setting is one of these names."""
    known = tuple(names)

    def check(value: object) -> None:
        if not isinstance(value, str) or value not in known:
            raise CasebaseError(unknown_name(what, value, known))

    return check
