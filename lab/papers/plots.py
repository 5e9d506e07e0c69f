"""The figures of a report as pictures: curves with error bars, panels side by side."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError
from casebase.render import drawing
from lab.papers.records import Curve, Figure, Panel

# Marks and dashes differ as well as colours. The third curve, the paper's own method, has the plainest style.
STYLES = (
    {"color": drawing.COLOURS[2], "marker": "^", "linestyle": "--"},
    {"color": drawing.COLOURS[1], "marker": "s", "linestyle": "-."},
    {"color": drawing.COLOURS[0], "marker": "o", "linestyle": "-"},
    {"color": drawing.COLOURS[3], "marker": "D", "linestyle": ":"},
    {"color": drawing.COLOURS[4], "marker": "v", "linestyle": "-"},
    {"color": drawing.COLOURS[5], "marker": "P", "linestyle": "--"},
)


def svg_of(figure: Figure) -> str:
    """Return a figure as the text of an SVG file."""
    file = io.BytesIO()
    drawn = draw(figure)
    with drawing.matplotlib().rc_context(drawing.LOOKS):
        drawn.savefig(file, format="svg", metadata={"Date": None, "Title": figure.title})
    return file.getvalue().decode("utf-8")


def save(figures: Sequence[Figure], folder: str | Path) -> list[Path]:
    """Write each figure as SVG and as PNG, and return the files."""
    drawing.matplotlib()  # a missing library is an error before a folder is created
    written = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for figure in figures:
            path = Path(folder) / f"{figure.name}.svg"
            path.write_text(svg_of(figure), encoding="utf-8")
            drawing.save(draw(figure), path.with_suffix(".png"))
            written += [path, path.with_suffix(".png")]
    except OSError as error:
        raise CasebaseError(f"Cannot write pictures to {folder}: {error.strerror}.") from error
    return written


def draw(figure: Figure) -> Any:
    """Return a matplotlib figure."""
    n_panels = len(figure.panels)
    size = (6.2, 4.2) if n_panels == 1 else (0.8 + 4.3 * n_panels, 4.0)
    with drawing.new_figure(*size) as drawn:
        drawn.set_facecolor("white")
        shares = len({(panel.floor, panel.ceiling, panel.y_label) for panel in figure.panels}) == 1
        all_axes = drawn.subplots(1, n_panels, squeeze=False, sharey=shares)[0]
        labels = list(dict.fromkeys(curve.label for panel in figure.panels for curve in panel.curves))
        style_of = {label: STYLES[i % len(STYLES)] for i, label in enumerate(labels)}
        for i, (axes, panel) in enumerate(zip(all_axes, figure.panels)):
            _draw_panel(axes, panel, style_of, with_label=i == 0 or not shares)
        handles = {
            label: handle for axes in all_axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        drawn.legend(
            [handles[label] for label in labels],
            labels,
            loc="outside upper center",
            ncols=len(labels),
            frameon=False,
            handlelength=3.2,
            title=figure.title,
        )
    return drawn


def _draw_panel(axes: Any, panel: Panel, style_of: Mapping[str, dict[str, str]], *, with_label: bool) -> None:
    places = [place for curve in panel.curves for place in curve.points]
    farthest = max(places)
    for i, curve in enumerate(panel.curves):
        # Shifted a little to the left or right, so that error bars at the same place do not overlap.
        aside = i - (len(panel.curves) - 1) / 2
        moved = {p: p * 1.02**aside if panel.log_x else p + 0.006 * farthest * aside for p in curve.points}
        _draw_curve(axes, curve, style_of[curve.label], moved)
    axes.set_title(panel.title, fontsize=10.5)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label if with_label else "")
    axes.set_ylim(panel.floor, panel.ceiling + 0.025 * (panel.ceiling - panel.floor))  # room for marks at the top
    ticks = drawing.matplotlib().ticker.MaxNLocator
    if panel.log_x:
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(places)), [f"{place:,.0f}" for place in sorted(set(places))])
        axes.minorticks_off()
    else:
        axes.set_xlim(0, 1.05 * farthest)
        axes.xaxis.set_major_locator(ticks(6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(ticks(8, steps=[1, 2, 5, 10]))
    axes.grid(axis="y", color=drawing.PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curve(axes: Any, curve: Curve, style: dict[str, str], moved: Mapping[float, float]) -> None:
    places = sorted(curve.points)
    axes.errorbar(
        [moved[place] for place in places],
        [curve.points[place].mean for place in places],
        yerr=[curve.points[place].half_width or 0.0 for place in places],
        label=curve.label,
        linewidth=1.7,
        markersize=6,
        capsize=2.5,
        elinewidth=1.1,
        **style,
    )
