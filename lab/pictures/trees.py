"""Methods that ask in order: IGTree, C4.5's rules and hierarchical rules, on the examples of their pages."""

from dataclasses import dataclass, field
from typing import Any

import casebase as cb
from casebase.measures.confidence import error_rate
from casebase.render.drawing import INK, PALE, SOFT
from casebase.render.words import number, plural
from casebase.trees import c45
from casebase.trees.growth import with_tests
from casebase.trees.path_rules import Extents, PathRule, generalise, rules_of_paths
from lab.pictures.canvas import WASH, Canvas, sheet
from lab.pictures.examples import example
from lab.pictures.memories import class_colours


@dataclass
class Node:
    """A node of the tree, or a leaf that the tree does without, with the cases that come to it."""

    value: Any
    cases: list[int]
    label: str
    is_stored: bool
    below: list["Node"] = field(default_factory=list)
    x: float = 0.0


def igtree() -> Any:
    """Return the tree of the toys, with the leaves that it does without and the way of a question."""
    page = example("igtree", "clf")
    X, y, new, clf = page["X"], page["y"], page["new"], page["clf"]
    model, colours, names = clf.model_, class_colours(y), list(X.columns)
    order = model.order.tolist()

    def grown(node: int, value: Any, cases: list[int], level: int) -> Node:
        found = Node(value, cases, model.schema.classes[model.tree.label[node]], is_stored=True)
        if len(set(y[cases])) > 1:
            feature = order[level]
            vocabulary = model.schema.features[feature].vocabulary
            for one in sorted(set(X.iloc[cases, feature])):
                held = [case for case in cases if X.iloc[case, feature] == one]
                child = model.tree.child(node, vocabulary.code(str(one)))
                leaf = Node(one, held, y[held[0]], is_stored=False)
                found.below.append(leaf if child is None else grown(child, one, held, level + 1))
        return found

    root = grown(0, None, list(X.index), 0)
    _place(root, 2.15, 1.35)
    with sheet(10.2, 5.1) as canvas:
        for level, feature in enumerate(order):
            canvas.text(0.15, 1.0 + 1.15 * level, names[feature])
            canvas.soft(0.15, 1.22 + 1.15 * level, f"weighs {clf.weights_[feature]:.4f}")
        path = [str(step.value) for step in clf.explain(new)[0].path][1:]
        _draw(canvas, root, 0.42, colours, y, path)
        stopped = clf.explain(new)[1]
        reached = next(node for node in root.below if node.value == stopped.path[-1].value)
        canvas.soft(
            reached.x + 0.72, 1.45, f"{' '.join(map(str, new.iloc[1]))} stops here:\n{stopped.label}", color=INK
        )
        canvas.soft(
            root.x + 0.75,
            0.42,
            f"{' '.join(map(str, new.iloc[0]))} takes the dark path: {clf.predict(new)[0]}",
            color=INK,
        )
        canvas.legend(0.25, 4.8, colours)
        canvas.soft(3.2, 4.8, "dashed: left out of the tree, because its parent answers alike")
    return canvas.figure


def _place(node: Node, left: float, apart: float) -> float:
    """Put leaves side by side and other nodes above the middle of theirs; return where the next leaf goes."""
    if not node.below:
        node.x = left
        return left + apart
    for child in node.below:
        left = _place(child, left, apart)
    node.x = (node.below[0].x + node.below[-1].x) / 2
    return left


