"""Plot of the scores: accuracy with its standard error as dot and whisker, and log loss beside it.

The SVG is inline: it takes its colours from the page, so it is light or dark as the reader prefers. It has no ids,
which would have to be unique on a page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from casebase.render.words import shorten

if TYPE_CHECKING:
    from casebase.method_comparison.record import MethodComparison, MethodScore

WIDTH, ROW, TOP = 880, 26, 44
NAMES = 190  # where the names end
ACCURACY, LOSS = (210, 590), (640, 860)  # the two panels, from left to right
RADIUS = 5.5
N_STEPS = 5  # ticks of an axis, about
LARGEST_LOSS = 6.0  # times that of the baseline: beyond, a few sure and wrong answers would squeeze all others together
SLACK = 1e-9  # an end of an axis that is a tick already, up to rounding, stays where it is


@dataclass(frozen=True)
class Axis:
    """A linear scale from values to places, with round ticks."""

    low: float
    high: float
    step: float
    left: int
    right: int

    @classmethod
    def around(cls, values: Sequence[float], panel: tuple[int, int], *, most: float = float("inf")) -> "Axis":
        """Return an axis with round ends that has room for all values; it does not go past 0 and `most`."""
        low, high = min(values), max(values)
        step = round_step(max(high - low, 0.02) / N_STEPS)
        first = max(floor(low / step + SLACK) * step, 0.0)
        last = min(ceil(high / step - SLACK) * step, most)
        return cls(first, last if last > first else first + step, step, *panel)

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[float]:
        n_steps = floor((self.high - self.low) / self.step + SLACK)
        return [self.low + i * self.step for i in range(n_steps + 1)]


def round_step(step: float) -> float:
    """Return the next step of the form 1, 2 or 5 times a power of ten.

    >>> round_step(0.03), round_step(0.2), round_step(7)
    (0.05, 0.2, 10.0)
    """
    power = 10.0 ** floor(log10(step) + SLACK)
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - SLACK)))


def scores_svg(comparison: "MethodComparison") -> str:
    """Return the plot as inline SVG; nothing if no method could be measured."""
    rows = [row for row in comparison.rows if row.accuracy is not None and row.log_loss is not None]
    if not rows:
        return ""
    losses = [row.log_loss for row in rows if row.log_loss is not None]
    accuracy = Axis.around([end for row in rows for end in _whisker(row)], ACCURACY, most=1.0)
    loss = Axis.around([0.0, min(max(losses), LARGEST_LOSS * _baseline_loss(rows))], LOSS)
    bottom = TOP + ROW * len(rows)
    parts = [
        *_panel(accuracy, "accuracy, ± standard error", bottom, percent=True),
        *_panel(loss, "log loss", bottom),
        *_baseline(rows, accuracy, loss, bottom),
    ]
    for i, row in enumerate(rows):
        parts += _marks(row, TOP + ROW * i + ROW / 2, accuracy, loss, is_best=row.method == comparison.best)
    legend = "filled: best, or within its noise · hollow: worse · square: peer · dashed: most frequent class"
    parts.append(f'<text class="cb-soft" x="{ACCURACY[0]}" y="{bottom + 44}">{legend}</text>')
    content = "\n".join(parts)
    label = f"Accuracy and log loss of {len(rows)} methods; the table below has the numbers."
    height = bottom + 54
    return (
        f'<div class="cb-scroll"><svg class="cb-scores" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{label}">\n{content}\n</svg></div>'
    )


def _baseline_loss(rows: Sequence["MethodScore"]) -> float:
    return next((row.log_loss for row in rows if row.role == "baseline" and row.log_loss), float("inf"))


def _whisker(row: "MethodScore") -> tuple[float, float]:
    accuracy, error = row.accuracy or 0.0, row.standard_error or 0.0
    return max(accuracy - error, 0.0), min(accuracy + error, 1.0)


def _panel(axis: Axis, title: str, bottom: int, *, percent: bool = False) -> Iterator[str]:
    """Yield the title, the grid lines and the numbers of a panel."""
    yield f'<text class="cb-title" x="{axis.left}" y="20">{title}</text>'
    for tick in axis.ticks():
        x = axis.place(tick)
        # Steps below one percent need a decimal.
        text = f"{tick:.{1 if axis.step < 0.0099 else 0}%}" if percent else f"{tick:.4g}"
        yield f'<line class="cb-line" x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}"/>'
        yield f'<text class="cb-soft cb-tick" x="{x:.1f}" y="{bottom + 18}">{text}</text>'


def _baseline(rows: Sequence["MethodScore"], accuracy: Axis, loss: Axis, bottom: int) -> Iterator[str]:
    for row in rows:
        if row.role == "baseline":
            for x in (accuracy.place(row.accuracy or 0.0), loss.place(row.log_loss or 0.0)):
                yield f'<line class="cb-base" x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}"/>'


def _marks(row: "MethodScore", y: float, accuracy: Axis, loss: Axis, *, is_best: bool) -> Iterator[str]:
    """Yield the name, the dot with its whisker, and the dot of the log loss."""
    kind = "cb-near" if row.within_noise else "cb-far"
    name = escape(shorten(row.method, 26))
    weight = ' font-weight="600"' if is_best else ""
    yield f'<text class="cb-label" x="{NAMES}" y="{y + 4.5:.1f}"{weight}>{name}</text>'
    low, high = (accuracy.place(end) for end in _whisker(row))
    yield f'<line class="cb-whisker {kind}" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}"/>'
    places = (accuracy.place(row.accuracy or 0.0), loss.place(row.log_loss or 0.0))
    texts = (f"{row.accuracy or 0.0:.1%}", f"log loss {row.log_loss:.3f}")
    for axis, x, text in zip((accuracy, loss), places, texts):
        if axis is loss and (row.log_loss or 0.0) > loss.high:
            yield f'<text class="cb-soft cb-label" x="{loss.right}" y="{y + 4.5:.1f}">{row.log_loss:.3g} →</text>'
            continue
        title = f"<title>{name}: {text}</title>"
        if row.role == "peer":
            side = 2 * RADIUS - 1
            corner = f'x="{x - side / 2:.1f}" y="{y - side / 2}"'
            yield f'<rect class="{kind}" {corner} width="{side}" height="{side}">{title}</rect>'
        else:
            yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y}" r="{RADIUS}">{title}</circle>'
