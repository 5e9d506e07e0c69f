"""Draw a perceptron tree: its tests, or, for a single perceptron, the amounts that values add to its sum."""

from typing import Any

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.render.drawing import COLOURS, INK, SOFT, new_figure, plain_texts
from casebase.render.words import format_value, number, plural, printable, shorten
from casebase.trees.draw.decision_tree import MAX_LEAVES, draw_tree
from casebase.trees.export.perceptron_tree import Unit, units
from casebase.trees.perceptron_tree import PerceptronTree

MAX_BARS = 60


def draw_perceptron_tree(model: PerceptronTree, max_leaves: int = MAX_LEAVES, ax: Any = None) -> Any:
    """Return a figure of the tree; a leaf with a perceptron shows its number. With `ax`, draw there."""

    def label_of(node: int) -> str:
        i = int(model.perceptron[node])
        label = format_value(model.schema.classes[model.nodes.label[node]])
        return shorten(label, 14) if i < 0 else f"perceptron {i}"

    return draw_tree(model, max_leaves, ax, label_of)


def draw_perceptron(model: PerceptronTree, i: int = 0, ax: Any = None) -> Any:
    """Return a figure of one perceptron: the amount that each value adds to its sum, or to the sum of each class."""
    if not is_whole(i, 0, model.n_perceptrons - 1):
        raise CasebaseError(f"The tree has {plural(model.n_perceptrons, 'perceptron')}, numbered from 0; got {i!r}.")
    all_units = units(model, i)
    names = _names(model, all_units[0])
    if len(names) > MAX_BARS:
        raise CasebaseError(
            f"The perceptron has {len(names)} inputs; a picture holds {MAX_BARS}. export_text() shows all."
        )
    if ax is not None:
        if len(all_units) > 1:
            raise CasebaseError("A perceptron for more than two classes has a row of bars for each: leave ax out.")
        with plain_texts():
            _bars(ax, all_units[0], names, show_names=True)
        return ax.figure
    width = 1.6 + 0.085 * max(map(len, names)) + 2.6 * len(all_units)
    with new_figure(max(5.0, width), 1.3 + 0.27 * len(names)) as figure:
        axes = figure.subplots(1, len(all_units), squeeze=False, sharey=True)[0]
        for n, (one, unit) in enumerate(zip(axes, all_units)):
            _bars(one, unit, names, show_names=n == 0)
    return figure


def _names(model: PerceptronTree, unit: Unit) -> list[str]:
    names = ["any case"]
    for term in unit.terms:
        name = shorten(printable(model.schema.names[term.feature]), 24)
        if term.slope is not None:
            centre, half = model.centre[term.feature], model.half_range[term.feature]
            names.append(f"{name} at its greatest, {number(centre + half)}")
        else:
            names += [f"{name} = {shorten(format_value(value), 16)}" for value, _ in term.amounts]
    return names


def _bars(axes: Any, unit: Unit, names: list[str], *, show_names: bool) -> None:
    amounts = [unit.bias]
    for term in unit.terms:
        amounts += [term.slope] if term.slope is not None else [amount for _, amount in term.amounts]
    places = [-n for n in range(len(names))]
    axes.barh(places, amounts, 0.7, color=[COLOURS[0] if amount >= 0 else COLOURS[1] for amount in amounts])
    axes.axvline(0, color=INK, linewidth=0.8)
    at = -1
    for term in unit.terms[:-1]:
        at -= max(1, len(term.amounts))
        axes.axhline(at + 0.5, color=SOFT, linewidth=0.4, alpha=0.5)
    axes.axhline(-0.5, color=SOFT, linewidth=0.4, alpha=0.5)
    if show_names:
        axes.set_yticks(places, names)
    axes.set_ylim(0.5 - len(names), 0.5)
    axes.tick_params(axis="y", length=0)
    labels = [shorten(format_value(label), 16) for label in unit.classes]
    if len(labels) != 2:
        axes.set_xlabel(f"speaks for {labels[0]} →")
    else:  # each class is at its end of the axis
        for x, end, text in ((1, "right", f"{labels[0]} →"), (0, "left", f"← {labels[1]}")):
            place = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": end, "va": "top"}
            axes.annotate(text, (x, 0), (0, -22), color=INK, **place)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
