"""Changes of the user's columns, in the codes of a model: what a search tries.

A model that was trained with kinds of columns has features that are derived from the columns: a date has four. A change
gives a column another value, and so changes all its features.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from casebase.base.flips.domains import Domain, occurring
from casebase.base.ordering import number_of
from casebase.data import Cases, Schema
from casebase.data.columns import spelling
from casebase.data.dates import Dates, date_text
from casebase.data.features import Feature
from casebase.data.notation import LITERAL, as_written
from casebase.data.sources import ColumnKind

MARGIN = 400  # days beyond the last cut: more than a year, so that every month and weekday occurs


@dataclass(frozen=True, eq=False)
class Column:
    """A column that can be changed: its features in the model, by position, and their domains."""

    name: str
    features: tuple[int, ...]
    domains: tuple[Domain | None, ...]
    kind: ColumnKind | None = None

    @property
    def is_date(self) -> bool:
        return self.kind is not None and self.kind.kind == "date"


@dataclass(frozen=True, eq=False)
class Options:
    """All changes of one query, column by column: option i gives column `column[i]` the value `shown(i)`.

    `values[f]` has the code or number of feature f for each option; only those of its own column's options count. So
    do the `days` of a date. `numbers[f]` has a number in each interval, by code, of a feature with cuts.
    """

    schema: Schema
    columns: tuple[Column, ...]
    column: np.ndarray
    cost: np.ndarray
    values: dict[int, np.ndarray]
    days: np.ndarray
    numbers: dict[int, dict[int, float]]

    @property
    def n_options(self) -> int:
        return len(self.column)

    @cached_property
    def first(self) -> np.ndarray:
        """The first option of each column, and one past the last option."""
        return np.searchsorted(self.column, np.arange(len(self.columns) + 1))

    @cached_property
    def per_column(self) -> np.ndarray:
        return np.diff(self.first)

    @cached_property
    def owner(self) -> dict[int, int]:
        """The column of each feature."""
        return {feature: i for i, column in enumerate(self.columns) for feature in column.features}

    def shown(self, option: int) -> Any:
        """Return the value of an option as the table has it."""
        column = self.columns[self.column[option]]
        feature = self.schema.features[column.features[-1]]
        chosen = self.values[column.features[-1]][option]
        if column.is_date:  # the model may have codes or intervals in place of the days, or not use them
            assert column.kind is not None
            return date_text(float(self.days[option]), column.kind.style)
        if feature.is_cut:
            number = self.numbers[column.features[-1]].get(int(chosen))
            return feature.value(chosen) if number is None else feature.quoted(number)
        (domain,) = column.domains
        shown = _shown(feature.value(chosen), feature)
        return shown if domain is None or not isinstance(shown, float) else domain.written(chosen, shown)

    def changed(self, case: Cases, rows: np.ndarray) -> Cases:
        """Return the query with some changes, once for every row of option numbers."""
        n_rows = len(rows)
        columns = [np.repeat(column, n_rows) for column in case.columns]
        owners = self.column[rows]
        for feature, values in self.values.items():
            is_mine = owners == self.owner[feature]
            if is_mine.any():
                place, slot = np.nonzero(is_mine)
                columns[feature][place] = values[rows[place, slot]]
        # The letters of unknown values are in the source; codes that are known do not need it.
        source = None
        if _has_unknown(case):
            source = case.take(np.zeros(n_rows, dtype=np.int64)).source
        return Cases(case.schema, tuple(columns), None, n_cases=n_rows, source=source)


def _has_unknown(case: Cases) -> bool:
    return case.source is not None and any(
        feature.vocabulary is not None and column.item(0) == feature.vocabulary.unknown
        for feature, column in zip(case.schema.features, case.columns)
    )


def columns_of(schema: Schema, domains: Sequence[Domain | None]) -> tuple[Column, ...]:
    """Return the columns that a model uses, in the order of the table."""
    if schema.source is None:
        return tuple(
            Column(name, (i,), (domain,)) for i, (name, domain) in enumerate(zip(schema.names, domains)) if domain
        )
    columns, first = [], 0
    for kind in schema.source:
        features = tuple(range(first, first + len(kind.features)))
        first += len(features)
        own = tuple(_with_ranks(domains[i], kind) for i in features)
        if any(domain is not None for domain in own):
            columns.append(Column(kind.name, features, own, kind))
    return tuple(columns)


def _with_ranks(domain: Domain | None, kind: ColumnKind) -> Domain | None:
    """Return the domain of an ordinal: between its ranks there is no value."""
    if domain is None or not kind.order:
        return domain
    if domain.values is not None and (domain.values == np.round(domain.values)).all():
        return domain
    return Domain(np.arange(1.0, len(kind.order) + 1), domain.cuts)


def query_values(schema: Schema, case: Cases) -> tuple[Any, ...]:
    """Return the values of a query by column of the table, without columns that the model leaves out."""
    values = [_shown(value, feature) for value, feature in zip(case.values(0), schema.features)]
    if schema.source is None:
        return tuple(values)
    shown: list[Any] = []
    first = 0
    for kind in schema.source:
        own = values[first : first + len(kind.features)]
        first += len(own)
        if own:
            shown.append(own[-1])  # the days of a date are quoted as the date
    return tuple(shown)


def options_for(schema: Schema, columns: Sequence[Column], case: Cases, weights: np.ndarray | None) -> Options:
    """Return all changes of a query; `weights` are those of the features, 1 for each without them."""
    of_column: list[int] = []
    costs: list[np.ndarray] = []
    days: list[np.ndarray] = []
    parts: dict[int, list[tuple[int, np.ndarray]]] = {}
    start = 0
    for i, column in enumerate(columns):
        dates = _dates(schema, column, case) if column.is_date else None
        values = _choices(column, case) if dates is None else _date_parts(schema, column, dates, case)
        n = len(next(iter(values.values())))
        days.append(np.full(n, np.nan) if dates is None else dates)
        of_column += [i] * n
        costs.append(_costs(column, case, values, weights, n))
        for feature, chosen in values.items():
            parts.setdefault(feature, []).append((start, chosen))
        start += n
    by_feature = {}
    for feature, pieces in parts.items():
        everywhere = np.zeros(start, dtype=case.columns[feature].dtype)
        for first, chosen in pieces:
            everywhere[first : first + len(chosen)] = chosen
        by_feature[feature] = everywhere
    cost, of_dates = (np.concatenate([np.empty(0), *each]) for each in (costs, days))
    numbers = {i: _numbers_in_intervals(schema.features[i], case, i) for i in parts if schema.features[i].is_cut}
    return Options(schema, tuple(columns), np.array(of_column, dtype=np.int64), cost, by_feature, of_dates, numbers)


def _numbers_in_intervals(feature: Feature, case: Cases, position: int) -> dict[int, float]:
    """Return a number in each interval but the query's, near that of the query, by the code of the interval."""
    assert feature.vocabulary is not None
    assert feature.cuts is not None
    numbers = Domain(None, feature.cuts).choices(_day(case.values(0)[position]))
    if feature.levels:  # between ranks there is no value
        numbers = np.clip(np.floor(numbers), 1, len(feature.levels))
    return dict(zip(feature.interval_codes(numbers).tolist(), numbers.tolist()))


