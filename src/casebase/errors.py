"""The exceptions that casebase raises for mistakes in what it was given.

All derive from `CasebaseError`, so that the command line can turn them into a message, and from
`ValueError`, because that is what callers of a Python library expect for a bad argument.
"""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any


class CasebaseError(ValueError):
    """Something that was given to casebase is wrong; the message says what to do."""


class FormatError(CasebaseError):
    """A data file does not have the form that was expected."""


class SchemaError(CasebaseError):
    """A table does not fit the features that a model was trained on."""


class ModelFileError(CasebaseError):
    """A model file is damaged, foreign, or of another version."""


class NoConsistentRuleError(CasebaseError):
    """No rule of this depth is right on enough examples.

    `n_conflicts` tells how many examples stand in the way; `examples` has the positions of some of them, `conflicts`
    of all. They are equal to others of another class, or in no concept whose exceptions can be covered.
    """

    def __init__(
        self, message: str, n_conflicts: int, examples: Sequence[int], conflicts: Sequence[int] | None = None
    ) -> None:
        super().__init__(message)
        self.n_conflicts, self.examples = n_conflicts, tuple(examples)
        self.conflicts = self.examples if conflicts is None else tuple(conflicts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.n_conflicts, self.examples, self.conflicts)


class TooManyPatternsError(CasebaseError):
    """Patterns of classes stand for more patterns of letters, `n_patterns`, than a file may have."""

    def __init__(self, message: str, n_patterns: int) -> None:
        super().__init__(message)
        self.n_patterns = n_patterns


class DataNotFoundError(CasebaseError, FileNotFoundError):
    """The file of a data set is in none of the places where it was looked for."""


class MissingExtraError(CasebaseError, ImportError):
    """A package is not installed that a data set comes with."""


class MissingPlotExtraError(CasebaseError, ImportError):
    """A picture was asked for, and matplotlib is not installed."""


def unknown_name(what: str, name: object, known: Iterable[object]) -> str:
    """Return the message for a name that is not among the known ones.

    >>> unknown_name("feature", "suffx", ["prefix", "suffix"])
    "Unknown feature 'suffx'. Did you mean 'suffix'? Known: prefix, suffix."
    """
    names = [str(k) for k in known]
    nearest = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    shown = ", ".join(names[:30]) + (", …" if len(names) > 30 else "")
    return f"Unknown {what} {str(name)!r}.{hint} Known: {shown}."
