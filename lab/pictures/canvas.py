"""A canvas with lengths in inches from the upper left corner, and the marks that the pictures share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from casebase.render.drawing import INK, PALE, SOFT, matplotlib, new_figure

DOT = 0.11  # inches, the radius of a case
WASH = "#f1f3f6"


class Canvas:
    """An empty canvas with drawing methods; `figure` is what matplotlib saves."""

    def __init__(self, figure: Any, width: float, height: float):
        self.figure = figure
        figure.set_layout_engine("none")  # everything has its place already
        self.axes = figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")
        self._patches = matplotlib().patches

    def text(self, x: float, y: float, text: str, **looks: Any) -> None:
        """Write a text; its left end is at x, its middle at y."""
        self.axes.text(x, y, text, **{"ha": "left", "va": "center", "color": INK, "zorder": 5, **looks})

    def soft(self, x: float, y: float, text: str, **looks: Any) -> None:
        """Write a remark."""
        self.text(x, y, text, **{"color": SOFT, "fontsize": 9.5, **looks})

    def line(self, x: float, y: float, to_x: float, to_y: float, **looks: Any) -> None:
        self.axes.plot([x, to_x], [y, to_y], **{"color": PALE, "linewidth": 1.4, "zorder": 1, **looks})

    def arrow(self, x: float, y: float, to_x: float, to_y: float, **looks: Any) -> None:
        self.axes.annotate(
            "",
            (to_x, to_y),
            (x, y),
            zorder=4,
            arrowprops={"arrowstyle": "-|>", "color": SOFT, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.3, **looks},
        )

    def box(self, x: float, y: float, width: float, height: float, **looks: Any) -> None:
        """Draw a box by its upper left corner."""
        self.axes.add_patch(
            self._patches.FancyBboxPatch(
                (x, y),
                width,
                height,
                **{"boxstyle": "round,pad=0,rounding_size=0.06", "fc": WASH, "ec": "none", "zorder": 0, **looks},
            )
        )

    def dot(self, x: float, y: float, colour: str, *, is_filled: bool = True, radius: float = DOT) -> None:
        """Draw a case: a disc of the colour of its class, or a pale ring where it no longer counts."""
        looks = {"fc": colour, "ec": colour} if is_filled else {"fc": "white", "ec": PALE}
        self.axes.add_patch(self._patches.Circle((x, y), radius, linewidth=1.4, zorder=3, **looks))

    def legend(self, x: float, y: float, colours: Mapping[Any, str], step: float = 0.9) -> None:
        """Draw the legend of class colours, from left to right."""
        for i, (label, colour) in enumerate(colours.items()):
            self.dot(x + i * step, y, colour, radius=0.08)
            self.text(x + i * step + 0.16, y, str(label), fontsize=10)


@contextmanager
def sheet(width: float, height: float) -> Iterator[Canvas]:
    """Return a canvas of this size in inches, in the common style."""
    with new_figure(width, height) as figure:
        yield Canvas(figure, width, height)
