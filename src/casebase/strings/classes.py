"""Classes of letters, such as consonants and vowels: given as a table, or found from strings."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from casebase.errors import CasebaseError
from casebase.strings.vowels import letter_classes


def class_table(
    classes: object,
    strings: Sequence[str] = (),
    weights: np.ndarray | None = None,
    *,
    normal: Callable[[str], str] = str,
    reserved: str = ".-\0",
) -> dict[str, str] | None:
    """Return the class of each letter: inferred from strings, none at all, or as given.

    `normal` brings the letters of a table into the form of those of the strings; `reserved` signs name no class.

    >>> class_table({"V": "aeiou"})
    {'a': 'V', 'e': 'V', 'i': 'V', 'o': 'V', 'u': 'V'}
    """
    if isinstance(classes, str):
        if classes == "none":
            return None
        if classes == "auto":
            return letter_classes(strings, np.ones(len(strings)) if weights is None else weights)
    if not isinstance(classes, Mapping):
        raise CasebaseError(
            f"classes is 'auto', 'none' or a table such as {{'K': 'bcdfg', 'E': 'aeiou'}}; got {classes!r}."
        )
    table: dict[str, str] = {}
    for name, letters in classes.items():
        if not isinstance(name, str) or len(name) != 1 or name in reserved or not isinstance(letters, str):
            raise CasebaseError(
                f"A class has a name of one letter and a text of its letters; got {name!r}: {letters!r}."
            )
        for letter in normal(letters):
            if table.setdefault(letter, name) != name:
                raise CasebaseError(f"The letter {letter!r} is in two classes, {table[letter]!r} and {name!r}.")
    return table


def as_groups(classes: Mapping[str, str] | None) -> str | dict[str, str]:
    """Return a table of letters as `class_table` takes it.

    >>> as_groups({"a": "E", "b": "K", "e": "E"})
    {'E': 'ae', 'K': 'b'}
    """
    if classes is None:
        return "none"
    groups: dict[str, str] = {}
    for letter, name in classes.items():
        groups[name] = groups.get(name, "") + letter
    return groups
