"""The interface of all models, and the summary of a model as text and as a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from casebase.base.answers import Answers, Preference
from casebase.base.settings import Settings
from casebase.data import Cases, Schema
from casebase.data.sources import ColumnKind
from casebase.measures.votes import Normalisation
from casebase.memory.segments import Memory
from casebase.progress import Progress


@dataclass(frozen=True)
class Summary:
    """A summary of a model: `size` in a few words, `counts` by name; a feature without a weight has None."""

    learner: str
    settings: Settings
    target: str
    size: str
    counts: Mapping[str, Any]
    codelength: float | None
    classes: tuple[Any, ...]
    frequencies: tuple[float, ...]
    features: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    kinds: tuple[ColumnKind, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as `casebase inspect --json` prints it."""
        return {
            "learner": self.learner,
            "parameters": dict(self.parameters),
            "target": self.target,
            **self.counts,
            **({} if self.codelength is None else {"codelength": self.codelength}),
            "classes": [{"label": label, "frequency": n} for label, n in zip(self.classes, self.frequencies)],
            "features": [dict(feature) for feature in self.features],
            **({"kinds": [column.to_dict() for column in self.kinds]} if self.kinds else {}),
        }

    def __str__(self) -> str:
        return f"{self.learner}: {self.size}"


class Model(Protocol):
    """A frozen model, which predicts, explains and summarises itself."""

    method: ClassVar[str]

    @property
    def schema(self) -> Schema: ...
    @property
    def settings(self) -> Any: ...
    @property
    def preference(self) -> Preference: ...
    @property
    def normalisation(self) -> Normalisation: ...
    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers: ...
    def explain(self, cases: Cases, *, limit: int = 10) -> list[Any]: ...
    def summary(self) -> Summary: ...


@runtime_checkable
class Corrected(Protocol):
    """A model that may have been corrected, and can be sorted like a new fit."""

    def in_order(self) -> Model: ...


@runtime_checkable
class HasRecords(Protocol):
    """A model that may keep the cases it learned from."""

    @property
    def schema(self) -> Schema: ...
    def stored_memory(self) -> Memory | None: ...


@runtime_checkable
class LeavesOut(Protocol):
    """A model that can answer as if one of its stored cases, given by its row in memory, had not been stored.

    All that was learned from the cases as a whole stays: weights, the order of the features, the choice of readings.
    """

    def without(self, row: int) -> Model: ...


@runtime_checkable
class HasCodelength(Protocol):
    """A model with a codelength: the number of bits to encode it."""

    def codelength(self) -> float: ...


@runtime_checkable
class Interruptible(Protocol):
    """A model that Ctrl-C may have left with only a part of what it would have learned."""

    @property
    def was_interrupted(self) -> bool: ...


@runtime_checkable
class LeavesOneOut(Protocol):
    """A model that can answer its training cases as if each had not been stored, exactly if `leaves_one_out`."""

    @property
    def leaves_one_out(self) -> bool: ...
    def held_out_answers(self, cases: Cases, rows: np.ndarray, *, n_jobs: int = 1) -> Answers: ...


@runtime_checkable
class RanksByDistance(Protocol):
    """A model that knows how far the nearest case of each class is, and goes by it if `ranks_by_distance`."""

    @property
    def ranks_by_distance(self) -> bool: ...
    def left_out_scores(self, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]: ...
    def distance_scores(self, cases: Cases, labels: np.ndarray, *, n_jobs: int = 1) -> np.ndarray: ...
    def sets_by_distance(
        self, cases: Cases, limits: np.ndarray, *, n_jobs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]: ...


@runtime_checkable
class HasHeldOutShares(Protocol):
    """A model whose shares were fitted to held-out answers of stored cases, and which can give these again."""

    def held_out_scores(self, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]: ...


def is_incomplete(model: Model) -> bool:
    """Return whether Ctrl-C ended the learning of a model early."""
    return isinstance(model, Interruptible) and model.was_interrupted


def summary_of(model: Model, size: str, counts: Mapping[str, Any], weights: np.ndarray | None = None) -> Summary:
    """Return the summary of a model: its own size and counts, and what all models have in common."""
    schema = model.schema
    features = tuple(
        {
            "name": feature.name,
            "kind": feature.kind,
            "n_values": None if feature.vocabulary is None or feature.kind == "ignored" else len(feature.vocabulary),
            "weight": None if weights is None else float(weights[i]),
        }
        for i, feature in enumerate(schema.features)
    )
    if schema.cuts:
        counts = {**counts, "cuts": schema.cuts}
    return Summary(
        model.method,
        model.settings,
        schema.target,
        size,
        counts,
        model.codelength() if isinstance(model, HasCodelength) else None,
        tuple(schema.classes),
        tuple(float(n) for n in model.preference.frequency),
        features,
        {name: value for name, value in model.settings.to_dict().items() if name in model.settings.public()},
        schema.kinds,
    )


def format_count(n: float, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "class"), format_count(2000, "class"), format_count(2, "query")
    ('1 class', '2,000 classes', '2 queries')
    """
    endings = {"f": (1, "ves"), "y": (1, "ies"), "s": (0, "es")}
    n_dropped, ending = endings.get(noun[-1], (0, "s"))
    several = noun[: len(noun) - n_dropped] + ending
    return f"{n:,} {noun if n == 1 else several}"
