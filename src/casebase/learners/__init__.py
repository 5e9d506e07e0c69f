"""One method per file: cases in, a frozen model out, which answers and gives its reasons.

Read in order, they are a ladder: `memory` (sorted cases), `neighbours` (search and vote), `ib1` (all cases),
`igtree` (the memory folded into a tree), `tribl` (a tree above, cases below), `tribl2` (a switch for each case), `ib2`
(only the cases that are needed), `oblivion` (the cases summed over the features that matter), `smile` (all sets of
features on which cases agree), `table_rules` (a default, exceptions to it, and exceptions to those). Beside the memory,
`id3` grows trees that ask in each node what tells most, `c45` prunes them, and `c45rules`
makes rules of their paths.
"""

from collections.abc import Callable

from casebase.learners import (
    c45,
    c45rules,
    ib1,
    ib2,
    id3,
    igtree,
    oblivion,
    oblivious_graph,
    perceptron_tree,
    smile,
    table_rules,
    tribl,
    tribl2,
)
from casebase.learners.answers import Answers
from casebase.learners.c45 import C45
from casebase.learners.c45rules import C45Rules
from casebase.learners.correcting import Correctable
from casebase.learners.ib1 import IB1
from casebase.learners.ib2 import IB2
from casebase.learners.id3 import ID3
from casebase.learners.igtree import IGTree
from casebase.learners.oblivion import Oblivion
from casebase.learners.oblivious_graph import ObliviousGraph
from casebase.learners.perceptron_tree import PerceptronTree
from casebase.learners.smile import SMILE
from casebase.learners.table_rules import Rules
from casebase.learners.tribl import TRIBL
from casebase.learners.tribl2 import TRIBL2

Model = Correctable | Oblivion | ObliviousGraph | PerceptronTree | SMILE | Rules | ID3 | C45 | C45Rules

# The names by which users ask for a learner, on the command line and in model files.
LEARNERS: dict[str, Callable[..., Model]] = {
    "ib1": ib1.fit,
    "igtree": igtree.fit,
    "tribl": tribl.fit,
    "tribl2": tribl2.fit,
    "ib2": ib2.fit,
    "oblivion": oblivion.fit,
    "smile": smile.fit,
    "rules": table_rules.fit,
    "perceptron_tree": perceptron_tree.fit,
    "oblivious_graph": oblivious_graph.fit,
    "id3": id3.fit,
    "c45": c45.fit,
    "c45rules": c45rules.fit,
}

__all__ = [
    "C45",
    "IB1",
    "IB2",
    "ID3",
    "LEARNERS",
    "SMILE",
    "TRIBL",
    "TRIBL2",
    "Answers",
    "C45Rules",
    "Correctable",
    "IGTree",
    "Model",
    "Oblivion",
    "ObliviousGraph",
    "PerceptronTree",
    "Rules",
]
