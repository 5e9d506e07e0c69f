"""Rare values: values of a symbolic column, or classes, that hardly occur beside frequent ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.findings import Commands, Finding
from casebase.data import Feature
from casebase.render.words import format_value

RARE = 10_000  # a value is rare if it occurs once, and once more for so many records
FREQUENT = 10  # times: the median of the other values of the column occurs that many times as often
MISSPELLED = "misspelled"  # the note of a correction


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The values of a column, or the classes: how many records have each, and a function for the ids of these."""

    name: str
    values: list[Any]
    counts: np.ndarray
    records: Callable[[int], tuple[tuple[int | str, ...], Any]]  # ids in the order given, and the class of the first


def rare_values(distinct: Distinct, commands: Commands) -> list[Finding]:
    """Return the rare values of all symbolic columns and of the class, those like another value first."""
    cases = distinct.cases
    labels, classes = cases.known_labels.astype(np.int64), cases.schema.classes

    def occurrences(name: str, codes: np.ndarray, values: list[Any]) -> Occurrences:
        def records(code: int) -> tuple[tuple[int | str, ...], Any]:
            rows = np.flatnonzero(codes == code)
            return distinct.ids(rows), classes[labels[rows[0]]]

        return Occurrences(name, values, np.bincount(codes, minlength=len(values))[: len(values)], records)

    columns = [
        occurrences(feature.name, column.astype(np.int64), value_names(feature))
        for feature, column in zip(cases.schema.features, cases.columns)
        if feature.kind == "symbolic" and feature.vocabulary is not None
    ]
    of_class = occurrences(cases.schema.target, labels, list(classes))
    return rare_occurrences(columns, of_class, cases.n_cases, commands)


def value_names(feature: Feature) -> list[Any]:
    """Return the values of a symbolic feature."""
    assert feature.vocabulary is not None
    return [feature.value(code) for code in np.arange(len(feature.vocabulary)).astype(feature.vocabulary.dtype)]


def rare_occurrences(
    columns: Iterable[Occurrences], classes: Occurrences, n_cases: int, commands: Commands
) -> list[Finding]:
    """Return the rare values of columns and the rare classes, those like another value first."""
    found = [finding for column in columns for finding in _rare(column, n_cases, commands)]
    return sorted(found + _rare_classes(classes, commands), key=lambda one: -one.score)


def _rare(column: Occurrences, n_cases: int, commands: Commands) -> list[Finding]:
    name, values, counts = column.name, column.values, column.counts
    occurs = counts > 0
    most = 1 + n_cases // RARE
    is_rare = occurs & (counts <= most)
    common = counts[occurs & ~is_rare]
    # In a column of many rare values, such as words, none of them is odd.
    if not len(common) or is_rare.sum() > len(common) or np.median(common) < FREQUENT * most:
        return []
    frequent = {str(values[i]): int(counts[i]) for i in np.flatnonzero(occurs & ~is_rare) if values[i] is not None}
    found = []
    for code in np.flatnonzero(is_rare).tolist():
        if values[code] is None:
            continue
        ids, label = column.records(code)
        times = "once" if counts[code] == 1 else f"{counts[code]} times"
        alike = _alike(str(values[code]), list(frequent))
        shown = format_value(values[code])
        reason = f"{name} = {shown} occurs {times}"
        if alike is not None:
            reason += f"; {format_value(alike)}, spelled almost alike, {frequent[alike]} times"
            command = commands.update(ids[0], name, alike, MISSPELLED)
        else:
            command = commands.remove(ids)
        others = ids[1:]
        score = (alike is not None) + 1 / (1 + counts[code])
        found.append(
            Finding("rare value", reason, command, ids[0], label, None, others, float(score), name, str(values[code]))
        )
    return found


def _rare_classes(column: Occurrences, commands: Commands) -> list[Finding]:
    """Return the classes with a single record, which no other record can confirm."""
    classes, counts = column.values, column.counts
    frequent = [str(classes[i]) for i in np.flatnonzero(counts > 1)]
    found = []
    for code in np.flatnonzero(counts == 1).tolist() if frequent else []:
        record = column.records(code)[0][0]
        alike = _alike(str(classes[code]), frequent)
        shown = format_value(classes[code])
        reason = f"the only record of class {shown}, so that no other can confirm it"
        if alike is not None:
            reason += f"; {format_value(alike)} is spelled almost alike"
        command = commands.remove([record]) if alike is None else commands.relabel(record, alike, MISSPELLED)
        found.append(
            Finding(
                "rare value",
                reason,
                command,
                record,
                classes[code],
                alike,
                (),
                0.5 + (alike is not None),
                column.name,
                str(classes[code]),
            )
        )
    return found


def _alike(value: str, frequent: list[str]) -> str | None:
    """Return a frequent value that is spelled almost like a rare one: other case or blanks, or one of five letters."""
    plain = {each.strip().casefold(): each for each in frequent}
    if value.strip().casefold() in plain:
        return plain[value.strip().casefold()]
    close = get_close_matches(value, frequent, n=1, cutoff=0.8) if len(value) > 3 else []
    return close[0] if close else None
