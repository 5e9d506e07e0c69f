"""Oblivious graphs whose nodes are merged where they are compatible, or from the root down: plain and slow.

After Kohavi and Li (1995). `cells` of a level are lists of cases. From the root down, each cell, the largest first,
joins the one with which the errors to be expected fall most, if they do not rise. From the bottom up, nodes are merged
if no value leads from them to different nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles.c45 import added_errors
from tests.oracles.id3 import Row, Table, table_of
from tests.oracles.oblivious_graph import attainable, choose_features


def estimate(table: Table, members: Sequence[int], features: Sequence[int], confidence: float) -> float:
    """Return the expected errors of the tree over some features, or of a leaf if those are fewer."""
    counts = table.count(members)
    n = sum(counts.values())
    errors = n - max(counts.values())
    leaf = errors + added_errors(n, errors, confidence)
    if len(counts) == 1 or not features:
        return leaf
    below = sum(estimate(table, part, features[1:], confidence) for part in parts(table, members, features[0]).values())
    return min(leaf, below)


def parts(table: Table, members: Sequence[int], feature: int) -> dict:
    parts: dict = {}
    for i in members:
        parts.setdefault(table.rows[i][feature], []).append(i)
    return dict(sorted(parts.items(), key=lambda part: (part[0] is not None, part[0])))


def size(table: Table, members: Sequence[int]) -> float:
    return sum(table.weights[i] for i in members)


def merge_cells(table, cells, features, confidence):
    """Return the merged cells, and the new place of each old one."""
    kept, place = [], {}
    for at in sorted(range(len(cells)), key=lambda i: -size(table, cells[i])):
        own = estimate(table, cells[at], features, confidence)
        saved = {}
        for to, (other, errors) in enumerate(kept):
            fall = errors + own - estimate(table, [*other, *cells[at]], features, confidence)
            if fall >= -1e-9 and (not saved or fall >= max(saved.values()) + 1e-9):
                saved = {to: fall}
        if saved:
            (to,) = saved
            together = [*kept[to][0], *cells[at]]
            kept[to] = (together, estimate(table, together, features, confidence))
        else:
            to = len(kept)
            kept.append((cells[at], own))
        place[at] = to
    return [cell for cell, _ in kept], place


def grow(rows: Sequence[Row], labels, *, weights=None, merge="top_down", confidence=0.25):
    """Return the features, the nodes of each level as dicts from value to place, and the root's place."""
    table = table_of(rows, labels, weights)
    features, best = choose_features(table), attainable(table)
    levels, children = [[list(range(len(table.rows)))]], []
    for level, feature in enumerate(features):
        below, leading = [], []
        for cell in levels[level]:
            if len({best[i] for i in cell}) == 1:
                leading.append(best[cell[0]])
                continue
            leading.append({})
            for value, part in parts(table, cell, feature).items():
                leading[-1][value] = len(below)
                below.append(part)
        if merge == "top_down":
            below, place = merge_cells(table, below, features[level + 1 :], confidence)
            leading = [{v: place[c] for v, c in to.items()} if isinstance(to, dict) else to for to in leading]
        levels.append(below)
        children.append(leading)
    here = [table.majority(table.count(cell)) for cell in levels[-1]]
    nodes: list[list[dict]] = [[] for _ in features]
    for level in range(len(features) - 1, -1, -1):
        below, here = here, [None] * len(levels[level])
        for at in sorted(range(len(here)), key=lambda i: -size(table, levels[level][i])):
            to = children[level][at]
            if not isinstance(to, dict):
                here[at] = to
                continue
            leads = {value: below[child] for value, child in to.items()}
            if len(set(leads.values())) == 1 and isinstance(next(iter(leads.values())), str):
                here[at] = next(iter(leads.values()))
                continue
            agrees = [
                all(other.get(value, target) == target for value, target in leads.items()) for other in nodes[level]
            ]
            place = agrees.index(True) if True in agrees else len(nodes[level])
            if place == len(nodes[level]):
                nodes[level].append({})
            nodes[level][place].update(leads)
            here[at] = (level, place)
    return MergedGraph(table, features, nodes, here[0])


class MergedGraph:
    """A graph with the cases that pass each node."""

    def __init__(self, table, features, nodes, root) -> None:
        self.table, self.features, self.nodes, self.root = table, features, nodes, root
        self.through: dict = {}
        for i, row in enumerate(table.rows):
            for place in self.path(row)[:-1]:
                self.through.setdefault(place, []).append(i)

    @property
    def widths(self) -> list[int]:
        return [len(level) for level in self.nodes if level]

    def path(self, row: Row) -> list:
        """Return the places on the way, the last of which is a class, or None where a value leads nowhere."""
        found = [self.root]
        while isinstance(found[-1], tuple):
            level, place = found[-1]
            found.append(self.nodes[level][place].get(row[self.features[level]]))
        return found

    def answer(self, row: Row) -> str:
        path = self.path(row)
        return path[-1] if path[-1] is not None else self.table.majority(self.table.count(self.through[path[-2]]))
