"""Examples in two representations: the six tasks of the paper, and further ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.datasets import Dataset, load_clumps, load_handwriting, load_keel, load_monks, load_tic, load_tic_tac_toe
from casebase.representations.generators import discretisations

N_WRITTEN = 1000
N_DRAWN = 2000  # examples drawn from larger sets

Tables = Mapping[str, Cases]


@dataclass(frozen=True)
class Task:
    """Two representations of the same examples. `printed` is the one that the paper's Table 1 says is better.

    `load(seed)` gives them by name. `orientation` is ID3's accuracy in an earlier prototype, in percent.
    """

    name: str
    names: tuple[str, str]
    load: Callable[[int], Tables]
    printed: str = ""
    orientation: tuple[float, float] | None = None

    def __str__(self) -> str:
        return self.name


def _cases(data: Dataset) -> Cases:
    return Cases.from_table(data.data, y=data.target)


def _clumps(task: str) -> Callable[[int], Tables]:
    return lambda seed: {
        name: _cases(load_clumps(task=task, representation=name.lower())) for name in ("Pixel", "Edge")
    }


def _boards(problem: int) -> Callable[[int], Tables]:
    return lambda seed: {
        name: _cases(load_tic(problem=problem, representation=name.lower(), seed=seed)) for name in ("Locs", "Movs")
    }


def _written(*names: str) -> Callable[[int], Tables]:
    return lambda seed: {name: _cases(load_handwriting(name.lower(), n_cases=N_WRITTEN, seed=seed)) for name in names}


CLUMPS = (
    Task("Two-or-more-clumps", ("Pixel", "Edge"), _clumps("two_or_more"), "Edge", (87.0, 99.5)),
    Task("Two-clumps", ("Pixel", "Edge"), _clumps("two"), "Edge", (64.4, 99.5)),
)
BOARDS = (
    Task("tic4", ("Locs", "Movs"), _boards(4), "Movs", (67.9, 73.3)),
    Task("tic1", ("Locs", "Movs"), _boards(1), "Locs", (80.7, 65.5)),
)
HANDWRITING = (
    Task("Handwriting-1", ("Pixel", "Cross"), _written("Pixel", "Cross"), "Pixel", (74.0, 60.3)),
    Task("Handwriting-2", ("Fourier", "Pixel"), _written("Fourier", "Pixel"), "Fourier", (87.4, 74.0)),
)


def _drawn(cases: Tables, seed: int) -> Tables:
    """Return the representations of at most `N_DRAWN` examples, the same ones in each."""
    n_examples = next(iter(cases.values())).n_cases
    if n_examples <= N_DRAWN:
        return cases
    rows = np.random.default_rng(seed).permutation(n_examples)[:N_DRAWN]
    return {name: one.take(rows) for name, one in cases.items()}


def _numbers(name: str, **intervals: Any) -> Callable[[int], Tables]:
    """Return a set of measurements: the numbers themselves, and cut into intervals of equal width."""

    def load(seed: int) -> Tables:
        data = load_keel(name)
        tables = {f"{n} intervals": _intervals(data, n) for n in intervals["bins"]}
        return _drawn(({"numbers": _cases(data)} if len(tables) < 2 else {}) | tables, seed)

    return load


def _intervals(data: Dataset, n_bins: int) -> Cases:
    (cases,) = discretisations(data.data, data.target, method=["equal_width"], bins=[n_bins]).values()
    return cases


def _columns(name: str, **columns: Callable[[tuple[str, ...]], list[int]]) -> Callable[[int], Tables]:
    """Return a set of symbols with some of its columns only."""

    def load(seed: int) -> Tables:
        data = load_keel(name)
        kept = {key.replace("_", " "): which(data.feature_names) for key, which in columns.items()}
        return _drawn({key: Cases.from_table(data.data[:, at], y=data.target) for key, at in kept.items()}, seed)

    return load


def _letters(seed: int) -> Tables:
    symbols, numbers = load_keel("letter"), load_keel("letter", symbolic=False)
    return _drawn({"symbols": _cases(symbols), "numbers": _cases(numbers)}, seed)


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _endgames(seed: int) -> Tables:
    """Return finished boards by their squares, and by how many crosses each line has."""
    data = load_tic_tac_toe()
    crosses = [[str(sum(board[i] == "x" for i in line)) for line in LINES] for board in data.data]
    return {"squares": _cases(data), "lines": Cases.from_table(crosses, y=data.target)}


def _robots(number: int, seed: int) -> Tables:
    """Return robots by their features, and also by which two features are equal."""
    data = load_monks(number)
    n = data.data.shape[1]
    pairs = [(i, j) for i in range(n) for j in range(i)]
    more = [[*robot, *(str(robot[i] == robot[j]) for i, j in pairs)] for robot in data.data]
    return {"features": _cases(data), "and equalities": Cases.from_table(more, y=data.target)}


def _all(names: tuple[str, ...]) -> list[int]:
    return list(range(len(names)))


FURTHER = (
    Task("iris", ("numbers", "3 intervals"), _numbers("iris", bins=[3])),
    Task("wine", ("numbers", "3 intervals"), _numbers("wine", bins=[3])),
    Task("ionosphere", ("numbers", "3 intervals"), _numbers("ionosphere", bins=[3])),
    Task("sonar", ("numbers", "3 intervals"), _numbers("sonar", bins=[3])),
    Task("wdbc", ("3 intervals", "10 intervals"), _numbers("wdbc", bins=[3, 10])),
    Task("pima", ("3 intervals", "10 intervals"), _numbers("pima", bins=[3, 10])),
    Task("vehicle", ("3 intervals", "10 intervals"), _numbers("vehicle", bins=[3, 10])),
    Task("segment", ("3 intervals", "10 intervals"), _numbers("segment", bins=[3, 10])),
    Task("letter", ("symbols", "numbers"), _letters),
    Task(
        "splice",
        ("60 places", "10 places"),
        _columns("splice", **{"60_places": _all, "10_places": lambda names: list(range(25, 35))}),
    ),
    Task(
        "mushroom",
        ("with odor", "without odor"),
        _columns("mushroom", with_odor=_all, without_odor=lambda n: [i for i, one in enumerate(n) if one != "odor"]),
    ),
    Task(
        "chess",
        ("36 features", "18 features"),
        _columns("chess", **{"36_features": _all, "18_features": lambda names: list(range(18))}),
    ),
    Task("tic-tac-toe", ("squares", "lines"), _endgames),
    Task("monks-1", ("features", "and equalities"), lambda seed: _robots(1, seed)),
    Task("monks-3", ("features", "and equalities"), lambda seed: _robots(3, seed)),
)


@cache
def tables_of(task: Task, seed: int) -> Tables:
    """Return the representations of a task; the same for all its splits."""
    tables = task.load(seed)
    assert tuple(tables) == task.names
    return tables
