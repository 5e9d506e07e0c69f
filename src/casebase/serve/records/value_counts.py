"""How often each value of a column occurs, and the values that a text may become."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.base.records import date_of_days
from casebase.data import Schema
from casebase.data.arrays import as_integers, as_strings
from casebase.data.arrow import pa, pc
from casebase.errors import SchemaError, unknown_name
from casebase.serve.records.columns import CodedColumn, Column, NumberColumn, lower
from casebase.serve.records.parts import Part

Masks = Sequence[np.ndarray | None]
N_BINS = 10


@dataclass(frozen=True)
class Count:
    """A value, None if it is missing, or an interval of numbers from `low` up to but not including `high`.

    The last interval includes its `high`.
    """

    value: Any
    n: int | None
    low: float | None = None
    high: float | None = None
    is_last: bool = False


@dataclass(frozen=True)
class ValueCounts:
    """The most frequent values of a column; `n_values` have cases. Many numbers are counted by interval."""

    name: str
    counts: tuple[Count, ...]
    n_values: int | None
    n_rows: int


def counts_of(column: Column, parts: Sequence[Part], masks: Masks, limit: int) -> ValueCounts:
    """Return how often values occur among the rows of some masks."""
    if isinstance(column, NumberColumn):
        return _counts_of_numbers(column, parts, masks, limit)
    totals = _totals(column, parts, masks)
    present = np.flatnonzero(totals)
    most = present[np.argsort(-totals[present], kind="stable")]
    if len(most) > limit:  # equal counts at the limit by value, not by code
        least = totals[most[limit - 1]]
        most = most[: int(np.count_nonzero(totals[most] >= least))] if len(most) < 10 * limit else most[:limit]
    values = column.vocabulary.values_of(most)
    pairs = sorted(zip(values, totals[most].tolist()), key=lambda pair: (-pair[1], column.key(pair[0])))
    return ValueCounts(
        column.name, tuple(Count(value, n) for value, n in pairs[:limit]), len(present), int(totals.sum())
    )


def _totals(column: CodedColumn, parts: Sequence[Part], masks: Masks) -> np.ndarray:
    """Return the number of rows with each code."""
    of_parts = []
    for part, mask in zip(parts, masks):
        codes = column.codes(part)
        if mask is None:
            of_parts.append(part.cached(("counts", column.name), lambda codes=codes: np.bincount(codes)))  # type: ignore[misc]
        else:
            of_parts.append(np.bincount(codes.take(np.flatnonzero(mask))))
    totals = np.zeros(max(len(column.vocabulary), *map(len, of_parts)), dtype=np.int64)
    for counts in of_parts:
        totals[: len(counts)] += counts
    return totals


def _counts_of_numbers(column: NumberColumn, parts: Sequence[Part], masks: Masks, limit: int) -> ValueCounts:
    chosen = [
        column.numbers(part) if mask is None else column.numbers(part).take(np.flatnonzero(mask))
        for part, mask in zip(parts, masks)
    ]
    numbers = np.concatenate(chosen) if len(chosen) > 1 else chosen[0]
    is_missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), dtype=bool)
    n_missing = int(np.count_nonzero(is_missing))
    known = numbers[~is_missing] if n_missing else numbers
    missing = (Count(None, n_missing),) if n_missing else ()
    if not len(known):
        return ValueCounts(column.name, missing, len(missing), n_missing)
    sample = np.unique(known[:: max(1, len(known) // 1000)])
    if len(sample) <= limit:  # it may have few different numbers
        distinct, n = np.unique(known, return_counts=True)
        if len(distinct) <= limit:
            counts = sorted(zip(distinct.tolist(), n.tolist()), key=lambda pair: (-pair[1], pair[0]))
            found = tuple(Count(date_of_days(x) if column.kind == "date" else x, k) for x, k in counts)
            return ValueCounts(column.name, (*found, *missing), len(distinct) + len(missing), len(numbers))
    edges = nice_edges(float(known.min()), float(known.max()))
    last = len(edges) - 2
    # Compared as a filter compares, so that a count is what its filter finds.
    n_from = [int(np.count_nonzero(known >= edge)) for edge in edges[:-1]]
    n_in = [n - after for n, after in zip(n_from, [*n_from[1:], 0])]
    bins = tuple(
        Count(None, int(n), edges[i], edges[i + 1], i == last) for i, n in enumerate(n_in) if n or 0 < i < last
    )
    return ValueCounts(column.name, (*bins, *missing), None, len(numbers))


def nice_edges(low: float, high: float) -> list[float]:
    """Return round numbers from at most the smallest to at least the largest number, about ten steps.

    >>> nice_edges(0.42, 80.0)
    [0, 10, 20, 30, 40, 50, 60, 70, 80]
    >>> nice_edges(5, 5)
    [5, 6]
    """
    if high <= low:
        return [low, low + 1]
    rough = (high - low) / N_BINS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    digits = max(0, -math.floor(math.log10(step)))
    edges = [round(i * step, digits) for i in range(first, last + 1)]
    return [int(edge) if float(edge).is_integer() else edge for edge in edges]


def values_like(column: Column, parts: Sequence[Part], masks: Masks, text: str, limit: int) -> list[Count]:
    """Return values that begin with a text, then values that contain it; each by frequency, in upper or lower case."""
    if isinstance(column, NumberColumn):
        return _numbers_like(column, parts, masks, text, limit)
    totals = _totals(column, parts, masks)
    known, n_codes = column.known, len(column.vocabulary)
    begins, contains = known.beginning(text)[:n_codes], known.containing(text)[:n_codes]
    found: list[Count] = []
    for is_hit in (begins, contains & ~begins):
        hits = np.flatnonzero(is_hit & (totals[:n_codes] > 0))
        order = np.argsort(-totals[hits], kind="stable")[: limit - len(found)]
        most = hits[order]
        values = column.vocabulary.values_of(most)
        pairs = sorted(zip(values, totals[most].tolist()), key=lambda pair: (-pair[1], column.key(pair[0])))
        found += [Count(value, n) for value, n in pairs]
        if len(found) >= limit:
            break
    return found


def known_values(schema: Schema, name: str) -> pa.Array:
    """Return the values of a column that a model knows, or the classes; a column of numbers has none."""
    if name == schema.target and name not in schema.column_names:
        return as_strings([str(label) for label in schema.classes])
    if name not in schema.column_names:
        raise SchemaError(unknown_name("column", name, (*schema.column_names, schema.target)))
    for kind in schema.kinds:
        if kind.name == name and kind.order:
            return as_strings(list(kind.order))
    if name not in schema.names:
        return as_strings([])
    feature = schema.features[schema.names.index(name)]
    vocabulary = feature.vocabulary
    if vocabulary is None or feature.is_cut:
        return as_strings([])
    if not vocabulary.gone:
        return vocabulary.values.drop_null()
    kept = [code for code in range(len(vocabulary)) if code not in vocabulary.gone]
    return vocabulary.values.take(as_integers(np.array(kept, dtype=np.int64))).drop_null()


def matching_values(known: pa.Array, q: str, limit: int) -> tuple[list[str], int]:
    """Return the first values that begin with a text or contain it, in any case, and how many do.

    >>> matching_values(pa.array(["Berlin", "Oberbau", "Rom"]), "ber", 10)
    (['Berlin', 'Oberbau'], 2)
    """
    if not q:
        return known.slice(0, limit).to_pylist(), len(known)
    begins = pc.starts_with(known, q, ignore_case=True)
    contains = pc.match_substring(known, q, ignore_case=True)
    first = known.filter(begins)
    others = known.filter(pc.and_not(contains, begins))
    return [*first.slice(0, limit).to_pylist(), *others.to_pylist()][:limit], len(first) + len(others)


def _numbers_like(column: NumberColumn, parts: Sequence[Part], masks: Masks, text: str, limit: int) -> list[Count]:
    totals: dict[str, int] = {}
    for part, mask in zip(parts, masks):
        texts, places = column.texts(part)
        if places is None:  # ids: each occurs once
            places = np.arange(part.n_rows)
        n_rows = np.bincount(places if mask is None else places.take(np.flatnonzero(mask)), minlength=len(texts))
        is_hit = column.containing(texts, text)
        for place in np.flatnonzero(is_hit & (n_rows > 0))[: 100 * limit].tolist():
            written = texts[place].as_py()
            totals[written] = totals.get(written, 0) + int(n_rows[place])
    begin = lower(text)
    pairs = sorted(
        totals.items(), key=lambda pair: (not lower(pair[0]).startswith(begin), -pair[1], column.key(pair[0]))
    )
    return [Count(value, n) for value, n in pairs[:limit]]
