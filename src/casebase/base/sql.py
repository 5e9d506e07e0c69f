"""SQL for names, values and tests, with quoting."""

import re
from collections.abc import Iterable
from typing import Any

from casebase.data import Feature
from casebase.errors import CasebaseError
from casebase.render.words import printable

MANY_DIGITS = 16
# As text, a truth value is `true` in DuckDB and PostgreSQL; SQLite has none, and stores 1 and 0.
TRUTHS = {"True": ("True", "true", "1"), "False": ("False", "false", "0")}


def column(name: str) -> str:
    """Return a column name, quoted.

    >>> print(column('na"me'))
    "na""me"
    """
    return _quote(name, '"')


def literal(value: Any) -> str:
    """Return a value as an SQL literal.

    >>> literal("O'Tit"), literal(2), literal(True)
    ("'O''Tit'", '2', 'TRUE')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _quote(value, "'") if isinstance(value, str) else repr(value)


def number(x: float) -> str:
    """Return a number; with many digits it gets an exponent, so that SQL reads a double and not an exact decimal.

    >>> number(75.5), number(1 / 3), number(0.0)
    ('75.5', '0.3333333333333333E0', '0.0')
    """
    written = repr(float(x))
    return written if "e" in written or len(written) < MANY_DIGITS else f"{written}E0"


def share(x: float) -> str:
    """Return a fraction of 1, always as a double: products of exact decimals exceed the precision of databases.

    >>> share(0.5)
    '0.5E0'
    """
    written = repr(float(x))
    return written if "e" in written else f"{written}E0"


def equals(feature: Feature, value: Any) -> str:
    """Return the test whether a feature has a value; None is a missing value."""
    name = column(feature.name)
    if value is None:
        return f"{name} IS NULL"
    if feature.is_cut:
        return in_interval(feature, value)
    if _has_truths(feature):
        return f"{_as_text(feature)} IN ({_literals(feature, TRUTHS[value])})"
    return f"{operand(feature, [value])} = {_value_literal(feature, value)}"


def is_one_of(feature: Feature, values: list[Any]) -> str:
    """Return the test whether a feature has one of the values; None is a missing value."""
    known = [value for value in values if value is not None]
    tests = [equals(feature, None)] * (len(known) < len(values))
    if len(known) == 1:
        tests.append(equals(feature, known[0]))
    elif feature.is_cut:
        tests += [equals(feature, value) for value in known]
    elif known and _has_truths(feature):
        tests.append(f"{_as_text(feature)} IN ({_literals(feature, [text for one in known for text in TRUTHS[one]])})")
    elif known:
        tests.append(f"{operand(feature, known)} IN ({_literals(feature, known)})")
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def in_interval(feature: Feature, interval: str) -> str:
    """Return the test whether a number lies in an interval.

    >>> import numpy as np
    >>> in_interval(Feature("size", "symbolic", cuts=np.array([2.0, 5.0])), "2 – 5")
    '("size" > 2.0 AND "size" <= 5.0)'
    """
    assert feature.cuts is not None
    name, at, cuts = column(feature.name), feature.interval_number(interval), feature.cuts.tolist()
    bounds = [f"{name} > {number(cuts[at - 1])}"] if at else []
    bounds += [f"{name} <= {number(cuts[at])}"] if at < len(cuts) else []
    return f"({' AND '.join(bounds)})" if len(bounds) == 2 else bounds[0] if bounds else f"{name} IS NOT NULL"


def operand(feature: Feature, values: list[Any]) -> str:
    """Return the left side of a comparison: integers may be symbols too, and are then compared as text."""
    is_text = feature.of_numbers or not any(map(_is_number, values))
    return column(feature.name) if is_text else _as_text(feature)


def _as_text(feature: Feature) -> str:
    return f"CAST({column(feature.name)} AS TEXT)"


def _has_truths(feature: Feature) -> bool:
    """Return whether all values are truth values, or texts that are spelled like them."""
    values = feature.vocabulary
    return values is not None and len(values) <= 3 and set(values.values.to_pylist()) <= {None, *TRUTHS}


def _literals(feature: Feature, values: Iterable[Any]) -> str:
    return ", ".join(_value_literal(feature, value) for value in values)


def _value_literal(feature: Feature, value: Any) -> str:
    return str(value) if feature.of_numbers else literal(str(value))


def _is_number(value: Any) -> bool:
    return re.fullmatch(r"-?[0-9]+", str(value)) is not None


def _quote(text: str, mark: str) -> str:
    if "\0" in text:
        raise CasebaseError(f"SQL cannot represent {printable(text)!r}: it contains the character 0.")
    return mark + text.replace(mark, 2 * mark) + mark
