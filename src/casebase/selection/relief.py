"""Feature selection by RELIEF: the features whose weights exceed a threshold, or the n best.

The weights are those of `measures.relief`, which memories also use as the weighting "relief".
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
from casebase.selection.subsets import kept_and_dropped


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How many cases RELIEF compares, and from which weight on it selects a feature."""

    first: ClassVar[str] = "n_neighbors"

    n_neighbors: int = setting(
        N_NEIGHBOURS,
        "int",
        "Number of nearest neighbours from its own class, and from every other class, that a case is compared with.",
        checked_neighbours,
        kind="whole",
    )
    n_samples: int | None = setting(
        None,
        "int, optional",
        "Number of cases to sample and compare with their neighbours; by default all cases.",
        lambda n: None if n is None else checked_samples(n),
        kind="whole",
    )
    threshold: float = setting(
        0.0, "float", "Select the features whose weight is larger.", checked_least, kind="number"
    )
    n_features_to_select: int | None = setting(
        None,
        "int, optional",
        "Select this many features, those with the largest weights, and ignore the threshold.",
        check_optional_whole("n_features_to_select", "how many features are selected", 0),
        kind="whole",
        option="--keep",
        metavar="N",
    )
    random_state: int = common.random_state("Seed for the sample of cases.")


@dataclass(frozen=True, eq=False)
class Relief:
    """The weight of every column, the features by descending weight, and the selected ones."""

    weights: np.ndarray
    ranked: tuple[int, ...]
    features: tuple[int, ...]

    def to_dict(self, cases: Cases) -> dict[str, Any]:
        """Return the result as `casebase select --json` prints it."""
        weights = {cases.schema.names[i]: float(self.weights[i]) for i in self.ranked}
        return kept_and_dropped(self.features, cases) | {"weights": weights}


def select(
    cases: Cases,
    settings: Settings | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    **values: Any,
) -> Relief:
    """Return RELIEF's weights and the features that they select.

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
