"""Feature selection by RELIEF: the features whose weights exceed a threshold, or the best so many.

The weights are those of `measures.relief`, which also serve as the weighting "relief" of the memories.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casebase.base import common
from casebase.base.checks import check_optional_whole
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases
from casebase.measures.relief import (
    N_NEIGHBOURS,
    by_weight,
    checked_least,
    checked_neighbours,
    checked_samples,
    relief,
    select_features,
)
from casebase.measures.weights import used_features
from casebase.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How many cases RELIEF compares, and how heavy a selected feature is."""

    first: ClassVar[str] = "n_neighbors"

    n_neighbors: int = setting(
        N_NEIGHBOURS,
        "int",
        "How many near cases of its own class, and of every other class, each case is compared with.",
        checked_neighbours,
        kind="whole",
    )
    n_samples: int | None = setting(
        None,
        "int, optional",
        "How many cases are compared with their neighbours; all of them unless given.",
        lambda n: None if n is None else checked_samples(n),
        kind="whole",
    )
    threshold: float = setting(
        0.0, "float", "Features with a larger weight are selected.", checked_least, kind="number"
    )
    n_features_to_select: int | None = setting(
        None,
        "int, optional",
        "Select this many features, those with the largest weights, whatever the threshold.",
        check_optional_whole("n_features_to_select", "how many features are selected", 0),
        kind="whole",
        option="--keep",
        metavar="N",
    )
    random_state: int = common.random_state("Seed of the sample.")


@dataclass(frozen=True, eq=False)
class Relief:
    """The weight of every column, the features by descending weight, and those selected."""

    weights: np.ndarray
    ranked: tuple[int, ...]
    features: tuple[int, ...]

    def to_dict(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the result as JSON has it; `names` are those of all columns."""
        return {"weights": {names[i]: float(self.weights[i]) for i in self.ranked}}


def select(
    cases: Cases,
    settings: Settings | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    **values: Any,
) -> Relief:
    """Return the weights of RELIEF, and the features that they select.

    >>> rows = [["0", "0", "a", "P"], ["0", "1", "a", "Q"], ["1", "0", "a", "Q"], ["1", "1", "a", "P"]] * 5
    >>> select(Cases.from_table(rows, target=-1), n_neighbors=1).features
    (0, 1)
    """
    settings, used = Settings.of(settings, values), used_features(cases)
    weights = relief(
        cases,
        used,
        n_neighbours=settings.n_neighbors,
        n_samples=settings.n_samples,
        random_state=settings.random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    ranked = by_weight(cases, used, weights)
    kept = select_features(weights, ranked, settings.threshold, settings.n_features_to_select)
    return Relief(weights, tuple(ranked), tuple(kept))
