"""ID3: test the feature with the highest information gain, until every leaf is pure.

A symbolic feature has a branch for every value; a numeric feature has two, up to a threshold and above it. The tree
grows until all cases of a node have the same class, even where no single feature has any gain. It therefore predicts
every training case correctly, except equal cases with different classes, which share a leaf.

Reference: Quinlan, "Induction of decision trees" (1986).
"""

from dataclasses import dataclass, field
from typing import ClassVar

from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.method import fit_with
from casebase.base.model import Summary, summary_of
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.segments import without_ignored_values
from casebase.progress import Progress
from casebase.trees import settings as shared
from casebase.trees.evidence import PathEvidence
from casebase.trees.growth import (
    Growth,
    answer,
    explain,
    grow,
    with_tests,
)
from casebase.trees.nodes import TreeNodes, node_counts, tree_size


@dataclass(frozen=True, eq=False)
class ID3:
    """A decision tree, and the preference that breaks ties between classes."""

    schema: Schema
    nodes: TreeNodes
    preference: Preference
    n_cases: int
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "id3"

    @property
    def spreads(self) -> bool:
        """Whether a missing value goes down every branch."""
        return False

    def summary(self) -> Summary:
        """Return the model's size: nodes, leaves, depth and classes."""
        return summary_of(self, tree_size(self.nodes), node_counts(self.nodes, self.n_cases))

    def codelength(self) -> float:
        """Return the description length of the tree in bits."""
        return self.nodes.codelength(len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends, with its class counts."""
        return answer(self.nodes, cases, self.preference, n_jobs=n_jobs, progress=progress)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PathEvidence]:
        """Return the path of every case."""
        return explain(self, cases, limit)


def checked_missing(missing: object) -> None:
    if missing != "value":
        raise CasebaseError(
            f"ID3 supports only missing='value': a missing value is a value like any other; got {missing!r}. "
            "C4.5 can send a case down all branches."
        )


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How ID3 chooses tests, and where it stops."""

    first: ClassVar[str] = "criterion"

    criterion: str = shared.criterion(
        "information_gain",
        "The measure that chooses the test. Ties go to the first feature: by name if columns have names, else by "
        "position.",
    )
    metric: MetricNames = shared.metric()
    missing: str = setting(
        "value",
        '"value"',
        "Only one choice, unlike in C4.5: a missing symbol is a value like any other, and a missing number is below "
        "every number.",
        checked_missing,
        kind="choice",
        choices=("value",),
    )
    max_depth: int | None = shared.max_depth()
    min_cases: float = shared.min_cases(1)
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> ID3:
    """Return a decision tree that fits the training cases.

    A missing symbol is a value like any other, and a missing number is below every number. With `min_cases` above 1, at
    least two branches of a test need that many cases; `max_depth` limits the tests on a path. Both may leave a leaf
    with several classes.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]], target=-1)
    >>> model = fit(cases)
    >>> model.nodes.n_nodes, [cases.schema.classes[c] for c in model.answer(cases).label]
    (7, ['P', 'Q', 'Q', 'P'])
    """
    growth = Growth(settings.criterion, goes_on=True, min_cases=float(settings.min_cases), max_depth=settings.max_depth)
    cases = with_tests(cases, settings.metric)
    preference = preference_of(cases)
    tree = grow(cases, preference, growth)
    schema = without_ignored_values(cases.schema)
    return ID3(schema, tree, preference, cases.n_cases, checked_normalisation(settings.normalisation), settings)
