"""The size of TiMBL's tree of the stored lines: nodes per level, and compression."""

from dataclasses import dataclass

import numpy as np

from casebase import _native
from casebase.neighbours.igtree import IGTree
from casebase.timbl.models import Learned, stored_lines, stored_memory

BYTES_PER_NODE = 40


@dataclass(frozen=True, eq=False)
class TreeSize:
    """Nodes by level, the root at level 0, how many of them have children, and how many patterns are stored."""

    features: list[int]
    n_nodes: np.ndarray
    n_inner: np.ndarray
    n_patterns: int
    is_pruned: bool

    def text(self) -> str:
        """Return the line that TiMBL prints after learning; in a complete tree a pattern's classes count as a node."""
        n_nodes = int(self.n_nodes[1:].sum()) + (0 if self.is_pruned else self.n_patterns)
        compression = 100.0 * (1.0 - n_nodes / (self.n_patterns * (len(self.features) + 1)))
        return (
            f"\nSize of InstanceBase = {n_nodes} Nodes, ({n_nodes * BYTES_PER_NODE} bytes), "
            f"{compression:.2f} % compression\n"
        )

    def branching(self) -> str:
        """Return the table of +vb."""
        lines = [
            "branching info:",
            "   level | feature |     nodes |  nonterms | terminals |  b-factor | b-factor-n",
        ]
        for level in range(int(np.count_nonzero(self.n_nodes))):
            nodes, inner = int(self.n_nodes[level]), int(self.n_inner[level])
            is_last = level + 1 >= len(self.n_nodes)
            below, inner_below = (0, 0) if is_last else (int(self.n_nodes[level + 1]), int(self.n_inner[level + 1]))
            feature = "top" if level == 0 else str(self.features[level - 1] + 1)
            factors = below / nodes, inner_below / inner if inner else 0.0
            lines.append(
                f"{level:8d} | {feature:>7} | {nodes:9d} | {inner:9d} | {nodes - inner:9d} | "
                f"{factors[0]:9.2f} | {factors[1]:9.2f}"
            )
        total, ends = int(self.n_nodes.sum()), int((self.n_nodes - self.n_inner).sum())
        lines.append(f"total: nodes = {total} endnodes = {ends} factor = {total / ends:.2f}")
        return "\n".join(lines) + "\n"


def size_of(learned: Learned, lines: np.ndarray | None = None) -> TreeSize:
    """Return the size of the tree of a model's lines, or of some, complete or, for IGTree, pruned."""
    memory, model = learned.memory, learned.model
    assert memory is not None
    used = memory.order[: memory.n_used]
    columns = [codes.astype(np.uint32) for codes in (memory.symbols.codes[i] for i in used) if codes is not None]
    if lines is None and not isinstance(model, IGTree) and stored_memory(learned).n_cases < memory.symbols.n_lines:
        lines = stored_lines(learned)
    if lines is not None:
        columns = [column[lines] for column in columns]
    n_lines = len(columns[0])
    # In sorted lines a node of a level begins where a value of that level, or of one above it, changes.
    order = _native.lexicographic_order(columns, n_lines)
    differs = np.zeros(n_lines, dtype=bool)
    differs[0] = True
    n_nodes = np.ones(len(used) + 1, dtype=np.int64)
    for level, column in enumerate(columns, start=1):
        moved = column[order]
        differs[1:] |= moved[1:] != moved[:-1]
        n_nodes[level] = np.count_nonzero(differs)
    n_patterns = int(n_nodes[-1])
    if isinstance(model, IGTree):
        return TreeSize(used, *_levels(model, len(used)), n_patterns, True)
    n_inner = n_nodes.copy()
    n_inner[-1] = 0
    return TreeSize(used, n_nodes, n_inner, n_patterns, False)


def _levels(model: IGTree, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many nodes each level of a tree has, and how many of them have children."""
    n_nodes, n_inner = np.zeros(n_levels + 1, dtype=np.int64), np.zeros(n_levels + 1, dtype=np.int64)
    children = model.tree.first_child.astype(np.int64)
    begin, end = 0, 1
    for level in range(n_levels + 1):
        n_nodes[level] = end - begin
        n_inner[level] = np.count_nonzero(np.diff(children[begin : end + 1]))
        begin, end = end, int(children[end])
    return n_nodes, n_inner
