"""A bar chart of feature weights."""

from collections.abc import Sequence
from typing import Any

from casebase.render.drawing import COLOURS, PALE, SOFT, new_figure
from casebase.render.words import printable, shorten

SHOWN = 60


def draw_weights(features: Sequence[tuple[str, float, bool]], title: str) -> Any:
    """Return a bar chart of features, each with its name, its weight, and whether it is kept, in this order."""
    shown = features[:SHOWN]
    names = [shorten(printable(name), 24) for name, _, _ in shown]
    with new_figure(6.5, max(2.2, 1.1 + 0.24 * len(shown))) as figure:
        axes = figure.add_subplot()
        colours = [COLOURS[0] if is_kept else SOFT for _, _, is_kept in shown]
        axes.barh(range(len(shown)), [weight for _, weight, _ in shown], color=colours, height=0.7)
        axes.set_yticks(range(len(shown)), names)
        axes.invert_yaxis()
        axes.axvline(0.0, color=SOFT, linewidth=0.8)
        axes.grid(axis="x", color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_xlabel("weight")
        rest = f" (the first {SHOWN} of {len(features)})" if len(features) > SHOWN else ""
        axes.set_title(title + rest, loc="left", fontsize=12)
    return figure
