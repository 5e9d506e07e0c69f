"""Export OBLIVION as an oblivious decision tree: a level per feature, a leaf per abstract case."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.oblivious.oblivion import Oblivion
from casebase.render.words import format_value, list_counts, plural, printable, shorten


@dataclass(frozen=True)
class Branch:
    """A value of a level (the root has none), and the leaf or the branches below it."""

    level: int
    value: Any
    counts: dict[Any, float]
    branches: tuple["Branch", ...] = ()

    @property
    def n_cases(self) -> float:
        return sum(self.counts.values())

    @property
    def n_leaves(self) -> int:
        return sum(branch.n_leaves for branch in self.branches) or 1


def tree_of(model: Oblivion) -> Branch:
    """Return the root of the tree whose leaves are a model's abstract cases."""
    cases = [model.abstract_case(group) for group in range(model.n_abstract_cases)]
    by_values = [(case.values, case.counts) for case in cases]
    return Branch(-1, None, _sum(by_values), tuple(_branches(by_values, 0)))


def _branches(cases: list[tuple[tuple[Any, ...], dict[Any, float]]], level: int) -> Iterator[Branch]:
    if level == len(cases[0][0]):
        return
    for value, group in groupby(cases, key=lambda case: case[0][level]):  # abstract cases are sorted by value
        below = list(group)
        yield Branch(level, value, _sum(below), tuple(_branches(below, level + 1)))


def _sum(cases: list[tuple[tuple[Any, ...], dict[Any, float]]]) -> dict[Any, float]:
    total: dict[Any, float] = {}
    for _, counts in cases:
        for label, n in counts.items():
            total[label] = total.get(label, 0) + n
    return total


def text_of(model: Oblivion, max_leaves: int = 100) -> str:
    """Return the tree as indented text: levels are features, leaves are abstract cases with their classes.

    Of a larger tree the branches with the most cases are shown, `max_leaves` leaves in all.
    """
    if not is_whole(max_leaves, 1):
        raise CasebaseError(f"max_leaves is the number of abstract cases to show, 1 or more; got {max_leaves!r}.")
    names = [printable(model.schema.names[i]) for i in model.order]
    if not names:
        counts = tree_of(model).counts
        return f"no feature was kept: {plural(sum(counts.values()), 'case')}, {list_counts(counts)}\n"
    lines = [f"asks {', '.join(names)}: {plural(model.n_abstract_cases, 'abstract case')}"]
    lines += _lines(tree_of(model), names, max_leaves)
    return "\n".join(lines) + "\n"


def _lines(branch: Branch, names: list[str], room: int) -> list[str]:
    lines: list[str] = []
    shown = sorted(branch.branches, key=lambda b: -b.n_cases)
    for below in shown:
        if room <= 0:
            n_left = sum(other.n_leaves for other in shown[shown.index(below) :])
            lines.append(f"{'|   ' * below.level}… {plural(n_left, 'abstract case')} more")
            break
        test = f"{'|   ' * below.level}{names[below.level]} = {shorten(format_value(below.value), 40)}"
        if below.branches:
            lines += [test, *_lines(below, names, room)]
        else:
            lines.append(f"{test}: {list_counts(below.counts)}")
        room -= below.n_leaves
    return lines
