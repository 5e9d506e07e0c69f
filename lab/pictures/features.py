"""Methods about features: FOCUS, RELIEF, and the weights of a perceptron."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import casebase as cb
from casebase.render.drawing import COLOURS, INK, PALE, SOFT
from lab.pictures.canvas import WASH, sheet
from lab.pictures.examples import example
from lab.pictures.memories import class_colours


def focus() -> Any:
    """Return all sets of features by size, with the cases in conflict and the order in which they are tried."""
    page = example("focus", "sel")
    X, y, sel = page["X"], page["y"], page["sel"]
    names = sorted(X.columns)
    sets = [chosen for size in range(len(names) + 1) for chosen in combinations(names, size)]
    answer = tuple(sorted(sel.get_feature_names_out()))
    place = {}
    for size in range(len(names) + 1):
        row = [chosen for chosen in sets if len(chosen) == size]
        for i, chosen in enumerate(row):
            place[chosen] = (4.4 + 2.6 * (i - (len(row) - 1) / 2), 0.5 + 1.15 * size)
    with sheet(8.8, 4.9) as canvas:
        for chosen, (x, y_) in place.items():
            for more in names:
                above = tuple(sorted({*chosen, more}))
                if above != chosen:
                    canvas.line(x, y_ + 0.3, place[above][0], place[above][1] - 0.3)
        for number, chosen in enumerate(sets, 1):
            x, y_ = place[chosen]
            n = cb.FocusSelector().fit(X[list(chosen)], y).n_conflicts_ if chosen else len(y) - y.value_counts().max()
            is_answer, was_tried = chosen == answer, number <= sel.n_subsets_
            edge = COLOURS[2] if is_answer else SOFT if was_tried else PALE
            canvas.box(
                x - 1.0,
                y_ - 0.3,
                2.0,
                0.6,
                fc=WASH if is_answer else "white",
                ec=edge,
                linewidth=2.4 if is_answer else 1.2,
                zorder=2,
                **({} if was_tried else {"linestyle": (0, (3, 2))}),
            )
            looks = {"weight": "bold"} if is_answer else {"color": INK if was_tried else SOFT}
            canvas.text(x, y_ - 0.11, ", ".join(chosen) or "no feature", ha="center", **looks)
            canvas.soft(x, y_ + 0.14, f"{n:g} of {len(y)} in conflict", ha="center", color=INK if was_tried else SOFT)
            if was_tried:
                canvas.text(x - 0.86, y_ - 0.13, str(number), fontsize=8.5, color=SOFT)
        canvas.soft(
            0.2,
            4.65,
            f"Numbers: the order in which sets are tried. Set {sel.n_subsets_} is the first without a conflict; "
            "dashed sets are not reached.",
        )
    return canvas.figure


def relief() -> Any:
    """Return the eight lamps as corners of a cube, the neighbours of one of them, and the weights."""
    page = example("relief", "sel")
    X, y, sel = page["X"], page["y"], page["sel"]
    colours, names = class_colours(y), list(X.columns)
    side = {"left": (2.5, 0.0), "right": (0.0, 2.1), "wall": (1.15, -0.75)}
    first = X.iloc[0]
    place = {}
    for i in X.index:
        differs = [name for name in names if X.loc[i, name] != first[name]]
        place[i] = (1.75 + sum(side[name][0] for name in differs), 1.6 + sum(side[name][1] for name in differs))
    near = {i: [name for name in names if X.loc[i, name] != first[name]] for i in X.index[1:]}
    with sheet(10.2, 5.0) as canvas:
        for i in X.index:
            for j in X.index[i + 1 :]:
                differs = [name for name in names if X.loc[i, name] != X.loc[j, name]]
                if len(differs) == 1:
                    is_asked = i == 0
                    looks: dict[str, Any] = {"linestyle": (0, (4, 2))} if is_asked and y[i] == y[j] else {}
                    canvas.line(
                        *place[i],
                        *place[j],
                        color=INK if is_asked else PALE,
                        linewidth=2.4 if is_asked else 1.2,
                        **looks,
                    )
        for i, differs in near.items():
            if len(differs) != 1:
                continue
            is_hit = y[i] == y[0]
            along = 0.62 if is_hit else 0.5
            x, y_ = (place[0][k] + along * (place[i][k] - place[0][k]) for k in (0, 1))
            text = f"hit: {differs[0]} differs" if is_hit else f"miss: {differs[0]} differs"
            canvas.text(
                x, y_, text, ha="center", fontsize=9.3, bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}
            )
        for i in X.index:
            x, y_ = place[i]
            canvas.dot(x, y_, colours[y[i]], radius=0.17 if i == 0 else 0.12)
            if i == 0:
                canvas.text(x - 0.3, y_, "\n".join(X.loc[i]), ha="right", fontsize=9, weight="bold")
                continue
            canvas.soft(x, y_ + (0.33 if y_ > 2.5 else -0.33), ", ".join(X.loc[i]), ha="center", fontsize=8.8)
        left, zero, scale = 7.1, 8.7, 1.15
        canvas.soft(left, 0.6, "weight: misses less hits,\nmean over all cases")
        for row, name in enumerate(names):
            at, weight = 1.35 + 0.6 * row, float(sel.weights_[row])
            canvas.text(left, at, name)
            canvas.box(
                min(zero, zero + scale * weight),
                at - 0.15,
                scale * abs(weight),
                0.3,
                zorder=2,
                fc=COLOURS[0] if weight > 0 else COLOURS[1],
                boxstyle="square,pad=0",
            )
            canvas.text(
                zero + scale * weight + (0.1 if weight > 0 else 0.1 + scale),
                at,
                f"{weight:+.1f}".replace("-", "−"),
                fontsize=10,
            )
        canvas.line(zero, 1.05, zero, 2.85, color=INK, linewidth=1, zorder=3)
        canvas.soft(left, 3.2, "selected: " + ", ".join(sel.get_feature_names_out()), color=INK)
        canvas.legend(0.45, 4.75, colours)
        canvas.soft(2.6, 4.75, "corners: " + ", ".join(names) + "; an edge is one difference")
    return canvas.figure


def perceptron() -> Any:
    """Return what each value adds to the sum of the one perceptron that tells the fourteen days apart."""
    weather = cb.datasets.load_weather()
    days = pd.DataFrame(np.asarray(weather.data), columns=list(weather.feature_names))
    return cb.PerceptronTreeClassifier().fit(days, weather.target).plot_perceptron(0)
