"""A method as one row of a table: how it learns, and how its models are written, read and drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Protocol, TypeVar

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.flips import ALL_SYMBOLS, Structure
from casebase.base.model import Model
from casebase.base.settings import Settings
from casebase.data import Cases
from casebase.progress import Progress

M = TypeVar("M", bound=Model)
M_co = TypeVar("M_co", bound=Model, covariant=True)
S = TypeVar("S", bound=Settings)
S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class Learn(Protocol[M_co, S_contra]):
    """The function that a method defines: from cases and checked settings to a model."""

    def __call__(self, cases: Cases, settings: S_contra, *, n_jobs: int, progress: Progress | None) -> M_co: ...


class Fit(Protocol[M_co, S_contra]):
    """The function that callers use: settings are passed as a record or by name."""

    def __call__(
        self,
        cases: Cases,
        settings: S_contra | None = None,
        *,
        n_jobs: int = 1,
        progress: Progress | None = None,
        **values: Any,
    ) -> M_co: ...


def fit_with(record: type[S]) -> Callable[[Learn[M, S]], Fit[M, S]]:
    """Return a decorator that lets a method be called as `fit(cases, Settings(k=3))` or as `fit(cases, k=3)`."""

    def decorate(learn: Learn[M, S]) -> Fit[M, S]:
        @wraps(learn)
        def fit(
            cases: Cases,
            settings: S | None = None,
            *,
            n_jobs: int = 1,
            progress: Progress | None = None,
            **values: Any,
        ) -> M:
            known = record.of(settings, values)
            return learn(known.before_fit(cases), known, n_jobs=n_jobs, progress=progress)

        return fit

    return decorate


@dataclass(frozen=True)
class Takes:
    """What a method handles natively: numbers by their size, missing values other than as one more value."""

    numbers: bool = False
    missing: bool = False


@dataclass(frozen=True)
class Method:
    """One row of the list of methods; `keeps` says in a few words what its model keeps of the cases.

    `exports` are the formats in which a model can be read or run elsewhere, `draw` draws a picture of it. `cost` is the
    complexity of learning from n cases. `flip` is what the search for the smallest flip knows of its models. A method
    that `finds_kinds` always learns from columns whose kinds were found; the others do so on request.
    """

    name: str
    title: str
    fit: Fit[Any, Any]
    model: type[Any]
    settings: type[Settings]
    write: Callable[[Any, Header, Arrays], None]
    read: Callable[[Header, CheckedArrays, Any], Any]
    keeps: str
    takes: Takes = field(default_factory=Takes)
    cost: str = "n log n"
    exports: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    draw: Callable[..., Any] | None = None
    finds_kinds: bool = False
    flip: Structure = ALL_SYMBOLS

    @property
    def keeps_cases(self) -> bool:
        """Whether the model keeps every training case."""
        return self.keeps == "cases"

    @property
    def stores_cases(self) -> bool:
        """Whether the model stores cases that its evidence can name: all of them, or some."""
        return self.keeps in ("cases", "cases (optional)", "some cases")

    @property
    def exponent(self) -> int:
        """The power of n in the cost of learning; 1 for all that is not worse than n log n."""
        return power_of_n(self.cost)

    @property
    def has_codelength(self) -> bool:
        """Whether its models have a codelength."""
        return hasattr(self.model, "codelength")


def power_of_n(cost: str) -> int:
    """Return the power of n in a cost; 1 for all that is not worse than n log n.

    >>> power_of_n("n² · values"), power_of_n("n log n")
    (2, 1)
    """
    return 3 if "³" in cost else 2 if "²" in cost else 1
