"""The values that a flip may choose for a feature: values of the data that the model can tell apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, inf, isinf, log10

import numpy as np

from casebase.data import Feature, Schema
from casebase.data.notation import Notation
from casebase.memory.segments import Memory

MOST_DIGITS = 17  # of a decimal number: more change nothing in a double


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one feature, and which of them always get the same answer.

    `values` are codes or numbers that occur in the data, ascending; a missing value is none of them. Numbers between
    the same two `cuts` get the same answer, and so do symbols with the same entry in `groups`, which has one per code.
    A model that keeps no numbers has no `values` for them: each interval between its cuts then gets a short number.
    `notation` is how the numbers are written in the data.
    """

    values: np.ndarray | None
    cuts: np.ndarray | None = None
    groups: np.ndarray | None = None
    notation: Notation | None = None

    def written(self, value: float, number: float) -> float:
        """Return the number of a value as the first case that has it writes it."""
        if self.notation is None or self.values is None:
            return number
        place = int(np.searchsorted(self.values, value))
        is_stored = place < len(self.values) and self.values[place] == value
        written = self.notation.value(place, number) if is_stored else None
        return number if written is None else written

    def choices(self, own: float) -> np.ndarray:
        """Return the values that a change may choose if the query has `own`, one of each group, ascending.

        Of numbers that get the same answer, this is the one nearest to the query's.
        """
        if self.cuts is not None:
            if self.values is None:
                return np.array(self._short_numbers(own))
            return self._nearest_in_intervals(own)
        assert self.values is not None
        values: np.ndarray = self.values[self.values != own]
        if self.groups is None or not len(values):
            return values
        # An unknown value has no group: it is beyond the last code.
        is_own = self.groups[values] == self.groups[int(own)] if own < len(self.groups) else np.zeros(len(values), bool)
        values = values[~is_own]
        _, first = np.unique(self.groups[values], return_index=True)
        chosen: np.ndarray = values[np.sort(first)]
        return chosen

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The least and the greatest number, as far as the model knows them."""
        known = self.values if self.values is not None else self.cuts
        assert known is not None
        known = known[np.isfinite(known)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    def interval(self, numbers: np.ndarray) -> np.ndarray:
        """Return the interval between cuts of each number; -1 for a missing one."""
        assert self.cuts is not None
        return np.where(np.isnan(numbers), -1, np.searchsorted(self.cuts, numbers, side="left"))

    def _nearest_in_intervals(self, own: float) -> np.ndarray:
        assert self.values is not None
        interval = self.interval(self.values)
        own_interval = int(self.interval(np.array([own]))[0])
        away = np.zeros(len(self.values)) if own != own else np.abs(self.values - own)
        order = np.lexsort((self.values, away, interval))
        _, first = np.unique(interval[order], return_index=True)
        nearest = order[first]
        chosen: np.ndarray = self.values[np.sort(nearest[interval[nearest] != own_interval])]
        return chosen

    def _short_numbers(self, own: float) -> list[float]:
        assert self.cuts is not None
        cuts = [float(cut) for cut in self.cuts if np.isfinite(cut)]
        own_interval = -1 if own != own else int(np.searchsorted(cuts, own, side="left"))
        scale = max((abs(cut) for cut in cuts), default=1.0)
        bounds = list(zip([-inf, *cuts], [*cuts, inf]))
        return [
            short_number(low, high, scale, from_above=own_interval > i)
            for i, (low, high) in enumerate(bounds)
            if i != own_interval
        ]


def short_number(low: float, high: float, scale: float, *, from_above: bool) -> float:
    """Return a number above `low` and not above `high`, with few digits, near the end that the query comes from.

    Numbers of the size of `scale` have two digits, if the interval has such a number, and otherwise one more at a time.

    >>> short_number(30.5, inf, 30.5, from_above=False), short_number(-inf, 30.5, 30.5, from_above=True)
    (31.0, 30.0)
    >>> short_number(2.45, 2.5, 2.5, from_above=False), short_number(-inf, inf, 1.0, from_above=False)
    (2.5, 0.0)
    """
    from_above = (from_above or isinf(low)) and not isinf(high)
    end = high if from_above else low
    if isinf(end):
        return 0.0
    first = floor(log10(scale)) - 1 if scale else 0
    for exponent in range(first, first - MOST_DIGITS, -1):
        step = 10.0**exponent
        nearby = floor(end / step)
        for multiple in (nearby, nearby - 1) if from_above else (nearby, nearby + 1):
            number = round(multiple * step, max(-exponent, 0))
            if low < number <= high:
                return float(number)
    return end if from_above else float(np.nextafter(low, inf))


def domains_of(
    schema: Schema,
    memory: Memory | None = None,
    *,
    cuts: Mapping[int, np.ndarray] | Sequence[np.ndarray | None] | None = None,
    used: Sequence[int] | None = None,
    groups: Mapping[int, np.ndarray] | None = None,
) -> tuple[Domain | None, ...]:
    """Return the domain of each feature, by position; None for a feature that the model does not use.

    Symbols have the values of the vocabulary, numbers those in the `memory`; `cuts` and `groups` say which of them the
    model tells apart. Without a memory, numbers need cuts.
    """
    ranks = {} if memory is None else {position: rank for rank, position in enumerate(memory.order.tolist())}
    used = list(ranks) if used is None else used

    notations = () if memory is None else memory.notations(memory.in_given_order)

    def notation(position: int, values: np.ndarray) -> Notation | None:
        """Return how the first case with each of some values, which ascend, writes it."""
        if memory is None or position not in ranks or not notations:
            return None
        of_cases = notations[ranks[position]]
        if of_cases is None:
            return None
        distinct, first = np.unique(memory.column(ranks[position], memory.in_given_order), return_index=True)
        return of_cases.take(first[np.minimum(np.searchsorted(distinct, values), len(first) - 1)])

    def domain(position: int, feature: Feature) -> Domain | None:
        if position not in used or feature.kind == "ignored":
            return None
        if feature.vocabulary is not None:
            own_groups = None if groups is None else groups.get(position)
            return Domain(occurring(feature), groups=own_groups, notation=notation(position, occurring(feature)))
        own_cuts = None
        if cuts is not None:
            own_cuts = cuts.get(position) if isinstance(cuts, Mapping) else cuts[position]
        numbers = None
        if memory is not None:
            stored = np.unique(memory.column(ranks[position], memory.in_given_order))
            numbers = stored[~np.isnan(stored)]
        return Domain(numbers, own_cuts, notation=None if numbers is None else notation(position, numbers))

    return tuple(domain(position, feature) for position, feature in enumerate(schema.features))


def occurring(feature: Feature) -> np.ndarray:
    """Return the codes of the values that cases have, without that of a missing value."""
    vocabulary = feature.vocabulary
    assert vocabulary is not None
    left_out = [*vocabulary.gone, *([] if vocabulary.missing is None else [vocabulary.missing])]
    codes = np.arange(len(vocabulary))
    return codes[~np.isin(codes, left_out)] if left_out else codes