def _choices(column: Column, case: Cases) -> dict[int, np.ndarray]:
    (feature,), (domain,) = column.features, column.domains
    assert domain is not None
    return {feature: domain.choices(case.columns[feature].item(0))}


def _dates(schema: Schema, column: Column, case: Cases) -> np.ndarray:
    """Return the days of the dates that a change may choose: one date of those that get the same answer."""
    year, month, _weekday, days = column.domains
    if any(schema.features[i].is_cut for i in column.features):
        own = _day(case.without_quotes().values(0)[column.features[-1]])
        in_intervals = [_cut_domain(schema.features[i]) for i in column.features]
        dates = _days_around(own, in_intervals[0], in_intervals[1], in_intervals[3])
    elif _is_coded(case, column.features[-1]):
        own = _day(case.without_quotes().values(0)[column.features[-1]])
        dates = _stored_days(schema, column, own)
    else:
        own = float(case.columns[column.features[-1]].item(0))
        dates = days.values if days is not None and days.values is not None else _days_around(own, year, month, days)
    parts = _date_parts(schema, column, dates, case)
    # What the model sees of a date: the intervals of its numbers, the group of its weekday.
    seen = []
    for feature, domain in zip(column.features, column.domains):
        if domain is None:
            continue
        if domain.cuts is not None:
            seen.append(domain.interval(parts[feature]))
        elif domain.groups is not None:
            known = np.minimum(parts[feature].astype(np.int64), len(domain.groups) - 1)
            seen.append(np.where(parts[feature] < len(domain.groups), domain.groups[known], -1))
        else:
            seen.append(parts[feature])
    away = np.zeros(len(dates)) if own != own else np.abs(dates - own)
    order = np.lexsort((dates, away))
    _, first = np.unique(np.stack(seen)[:, order], axis=1, return_index=True)
    chosen = dates[np.sort(order[first])]
    others: np.ndarray = chosen[chosen != own]
    return others


