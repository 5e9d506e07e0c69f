"""The figures of a report as pictures, drawn with matplotlib (an optional extra)."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError
from casebase.reproduce.records import Curve, Figure, Panel

# Okabe and Ito's colours, which differ for every kind of colour vision; marks and dashes differ as well.
STYLES = (
    {"color": "#D55E00", "marker": "o", "linestyle": "-"},
    {"color": "#0072B2", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": "-."},
    {"color": "#CC79A7", "marker": "D", "linestyle": ":"},
    {"color": "#E69F00", "marker": "v", "linestyle": "-"},
    {"color": "#56B4E9", "marker": "P", "linestyle": "--"},
)
INK, SOFT = "#1d2126", "#d9dde3"
LOOKS = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "svg.fonttype": "none",  # letters stay letters: small, and readable by programs
    "svg.hashsalt": "casebase",  # the same figure is the same file
}


class MissingPlotExtraError(CasebaseError, ImportError):
    """A picture was asked for, and matplotlib is not installed."""


def matplotlib() -> Any:
    """Return matplotlib, with what is needed to draw without a screen."""
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError as error:
        raise MissingPlotExtraError(
            "Pictures need matplotlib, which is not installed: pip install 'casebase[plot]'"
        ) from error
    return matplotlib


def svg_of(figure: Figure) -> str:
    """Return a figure as the text of an SVG file."""
    file = io.BytesIO()
    mpl = matplotlib()
    with mpl.rc_context(LOOKS):
        _drawn(mpl, figure).savefig(file, format="svg", metadata={"Date": None, "Title": figure.title})
    return file.getvalue().decode("utf-8")


def save(figures: Sequence[Figure], folder: str | Path) -> list[Path]:
    """Write each figure as SVG and as PNG, and return the files."""
    mpl = matplotlib()
    written = []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for figure in figures:
            path = Path(folder) / f"{figure.name}.svg"
            path.write_text(svg_of(figure), encoding="utf-8")
            with mpl.rc_context(LOOKS):
                _drawn(mpl, figure).savefig(path.with_suffix(".png"), dpi=160)
            written += [path, path.with_suffix(".png")]
    except OSError as error:
        raise CasebaseError(f"Cannot write pictures to {folder}: {error.strerror}.") from error
    return written


def _drawn(mpl: Any, figure: Figure) -> Any:
    n_panels = len(figure.panels)
    drawing = mpl.figure.Figure(figsize=(0.6 + 4.4 * n_panels, 3.9), layout="constrained", facecolor="white")
    all_axes = drawing.subplots(1, n_panels, squeeze=False)[0]
    for axes, panel in zip(all_axes, figure.panels):
        _draw_panel(axes, panel)
    handles, labels = all_axes[0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, handlelength=3)
    return drawing


def _draw_panel(axes: Any, panel: Panel) -> None:
    for i, curve in enumerate(panel.curves):
        _draw_curve(axes, curve, STYLES[i % len(STYLES)])
    axes.set_title(panel.title, fontsize=10.5)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_ylim(panel.floor, panel.ceiling)
    axes.set_xlim(left=0)
    axes.grid(axis="y", color=SOFT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curve(axes: Any, curve: Curve, style: dict[str, str]) -> None:
    places = sorted(curve.points)
    means = [curve.points[place].mean for place in places]
    bars = [curve.points[place].half_width or 0.0 for place in places]
    axes.errorbar(
        places, means, yerr=bars, label=curve.label, linewidth=1.6, markersize=5.5, capsize=2.5, elinewidth=1.0, **style
    )
