"""Strings as users give them: texts, texts with a mark at the place asked about, or pairs of a text and a position."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.strings.texts import EDGE

N_SHOWN = 40  # letters of a string in an error message


@dataclass(frozen=True)
class AskedStrings:
    """Strings, and the place asked about in each: 2 is before the third letter; None if no places are asked about."""

    strings: tuple[str, ...]
    places: tuple[int, ...] | None

    def __len__(self) -> int:
        return len(self.strings)

    def marked(self, at: int, mark: str) -> str:
        """Return a string with a mark at its place.

        >>> AskedStrings(("nation",), (2,)).marked(0, "|")
        'na|tion'
        """
        string = self.strings[at]
        return string if self.places is None else f"{string[: self.places[at]]}{mark}{string[self.places[at] :]}"

    def taken(self, rows: Sequence[int]) -> "AskedStrings":
        """Return some of the strings."""
        places = None if self.places is None else tuple(self.places[i] for i in rows)
        return AskedStrings(tuple(self.strings[i] for i in rows), places)


def asked_strings(given: Any, mark: str, *, names: Sequence[str] | None = None) -> AskedStrings:
    """Return the strings of a list, an array, or a data frame of one or two columns (string, position).

    Either all of them have a place, as a position or as a mark, or none has. `names` say where each comes from, for
    error messages.

    >>> asked_strings(["na|tion", "|take"], "|")
    AskedStrings(strings=('nation', 'take'), places=(2, 0))
    >>> asked_strings([("nation", 2)], "|").places, asked_strings(["acgt"], "|").places
    ((2,), None)
    """
    strings: list[str] = []
    places: list[int | None] = []
    for i, one in enumerate(_items(given)):
        try:
            string, place = _parsed(one, mark)
        except CasebaseError as error:
            raise CasebaseError(f"{names[i] if names else f'string {i + 1}'}: {error}") from None
        strings.append(string)
        places.append(place)
        if (place is None) != (places[0] is None):
            which = "has no place, but those before it have one" if place is None else "has a place, those before none"
            raise CasebaseError(
                f"{names[i] if names else f'string {i + 1}'}: {_quoted(string)} {which}. Give all strings a place, "
                f"with a mark ({mark!r}) or as a pair of a string and a position, or none."
            )
    return AskedStrings(tuple(strings), None if not places or places[0] is None else tuple(p or 0 for p in places))


def check_trainable(asked: AskedStrings, *, edges: bool, names: Sequence[str] | None = None) -> None:
    """Refuse strings that no rule can be learned from."""
    for i, string in enumerate(asked.strings):
        if edges and EDGE in string:
            raise CasebaseError(
                f"{names[i] if names else f'string {i + 1}'}: {_quoted(string)} has a full stop, which stands for an "
                "edge of the string in pieces. Write another sign for it, or learn without edges (edges=False, "
                "--no-edges)."
            )


def _items(given: Any) -> Iterable[Any]:
    if isinstance(given, str | bytes):
        raise CasebaseError("Expected a list of strings, got one text. Give [text].")
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):  # a data frame
        given = given.to_numpy()
    shape = getattr(given, "shape", None)
    if shape is not None and len(shape) == 2:
        if shape[1] not in (1, 2):
            raise CasebaseError(
                f"Expected a column of strings, and at most one of positions; got {shape[1]} columns. Join columns of "
                'single letters first: ["".join(row) for row in table].'
            )
        rows = given.tolist()
        return [row[0] for row in rows] if shape[1] == 1 else rows
    if hasattr(given, "tolist"):  # an array, or a column of a data frame
        return list(given.tolist())
    try:
        return list(given)
    except TypeError:
        raise CasebaseError(f"Expected a list of strings, got {type(given).__name__}.") from None


def _parsed(one: Any, mark: str) -> tuple[str, int | None]:
    if isinstance(one, str):
        n_marks = one.count(mark)
        if n_marks > 1:
            raise CasebaseError(f"{_quoted(one)} has {n_marks} marks ({mark!r}); expected one place, or none.")
        string, place = one.replace(mark, ""), one.index(mark) if n_marks else None
    elif isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str):
        string, position = one
        if not is_whole(position, 0, len(string)):
            raise CasebaseError(
                f"expected a position from 0 to {len(string)}, the length of {_quoted(string)}; got {position!r}."
            )
        place = int(position)
    else:
        raise CasebaseError(f"expected a string, or a pair of a string and a position; got {one!r}.")
    if "\0" in string or any("\ud800" <= letter <= "\udfff" for letter in string):
        raise CasebaseError(f"{_quoted(string)} has a NUL, or half of a character (a lone surrogate).")
    return string, place


def _quoted(string: str) -> str:
    return repr(string if len(string) <= N_SHOWN else string[:N_SHOWN] + "…")
