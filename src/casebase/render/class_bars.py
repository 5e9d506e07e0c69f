"""Classes in pictures of trees: their colours, stacked bars of class counts, and a legend."""

from collections.abc import Mapping
from typing import Any

from casebase.render.drawing import COLOURS, SOFT, matplotlib
from casebase.render.words import format_value, number, shorten

OTHERS = "#9aa1ab"


def colours_of(counts: Mapping[Any, float]) -> dict[Any, str]:
    """Return colours for the most frequent classes; all other classes have the colour `OTHERS`."""
    return dict(zip(sorted(counts, key=lambda label: -counts[label]), COLOURS))


def draw_bar(
    axes: Any,
    counts: Mapping[Any, float],
    x: float,
    bottom: float,
    colours: Mapping[Any, str],
    width: float = 0.62,
    label: str = "",
) -> None:
    """Draw class counts as a stacked bar of height 0.5, with a label and the number of cases under it."""
    total = sum(counts.values())
    height = bottom
    for one, n in sorted(counts.items(), key=lambda entry: -entry[1]):
        share = 0.5 * n / total
        axes.bar(x, share, width, height, color=colours.get(one, OTHERS), edgecolor="white", linewidth=0.8, zorder=2)
        height += share
    note = f"{label}\n{number(total)}" if label else number(total)
    axes.text(x, bottom - 0.06, note, ha="center", va="top", fontsize=9, color=SOFT)


def draw_legend(axes: Any, counts: Mapping[Any, float], colours: Mapping[Any, str]) -> None:
    """Draw the legend of colours and classes under the picture."""
    patch = matplotlib().patches.Patch
    handles = [patch(color=colour, label=shorten(format_value(label), 24)) for label, colour in colours.items()]
    if len(counts) > len(colours):
        handles.append(patch(color=OTHERS, label=f"{len(counts) - len(colours)} more"))
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(6, len(handles)), frameon=False
    )
