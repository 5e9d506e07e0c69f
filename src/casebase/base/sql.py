"""Names, values and tests as SQL writes them; odd names and values are quoted."""

import re
from typing import Any

from casebase.data import Feature
from casebase.errors import CasebaseError
from casebase.render.words import printable

MANY_DIGITS = 16


def column(name: str) -> str:
    """Return the name of a column.

    >>> print(column('na"me'))
    "na""me"
    """
    return _quoted(name, '"')


def literal(value: Any) -> str:
    """Return a value.

    >>> literal("O'Tit"), literal(2), literal(True)
    ("'O''Tit'", '2', 'TRUE')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _quoted(value, "'") if isinstance(value, str) else repr(value)


def number(x: float) -> str:
    """Return a number; one of many digits with an exponent, so that it is a double and no exact decimal.

    >>> number(75.5), number(1 / 3), number(0.0)
    ('75.5', '0.3333333333333333E0', '0.0')
    """
    written = repr(float(x))
    return written if "e" in written or len(written) < MANY_DIGITS else f"{written}E0"


def share(x: float) -> str:
    """Return a part of 1, always as a double: the product of exact decimals has more digits than data bases hold.

    >>> share(0.5)
    '0.5E0'
    """
    written = repr(float(x))
    return written if "e" in written else f"{written}E0"


def equals(feature: Feature, value: Any) -> str:
    """Return the test whether a feature has a value; None is a missing one."""
    name = column(feature.name)
    if value is None:
        return f"{name} IS NULL"
    return f"{compared(feature, [value])} = {_stored(feature, value)}"


def is_one_of(feature: Feature, values: list[Any]) -> str:
    """Return the test whether a feature has one of some values; None among them is a missing one."""
    known = [value for value in values if value is not None]
    tests = [equals(feature, None)] * (len(known) < len(values))
    if len(known) == 1:
        tests.append(equals(feature, known[0]))
    elif known:
        tests.append(f"{compared(feature, known)} IN ({', '.join(_stored(feature, value) for value in known)})")
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def compared(feature: Feature, values: list[Any]) -> str:
    """Return what stands before the sign: whole numbers are symbols too, and are compared as they are written."""
    name = column(feature.name)
    return name if feature.of_numbers or not any(map(_is_number, values)) else f"CAST({name} AS TEXT)"


def _stored(feature: Feature, value: Any) -> str:
    return str(value) if feature.of_numbers else literal(str(value))


def _is_number(value: Any) -> bool:
    return re.fullmatch(r"-?[0-9]+", str(value)) is not None


def _quoted(text: str, mark: str) -> str:
    if "\0" in text:
        raise CasebaseError(f"SQL has no way to write {printable(text)!r}: it holds the character 0.")
    return mark + text.replace(mark, 2 * mark) + mark