def _draw(canvas: Canvas, node: Node, y: float, colours: dict[str, str], classes: Any, path: list[Any] | None) -> None:
    dashed = {} if node.is_stored else {"linestyle": (0, (3, 2))}
    canvas.box(
        node.x - 0.52,
        y - 0.26,
        1.04,
        0.56,
        fc="white",
        ec=colours[node.label] if node.is_stored else PALE,
        linewidth=1.6,
        zorder=2,
        **dashed,
    )
    for n, case in enumerate(sorted(node.cases, key=lambda one: list(colours).index(classes[one]))):
        canvas.dot(node.x + 0.135 * (n - (len(node.cases) - 1) / 2), y - 0.1, colours[classes[case]], radius=0.05)
    canvas.text(
        node.x,
        y + 0.12,
        node.label,
        ha="center",
        fontsize=9.5,
        color=colours[node.label],
        weight="bold" if node.is_stored else "normal",
        alpha=1 if node.is_stored else 0.6,
    )
    for child in node.below:
        is_walked = path is not None and path[:1] == [str(child.value)]
        looks = {"color": INK, "linewidth": 2.2} if is_walked else {}
        canvas.line(node.x, y + 0.3, child.x, y + 0.89, **looks, **({} if child.is_stored else dashed_line()))
        canvas.text(
            (node.x + child.x) / 2,
            y + 0.59,
            str(child.value),
            ha="center",
            fontsize=9.5,
            bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none"},
        )
        _draw(canvas, child, y + 1.15, colours, classes, path[1:] if path is not None and is_walked else None)


def dashed_line() -> dict[str, Any]:
    return {"linestyle": (0, (3, 2))}


def c45rules() -> Any:
    """Return the paths of the tree as rules: the conditions that go, and the rule that is not worth its bits."""
    page = example("c45rules", "clf")
    X, y, clf = page["X"], page["y"], page["clf"]
    colours, model = class_colours(y), clf.model_
    cases = with_tests(cb.Cases.from_table(X, y=y), "overlap")
    tree, extents = c45.fit(cases, pruned=False), Extents(cases)
    paths = rules_of_paths(tree.nodes, tree.schema)
    asked = {rule: place for place, rule in enumerate(model.rules, 1)}
    with sheet(11.0, 0.75 + 0.62 * len(paths) + 0.75) as canvas:
        canvas.soft(0.15, 0.3, "a path of the tree")
        canvas.soft(4.35, 0.3, "its class")
        canvas.soft(5.35, 0.3, "1. can a condition be dropped?")
        canvas.soft(8.35, 0.3, "2. is the rule worth its bits?")
        for row, path in enumerate(paths):
            at = 0.8 + 0.62 * row
            short = generalise(path, extents, 0.25)
            is_kept, label = short in asked, tree.schema.classes[path.label]
            canvas.box(0.1, at - 0.26, 10.8, 0.52, fc=WASH if is_kept else "white", ec=WASH, linewidth=1.2)
            x = 0.2
            for condition in path.conditions:
                is_dropped = condition not in short.conditions
                told = str(condition.shown)
                sign = "" if told[0] in "≤>" else "= "
                looks = {"color": SOFT} if is_dropped else {}
                text = f"{tree.schema.names[condition.feature]} {sign}{told}"
                canvas.box(
                    x,
                    at - 0.17,
                    1.86,
                    0.34,
                    fc="white",
                    ec=PALE if is_dropped else SOFT,
                    zorder=2,
                    linewidth=1,
                    **(dashed_line() if is_dropped else {}),
                )
                canvas.text(x + 0.93, at, text, ha="center", fontsize=9.5, **looks)
                if is_dropped:
                    canvas.line(x + 0.1, at, x + 1.76, at, color=SOFT, linewidth=0.8, zorder=6)
                x += 1.98
            canvas.arrow(4.1, at, 4.3, at)
            canvas.text(4.4, at, label, weight="bold", color=colours[label])
            before, after = _feared(path, extents), _feared(short, extents)
            if short == path:
                canvas.soft(5.35, at, f"no: without it, the error estimate\nwould rise above {before:.3f}", fontsize=9)
            else:
                canvas.soft(
                    5.35, at, f"yes: the error estimate falls\nfrom {before:.3f} to {after:.3f}", fontsize=9, color=INK
                )
            n = int(extents.rule(short).sum())
            canvas.text(
                8.35,
                at,
                f"yes: asked as rule {asked[short]} ({plural(n, 'case')})"
                if is_kept
                else "no: saves less than it costs",
                fontsize=9.5,
                weight="bold" if is_kept else "normal",
            )
        at = 0.8 + 0.62 * len(paths)
        default = clf.rules_[-1]
        canvas.text(0.2, at, "otherwise", fontsize=10)
        canvas.arrow(4.1, at, 4.3, at)
        canvas.text(4.4, at, default.label, weight="bold", color=colours[default.label])
        canvas.soft(5.35, at, f"the most frequent class of the {number(default.n_cases)} cases for which no rule holds")
        canvas.legend(0.3, at + 0.5, colours)
    return canvas.figure


