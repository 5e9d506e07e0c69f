"""Boxes and lines as SVG: a box is a link to its node, with a bar of classes at its foot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from casebase.oblivious.export.graph import branches, class_counts
from casebase.oblivious.graph import ObliviousGraph
from casebase.render.words import format_value, number, printable, shorten, sign
from casebase.serve.pictures.outlines import Outline

N_COLOURS = 6  # classes with a colour of their own: the most frequent
WIDTH, HEIGHT, ACROSS, DOWN = 168, 46, 44, 10  # of a box, and the gaps to its neighbours
LETTERS = 22  # of a line in a box
MOST_ROWS, MOST_LEVELS, MOST_CHILDREN = 32, 4, 10
MOST_NODES = 60  # of a graph


@dataclass(frozen=True)
class Box:
    """A node at a place: the line above says what leads to it, the line below what it tests or answers."""

    x: float
    y: float
    above: str
    below: str
    title: str
    place: str | None = None
    is_leaf: bool = False
    shares: tuple[tuple[int, float], ...] = ()  # of classes, by the number of their colour


@dataclass(frozen=True)
class Picture:
    """Boxes and the lines between them; `label` describes the picture to whoever does not see it."""

    label: str
    boxes: Sequence[Box]
    lines: Sequence[tuple[float, float, float, float]]
    texts: Sequence[tuple[float, float, str]] = field(default_factory=tuple)

    def svg(self) -> str:
        """Return the picture as inline SVG."""
        width = max((box.x + WIDTH for box in self.boxes), default=0) + 4
        height = max((box.y + HEIGHT for box in self.boxes), default=0) + 4
        parts = [_line(*line) for line in self.lines]
        parts += [f'<text class="soft" x="{x:.0f}" y="{y:.0f}">{text_of(text)}</text>' for x, y, text in self.texts]
        parts += [_box(box) for box in self.boxes]
        content = "\n".join(parts)
        return (
            f'<div class="cb-scroll" tabindex="0"><svg class="picture" viewBox="-2 -2 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="group" aria-label="{text_of(self.label)}">\n{content}\n'
            "</svg></div>"
        )


def colours_of(counts: Mapping[Any, float]) -> dict[Any, int]:
    """Return the number of the colour of each class, the most frequent first; all further classes share the last."""
    frequent = sorted(counts, key=lambda label: (-counts[label], str(label)))
    return {label: min(i, N_COLOURS) for i, label in enumerate(frequent)}


def shares_of(counts: Mapping[Any, float], colours: Mapping[Any, int]) -> tuple[tuple[int, float], ...]:
    """Return the shares of the classes, by colour."""
    total = sum(counts.values()) or 1.0
    ordered = sorted(counts.items(), key=lambda pair: colours.get(pair[0], N_COLOURS))
    return tuple((colours.get(label, N_COLOURS), n / total) for label, n in ordered if n > 0)


def tree_picture(outline: Outline, root: int, colours: Mapping[Any, int], place: str) -> Picture:
    """Return the upper levels below a node, from left to right; `place` is an address that a node's number ends."""
    boxes: list[Box] = []
    lines: list[tuple[float, float, float, float]] = []
    n_rows = 0
    step = HEIGHT + DOWN

    def put(node: int, level: int, room: int) -> float:
        """Place a node and what is below it in at most so many rows; return the middle of its box."""
        nonlocal n_rows
        children = list(outline.children(node))
        shown = sorted(children, key=lambda child: -sum(outline.counts(child).values()))
        shown = sorted(shown[: min(MOST_CHILDREN, room)]) if level < MOST_LEVELS and room >= 2 else []
        x = level * (WIDTH + ACROSS)
        if not shown:
            y = float(n_rows * step)
            n_rows += 1
        else:
            n_more = len(children) - len(shown)
            each = max(1, (room - (n_more > 0)) // len(shown))
            middles = [put(child, level + 1, each) for child in shown]
            if n_more:
                y = n_rows * step
                n_rows += 1
                text = f"{n_more:,} more branches"
                boxes.append(Box(x + WIDTH + ACROSS, y, "", text, text, f"{place}{node}#branches"))
                middles.append(y + HEIGHT / 2)
            y = (middles[0] + middles[-1]) / 2 - HEIGHT / 2
            lines.extend((x + WIDTH, y + HEIGHT / 2, x + WIDTH + ACROSS, middle) for middle in middles)
        boxes.append(_node_box(outline, node, root, (x, y), bool(children) and not shown, colours, place))
        return y + HEIGHT / 2

    put(root, 0, MOST_ROWS)
    return Picture("The tree; each node is a link to its cases", boxes, lines)


def graph_picture(model: ObliviousGraph, colours: Mapping[Any, int], place: str) -> Picture:
    """Return an oblivious graph from left to right, one feature per column; only the first nodes of a large one."""
    graph, n_shown = model.graph, min(model.graph.n_nodes, MOST_NODES)
    # Leaves come last: the last column has them, also if tests before it are left out.
    shown = [node for node in range(graph.n_nodes) if node < n_shown or not len(graph.values(node))]
    rows: dict[int, int] = {}
    at: dict[int, tuple[float, float]] = {}
    for node in shown:
        level = int(graph.level[node])
        at[node] = (level * (WIDTH + 2 * ACROSS), 24 + rows.get(level, 0) * (HEIGHT + DOWN))
        rows[level] = rows.get(level, 0) + 1
    lines = [
        (at[node][0] + WIDTH, at[node][1] + HEIGHT / 2, at[target][0], at[target][1] + HEIGHT / 2)
        for node in shown
        for target in branches(model, node)
        if target in at
    ]
    boxes = []
    for node in shown:
        counts = class_counts(model, node)
        is_leaf = not len(graph.values(node))
        n, answer = number(sum(counts.values())), format_value(model.schema.classes[graph.label[node]])
        below = f"{shorten(answer, LETTERS - len(n) - 1)} {n}"
        title = f"node {node + 1}: {n} cases, most of class {answer}"
        boxes.append(
            Box(*at[node], f"node {node + 1}", below, title, f"{place}{node}", is_leaf, shares_of(counts, colours))
        )
    texts = [
        (level * (WIDTH + 2 * ACROSS), 12.0, f"{shorten(printable(model.schema.names[position]), LETTERS)}?")
        for level, position in enumerate(model.order.tolist())
        if level in rows
    ]
    return Picture("The graph; each node is a link to its conditions", boxes, lines, texts)


def _node_box(
    outline: Outline,
    node: int,
    root: int,
    at: tuple[float, float],
    is_cut: bool,
    colours: Mapping[Any, int],
    place: str,
) -> Box:
    counts, test = outline.counts(node), outline.test(node)
    above = ""
    if node != root or node:
        feature, value = outline.branch(node)
        above = condition(feature, value) if node == root else _value(value)
    n = number(sum(counts.values()))
    ends = format_value(outline.answer(node))
    below = f"{test}?" if test is not None else ends
    title = f"{above + ': ' if above else ''}{below} {n} cases" + ("; more below" if is_cut else "")
    below = f"{shorten(printable(below), LETTERS - len(n) - 3)} {n}{' …' if is_cut else ''}"
    return Box(*at, shorten(above, LETTERS), below, title, f"{place}{node}", test is None, shares_of(counts, colours))


def _value(value: Any) -> str:
    return f"{sign(value)}{format_value(value)}"


def condition(feature: str, value: Any) -> str:
    """Return a condition as text.

    >>> condition("age", "≤ 12.5"), condition("sex", "male")
    ('age ≤ 12.5', 'sex = male')
    """
    return f"{printable(feature)} {_value(value)}"


def text_of(text: str) -> str:
    """Return a text as SVG has it: harmless, on one line."""
    return escape(printable(text), quote=True)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (x1 + x2) / 2
    return f'<path d="M{x1:.0f} {y1:.0f}C{middle:.0f} {y1:.0f} {middle:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"/>'


def _box(box: Box) -> str:
    kind = "leaf" if box.is_leaf else "test"
    parts = [f"<title>{text_of(box.title)}</title>"]
    parts.append(f'<rect class="{kind}" x="{box.x:.0f}" y="{box.y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>')
    if box.above:
        parts.append(f'<text class="soft" x="{box.x + 8:.0f}" y="{box.y + 16:.0f}">{text_of(box.above)}</text>')
    parts.append(f'<text class="strong" x="{box.x + 8:.0f}" y="{box.y + 33:.0f}">{text_of(box.below)}</text>')
    left = box.x + 6
    for colour, share in box.shares:
        wide = share * (WIDTH - 12)
        parts.append(
            f'<rect class="class-{colour}" x="{left:.1f}" y="{box.y + HEIGHT - 6:.0f}" width="{wide:.1f}" height="4"/>'
        )
        left += wide
    content = "".join(parts)
    return f'<a href="{escape(box.place, quote=True)}">{content}</a>' if box.place else f"<g>{content}</g>"
