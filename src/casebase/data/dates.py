"""Dates in text, and their parts: year, month, weekday, and days since 1970-01-01.

A date is ISO (`2024-12-31`, with or without a time of day), or day, month and year in the order that a `style` gives
(`31/12/2024`, `31.12.2024`). A time zone is not converted: the parts are those of the date as it is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from casebase.data.arrays import as_booleans, as_integers, as_numpy, as_strings
from casebase.data.arrow import pa, pc
from casebase.data.numbers import MISSING, is_missing

Style = Literal["iso", "dmy", "mdy"]
STYLES: tuple[Style, ...] = ("iso", "dmy", "mdy")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_TIME = (
    r"(?:[T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)? ?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_ISO = r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})" + _TIME
# Two separators that differ (1/2-2024) are no date; RE2 has no back references, so each separator is written out.
_WRITTEN = [rf"^(?P<a>[0-9]{{1,2}})[{mark}](?P<b>[0-9]{{1,2}})[{mark}](?P<year>[0-9]{{4}}){_TIME}" for mark in "/.-"]
_N_TO_MICROSECONDS = len("2024-12-31 12:30:15.123456")
_PER_DAY = 86_400_000_000  # microseconds; a time of day is no more precise
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01: there is no year 0; 9999-12-31
_FIRST = _FIRST_DAY * _PER_DAY


@dataclass(frozen=True, eq=False)
class Dates:
    """Days since 1970-01-01, with the time of day as a fraction and NaN for a missing date."""

    days: np.ndarray

    @cached_property
    def _dates(self) -> np.ndarray:
        return np.floor(np.where(np.isnan(self.days), 0, self.days)).astype("M8[D]")

    def _known(self, part: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(self.days), np.nan, part)

    @property
    def year(self) -> np.ndarray:
        return self._known(self._dates.astype("M8[Y]").astype(int) + 1970)

    @property
    def month(self) -> np.ndarray:
        return self._known(self._dates.astype("M8[M]").astype(int) % 12 + 1)

    @property
    def weekday(self) -> list[str | None]:
        """The English names of the weekdays, None for a missing date."""
        positions = (self._dates.astype(int) + 3) % 7  # 1970-01-01 was a Thursday
        missing = np.isnan(self.days)
        return [None if absent else WEEKDAYS[i] for i, absent in zip(positions.tolist(), missing.tolist())]


def dates_in(texts: pa.Array, style: Style) -> tuple[Dates, str | None]:
    """Return the dates in texts, and the first text that is neither a date nor missing.

    ISO dates are always understood; `style` says in which order day and month come in the others.

    >>> dates, wrong = dates_in(pa.array(["1970-01-02", "3/1/1970 12:00", None, "30/2/1970"]), "dmy")
    >>> dates.days.tolist(), wrong
    ([1.0, 2.5, nan, nan], '30/2/1970')
    """
    trimmed = pc.utf8_trim_whitespace(texts)
    moments = np.zeros(len(texts), dtype=np.int64)
    is_date = np.zeros(len(texts), dtype=bool)
    for pattern in [_ISO] if style == "iso" else [_ISO, *_WRITTEN]:
        rows = np.flatnonzero(as_booleans(pc.match_substring_regex(trimmed, pattern)))
        if not len(rows):
            continue
        matched = trimmed if len(rows) == len(trimmed) else trimmed.take(as_integers(rows))
        found = _read_by_arrow(matched) if pattern is _ISO else None
        if found is None:
            names = ("month", "day") if pattern is _ISO else ("b", "a") if style == "dmy" else ("a", "b")
            found, exists = _read(pc.extract_regex(matched, pattern), *names)
            rows, found = rows[exists], found[exists]
        moments[rows] = found
        is_date[rows] = True
    days = np.where(is_date, moments // _PER_DAY + moments % _PER_DAY / _PER_DAY, np.nan)
    others = texts.take(as_integers(np.flatnonzero(~is_date)))
    return Dates(days), next((text for text in others.to_pylist() if not is_missing(text)), None)


def _read_by_arrow(texts: pa.Array) -> np.ndarray | None:
    """Return ISO dates in microseconds since 1970; None if one is not on the calendar or has its zone too early."""
    try:
        moments = pc.utf8_slice_codeunits(texts, 0, _N_TO_MICROSECONDS).cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    numbers = as_numpy(moments)
    return None if numbers.min() < _FIRST else numbers


def _read(groups: pa.StructArray, month_name: str, day_name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return matched dates in microseconds since 1970, and whether the calendar and the clock have each."""

    def number(digits: pa.Array) -> np.ndarray:
        return as_numpy(pc.if_else(pc.equal(digits, ""), "0", digits).cast(pa.int64()))

    year, month, day, hour, minute, second = (
        number(groups.field(name)) for name in ("year", month_name, day_name, "hour", "minute", "second")
    )
    fraction = number(pc.utf8_slice_codeunits(pc.utf8_rpad(groups.field("fraction"), 6, "0"), 0, 6))
    is_month = (month >= 1) & (month <= 12) & (year >= 1)
    first = ((year - 1970) * 12 + np.where(is_month, month, 1) - 1).astype("M8[M]")
    date = first.astype("M8[D]") + (day - 1).astype("m8[D]")
    next_month = (first + np.timedelta64(1, "M")).astype("M8[D]")
    exists = is_month & (day >= 1) & (date < next_month) & (hour < 24) & (minute < 60) & (second < 60)
    return date.astype(np.int64) * _PER_DAY + (hour * 3600 + minute * 60 + second) * 1_000_000 + fraction, exists


