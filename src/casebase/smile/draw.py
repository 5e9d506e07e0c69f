"""A picture of the part of the lattice that SMILE used.

The question is at the top with all its features, one column each. Below it are the sets of features that were used,
from large to small: a dot for every feature of the set, joined by a line, and beside it the pool as a bar of classes.
None of these sets contains another; the question contains them all.
"""

import math
import os
from typing import TYPE_CHECKING, Any

from casebase.render import words
from casebase.render.drawing import COLOURS, INK, PALE, SOFT, matplotlib, new_figure, save
from casebase.render.words import format_value, printable, shorten

if TYPE_CHECKING:
    from casebase.smile.evidence import Pool, SmileEvidence

MAX_SETS, MAX_FEATURES = 12, 24
OTHERS = "#9aa1ab"
# All in inches.
COLUMN, ROW, LEVEL_GAP = 0.42, 0.36, 0.16
LEFT, BARS, TITLE, LEGEND, NOTE = 1.75, 3.4, 0.55, 0.28, 0.22
LETTER, SLOPE = 0.074, 38  # of the column heads: width of a letter, and slope in degrees


def draw_sets(evidence: "SmileEvidence", path: str | os.PathLike[str] | None = None) -> Any:
    """Return a matplotlib figure of the sets of features that decided; with a path also save it."""
    figure = _figure(evidence)
    if path is not None:
        save(figure, path)
    return figure


def _figure(evidence: "SmileEvidence") -> Any:
    pools = evidence.pools[:MAX_SETS]
    columns = _columns(evidence, pools)
    heights = _heights(pools)
    width, depth = LEFT + COLUMN * len(columns) + BARS, heights[-1] + ROW
    heads = _heads(evidence, columns)
    top = TITLE + 0.35 + math.sin(math.radians(SLOPE)) * LETTER * max(map(words.n_columns, heads.values()))
    classes = _class_names(evidence)
    n_legend_columns = max(1, int((width - 0.3) / (0.75 + 0.1 * max(map(words.n_columns, classes)))))
    legend = LEGEND * math.ceil(len(classes) / n_legend_columns)
    notes = _notes(evidence, columns)
    foot = legend + NOTE * len(notes) + 0.2
    with new_figure(width, top + depth + foot) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(-LEFT, width - LEFT)
        axes.set_ylim(-depth - foot, top)
        axes.axis("off")
        _question(axes, evidence, columns, heads, depth)
        _levels(axes, pools, heights)
        for pool, y in zip(pools, heights[1:]):
            _set(axes, pool, -y, columns)
        if not pools:
            box = {"boxstyle": "square,pad=0.3", "fc": "white", "ec": "none"}
            axes.text(
                0.0,
                -heights[-1],
                f"no set has more than {words.plural(evidence.alpha, 'case')}",
                va="center",
                color=SOFT,
                bbox=box,
            )
        _bars(axes, evidence, pools, heights, COLUMN * len(columns) + 0.5)
        _legend(axes, evidence, classes, 0.12 / width, foot / (top + depth + foot), n_legend_columns)
        for i, note in enumerate(notes):
            y = -depth - legend - 0.05 - NOTE * (i + 0.5)
            axes.text(-LEFT + 0.2, y, note, va="center", fontsize=9, color=SOFT)
        title = f"{shorten(format_value(evidence.label), 24)}, {evidence.support()}"
        axes.text(-LEFT + 0.2, top - 0.3, title, va="center", fontsize=13, fontweight="bold")
    return figure


def _columns(evidence: "SmileEvidence", pools: "tuple[Pool, ...]") -> dict[str, float]:
    """Return the horizontal place of each feature that has a column."""
    n_sets = {feature: sum(feature in pool.features for pool in pools) for feature in evidence.features}
    # A feature that all sets have, or none, says least about them. The sort is stable: ties keep the table's order.
    by_use = sorted(evidence.features, key=lambda f: (n_sets[f] in (0, len(pools)), -n_sets[f]))
    kept = set(by_use[:MAX_FEATURES])
    return {f: COLUMN * (i + 0.5) for i, f in enumerate(f for f in dict.fromkeys(evidence.features) if f in kept)}


def _heights(pools: "tuple[Pool, ...]") -> list[float]:
    """Return the distance of the question and of each set from the top, with a gap between levels."""
    heights, level = [0.0], None
    for pool in pools:
        gap = LEVEL_GAP if len(pool.features) != level else 0.0
        heights.append(heights[-1] + ROW + (2 * gap if level is None else gap))
        level = len(pool.features)
    return heights if pools else [0.0, ROW + LEVEL_GAP]


def _heads(evidence: "SmileEvidence", columns: dict[str, float]) -> dict[str, str]:
    """Return the head of each column: the feature and its value, or its interval if it was discretised."""
    cut = {f: value for pool in evidence.pools for f, value in zip(pool.features, pool.values)}
    new = {unseen.feature for unseen in evidence.unseen}
    heads = {}
    for feature, asked in zip(evidence.features, evidence.values):
        value = cut.get(feature, asked)
        text = f"{shorten(printable(feature), 20)} {words.sign(value)}{shorten(format_value(value), 16)}"
        heads[feature] = text + (" (new)" if feature in new else "")
    return {feature: heads[feature] for feature in columns}


