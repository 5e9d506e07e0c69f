"""C4.5: ID3 with gain ratio, numeric thresholds, missing values and pruning.

A test is chosen by gain ratio among the tests whose gain is at least average. At least two of its branches must hold
enough cases, and a numeric test pays for the choice of its threshold. A case with a missing value goes down every
branch with a fraction of its weight. The tree is then pruned bottom-up: a test becomes a leaf where the pessimistic
error, the upper limit of a confidence interval, does not grow.

References: Quinlan, "C4.5: programs for machine learning" (1993); "Improved use of continuous attributes in C4.5"
(1996).
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import check_flag, check_name
from casebase.base.method import fit_with
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
    """A decision tree; with `spreads` a missing value goes down every branch."""

    schema: Schema
    nodes: TreeNodes
    preference: Preference
    n_cases: int
    spreads: bool = True
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "c45"

    def summary(self) -> Summary:
        """Return the model's size: nodes, leaves, depth and classes."""
        return summary_of(self, tree_size(self.nodes), node_counts(self.nodes, self.n_cases))

    def codelength(self) -> float:
        """Return the description length of the tree in bits, without the branch shares for missing values."""
        return self.nodes.codelength(len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends; several end nodes vote by their shares."""
        return answer(self.nodes, cases, self.preference, is_fractional=self.spreads, n_jobs=n_jobs, progress=progress)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PathEvidence]:
        """Return the path of every case, or its paths where a value is missing or unseen."""
        return explain(self, cases, limit)


def with_thresholds_of(cases: Cases, nodes: TreeNodes) -> TreeNodes:
    """Return the nodes with each threshold lowered to the greatest training number at or below it.

    C4.5 reports thresholds that occur in the data, although it chooses them halfway between two numbers.
    """
    threshold = nodes.threshold.copy()
    for i in np.unique(nodes.feature[np.isfinite(threshold)]).tolist():
        numbers = np.unique(cases.columns[i][~np.isnan(cases.columns[i])])
        here = (nodes.feature == i) & np.isfinite(threshold)
        threshold[here] = numbers[np.searchsorted(numbers, threshold[here], side="right") - 1]
    return replace(nodes, threshold=threshold)


@dataclass(frozen=True, kw_only=True)
class TreeSettings(BaseSettings):
    """How C4.5 chooses tests and prunes."""

    first: ClassVar[str] = "confidence"

    confidence: float = shared.confidence(
        "Confidence level of the pessimistic error estimate; lower values prune more. At most 0.5."
    )
    min_cases: float = shared.min_cases(2)
    criterion: str = shared.criterion(
        "gain_ratio",
        "The measure that chooses the test. With gain ratio, only tests with at least average gain are candidates.",
    )
    pruned: bool = setting(
        True,
        "bool",
        "Whether a test becomes a leaf if it is not expected to make fewer errors than the leaf.",
        check_flag("pruned"),
        kind="flag",
        option="--pruned/--unpruned",
    )
    subtree_raising: bool = setting(
        False,
        "bool",
        "Whether the branch with the most cases may replace its test.",
        check_flag("subtree_raising"),
        kind="flag",
    )
    collapse: bool = setting(
        True,
        "bool",
        "Whether a test becomes a leaf if it makes no fewer training errors than the leaf; before pruning, and also "
        "without it.",
        check_flag("collapse"),
        kind="flag",
        option="--collapse/--no-collapse",
    )
    max_depth: int | None = shared.max_depth()
    missing: str = setting(
        "fractional",
        '{"fractional", "value"}',
        "Missing values: a case goes down every branch with a fraction of its weight, or a missing symbol is a value "
        "like any other and a missing number is below every number.",
        check_name("treatment of missing values", MISSING),
        kind="choice",
        choices=MISSING,
    )


@dataclass(frozen=True, kw_only=True)
class Settings(TreeSettings):
    """How C4.5 grows a tree, which features are numbers, and how counts become shares."""

    metric: MetricNames = shared.metric()
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> C45:
    """Return a decision tree, pruned to generalise.

    A lower `confidence` prunes more. `collapse` turns a test into a leaf if it makes no fewer training errors, before
    pruning and also without it. `subtree_raising` lets the branch with the most cases replace its test.

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
