"""Tables of text for reports on a terminal, in Markdown and on a page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """A table of text; the first `n_left` columns and those named in `words` are left-aligned."""

    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_left: int = 1
    words: tuple[str, ...] = ()

    def is_left(self, column: int) -> bool:
        return column < self.n_left or self.header[column] in self.words
