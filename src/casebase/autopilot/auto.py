"""The autopilot, and the methods of its single readings: settings and learning."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from casebase.autopilot import forest, opinions
from casebase.autopilot.committee import READINGS, Committee, form
from casebase.base import common
from casebase.base.method import fit_with
from casebase.base.settings import Settings, setting
from casebase.data import Cases
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.progress import Progress

SEED = "The seed of all random choices: the same seed gives the same model, with any number of threads."


class Auto(Committee):
    """A committee of the readings that the autopilot chose."""

    method: ClassVar[str] = "auto"


class CaseForest(Committee):
    """A forest of trees whose leaves hold cases."""

    method: ClassVar[str] = "forest"


class Kernel(Committee):
    """A vote of all cases by learned distances."""

    method: ClassVar[str] = "kernel"


class Opinions(Committee):
    """A product of the opinions of values and of pairs of values."""

    method: ClassVar[str] = "opinions"


class Discriminant(Committee):
    """A normal distribution per class."""

    method: ClassVar[str] = "discriminant"


@dataclass(frozen=True, kw_only=True)
class AutoSettings(Settings):
    """How long the autopilot may choose, and from which readings."""

    time_budget: float | None = setting(
        None,
        "float or None",
        "Seconds after which no further reading is begun; the cheapest comes first. None: all readings are tried.",
        lambda budget: checked_budget(budget),
        kind="number",
    )
    readings: str | Sequence[str] = setting(
        "auto",
        '"auto" or list of str',
        f'The readings to choose from: "auto" for all, or some of {", ".join(READINGS)}.',
        lambda readings: checked_readings(readings),
        kind="names",
        metavar="auto|NAME,…",
    )
    random_state: int = common.random_state(SEED)


@fit_with(AutoSettings)
def fit_auto(cases: Cases, settings: AutoSettings, *, n_jobs: int = 1, progress: Progress | None = None) -> Auto:
    """Return the committee of readings whose held-out answers are best.

    >>> table = [["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]] * 5
    >>> model = fit_auto(Cases.from_table(table, target=-1))
    >>> model.schema.classes[model.answer(model.schema.encode([["a", "z"]])).label[0]]
    'P'
    """
    chosen = {name: READINGS[name] for name in checked_readings(settings.readings)}
    model: Auto = form(
        Auto, cases, settings, chosen, seed=settings.random_state, time_budget=settings.time_budget, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    return model


@dataclass(frozen=True, kw_only=True)
class ForestSettings(Settings):
    """How many trees there are, and how they are grown."""

    first: ClassVar[str] = "n_trees"

    n_trees: int = setting(100, "int", "The number of trees.", lambda n: checked_number(n, "n_trees", 1), kind="whole")
    tried: str = setting(
        "sqrt",
        '{"sqrt", "half"}',
        "How many features are tried at a node: the square root of their number, or half of them.",
        lambda tried: checked_choice(tried, "tried", tuple(forest.N_TRIED)),
        kind="choice",
        choices=tuple(forest.N_TRIED),
    )
    values: str = setting(
        "single",
        '{"single", "groups"}',
        "How symbolic features are split: a single value against the others, or a group of values.",
        lambda values: checked_choice(values, "values", ("single", "groups")),
        kind="choice",
        choices=("single", "groups"),
    )
    random_state: int = common.random_state(SEED)


@fit_with(ForestSettings)
def fit_forest(
    cases: Cases, settings: ForestSettings, *, n_jobs: int = 1, progress: Progress | None = None
) -> CaseForest:
    """Return a forest of trees whose leaves hold cases."""
    grow = partial(forest.choose, n_trees=settings.n_trees, tried=settings.tried, values=settings.values)
    model: CaseForest = form(
        CaseForest, cases, settings, {"forest": grow}, seed=settings.random_state, n_jobs=n_jobs, progress=progress
    )
    return model


@dataclass(frozen=True, kw_only=True)
class KernelSettings(Settings):
    """The weights are learned: there is only the seed of the sample they are learned from."""

    random_state: int = common.random_state(SEED)


@fit_with(KernelSettings)
def fit_kernel(cases: Cases, settings: KernelSettings, *, n_jobs: int = 1, progress: Progress | None = None) -> Kernel:
    """Return a vote of all cases by exp(-distance), under learned weights."""
    model: Kernel = form(
        Kernel, cases, settings, {"kernel": READINGS["kernel"]}, seed=settings.random_state, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    return model


@dataclass(frozen=True, kw_only=True)
class OpinionSettings(Settings):
    """Whether pairs of values have opinions too."""

    pairs: bool = setting(
        True,
        "bool",
        "Whether pairs of values have opinions, too.",
        lambda pairs: checked_flag(pairs),
        kind="flag",
        option="--pairs/--no-pairs",
    )
    random_state: int = common.random_state(SEED)


@fit_with(OpinionSettings)
def fit_opinions(
    cases: Cases, settings: OpinionSettings, *, n_jobs: int = 1, progress: Progress | None = None
) -> Opinions:
    """Return the product of the opinions of values, with learned exponents."""
    choose = partial(opinions.choose, with_pairs=settings.pairs)
    model: Opinions = form(
        Opinions, cases, settings, {"opinions": choose}, seed=settings.random_state, n_jobs=n_jobs, progress=progress
    )
    return model


@dataclass(frozen=True, kw_only=True)
class DiscriminantSettings(Settings):
    """The shrinkage is chosen on held-out answers; the seed chooses the cases it is chosen on."""

    random_state: int = common.random_state(SEED)


@fit_with(DiscriminantSettings)
def fit_discriminant(
    cases: Cases, settings: DiscriminantSettings, *, n_jobs: int = 1, progress: Progress | None = None
) -> Discriminant:
    """Return a normal distribution per class, with the shrinkage that answers held-out cases best."""
    model: Discriminant = form(
        Discriminant, cases, settings, {"discriminant": READINGS["discriminant"]}, seed=settings.random_state,
        n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    return model


def checked_readings(readings: Any) -> tuple[str, ...]:
    """Return the names of the readings after checking them."""
    if isinstance(readings, str) and readings == "auto":
        return tuple(READINGS)
    names = readings.split(",") if isinstance(readings, str) else readings
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise CasebaseError(f"readings is 'auto', or a list of some of {', '.join(READINGS)}; got {readings!r}.")
    for name in names:
        if name not in READINGS:
            raise CasebaseError(unknown_name("reading", name, READINGS))
    return tuple(dict.fromkeys(names))


def checked_budget(budget: Any) -> float | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not budget > 0:
        raise CasebaseError(f"time_budget is a number of seconds above 0, or None; got {budget!r}.")
    return float(budget)


def checked_number(number: Any, name: str, least: int) -> int:
    if not is_whole(number, least):
        raise CasebaseError(f"{name} is a whole number of at least {least}; got {number!r}.")
    return int(number)


def checked_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise CasebaseError(f"{name} is one of {', '.join(map(repr, choices))}; got {value!r}.")
    return str(value)


def checked_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise CasebaseError(f"pairs is True or False; got {value!r}.")
    return value
