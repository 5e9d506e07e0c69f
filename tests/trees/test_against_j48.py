"""C4.5 grows the trees of Weka's J48, where the two do the same.

J48's default raises subtrees, -S does not; -U does not prune. Empty branches are leaves there. Each data set starts
Java once, so the options take turns; all three give equal sizes on all of these sets.
"""

import pyarrow as pa
import pytest

import casebase as cb
from casebase.datasets import load_keel, load_tic_tac_toe
from lab.local import load_local
from lab.peers import weka
from tests.peers import found, require_weka

UNPRUNED = (["-U"], {"pruned": False})
PRUNED = (["-S"], {})
RAISED = ([], {"subtree_raising": True})
SETS = {
    "votes": (lambda: load_local("votes"), RAISED),  # symbols with gaps
    "soybean": (lambda: load_local("soybean"), PRUNED),  # symbols with gaps, 19 classes
    "zoo": (lambda: load_local("zoo"), UNPRUNED),
    "tic-tac-toe": (load_tic_tac_toe, RAISED),
    "chess": (lambda: load_keel("chess"), PRUNED),  # king-rook-king-pawn
    "breast": (lambda: load_keel("breast"), UNPRUNED),
    "german": (lambda: load_keel("german"), RAISED),  # symbols and numbers
    "heart": (lambda: load_keel("heart"), PRUNED),
    "pima": (lambda: load_keel("pima"), UNPRUNED),
    "vehicle": (lambda: load_keel("vehicle"), RAISED),  # numbers
}

pytestmark = pytest.mark.peer


def table_of(data):
    """Rows for Weka, and the same as a table whose columns have names in their order."""
    rows = [[None if v is None or v in ("?", "NA") or v != v else v for v in row] for row in data.data]
    rows = [[v if v is None or isinstance(v, str) else float(v) for v in row] for row in rows]
    return rows, pa.table({f"f{i:03}": pa.array(column) for i, column in enumerate(zip(*rows))})


@pytest.mark.parametrize("name", SETS)
def test_size_of_the_tree(name):
    """Nodes and leaves are as many as J48 has."""
    require_weka()
    load, (options, parameters) = SETS[name]
    data = found(load)
    rows, table = table_of(data)
    labels = [str(label) for label in data.target]
    expected = weka.j48(rows, labels, options)
    nodes = cb.C45Classifier(**parameters).fit(table, labels).model_.nodes

    assert (nodes.n_nodes + nodes.n_empty, nodes.n_leaves + nodes.n_empty) == (expected.n_nodes, expected.n_leaves)
