"""Draw a decision tree: tests with their branches, and a bar of classes at every leaf."""

from collections.abc import Callable
from functools import partial
from typing import Any

from casebase.errors import CasebaseError
from casebase.render.class_bars import colours_of, draw_bar, draw_legend
from casebase.render.drawing import INK, PALE, new_figure, plain_texts
from casebase.render.words import format_value, n_columns, printable, shorten, sign
from casebase.trees.export.decision_tree import DecisionTree
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import branch_to

MAX_LEAVES = 40
LETTER = 0.085  # inches per letter of a branch's value
ROW = 0.95  # inches from one level to the next
DOWN = 0.7  # position of the value on its branch, as a share of the way down


def draw_tree(
    model: DecisionTree, max_leaves: int = MAX_LEAVES, ax: Any = None, label_of: Callable[[int], str] | None = None
) -> Any:
    """Return a figure of the tree; more than `max_leaves` leaves are an error, because nobody could read them.

    With `ax`, draw there and return its figure. `label_of` may give the text under a leaf instead of its class.
    """
    label_of = label_of or partial(_label, model)
    nodes = model.nodes
    if nodes.n_leaves > max_leaves:
        raise CasebaseError(
            f"The tree has {nodes.n_leaves} leaves; a picture holds {max_leaves} (max_leaves=…). "
            "export_text(max_depth=…) shows the upper part of any tree."
        )
    apart = max(0.62, 0.14 + LETTER * max((_room(model, node, label_of) for node in range(nodes.n_nodes)), default=0))
    if ax is not None:
        with plain_texts():
            _draw(ax, model, apart, label_of)
        return ax.figure
    with new_figure(max(4.0, 0.8 + apart * nodes.n_leaves), 1.9 + ROW * nodes.depth) as figure:
        _draw(figure.add_subplot(), model, max(apart, 4.0 / nodes.n_leaves), label_of)
    return figure


def _room(model: DecisionTree, node: int, label_of: Callable[[int], str]) -> float:
    """Return the width in letters that a leaf needs so that the values on its path do not overlap."""
    # Where a branch has its value, its neighbours are closer than their leaves will be.
    wide = n_columns(_value(model, node)) / DOWN if node else 0.0
    return max(wide, n_columns(label_of(node))) if model.nodes.feature[node] < 0 else wide / 2


def _draw(axes: Any, model: DecisionTree, apart: float, label_of: Callable[[int], str]) -> None:
    nodes, classes = model.nodes, model.schema.classes
    x = _places(nodes)
    counts = {classes[code]: n for code, n in nodes.counts(0).items()}
    colours, total = colours_of(counts), float(nodes.n_cases[0])
    for node in range(nodes.n_nodes):
        y = nodes.depth - int(nodes.level[node])
        if node:
            parent = int(nodes.parent[node])
            _branch(axes, x[parent], x[node], y, 0.8 + 3.5 * float(nodes.n_cases[node]) / total, _value(model, node))
        if nodes.feature[node] < 0:
            leaf_counts = {classes[code]: n for code, n in nodes.counts(node).items()}
            draw_bar(axes, leaf_counts, x[node], y - 0.5, colours, min(0.62, 0.55 / apart), label_of(node))
        else:
            name = shorten(printable(model.schema.names[nodes.feature[node]]), 24)
            box = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": PALE}
            axes.text(x[node], y, name, ha="center", va="center", fontsize=10.5, color=INK, zorder=4, bbox=box)
    draw_legend(axes, counts, colours)
    axes.set_xlim(-0.7, nodes.n_leaves - 0.3)
    axes.set_ylim(-1.0, nodes.depth + 0.4)
    axes.axis("off")


def _branch(axes: Any, above: float, here: float, y: float, width: float, value: str) -> None:
    axes.plot([above, here], [y + 1, y], color=PALE, linewidth=width, zorder=1, solid_capstyle="round")
    axes.text(
        above + DOWN * (here - above),
        y + 1 - DOWN,
        value,
        ha="center",
        va="center",
        fontsize=9.5,
        color=INK,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"},
    )


def _value(model: DecisionTree, node: int) -> str:
    value = branch_to(model.nodes, model.schema, node).shown
    return shorten(format_value(value), 14) if sign(value) else str(value)


def _label(model: DecisionTree, node: int) -> str:
    return shorten(format_value(model.schema.classes[model.nodes.label[node]]), 14)


def _places(nodes: TreeNodes) -> list[float]:
    """Return the x coordinate of each node: leaves at distance 1, tests centred above their branches."""
    place = [0.0] * nodes.n_nodes
    n_leaves, pending = 0, [0]
    while pending:
        node = pending.pop()
        if nodes.feature[node] < 0:
            place[node] = float(n_leaves)
            n_leaves += 1
        pending += reversed(nodes.children(node))
    for node in range(nodes.n_nodes - 1, -1, -1):
        below = nodes.children(node)
        if below:
            place[node] = (place[below[0]] + place[below[-1]]) / 2
    return place
