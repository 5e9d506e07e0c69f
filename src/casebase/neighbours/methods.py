"""This family's rows in the list of methods."""

from casebase.base.method import Method, Takes
from casebase.neighbours import flips, ib1, ib2, igtree, tribl, tribl2
from casebase.neighbours.files.cases import read_ib1, read_ib2, read_tribl2, write_ib1, write_ib2, write_tribl2
from casebase.neighbours.files.trees import read_igtree, read_tribl, write_igtree, write_tribl

IB1 = Method(
    "ib1",
    "IB1, IB1-IG: the nearest cases vote",
    ib1.fit,
    ib1.IB1,
    ib1.Settings,
    write_ib1,
    read_ib1,
    keeps="cases",
    flip=flips.SEARCH,
    takes=Takes(numbers=True, missing=True),
)
IGTREE = Method(
    "igtree",
    "IGTree: the memory folded into a tree, by relevance",
    igtree.fit,
    igtree.IGTree,
    igtree.Settings,
    write_igtree,
    read_igtree,
    keeps="cases (optional)",
    flip=flips.TREE,
)
TRIBL = Method(
    "tribl",
    "TRIBL: a tree above, the nearest cases below",
    tribl.fit,
    tribl.TRIBL,
    tribl.Settings,
    write_tribl,
    read_tribl,
    keeps="cases",
    flip=flips.TRIBL_SEARCH,
    takes=Takes(numbers=True, missing=True),
)
TRIBL2 = Method(
    "tribl2",
    "TRIBL2: a switch point for each query",
    tribl2.fit,
    tribl2.TRIBL2,
    tribl2.Settings,
    write_tribl2,
    read_tribl2,
    keeps="cases",
    flip=flips.TRIBL2_SEARCH,
    takes=Takes(numbers=True, missing=True),
)
IB2 = Method(
    "ib2",
    "IB2: only the cases that are needed",
    ib2.fit,
    ib2.IB2,
    ib2.Settings,
    write_ib2,
    read_ib2,
    keeps="some cases",
    flip=flips.SEARCH,
    takes=Takes(numbers=True, missing=True),
    cost="n²",
)
