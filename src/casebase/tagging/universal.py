"""Tokens of CoNLL-U as mappings: `form`, `lemma`, `upos`, `xpos`, `feats`, as the package conllu has them.

Words are the tokens whose `id` is a whole number, or that have none. The others (words of several tokens, `3-4`, and
empty nodes, `5.1`) are passed over, as in a CoNLL-U file.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from casebase.errors import CasebaseError, unknown_name

TAGS = ("upos", "xpos", "feats")
COLUMNS = (*TAGS, "lemma")
NOTHING = "_"
_OLD_NAMES = {"upos": "upostag", "xpos": "xpostag"}

Token = Mapping[str, Any]


def are_mappings(sentence: Sequence[Any]) -> bool:
    """Whether the tokens of a sentence are mappings; an error if only some are."""
    kinds = {isinstance(token, Mapping) for token in sentence}
    if len(kinds) > 1:
        raise CasebaseError("Some tokens of a sentence are mappings (form, upos, …), and others are not.")
    return kinds == {True}


def words_in(sentence: Iterable[Token]) -> list[Token]:
    """Return the tokens that are words.

    >>> [token["form"] for token in words_in([{"id": (1, "-", 2), "form": "im"}, {"id": 1, "form": "in"}])]
    ['in']
    """
    return [token for token in sentence if _is_word(token)]


def _is_word(token: Token) -> bool:
    number = token.get("id")
    if number is None or (isinstance(number, int) and not isinstance(number, bool)):
        return True
    if isinstance(number, str) and number.isdigit():
        return True
    parts = tuple(number) if isinstance(number, tuple | list) else str(number).replace("-", " - ").split()
    is_range = len(parts) == 3 and parts[1] in ("-", ".")
    if is_range or (isinstance(number, str) and number.replace(".", "", 1).isdigit()):
        return False
    raise CasebaseError(f"Expected the number of a word (3, 3-4 or 3.1) as id, got {number!r}.")


def form_of(token: Token, where: str) -> str:
    """Return the word of a token."""
    form = token.get("form")
    if not isinstance(form, str) or not form:
        known = ", ".join(map(str, token))
        raise CasebaseError(f"{where}: expected a token with a form, a text; got one with {known or 'nothing'}.")
    return form


def value_of(token: Token, column: str) -> str | None:
    """Return the lemma, a tag or the features of a token as text; None if it has none.

    Features may be a mapping; no features are `_`, as in a file.

    >>> value_of({"feats": {"Case": "Nom", "Number": "Sing"}}, "feats"), value_of({"upos": "_"}, "upos")
    ('Case=Nom|Number=Sing', None)
    """
    if column not in COLUMNS:
        raise CasebaseError(unknown_name("column", column, COLUMNS))
    value = token.get(column)
    if value is None:
        value = token.get(_OLD_NAMES.get(column, column))
    if column == "feats":
        if isinstance(value, Mapping):
            value = "|".join(str(name) if one is None else f"{name}={one}" for name, one in value.items())
        return value or NOTHING
    if column == "lemma" and value == NOTHING and token.get("form") == NOTHING:
        return NOTHING  # the lemma of an underscore
    return None if value in (None, "", NOTHING) else str(value)


def checked_value(token: Token, column: str, where: str) -> str:
    """Return what a token has in a column; an error if it has nothing there."""
    value = value_of(token, column)
    if value is None:
        raise CasebaseError(
            f"{where}: {form_of(token, where)!r} has nothing in {column.upper()}. "
            "Mend the token, or take another column."
        )
    return value


def place(sentence: int, token: int) -> str:
    """Return how messages call a token.

    >>> place(0, 1)
    'Sentence 1, word 2'
    """
    return f"Sentence {sentence + 1}, word {token + 1}"
