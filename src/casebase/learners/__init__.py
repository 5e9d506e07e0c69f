"""One method per file: cases in, a frozen model out, which answers and gives its reasons.

Read in order, they are a ladder: `memory` (sorted cases), `neighbours` (search and vote), `ib1` (all cases),
`igtree` (the memory folded into a tree), `tribl` (a tree above, cases below).
"""

from collections.abc import Callable

from casebase.learners import ib1, igtree, tribl
from casebase.learners.answers import Answers
from casebase.learners.ib1 import IB1
from casebase.learners.igtree import IGTree
from casebase.learners.tribl import TRIBL

Model = IB1 | IGTree | TRIBL

# The names by which users ask for a learner, on the command line and in model files.
LEARNERS: dict[str, Callable[..., Model]] = {"ib1": ib1.fit, "igtree": igtree.fit, "tribl": tribl.fit}

__all__ = ["IB1", "LEARNERS", "TRIBL", "Answers", "IGTree", "Model"]
