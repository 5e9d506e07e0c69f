"""A piece of strings: a text of letters or classes, and the place asked about in it."""

from dataclasses import dataclass

# The kinds of pieces, as the kernel numbers them; those from ANYWHERE on need not touch the place.
LETTERS, CLASSES, AROUND, LETTERS_ANYWHERE, CLASSES_ANYWHERE = range(5)
ANYWHERE = LETTERS_ANYWHERE
N_KINDS = 5
NOTES = ("", "classes", "classes around the letter", "", "classes")


@dataclass(frozen=True)
class Piece:
    """A text of letters or of classes; the place lies before `text[offset]`, and None if it may occur anywhere.

    >>> Piece("tion", 0, LETTERS).written("|"), Piece("ing.", None, LETTERS_ANYWHERE).written("|")
    ('|tion', 'ing.')
    """

    text: str
    offset: int | None
    kind: int

    def written(self, mark: str) -> str:
        """Return the text with a mark at the place."""
        if self.offset is None:
            return self.text
        return f"{self.text[: self.offset]}{mark}{self.text[self.offset :]}"

    @property
    def note(self) -> str:
        """What the letters of the text stand for, if they are not letters."""
        return NOTES[self.kind]


def is_classes(kind: int) -> bool:
    """Whether a kind of pieces has classes in place of letters."""
    return kind in (CLASSES, AROUND, CLASSES_ANYWHERE)
