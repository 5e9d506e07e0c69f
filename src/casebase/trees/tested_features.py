"""Feature selection by a decision tree: the features that a C4.5 tree tests.

The tree is grown and pruned, and thrown away; another method compares cases on its features alone.

Reference: Cardie, "Using decision trees to improve case-based learning" (1993).
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.memory.segments import relevance_order
from casebase.trees import c45
from casebase.trees.c45 import C45, TreeSettings


@dataclass(frozen=True)
class Tested:
    """A feature of the tree: the number of its tests, the level of the first (1 is the root), the cases they see."""

    feature: int
    n_tests: int
    first_level: int
    n_cases: float


@dataclass(frozen=True, eq=False)
class TestedFeatures:
    """The features that a tree tests, those nearest to the root first; and the tree."""

    __test__ = False  # not a test, whatever its name

    tested: tuple[Tested, ...]
    tree: C45

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(sorted(one.feature for one in self.tested))

    def to_dict(self) -> dict[str, Any]:
        """Return the tree's size and what it tests, as `casebase select --json` prints it."""
        names, nodes = self.tree.schema.names, self.tree.nodes
        return {
            "n_nodes": nodes.n_nodes,
            "depth": nodes.depth,
            "tested": [
                {
                    "feature": names[one.feature],
                    "n_tests": one.n_tests,
                    "first_level": one.first_level,
                    "n_cases": one.n_cases,
                }
                for one in self.tested
            ],
        }


def select(cases: Cases, settings: TreeSettings | None = None, **values: Any) -> TestedFeatures:
    """Return the features that a C4.5 tree of the cases tests.

    >>> rows = [["a", "x", "P"], ["a", "y", "P"], ["a", "x", "P"], ["b", "y", "Q"], ["b", "x", "Q"], ["b", "y", "Q"]]
    >>> select(Cases.from_table(rows, target=-1)).features
    (0,)
    """
    settings = TreeSettings.of(settings, values)
    tree = c45.fit(cases, c45.Settings(**{one.name: getattr(settings, one.name) for one in fields(TreeSettings)}))
    nodes = tree.nodes
    n_cases = np.add.reduceat(nodes.count, nodes.first_count[:-1].astype(np.int64))
    tested = []
    for feature in relevance_order(cases.schema, list(nodes.tested)):
        tests = nodes.feature == feature
        tested.append(Tested(feature, int(tests.sum()), int(nodes.level[tests].min()) + 1, float(n_cases[tests].sum())))
    return TestedFeatures(tuple(sorted(tested, key=lambda one: (one.first_level, -one.n_cases))), tree)