def _feared(rule: PathRule, extents: Extents) -> float:
    held = extents.rule(rule)
    wrong = held & (extents.cases.known_labels != rule.label)
    return float(error_rate(float(held.sum()), float(wrong.sum()), 0.25))


def rules() -> Any:
    """Return for each animal what the default and the rules of each level say: the rightmost answers."""
    page = example("rules", "clf")
    X, y, clf = page["X"], page["y"], page["clf"]
    colours = class_colours(y)
    levels: dict[int, list[Any]] = {}
    for rule in clf.rules_:
        levels.setdefault(rule.level, []).append(rule)
    columns = sorted(levels, reverse=True)  # the default first, the exceptions to the exceptions last
    titles = ["default", "exceptions (level 2)", "exceptions to those (level 1)"]
    assert len(columns) == len(titles)
    left, width, step = 2.75, 2.1, 0.42
    order = sorted(X.index, key=lambda i: (-_depth(levels, columns, X.loc[i]), y[i], i))
    with sheet(left + width * 3 + 1.2, 1.0 + step * len(X) + 0.75) as canvas:
        for i, title in enumerate(titles):
            canvas.soft(left + width * i, 0.3, title)
        canvas.soft(left + width * 3 + 0.15, 0.3, "answer")
        for row, case in enumerate(order):
            at = 0.75 + step * row
            canvas.text(0.15, at, X.loc[case, "name"], fontsize=10.5)
            canvas.soft(1.25, at, f"{X.loc[case, 'kind']}, {X.loc[case, 'home']}")
            answer = None
            held = [next((rule for rule in levels[level] if _holds(rule, X.loc[case])), None) for level in columns]
            last = max(i for i, rule in enumerate(held) if rule is not None)
            for i, found in enumerate(held):
                if found is None:
                    continue
                decides = i == last
                colour = colours[found.label]
                canvas.box(
                    left + width * i,
                    at - 0.16,
                    width - 0.12,
                    0.32,
                    fc=colour if decides else "white",
                    ec=colour,
                    linewidth=1.2,
                    alpha=1 if decides else 0.7,
                    zorder=2,
                )
                test = " and ".join(f"{f} = {v}" for f, v in zip(found.features, found.values)) or "any animal"
                canvas.text(
                    left + width * i + 0.1,
                    at,
                    f"{test}: {found.label}",
                    fontsize=9.3,
                    color="white" if decides else INK,
                )
                answer = found.label
            assert answer == y[case]
            canvas.text(left + width * 3 + 0.15, at, answer, weight="bold", color=colours[answer])
        at = 0.75 + step * len(X) + 0.15
        canvas.soft(
            0.15,
            at,
            "A filled cell decides: the rule furthest to the right that holds. The cells to the left of it "
            "are overridden.",
        )
        canvas.legend(0.25, at + 0.4, colours)
    return canvas.figure


def _holds(rule: Any, case: Any) -> bool:
    return all(case[feature] == value for feature, value in zip(rule.features, rule.values))


def _depth(levels: dict[int, list[Any]], columns: list[int], case: Any) -> int:
    return max(i for i, level in enumerate(columns) if any(_holds(rule, case) for rule in levels[level]))
