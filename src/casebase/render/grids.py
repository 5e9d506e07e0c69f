"""A table of text, as reports on a terminal, in Markdown and on a page share it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """A table of text; the first `n_left` columns are words, and so are those named in `words`."""

    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_left: int = 1
    words: tuple[str, ...] = ()

    def is_left(self, column: int) -> bool:
        return column < self.n_left or self.header[column] in self.words
