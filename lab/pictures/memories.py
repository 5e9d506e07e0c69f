"""Methods that keep cases: IB1, IB2, TRIBL and TRIBL2, on the seven toys."""

from collections import Counter
from typing import Any

import numpy as np

import casebase as cb
from casebase.base.evidence.records import Neighbour, NeighbourEvidence
from casebase.render.class_bars import colours_of
from casebase.render.drawing import INK, PALE, SOFT
from lab.pictures.canvas import WASH, Canvas, sheet
from lab.pictures.examples import example

WEIGHT = 4.6  # inches, a distance of 1


def class_colours(y: Any) -> dict[str, str]:
    """Return a colour for each class, the same on every page about the toys.

    >>> list(class_colours(["b", "a", "b"]))
    ['b', 'a']
    """
    counts = Counter(sorted(y))
    return colours_of(dict(counts))


def _values(canvas: Canvas, x: float, y: float, values: Any, differs: Any = (), step: float = 0.66) -> None:
    """Write the values of a case side by side, those that differ from the question marked."""
    for i, value in enumerate(values):
        is_other = i < len(differs) and differs[i]
        looks = {"weight": "bold"} if is_other else {"color": SOFT}
        canvas.text(x + i * step, y, f"≠{value}" if is_other else f"{value}", fontsize=10, **looks)


def _all_neighbours(clf: Any, asked: Any) -> tuple[Neighbour, ...]:
    """Return the neighbours of the first question, of a classifier whose `k` reaches all cases."""
    found = clf.explain(asked)[0]
    assert isinstance(found, NeighbourEvidence)
    return found.neighbours


def ib1() -> Any:
    """Return the distance of each toy from the question, as the weights that add up to it."""
    page = example("ib1", "clf")
    X, y, new, clf = page["X"], page["y"], page["new"], page["clf"]
    colours = class_colours(y)
    near = _all_neighbours(cb.IB1Classifier(k=len(X)).fit(X, y), new)
    bound = clf.explain(new)[0].distances[-1]
    names = list(X.columns)
    left, top, step = 2.75, 1.0, 0.4
    with sheet(9.4, top + step * len(near) + 0.75) as canvas:
        canvas.soft(0.72, 0.28, "asked")
        _values(canvas, 0.72, 0.55, new.iloc[0])
        canvas.soft(left, 0.28, "the weights of the features in which a case differs add up to its distance")
        bottom = top + step * len(near)
        canvas.box(0.1, top - 0.25, 9.2, step + 0.08 - 0.02)
        for row, found in enumerate(near):
            at = top + step * row
            canvas.dot(0.35, at, colours[found.label])
            _values(canvas, 0.72, at, found.values, [cost > 0 for cost in found.costs])
            x = left
            for i in np.argsort(-clf.weights_, kind="stable").tolist():
                cost = found.costs[i]
                if not cost:
                    continue
                canvas.box(x + 0.015, at - 0.14, WEIGHT * cost - 0.03, 0.28, fc=PALE, zorder=2)
                canvas.text(x + WEIGHT * cost / 2, at, f"{names[i]} {cost:.4f}", ha="center", fontsize=8.8)
                x += WEIGHT * cost
            canvas.text(x + 0.1, at, f"{found.distance:.4f}", fontsize=10, weight="bold" if not row else "normal")
        x = left + WEIGHT * bound
        canvas.line(x, top - 0.42, x, bottom - 0.15, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=3)
        canvas.soft(x + 0.08, top - 0.36, "k = 1: only this distance votes", color=INK)
        canvas.legend(0.35, bottom + 0.35, colours)
    return canvas.figure


