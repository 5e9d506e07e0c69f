"""One method per file: cases in, a frozen model out, which answers and gives its reasons.

Read in order, they are a ladder: `memory` (sorted cases), `neighbours` (search and vote), `ib1` (all cases),
`igtree` (the memory folded into a tree), `tribl` (a tree above, cases below).
"""

from casebase.learners.answers import Answers
from casebase.learners.ib1 import IB1
from casebase.learners.igtree import IGTree
from casebase.learners.tribl import TRIBL

__all__ = ["IB1", "TRIBL", "Answers", "IGTree"]
