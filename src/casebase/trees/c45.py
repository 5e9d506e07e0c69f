"""C4.5: what ID3 does, with care for noise, numbers and gaps.

A test is chosen by gain ratio among those that gain as much as the average test; it must have enough cases in two
branches, and a threshold pays for being chosen among many. A case whose value is missing goes down every branch, with a
part of its weight. The tree is then pruned from the leaves up: a test becomes a leaf where the errors to be feared, the
upper limit of a confidence interval, are not more that way.

References: Quinlan, "C4.5: programs for machine learning" (1993); "Improved use of continuous attributes in C4.5"
(1996).
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import check_flag, check_name
from casebase.base.method import fitted_with
from casebase.base.model import Summary, summary_of
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.segments import without_ignored_values
from casebase.progress import Progress
from casebase.trees import settings as shared
from casebase.trees.evidence import PathEvidence
from casebase.trees.growth import (
    Growth,
    Pruning,
    answer,
    explain,
    grow,
    with_tests,
)
from casebase.trees.nodes import TreeNodes, node_counts, tree_size

MISSING = ("fractional", "value")


@dataclass(frozen=True, eq=False)
class C45:
    """A tree of tests; `spreads` says whether a missing value goes down every branch."""

    schema: Schema
    nodes: TreeNodes
    preference: Preference
    n_cases: int
    spreads: bool = True
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "c45"

    def summary(self) -> Summary:
        """Return what the model is: nodes, leaves, depth and classes."""
        return summary_of(self, tree_size(self.nodes), node_counts(self.nodes, self.n_cases))

    def codelength(self) -> float:
        """Return the bits that say the tree; the shares of branches, for missing values, are not said."""
        return self.nodes.codelength(len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends; of several ends, the shares together."""
        return answer(self.nodes, cases, self.preference, is_fractional=self.spreads, n_jobs=n_jobs, progress=progress)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PathEvidence]:
        """Return the path of every case, or its paths where a value is not known."""
        return explain(self, cases, limit)


def with_thresholds_of(cases: Cases, nodes: TreeNodes) -> TreeNodes:
    """Return the nodes with each threshold at the greatest training number that is not above it.

    So every threshold is a number that occurs.
    """
    threshold = nodes.threshold.copy()
    for i in np.unique(nodes.feature[np.isfinite(threshold)]).tolist():
        numbers = np.unique(cases.columns[i][~np.isnan(cases.columns[i])])
        here = (nodes.feature == i) & np.isfinite(threshold)
        threshold[here] = numbers[np.searchsorted(numbers, threshold[here], side="right") - 1]
    return replace(nodes, threshold=threshold)


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How C4.5 chooses its tests, and how it prunes."""

    first: ClassVar[str] = "confidence"

    confidence: float = shared.confidence(
        "Confidence level of the pessimistic error estimate; lower values prune more. At most 0.5."
    )
    min_cases: float = shared.min_cases(2)
    criterion: str = shared.criterion(
        "gain_ratio",
        "The measure that chooses the test; by gain ratio, only tests that gain at least the average are considered.",
    )
    pruned: bool = setting(
        True,
        "bool",
        "Whether tests that are not expected to make fewer errors than a leaf become leaves.",
        check_flag("pruned"),
        kind="flag",
        option="--pruned/--unpruned",
    )
    subtree_raising: bool = setting(
        False,
        "bool",
        "Whether the heaviest branch of a test may take its place.",
        check_flag("subtree_raising"),
        kind="flag",
    )
    collapse: bool = setting(
        True,
        "bool",
        "Whether tests that predict no training case better than a leaf become leaves, before any pruning and without "
        "it.",
        check_flag("collapse"),
        kind="flag",
        option="--collapse/--no-collapse",
    )
    max_depth: int | None = shared.max_depth()
    metric: MetricNames = shared.metric()
    missing: str = setting(
        "fractional",
        '{"fractional", "value"}',
        "Whether a case without a value goes down every branch, with a part of its weight; or a missing symbol is a "
        "value like any other, and a missing number below every number.",
        check_name("way with missing values", MISSING),
        kind="choice",
        choices=MISSING,
    )
    normalisation: Normalisation = common.normalisation()


@fitted_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> C45:
    """Return a tree pruned so that it makes few errors on cases that it has not seen.

    A lower `confidence` prunes more. `collapse` makes leaves of tests that predict no training case better, before any
    pruning and without it. `subtree_raising` lets the heaviest branch of a test take its place.

    >>> rows = [["a", "x", "P"], ["a", "y", "P"], ["a", "x", "P"], ["b", "y", "Q"], ["b", "x", "Q"], ["b", "y", "Q"]]
    >>> model = fit(Cases.from_table(rows, target=-1))
    >>> model.nodes.n_nodes, model.schema.features[model.nodes.feature[0]].name
    (3, 'f1')
    """
    is_fractional = settings.missing == "fractional"
    growth = Growth(
        settings.criterion,
        above_average=settings.criterion == "gain_ratio",
        cuts_cost=True,
        is_fractional=is_fractional,
        min_cases=float(settings.min_cases),
        max_depth=settings.max_depth,
    )
    pruning = Pruning(float(settings.confidence), settings.collapse, settings.pruned, settings.subtree_raising)
    cases = with_tests(cases, settings.metric)
    preference = preference_of(cases)
    nodes = with_thresholds_of(cases, grow(cases, preference, growth, pruning))
    normalisation = checked_normalisation(settings.normalisation)
    schema = without_ignored_values(cases.schema)
    return C45(schema, nodes, preference, cases.n_cases, is_fractional, normalisation, settings)
