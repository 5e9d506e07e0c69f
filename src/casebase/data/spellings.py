"""How times are spelled: the same text whether a value comes from Arrow, pandas, polars, numpy or Python.

A time stamp is `2024-02-29 13:05:00.25`, without the zeros at the end of a fraction; one with a time zone is spelled in
UTC, with a `Z` at the end, whatever its zone. A date is `2024-02-29`, a time of day `13:05:00.25`, a duration
`26:00:00.5` in hours, minutes and seconds. `docs/kinds.md` has the table of all spellings.
"""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import numpy as np

from casebase.data.arrays import as_strings
from casebase.data.arrow import pa, pc
from casebase.errors import CasebaseError

LENGTHS = {"Y": "years", "M": "months", "generic": "no unit"}
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
ZEROS = r"\.0+$|(\.[0-9]*[1-9])0+$"  # at the end of a fraction


def spelled_times(array: pa.Array) -> pa.Array:
    """Return dates, times, time stamps or durations as texts.

    >>> spelled_times(pa.array([1500], pa.timestamp("ms", "Europe/Amsterdam"))).to_pylist()
    ['1970-01-01 00:00:01.5Z']
    >>> spelled_times(pa.array([93600500, None], pa.duration("ms"))).to_pylist()
    ['26:00:00.5', None]
    """
    kind = array.type
    if pa.types.is_duration(kind):
        numbers = array.cast(pa.int64()).to_pylist()
        return as_strings([None if n is None else _duration(n, PER_SECOND[kind.unit]) for n in numbers])
    if pa.types.is_timestamp(kind):
        # Arrow would look the zone up, and fail if it does not know it; the numbers are of UTC.
        texts = pc.replace_substring_regex(array.view(pa.timestamp(kind.unit)).cast(pa.string()), ZEROS, r"\1")
        return texts if kind.tz is None else pc.binary_join_element_wise(texts, "Z", "")
    texts = array.cast(pa.string())
    return pc.replace_substring_regex(texts, ZEROS, r"\1") if pa.types.is_time(kind) else texts


def spelled_time(value: Any) -> str | None:
    """Return one time, of Python or numpy, as text.

    >>> from datetime import datetime, timedelta
    >>> spelled_time(datetime(2024, 2, 29, 13, 5)), spelled_time(timedelta(seconds=-1.5))
    ('2024-02-29 13:05:00', '-00:00:01.5')
    """
    if hasattr(value, "nanoseconds"):  # a duration of pandas
        value = value.to_timedelta64()
    if hasattr(value, "nanosecond"):  # a time stamp of pandas; NumPy's are of UTC
        return str(spelled_time(value.to_datetime64())) + ("" if value.tzinfo is None else "Z")
    if isinstance(value, time) and (offset := value.utcoffset()) is not None:
        return f"{spelled_time(value.replace(tzinfo=None))}{_zone(offset)}"
    if isinstance(value, timedelta):  # of any length: Arrow's are of 64 bits
        return _duration(value // timedelta(microseconds=1), PER_SECOND["us"])
    is_numpy = isinstance(value, np.datetime64 | np.timedelta64)
    array = with_arrow_unit(np.array([value])) if is_numpy else [value]
    text: str | None = spelled_times(pa.array(array, from_pandas=True))[0].as_py()
    return text


def with_arrow_unit(times: np.ndarray) -> np.ndarray:
    """Return times of NumPy in a unit that Arrow has: days, or seconds and their fractions.

    >>> with_arrow_unit(np.array(["2024-02"], dtype="datetime64[M]")).tolist()
    [datetime.date(2024, 2, 1)]
    """
    unit, _ = np.datetime_data(times.dtype)
    is_duration = times.dtype.kind == "m"
    if unit in PER_SECOND or (unit == "D" and not is_duration):
        return times
    if is_duration and unit in ("Y", "M", "generic"):
        raise CasebaseError(f"A duration in {LENGTHS[unit]} has no fixed length: give it in weeks or smaller units.")
    new = "D" if unit in "YMW" and not is_duration else "s" if unit in "WDhm" else "ns"
    return times.astype(f"{times.dtype.kind}8[{new}]")


def _zone(offset: timedelta) -> str:
    """Return the difference from UTC as in `13:05:00+02:00`: without a date, a time of day is no instant."""
    if not offset:
        return "Z"
    text = _duration(offset // timedelta(microseconds=1), PER_SECOND["us"])
    return ("" if text.startswith("-") else "+") + text.removesuffix(":00")


def _duration(number: int, per_second: int) -> str:
    seconds, fraction = divmod(abs(number), per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if fraction:
        text += "." + str(fraction).rjust(len(str(per_second)) - 1, "0").rstrip("0")
    return f"-{text}" if number < 0 else text
