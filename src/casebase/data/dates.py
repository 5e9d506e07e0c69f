"""Dates in text, and their parts: year, month, weekday, and days since 1970-01-01.

A date is ISO (`2024-12-31`, with or without a time of day), or day, month and year in the order that a `style` gives
(`31/12/2024`, `31.12.2024`). A time zone is not converted: the parts are those of the date as it is written.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase.data.arrays import as_booleans, as_integers, as_numpy, as_strings
from casebase.data.numbers import MISSING

Style = Literal["iso", "dmy", "mdy"]
STYLES: tuple[Style, ...] = ("iso", "dmy", "mdy")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_TIME = (
    r"(?:[T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]+)?))? ?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_ISO = r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})" + _TIME
# Two separators that differ (1/2-2024) are no date; RE2 has no back references, so each separator is written out.
_WRITTEN = {
    mark: rf"^(?P<a>[0-9]{{1,2}})[{mark}](?P<b>[0-9]{{1,2}})[{mark}](?P<year>[0-9]{{4}}){_TIME}" for mark in "/.-"
}


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
    days = np.full(len(texts), np.nan)
    trimmed = pc.utf8_trim_whitespace(texts)
    for pattern in (_ISO, *_WRITTEN.values()):
        if pattern is not _ISO and style == "iso":
            continue
        groups = pc.extract_regex(trimmed, pattern)
        rows = np.flatnonzero(as_booleans(pc.is_valid(groups)))
        if len(rows):
            names = ("month", "day") if pattern is _ISO else ("b", "a") if style == "dmy" else ("a", "b")
            days[rows] = _days(groups.take(as_integers(rows)), *names)
    is_missing = as_booleans(pc.is_in(trimmed, value_set=as_strings([None, *MISSING])))
    wrong = np.isnan(days) & ~is_missing
    first = texts[int(np.flatnonzero(wrong)[0])].as_py() if wrong.any() else None
    return Dates(days), first


def _days(groups: pa.StructArray, month_name: str, day_name: str) -> np.ndarray:
    """Return the days of matched texts; NaN for a day that the calendar or the clock does not have."""

    def number(name: str) -> np.ndarray:
        digits = groups.field(name)
        return as_numpy(pc.if_else(pc.equal(digits, ""), "0", digits).cast(pa.float64()))

    year, month, day = (number(name).astype(int) for name in ("year", month_name, day_name))
    is_month = (month >= 1) & (month <= 12) & (year >= 1)
    first = ((year - 1970) * 12 + np.where(is_month, month, 1) - 1).astype("M8[M]")
    date = first.astype("M8[D]") + (day - 1)
    hour, minute, second = number("hour"), number("minute"), number("second")
    is_date = is_month & (day >= 1) & (date < (first + 1).astype("M8[D]"))
    is_time = (hour < 24) & (minute < 60) & (second < 60)
    return np.where(is_date & is_time, date.astype(int) + (hour * 3600 + minute * 60 + second) / 86400, np.nan)


def date_style(texts: pa.Array) -> tuple[Style | None, bool]:
    """Return the style in which all texts are dates, and whether day and month could be exchanged.

    With full stops the day comes first. With other separators a number above 12 must show which is the day.

    >>> date_style(pa.array(["31/12/2024", "1/2/2024"])), date_style(pa.array(["1/2/2024", "3/4/2024"]))
    (('dmy', False), (None, True))
    """
    first = next((text for text in texts[:20].to_pylist() if text and text not in MISSING), None)
    if first is None:
        return None, False
    possible = [style for style in STYLES if dates_in(as_strings([first]), style)[1] is None]
    possible = [style for style in possible if dates_in(texts, style)[1] is None]
    if "iso" in possible:
        return "iso", False
    if len(possible) == 2:
        return ("dmy", False) if "." in first else (None, True)
    return (possible[0], False) if possible else (None, False)
