"""Draw an oblivious decision tree: a row per feature, a bar of classes per abstract case."""

from collections.abc import Iterator
from typing import Any

from casebase.errors import CasebaseError
from casebase.oblivious.export.tree import Branch, tree_of
from casebase.oblivious.oblivion import Oblivion
from casebase.render.class_bars import colours_of, draw_bar, draw_legend
from casebase.render.drawing import INK, PALE, SOFT, new_figure
from casebase.render.words import format_value, printable, shorten

MAX_LEAVES = 40


def draw_tree(model: Oblivion, max_leaves: int = MAX_LEAVES) -> Any:
    """Return a figure of the tree; more than `max_leaves` leaves are an error, because nobody could read them."""
    if model.n_abstract_cases > max_leaves:
        raise CasebaseError(
            f"The tree has {model.n_abstract_cases} abstract cases; a picture holds {max_leaves} (max_leaves=…). "
            "export_text() shows the largest ones of any number."
        )
    tree = tree_of(model)
    names = [shorten(printable(model.schema.names[i]), 24) for i in model.order]
    colours = colours_of(tree.counts)
    depth = len(names)
    n = tree.n_leaves
    apart = max(0.62, 0.1 + 0.085 * _longest(tree, depth))  # inches from leaf to leaf: their values stand side by side
    with new_figure(max(5.5, 2.4 + apart * n), 1.9 + 0.85 * depth) as figure:
        axes = figure.add_subplot()
        places = dict(_positions(tree, 0.0))
        _draw(axes, tree, places, depth, colours, max(tree.n_cases, 1.0))
        for level, name in enumerate(names):
            axes.text(-0.9, depth - level - 0.5, name, ha="right", va="center", color=SOFT, fontsize=11)
        axes.text(places[id(tree)], depth + 0.12, "any case", ha="center", va="bottom", color=SOFT)
        draw_legend(axes, tree.counts, colours)
        axes.set_xlim(-1.0 - 0.17 / apart * max(map(len, names), default=0), n - 0.3)
        axes.set_ylim(-1.25, depth + 0.5)
        axes.axis("off")
    return figure


def _value(branch: Branch) -> str:
    return shorten(format_value(branch.value), 14)


def _longest(branch: Branch, depth: int) -> int:
    """Return the length in letters of the longest value of a leaf."""
    if branch.level == depth - 1:
        return len(_value(branch)) if depth else 0
    return max(_longest(below, depth) for below in branch.branches)


def _positions(branch: Branch, left: float) -> Iterator[tuple[int, float]]:
    """Yield the x coordinate of each branch: leaves at distance 1, others centred above their own branches."""
    if not branch.branches:
        yield id(branch), left
        return
    places = []
    for below in branch.branches:
        inner = list(_positions(below, left))
        yield from inner
        places.append(inner[-1][1])
        left += below.n_leaves
    yield id(branch), (places[0] + places[-1]) / 2


def _draw(
    axes: Any, branch: Branch, places: dict[int, float], depth: int, colours: dict[Any, str], most: float
) -> None:
    x, y = places[id(branch)], depth - branch.level - 1
    for below in branch.branches:
        bx, by = places[id(below)], depth - below.level - 1
        axes.plot([x, bx], [y, by], color=PALE, linewidth=0.8 + 3.5 * below.n_cases / most, zorder=1)
        down = 0.82 if not below.branches else 0.58  # lines to leaves are close together near their test
        axes.text(
            x + down * (bx - x),
            y + down * (by - y),
            _value(below),
            ha="center",
            va="center",
            fontsize=9.5,
            color=INK,
            zorder=3,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"},
        )
        _draw(axes, below, places, depth, colours, most)
    if not branch.branches:
        draw_bar(axes, branch.counts, x, y - 0.62, colours)
