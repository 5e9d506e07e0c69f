"""Draw a feature selection: the accuracy of abstract cases after each step."""

from typing import Any

from casebase.data import Schema
from casebase.oblivious.elimination import Selection
from casebase.render.drawing import COLOURS, INK, PALE, SOFT, new_figure
from casebase.render.words import printable, shorten

NAMES_SHOWN = 45


def draw_selection(selection: Selection, schema: Schema, direction: str) -> Any:
    """Return a figure of the estimated accuracy after each step, with the name of the step's feature."""
    trials = selection.trials
    names = ["all features" if direction == "backward" else "no feature"]
    sign = "−" if direction == "backward" else "+"
    for trial in trials[1:]:
        assert trial.feature is not None  # only the start has none
        names.append(f"{sign} {shorten(printable(schema.features[trial.feature].name), 24)}")
    accuracies = [100 * selection.accuracy(trial) for trial in trials]
    with new_figure(max(5.0, min(16.0, 2.5 + 0.3 * len(trials))), 4.4) as figure:
        axes = figure.add_subplot()
        # Room for whole markers at 0 and 100 %.
        axes.plot(
            range(len(trials)), accuracies, color=COLOURS[0], marker="o", markersize=5, linewidth=1.6, clip_on=False
        )
        axes.scatter(
            [len(trials) - 1],
            accuracies[-1:],
            s=120,
            facecolors="none",
            edgecolors=COLOURS[1],
            linewidths=2,
            clip_on=False,
            zorder=3,
        )
        axes.annotate(
            f"{len(selection.kept)} kept, {accuracies[-1]:.1f} %",
            (len(trials) - 1, accuracies[-1]),
            xytext=(0, 12),
            textcoords="offset points",
            ha="right" if len(trials) > 1 else "center",
            color=INK,
        )
        every = max(1, -(-len(names) // NAMES_SHOWN))
        axes.set_xticks(range(0, len(names), every), names[::every], rotation=60, ha="right", rotation_mode="anchor")
        axes.set_ylabel("estimated accuracy (%)")
        low, high = min(accuracies), max(accuracies)
        room = max(1.0, 0.15 * (high - low))
        axes.set_ylim(max(0.0, low - room), min(101.0, high + 1.6 * room))
        axes.grid(axis="y", color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        title = "Features dropped" if direction == "backward" else "Features added"
        axes.set_title(f"{title}, one step at a time", loc="left", fontsize=12, pad=24)
        if selection.was_interrupted:
            axes.text(0.01, 0.02, "interrupted", transform=axes.transAxes, color=SOFT)
    return figure