def is_day(days: float) -> bool:
    """Return whether a number of days since 1970-01-01 is a date of the calendar.

    >>> is_day(0.5), is_day(1e9), is_day(float("nan"))
    (True, False, False)
    """
    return _FIRST_DAY <= days < _LAST_DAY + 1


def date_text(days: float, style: Style = "iso") -> str:
    """Return a date as a column of a style has it; a time of day is added if there is one.

    >>> date_text(1.5), date_text(1.0, "dmy"), date_text(0.25 + 1 / 86_400_000)
    ('1970-01-02 12:00:00', '02/01/1970', '1970-01-01 06:00:00.001')
    """
    moment = round(days * _PER_DAY)
    year, month, day = str(np.datetime64(moment // _PER_DAY, "D")).split("-")
    text = {"iso": f"{year}-{month}-{day}", "dmy": f"{day}/{month}/{year}", "mdy": f"{month}/{day}/{year}"}[style]
    if not moment % _PER_DAY:
        return text
    seconds, fraction = divmod(moment % _PER_DAY, 1_000_000)
    text += f" {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def date_style(texts: pa.Array) -> tuple[Style | None, bool]:
    """Return the style in which all texts are dates, and whether day and month could be exchanged.

    With full stops the day comes first. With other separators a number above 12 must show which is the day.

    >>> date_style(pa.array(["31/12/2024", "1/2/2024"])), date_style(pa.array(["1/2/2024", "3/4/2024"]))
    (('dmy', False), (None, True))
    """
    present = texts.filter(pc.invert(pc.is_in(pc.utf8_trim_whitespace(texts), value_set=as_strings(sorted(MISSING)))))
    first = pc.min_max(present)["min"].as_py()
    if first is None:
        return None, False
    # A style that one value rules out need not be tried on all of them; ISO is understood in every style.
    possible = [style for style in STYLES if dates_in(as_strings([first]), style)[1] is None]
    possible = [style for style in possible[: 1 if possible[:1] == ["iso"] else None] if _fits(texts, style)]
    if "iso" in possible:
        return "iso", False
    if len(possible) == 2:
        return ("dmy", False) if "." in first else (None, True)
    return (possible[0], False) if possible else (None, False)


def _fits(texts: pa.Array, style: Style) -> bool:
    return dates_in(texts[:100], style)[1] is None and dates_in(texts, style)[1] is None