def _cut_domain(feature: Feature) -> Domain | None:
    return Domain(None, feature.cuts) if feature.is_cut else None


def _days_around(own: float, *domains: Domain | None) -> np.ndarray:
    """Return the days around the query's date and all cuts."""
    ends = [] if own != own else [own]
    year, _, days = domains
    if days is not None and days.cuts is not None:
        ends += days.cuts[np.isfinite(days.cuts)].tolist()
    if year is not None and year.cuts is not None:
        known = year.cuts[np.isfinite(year.cuts)]
        ends += ((np.floor(known) - 1970).astype(int).astype("M8[Y]").astype("M8[D]").astype(int)).tolist()
    ends = ends or [0.0]
    return np.arange(np.floor(min(ends)) - MARGIN, np.ceil(max(ends)) + MARGIN + 1)


def _is_coded(case: Cases, feature: int) -> bool:
    return case.columns[feature].dtype.kind != "f"


def _day(value: str | float | None) -> float:
    """Return the days that a stored value is; NaN for a missing one and any other text."""
    try:
        return np.nan if value is None else float(value)
    except ValueError:
        return np.nan


def _stored_days(schema: Schema, column: Column, own: float) -> np.ndarray:
    """Return the days of a model that tests values for equality: the stored ones.

    A model that does not use the days has not kept them: then days around the query's with stored years, months and
    weekdays.
    """
    days = schema.features[column.features[-1]]
    assert days.vocabulary is not None
    stored = [_day(days.vocabulary.value(code)) for code in occurring(days).tolist()]
    if stored or own != own:
        return np.unique(np.array(stored))
    around = _days_around(own, None, None, None)
    dates, known = Dates(around), np.ones(len(around), dtype=bool)
    parts: tuple[Sequence[Any] | np.ndarray, ...] = (dates.year, dates.month, dates.weekday)
    for feature, domain, part in zip(column.features, column.domains, parts):
        vocabulary = schema.features[feature].vocabulary
        if domain is not None and vocabulary is not None:
            known &= vocabulary.encode_few([spelling(one) for one in part]) != vocabulary.unknown
    return around[known]


def _date_parts(schema: Schema, column: Column, days: np.ndarray, case: Cases) -> dict[int, np.ndarray]:
    """Return the parts of dates as the model has them: numbers, or codes where it tests values for equality."""
    dates = Dates(days)
    parts: dict[int, np.ndarray] = {}
    each: tuple[Sequence[Any] | np.ndarray, ...] = (dates.year, dates.month, dates.weekday, days)
    for feature, part in zip(column.features, each):
        vocabulary = schema.features[feature].vocabulary
        if schema.features[feature].is_cut:
            parts[feature] = schema.features[feature].interval_codes(np.asarray(part, dtype=float))
        elif _is_coded(case, feature):
            assert vocabulary is not None
            parts[feature] = vocabulary.encode_few([spelling(one) for one in part])
        else:
            parts[feature] = np.asarray(part)
    return parts


def _costs(
    column: Column, case: Cases, values: dict[int, np.ndarray], weights: np.ndarray | None, n: int
) -> np.ndarray:
    """Return the cost of each change: the feature's weight, times the difference as a share of the range for numbers.

    A column with several features costs what they cost together.
    """
    total = np.zeros(n)
    for feature, domain in zip(column.features, column.domains):
        if domain is None:
            continue
        own, chosen = case.columns[feature].item(0), values[feature]
        share = (chosen != own).astype(float)
        is_number = case.schema.features[feature].vocabulary is None
        if is_number and own == own and n:
            low, high = domain.extent
            low, high = min(low, own, float(chosen.min())), max(high, own, float(chosen.max()))
            share = np.abs(chosen - own) / (high - low) if high > low else share
        total += share * (1.0 if weights is None else float(weights[feature]))
    return total


def _shown(value: str | float | None, feature: Feature) -> str | float | None:
    """Return a value as the table has it: a number that a tree tests by its spelling is a number."""
    is_spelled = isinstance(value, str) and feature.of_numbers and not feature.has_quotes
    if not is_spelled or not isinstance(value, str):
        return value
    number = number_of(value)
    return value if number is None else as_written(number, LITERAL + value)
