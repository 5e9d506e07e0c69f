"""Draw an oblivious decision graph: a row of nodes per feature, and a bar for each class below them.

A branch that leads to a class before the last level ends in a square of its colour.
"""

from collections import defaultdict
from typing import Any

from casebase.errors import CasebaseError
from casebase.oblivious.export.graph import branches, class_counts
from casebase.oblivious.graph import ObliviousGraph
from casebase.render.class_bars import OTHERS, colours_of, draw_bar, draw_legend
from casebase.render.drawing import INK, PALE, SOFT, new_figure, plain_texts
from casebase.render.words import format_value, n_columns, number, printable, shorten

MAX_NODES = 60
LETTER = 0.085  # inches
ROW = 1.25  # inches from one level to the next
STUB = 0.36  # distance of a class from its node, as a share of the distance between nodes
APART = 1.15  # inches between nodes of a level, at least


def draw_graph(model: ObliviousGraph, max_nodes: int = MAX_NODES, ax: Any = None) -> Any:
    """Return a figure of the graph; more than `max_nodes` nodes are an error, because nobody could read them.

    With `ax` it is drawn there, and the figure that has it comes back.
    """
    graph = model.graph
    if graph.n_nodes > max_nodes:
        raise CasebaseError(
            f"The graph has {graph.n_nodes} nodes; a picture holds {max_nodes} (max_nodes=…). "
            "export_text(max_nodes=…) shows the upper part of any graph."
        )
    if ax is not None:
        with plain_texts():
            _draw(ax, model)
        return ax.figure
    widest = max([*graph.widths, graph.n_leaves], default=1)
    with new_figure(max(5.0, 2.2 + APART * widest), 1.9 + ROW * len(graph.widths)) as figure:
        _draw(figure.add_subplot(), model)
    return figure


def _draw(axes: Any, model: ObliviousGraph) -> None:
    graph, depth = model.graph, len(model.order)
    x = _places(model)
    counts = class_counts(model, 0)
    colours, total = colours_of(counts), sum(counts.values())
    for node in range(graph.n_nodes):
        y = depth - int(graph.level[node])
        leading = branches(model, node)
        ends = [target for target in leading if graph.level[target] > graph.level[node] + 1]
        leans = sum(x[target] - x[node] for target in leading if target not in ends)
        for target, values in leading.items():
            width = 0.8 + 2.5 * min(1.0, sum(class_counts(model, target).values()) / total)
            if target in ends:  # a class reached above the last level is shown beside its node
                aside = _aside(ends.index(target), len(ends), len(leading) > len(ends), leans)
                to = (x[node] + STUB * aside, y - 0.78)
                colour = colours.get(model.schema.classes[graph.label[target]], OTHERS)
                axes.plot(*to, marker="s", markersize=9, color=colour, zorder=2)
            else:
                to = (x[target], float(depth - int(graph.level[target])))
            _branch(axes, (x[node], y), to, width, _joined_values(values))
    for node in range(graph.n_nodes):
        y, held = depth - int(graph.level[node]), class_counts(model, node)
        label = shorten(format_value(model.schema.classes[graph.label[node]]), 14)
        if not len(graph.values(node)):
            draw_bar(axes, held, x[node], y - 0.5, colours, 0.42, label)
            continue
        colour = colours.get(model.schema.classes[graph.label[node]], OTHERS)
        axes.text(
            x[node],
            y,
            number(sum(held.values())),
            ha="center",
            va="center",
            fontsize=9.5,
            color=INK,
            zorder=4,
            bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": colour, "lw": 1.6},
        )
    left = min(x, default=0.0) - 0.75
    for level, position in enumerate(model.order.tolist()):
        name = shorten(printable(model.schema.names[position]), 24)
        axes.text(left, depth - level, name, ha="right", va="center", color=SOFT, fontsize=11)
    draw_legend(axes, counts, colours)
    longest = max((min(n_columns(printable(model.schema.names[i])), 24) for i in model.order.tolist()), default=0)
    axes.set_xlim(left - LETTER * longest / APART - 0.1, max(x, default=0.0) + 0.75)
    axes.set_ylim(-1.0, depth + 0.4)
    axes.axis("off")


def _aside(i: int, n: int, others: bool, leans: float) -> float:
    """Return the offset of the i-th of n classes beside a node: away from its branches, or around a single one."""
    if not others:
        return i - (n - 1) / 2
    if leans:
        return -(i + 1) if leans > 0 else i + 1
    return (i // 2 + 1) * (1 if i % 2 == 0 else -1)


def _branch(axes: Any, above: tuple[float, float], below: tuple[float, float], width: float, value: str) -> None:
    (x, y), (to, end) = above, below
    axes.plot([x, to], [y, end], color=PALE, linewidth=width, zorder=1, solid_capstyle="round")
    down = 0.46 / (y - end)
    axes.text(
        x + down * (to - x),
        y - 0.46,
        value,
        ha="center",
        va="center",
        fontsize=9,
        color=INK,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none"},
    )


def _joined_values(values: list[Any]) -> str:
    text = ", ".join(shorten(format_value(value), 12) for value in values)
    return text if n_columns(text) <= 18 else f"{shorten(format_value(values[0]), 10)}, +{len(values) - 1}"


def _places(model: ObliviousGraph) -> list[float]:
    """Return the x coordinate of each node; a level is in the order of the nodes that lead to it."""
    graph = model.graph
    above: dict[int, list[float]] = defaultdict(list)
    place = [0.0] * graph.n_nodes
    widest = max([*graph.widths, graph.n_leaves], default=1)
    begin = 0
    for width in [*graph.widths, graph.n_leaves]:
        here = range(begin, begin + width)
        order = sorted(here, key=lambda node: (sum(above[node]) / len(above[node]) if above[node] else 0.0, node))
        for rank, node in enumerate(order):
            place[node] = (rank + 0.5) * widest / width - 0.5
            for target in branches(model, node):
                above[target].append(place[node])
        begin += width
    return place
