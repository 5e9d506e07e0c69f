"""The growth of all learners in one log-log figure, where a power is a straight line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casebase.render import drawing
from lab.bench.report import Curve

MARKS = "osD^vP*X"
DASHES = ("-", "--", ":")


def draw(curves: Sequence[Curve]) -> Any:
    """Return the curves as a matplotlib figure; a grey line shows linear growth."""
    with drawing.new_figure(8.4, 5.0) as figure:
        figure.set_facecolor("white")
        axes = figure.subplots()
        for i, curve in enumerate(curves):
            power = "" if curve.exponent is None else f", {curve.exponent:.2f}"
            colour = drawing.COLOURS[i % len(drawing.COLOURS)]
            dash = DASHES[i // len(drawing.COLOURS) % len(DASHES)]
            axes.plot(
                curve.n_cases,
                curve.medians,
                color=colour,
                marker=MARKS[i % len(MARKS)],
                linestyle=dash,
                markersize=5,
                linewidth=1.6,
                label=curve.name + power,
            )
            axes.fill_between(
                curve.n_cases,
                [runs.low for runs in curve.seconds],
                [runs.high for runs in curve.seconds],
                color=colour,
                alpha=0.12,
                linewidth=0,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        _proportion(axes, curves)
        axes.set_xlabel("cases")
        axes.set_ylabel("seconds")
        axes.grid(color=drawing.PALE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(
            loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, title="work, fitted exponent", fontsize=9
        )
    return figure


def _proportion(axes: Any, curves: Sequence[Curve]) -> None:
    sizes = sorted({n for curve in curves for n in curve.n_cases})
    lowest = min(curve.medians[0] for curve in curves)
    axes.plot(
        [sizes[0], sizes[-1]],
        [lowest, lowest * sizes[-1] / sizes[0]],
        color=drawing.SOFT,
        linewidth=1,
        linestyle=(0, (1, 3)),
        label="in proportion, 1.00",
    )


def save(curves: Sequence[Curve], path: Path) -> None:
    drawing.save(draw(curves), path)