def ib2() -> Any:
    """Return the toys as they come, one by one, and the memory that grows where it is wrong."""
    page = example("ib2", "clf")
    X, y, clf = page["X"], page["y"], page["clf"]
    colours, kept = class_colours(y), clf.ids_.tolist()
    slots = {case: 2.35 + 0.5 * i for i, case in enumerate(kept)}
    left, step = 1.55, 1.0
    with sheet(left + step * len(X) + 0.1, 5.35) as canvas:
        canvas.soft(0.12, 0.3, "case")
        canvas.soft(0.12, 0.95, "comes in")
        canvas.soft(0.12, 1.6, "answer of\nthe memory")
        canvas.soft(0.12, 2.35, "memory")
        for i in range(len(X)):
            x, memory = left + step * i, [case for case in kept if case < i]
            if i in kept:
                canvas.box(x - 0.44, 0.1, 0.88, 4.28, fc=WASH)
            canvas.text(x, 0.3, str(i), ha="center", weight="bold")
            canvas.text(x, 0.72, " ".join(map(str, X.iloc[i])), ha="center", fontsize=8.2)
            canvas.dot(x, 1.0, colours[y[i]])
            for case in memory:
                canvas.dot(x, slots[case], colours[y[case]])
                canvas.text(x + 0.17, slots[case], str(case), fontsize=8.5, color=SOFT)
            if i in kept:
                canvas.dot(x, slots[i], colours[y[i]])
                canvas.text(x + 0.17, slots[i], str(i), fontsize=8.5, weight="bold")
            if not memory:
                canvas.soft(x, 1.6, "none", ha="center")
            else:
                told = cb.IB1Classifier(weighting=clf.weights_).fit(X.iloc[memory], y.iloc[memory], ids=memory)
                found = told.explain(X.iloc[[i]])[0]
                is_right = found.label == y[i]
                canvas.text(x, 1.5, found.label, ha="center", color=colours[found.label], weight="bold")
                canvas.text(x, 1.74, "right" if is_right else "wrong", ha="center", fontsize=9.5)
            canvas.text(
                x,
                4.2,
                "kept" if i in kept else "not kept",
                ha="center",
                fontsize=9.5,
                weight="bold" if i in kept else "normal",
                color=INK if i in kept else SOFT,
            )
            if i + 1 < len(X):
                for case in [*memory, *([i] if i in kept else [])]:
                    canvas.line(x + 0.36, slots[case], x + step - 0.16, slots[case])
        canvas.soft(
            left - 0.44,
            4.7,
            "A case is kept only if the cases kept before it answer it wrongly. "
            f"In the end {len(kept)} of {len(X)} are kept.",
        )
        canvas.legend(left - 0.3, 5.1, colours)
    return canvas.figure