def _question(
    axes: Any, evidence: "SmileEvidence", columns: dict[str, float], heads: dict[str, str], depth: float
) -> None:
    """Draw the question as the set of all features, hollow where no stored case can agree."""
    asked = dict(zip(evidence.features, evidence.values))
    new = {unseen.feature for unseen in evidence.unseen}
    axes.plot([0.5 * COLUMN, max(columns.values())], [0.0, 0.0], color=INK, linewidth=1.6, zorder=2)
    axes.text(-0.12, 0.0, "the question", ha="right", va="center", fontweight="bold")
    for feature, x in columns.items():
        axes.plot([x, x], [0.0, -depth + 0.5 * ROW], color=PALE, linewidth=0.9, zorder=0)
        is_known = asked[feature] is not None and feature not in new
        axes.plot([x], [0.0], "o", color=INK, markerfacecolor=INK if is_known else "white", markersize=7, zorder=3)
        axes.text(
            x - 0.02, 0.16, heads[feature], rotation=SLOPE, rotation_mode="anchor", ha="left", va="bottom", fontsize=9.5
        )


def _levels(axes: Any, pools: "tuple[Pool, ...]", heights: list[float]) -> None:
    """Label each level with the number of features of its sets."""
    sizes = [len(pool.features) for pool in pools]
    for size in dict.fromkeys(sizes):
        rows = [y for y, n in zip(heights[1:], sizes) if n == size]
        axes.text(-0.32, -(rows[0] + rows[-1]) / 2, words.plural(size, "feature"), ha="right", va="center", color=SOFT)
        axes.plot([-0.2, -0.2], [-rows[0] + 0.4 * ROW, -rows[-1] - 0.4 * ROW], color=PALE, linewidth=2.5)
        axes.axhspan(-rows[-1] - 0.46 * ROW, -rows[0] + 0.46 * ROW, xmin=0, xmax=1, color="#f5f6f8", zorder=-2)


def _set(axes: Any, pool: "Pool", y: float, columns: dict[str, float]) -> None:
    """Draw a set of features as dots on a line; features without a column are only counted."""
    places = [columns[feature] for feature in pool.features if feature in columns]
    for x in columns.values():
        axes.plot([x], [y], "o", color=PALE, markersize=3.5, zorder=1)
    if places:
        axes.plot([min(places), max(places)], [y, y], color=INK, linewidth=1.6, zorder=2)
        axes.plot(places, [y] * len(places), "o", color=INK, markersize=7, linestyle="none", zorder=3)
    n_more = len(pool.features) - len(places)
    if n_more:
        axes.text(COLUMN * len(columns) + 0.02, y, f"+{n_more}", va="center", fontsize=8.5, color=SOFT)


def _bars(axes: Any, evidence: "SmileEvidence", pools: "tuple[Pool, ...]", heights: list[float], left: float) -> None:
    """Draw each pool as a bar of its classes, with its number of cases and its weight, if pools weigh differently.

    The bar of the question has all votes.
    """
    length = BARS - 1.35
    largest, total = max([pool.n_cases for pool in pools], default=0.0), sum(evidence.votes.values())
    _bar(axes, evidence, evidence.votes, left, 0.0, length / (total or 1.0), words.plural(total, "vote"))
    for pool, y in zip(pools, heights[1:]):
        size = words.plural(pool.n_cases, "case")
        if evidence.is_weighed:
            size += f" × {words.power_of_half(pool.weight)}"
        _bar(axes, evidence, pool.counts, left, y, length / (largest or 1.0), size)


def _bar(
    axes: Any, evidence: "SmileEvidence", counts: dict[Any, float], x: float, y: float, scale: float, size: str
) -> None:
    colours = _colours(evidence)
    parts = [(counts.get(label, 0.0), colour) for label, colour in colours.items()]
    parts.append((sum(n for label, n in counts.items() if label not in colours), OTHERS))
    for n, colour in parts:
        if n > 0:
            axes.barh(-y, n * scale, 0.6 * ROW, x, color=colour, edgecolor="white", linewidth=0.7)
        x += n * scale
    axes.text(x + 0.07, -y, size, va="center", fontsize=9.5)


def _colours(evidence: "SmileEvidence") -> dict[Any, str]:
    return dict(zip([label for label, _ in words.largest(evidence.votes)], COLOURS))


def _class_names(evidence: "SmileEvidence") -> list[str]:
    names = [shorten(format_value(label), 26) for label in _colours(evidence)]
    n_more = len(evidence.votes) - len(names)
    return [*names, f"{n_more} more"] if n_more > 0 else names


def _legend(axes: Any, evidence: "SmileEvidence", names: list[str], left: float, foot: float, n_columns: int) -> None:
    colours = [*_colours(evidence).values(), OTHERS]
    handles = [matplotlib().patches.Patch(color=colour, label=name) for name, colour in zip(names, colours)]
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(left, foot),
        ncols=n_columns,
        frameon=False,
        borderaxespad=0.0,
    )


def _notes(evidence: "SmileEvidence", columns: dict[str, float]) -> list[str]:
    """Return notes about what the picture leaves out."""
    n_sets, n_hidden = len(evidence.pools), len(evidence.features) - len(columns)
    return [
        *([f"The {MAX_SETS} sets with most features are drawn, of {n_sets}."] if n_sets > MAX_SETS else []),
        *([f"{words.plural(n_hidden, 'more feature')} without a column."] if n_hidden > 0 else []),
    ]
