"""Plot of codelength against sample size: the runs, their mean and their spread."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from casebase.render.drawing import COLOURS, LOOKS, PALE, SOFT, matplotlib, new_figure
from casebase.render.words import printable, shorten

if TYPE_CHECKING:
    from casebase.representations.record import Comparison

SHOWN = len(COLOURS)
MARKERS = "osD^vP"
MAX_WITH_RUNS = 3  # with more representations, single runs would clutter the plot
MIN_SHARE = 0.25  # share of the runs that a mean needs: the few runs that go far are not typical


def draw_curves(comparison: "Comparison", axes: Any = None) -> Any:
    """Return a figure of the total bits per example against sample size; with `axes`, draw there and return them.

    A thick line is the mean of the runs while at least a quarter of them continue, and the band its standard
    deviation; thin lines are single runs, if there are at most three representations. A marker is the mean of the
    smallest totals, on which the comparison is based.
    """
    if axes is not None:
        with matplotlib().rc_context(LOOKS):
            _draw(comparison, axes)
        return axes
    with new_figure(8.2, 4.6) as figure:
        _draw(comparison, figure.add_subplot())
    return figure


def curves_svg(comparison: "Comparison") -> str:
    """Return the figure as SVG."""
    buffer = io.StringIO()
    figure = draw_curves(comparison)
    with matplotlib().rc_context(LOOKS):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _draw(comparison: "Comparison", axes: Any) -> None:
    names = comparison.ranking[:SHOWN]
    n = comparison.n_examples
    for name, colour, marker in zip(names, COLOURS, MARKERS):
        runs = comparison.runs_of(name)
        totals: dict[int, list[float]] = {}
        for run in runs:
            if len(names) <= MAX_WITH_RUNS:
                axes.plot(run.sizes, np.array(run.totals) / n, color=colour, alpha=0.22, linewidth=0.8, zorder=2)
            for size, total in zip(run.sizes, run.totals):
                totals.setdefault(size, []).append(total / n)
        sizes = [size for size in sorted(totals) if len(totals[size]) >= len(runs) * MIN_SHARE]
        means = np.array([np.mean(totals[size]) for size in sizes])
        spread = np.array([np.std(totals[size]) for size in sizes])
        axes.fill_between(sizes, means - spread, means + spread, color=colour, alpha=0.13, linewidth=0, zorder=1)
        axes.plot(sizes, means, color=colour, linewidth=2.2, marker=".", markersize=7, zorder=3)
        bits = comparison.bits_per_example[name]
        best = float(np.exp(np.mean([np.log(run.best_size) for run in runs])))
        axes.plot(
            [best],
            [bits],
            color=colour,
            marker=marker,
            markersize=8.5,
            markeredgecolor="white",
            linestyle="none",
            label=f"{shorten(printable(name), 32)} ({bits:.3f})",
            zorder=4,
        )
    axes.axhline(
        comparison.default_bits_per_example,
        color=SOFT,
        linewidth=1.2,
        linestyle=(0, (4, 3)),
        zorder=1,
        label=f"most frequent class ({comparison.default_bits_per_example:.3f})",
    )
    axes.set_xscale("log")
    formatter = matplotlib().ticker.FuncFormatter(lambda size, _: f"{size:,.0f}")
    axes.xaxis.set_major_locator(matplotlib().ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(formatter)
    axes.xaxis.set_minor_formatter(matplotlib().ticker.NullFormatter())
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("examples in the sample")
    axes.set_ylabel("bits per example, hypothesis and corrections")
    axes.grid(color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    rest = f", the first {SHOWN} of {len(comparison.names)}" if len(comparison.names) > SHOWN else ""
    axes.set_title(f"Codelength with {comparison.learner}{rest}", loc="left", fontsize=12)
    legend = axes.legend(title="least bits per example", frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    legend.get_title().set_color(SOFT)
    if comparison.was_interrupted:
        axes.text(0.01, 0.02, "interrupted", transform=axes.transAxes, color=SOFT)
