"""The settings of rules over strings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from casebase.base import common
from casebase.base.checks import check_flag, check_name, check_optional_whole
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.errors import CasebaseError
from casebase.rules.search import check_noise, checked_depth
from casebase.rules.windows import check_window
from casebase.strings.classes import class_table
from casebase.strings.pieces import COSTS
from casebase.strings.texts import EDGE

MARK = "|"


def _check_mark(mark: object) -> None:
    if not isinstance(mark, str) or len(mark) != 1 or mark in (EDGE, "\0"):
        raise CasebaseError(
            f"mark is one sign for the place asked about, such as '|', and not a full stop; got {mark!r}."
        )


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How deep the hierarchy is, and which pieces of strings its rules may ask for."""

    first: ClassVar[str] = "depth"

    depth: int | str = setting(
        2,
        'int or "auto"',
        "The number of levels of exceptions: 1 allows exceptions to the default, 2 also exceptions to these. "
        '"auto" takes the smallest depth at which the rule is right on every string.',
        checked_depth,
        kind="whole",
        word="auto",
    )
    cost: str = setting(
        "unit",
        '{"unit", "length"}',
        "The cost of a rule: 1, or the number of letters of its piece.",
        check_name("cost", COSTS),
        kind="choice",
        choices=COSTS,
    )
    edges: bool = setting(
        True,
        "bool",
        "Whether pieces may contain the edges of a string, written as full stops: `.un` at the beginning, `ing.` at "
        "the end.",
        check_flag("edges"),
        kind="flag",
        option="--edges/--no-edges",
    )
    anywhere: bool = setting(
        False,
        "bool",
        "Whether pieces may lie anywhere in the string, on one side of the place asked about. Without a place, all do.",
        check_flag("anywhere"),
        kind="flag",
    )
    classes: str | Mapping[str, str] = setting(
        "none",
        '"none", "auto" or dict',
        'Classes of letters that pieces may have in place of letters: "none"; "auto" for consonants (K), vowels (E) '
        'and combining marks (M), found from the strings; or a table such as {"K": "bcdfg", "E": "aeiou"}.',
        lambda classes: None if classes == "auto" else class_table(classes) and None,
        kind="classes",
        metavar="auto|none|K=bcdf,E=aeiou",
    )
    around: bool = setting(
        False,
        "bool",
        "Whether pieces of classes may have the letter right after the place as it is: `K|aKE`.",
        check_flag("around"),
        kind="flag",
    )
    by_letter: bool = setting(
        False,
        "bool",
        "Whether each letter right after the place has a default of its own, its most frequent class, as a rule of the "
        "last level: `|a → AH`. Letters whose most frequent class is that of all strings keep the common default.",
        check_flag("by_letter"),
        kind="flag",
    )
    max_length: int | None = setting(
        None,
        "int, optional",
        "The maximum length of a piece in letters, edges included; 24 by default.",
        check_optional_whole("max_length", "the maximum length of a piece", 1),
        kind="whole",
    )
    max_class_length: int | None = setting(
        None,
        "int, optional",
        "The same for pieces of classes; `max_length` by default.",
        check_optional_whole("max_class_length", "the maximum length of a piece of classes", 1),
        kind="whole",
    )
    noise: float | str = setting(
        "auto",
        'float or "auto"',
        'The share of the strings that the rules may get wrong. "auto" leaves as few errors as it can and warns if '
        "there are any. With 0, `fit` raises an error that shows conflicting strings if no rule is right on all.",
        check_noise,
        kind="share",
        word="auto",
    )
    window: float | None = setting(
        None,
        "float, optional",
        "Windowing: learn from this share of the strings, add those that are predicted wrongly, and repeat until there "
        "are none. This is faster, and may give other rules than learning from all strings at once.",
        lambda share: None if share is None else check_window(share),
        kind="number",
    )
    forbid: Sequence[str] | None = setting(
        None,
        "list of str, optional",
        'Pieces that must not be used, such as "|tion", with the mark at the place.',
        lambda names: _texts(names or ()),
        kind="concepts",
        metavar="PIECE",
    )
    force: Sequence[Sequence[Any]] | None = setting(
        None,
        "list of (piece, class) or (piece, class, level), optional",
        "Rules that must be used; the other rules are learned around them.",
        kind="rules",
        metavar="'PIECE → CLASS'",
    )
    mark: str = setting(
        MARK,
        "str",
        "The sign of the place asked about, in strings and in pieces.",
        _check_mark,
        metavar="CHAR",
    )
    random_state: int = common.random_state("Seed of the first window.")


def _texts(given: Any) -> None:
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise CasebaseError(f"forbid is a list of pieces, such as ['|tion']; got {given!r}.")