def tribl() -> Any:
    """Return the tree of the heaviest feature, and below it the cases that one question is compared with."""
    page = example("tribl", "clf")
    X, y, new, clf = page["X"], page["y"], page["new"], page["clf"]
    colours, names = class_colours(y), list(X.columns)
    order = np.argsort(-clf.weights_, kind="stable").tolist()
    heavy, rest = order[: clf.switch_], order[clf.switch_ :]
    assert len(heavy) == 1  # the picture has one level
    groups = {value: X.index[X.iloc[:, heavy[0]] == value].tolist() for value in sorted(set(X.iloc[:, heavy[0]]))}
    asked, stranger = clf.explain(new)
    near = {found.id: found for found in _all_neighbours(cb.TRIBLClassifier(k=len(X)).fit(X, y), new[:1])}
    places = dict(zip(groups, (2.2, 4.3, 6.8)))
    below = 2.55
    with sheet(9.4, 5.35) as canvas:
        canvas.text(4.3, 0.4, "any case", ha="center")
        canvas.soft(0.15, 1.05, f"{names[heavy[0]]}\n(in the tree)")
        canvas.soft(0.15, below + 0.5, "cases, by\n" + ", ".join(names[i] for i in rest))
        canvas.line(0.1, below - 0.42, 9.3, below - 0.42, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        canvas.soft(9.3, below - 0.56, f"switch point: {clf.switch_}", ha="right", color=INK)
        canvas.soft(9.3, below - 0.28, "tree above, memory below", ha="right", color=INK)
        for value, x in places.items():
            is_walked = value == new.iloc[0, heavy[0]]
            canvas.line(4.3, 0.55, x, 1.5, color=INK if is_walked else PALE, linewidth=2.2 if is_walked else 1.4)
            canvas.text(x, 1.65, str(value), ha="center", weight="bold" if is_walked else "normal")
            for row, case in enumerate(
                sorted(groups[value], key=lambda one: near[one].distance if one in near else one)
            ):
                at = below + 0.38 * row + (0.38 if is_walked else 0)
                canvas.dot(x - 0.72, at, colours[y[case]])
                found = near.get(case)
                differs = [found is not None and found.costs[i] > 0 for i in rest]
                _values(canvas, x - 0.45, at, X.iloc[case, rest], differs, 0.5)
                if found is not None:
                    canvas.text(
                        x + 0.85,
                        at,
                        f"distance {found.distance:g}",
                        fontsize=10,
                        weight="bold" if found.distance in asked.distances else "normal",
                    )
            if is_walked:
                canvas.box(x - 0.95, below - 0.2, 3.1, 0.38 * (len(groups[value]) + 1) + 0.04)
                canvas.soft(x - 0.72, below, "?", color=INK, weight="bold", ha="center")
                _values(canvas, x - 0.45, below, new.iloc[0, rest], (), 0.5)
                canvas.soft(x + 0.85, below, "asked")
        told = " ".join(map(str, new.iloc[0])), " ".join(map(str, new.iloc[1]))
        canvas.text(0.15, 4.35, f"{told[0]}:", fontsize=10, weight="bold")
        canvas.text(1.35, 4.35, f"matches the tree; its nearest case below says {asked.label}", fontsize=10)
        canvas.text(0.15, 4.65, f"{told[1]}:", fontsize=10, weight="bold")
        canvas.text(
            1.35, 4.65, f"has no branch; the root answers with its preferred class, {stranger.label}", fontsize=10
        )
        canvas.legend(0.25, 5.1, colours)
    return canvas.figure


def tribl2() -> Any:
    """Return how many cases are left after each feature of three walks, and what is compared where they end."""
    page = example("tribl2", "clf")
    X, y, new, clf = page["X"], page["y"], page["new"], page["clf"]
    colours, names = class_colours(y), list(X.columns)
    order = np.argsort(-clf.weights_, kind="stable").tolist()
    left, step, spread = 1.3, 2.2, 0.25
    with sheet(left + step * 4 - 0.1, 4.5) as canvas:
        canvas.soft(left, 0.3, "all cases")
        for level, i in enumerate(order):
            canvas.text(left + step * (level + 1), 0.3, names[i], fontsize=10.5)
            canvas.soft(left + step * (level + 1) + 0.62, 0.3, f"{clf.weights_[i]:.4f}")
        for row, found in enumerate(clf.explain(new)):
            at = 0.95 + 1.1 * row
            canvas.box(0.1, at - 0.38, left + step * 4 - 0.3, 0.95)
            for n, value in enumerate(new.iloc[row]):
                canvas.text(0.25, at - 0.2 + 0.22 * n, str(value), fontsize=10)
            left_over = list(X.index)
            _cases(canvas, left, at, left_over, y, colours, spread)
            for level, i in enumerate(order):
                value, x = new.iloc[row, i], left + step * (level + 1)
                matching = [case for case in left_over if X.iloc[case, i] == value]
                if not matching:
                    rest = ", ".join(names[one] for one in sorted(order[level:], key=order.index))
                    canvas.text(x, at - 0.12, f"no case with {value} here", fontsize=9.5)
                    n = len(left_over)
                    canvas.text(x, at + 0.12, f"compare the {n} by {rest}:", fontsize=9.5)
                    canvas.text(
                        x,
                        at + 0.36,
                        f"{found.label}, at distance {found.distances[0]:.4f}",
                        fontsize=9.5,
                        weight="bold",
                        color=colours[found.label],
                    )
                    break
                canvas.arrow(x - 0.42, at, x - 0.12, at)
                left_over = matching
                _cases(canvas, x, at, left_over, y, colours, spread)
                canvas.soft(x - 0.05, at + 0.32, f"{names[i]} = {value}")
            else:
                canvas.text(
                    left + step * 3 + 0.4,
                    at,
                    f"stored: {found.label}",
                    fontsize=9.5,
                    weight="bold",
                    color=colours[found.label],
                )
        canvas.legend(0.25, 4.2, colours)
    return canvas.figure


def _cases(canvas: Canvas, x: float, y: float, cases: list[int], classes: Any, colours: Any, spread: float) -> None:
    for n, case in enumerate(cases):
        canvas.dot(x + spread * n, y, colours[classes[case]], radius=0.1)
        canvas.text(x + spread * n, y, str(case), ha="center", color="white", fontsize=7.5)
