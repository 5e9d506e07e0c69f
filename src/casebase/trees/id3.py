"""ID3: ask about the feature that tells most, until every case is told apart.

At each node the feature with the highest information gain is asked about: a symbol has a branch for every value, a
number two, at most a threshold and above it. It goes on until the cases of a node are of one class, even where no
single feature gains anything, so the tree answers every case that it was grown from correctly; only cases that are
equal and of different classes end in one leaf together.

Reference: Quinlan, "Induction of decision trees" (1986).
"""

from dataclasses import dataclass, field
from typing import Any

from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.evidence import PathEvidence
from casebase.base.progress import Progress
from casebase.base.recording import recorded
from casebase.data import Cases, Schema
from casebase.errors import CasebaseError
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.relevance import MetricNames
from casebase.memory.segments import without_ignored_values
from casebase.trees.growth import (
    Growth,
    answer,
    checked_criterion,
    checked_depth,
    checked_min_cases,
    explain,
    grow,
    with_tests,
)
from casebase.trees.nodes import TreeNodes


@dataclass(frozen=True, eq=False)
class ID3:
    """A tree of tests, and how ties between classes are decided."""

    schema: Schema
    nodes: TreeNodes
    preference: Preference
    n_cases: int
    normalisation: Normalisation = "probability"
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def spreads(self) -> bool:
        """Whether a missing value goes down every branch."""
        return False

    def codelength(self) -> float:
        """Return the bits that say the tree."""
        return self.nodes.codelength(len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the node where each case ends, with its class counts."""
        return answer(self.nodes, cases, self.preference, n_jobs=n_jobs, progress=progress)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PathEvidence]:
        """Return the path of every case."""
        return explain(self, cases, limit)


@recorded
def fit(
    cases: Cases,
    *,
    criterion: str = "information_gain",
    metric: MetricNames = "overlap",
    missing: str = "value",
    max_depth: int | None = None,
    min_cases: float = 1,
    normalisation: Normalisation = "probability",
) -> ID3:
    """Return a tree that answers every case as it was given.

    A missing symbol is a value like any other, a missing number is below every number. With `min_cases` above 1, two
    branches of a test need that many cases; `max_depth` bounds the tests on a path. Both may end a node before its
    cases are told apart.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]], target=-1)
    >>> model = fit(cases)
    >>> model.nodes.n_nodes, [cases.schema.classes[c] for c in model.answer(cases).label]
    (7, ['P', 'Q', 'Q', 'P'])
    """
    checked_missing(missing)
    growth = Growth(
        checked_criterion(criterion),
        goes_on=True,
        min_cases=checked_min_cases(min_cases),
        max_depth=checked_depth(max_depth),
    )
    checked_normalisation(normalisation)
    cases = with_tests(cases, metric)
    preference = preference_of(cases, None)
    tree = grow(cases, preference, growth)
    return ID3(without_ignored_values(cases.schema), tree, preference, cases.n_cases, normalisation)


def checked_missing(missing: Any) -> str:
    if missing != "value":
        raise CasebaseError(
            f"ID3 knows only missing='value': a missing value is a value like any other; got {missing!r}. "
            "C4.5 can share a case out to all branches."
        )
    return "value"
