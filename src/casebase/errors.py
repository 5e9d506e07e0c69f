"""The exceptions that casebase raises for wrong input.

All derive from `CasebaseError`, which the command line turns into a message, and from `ValueError`, which callers of a
Python library expect for a bad argument.
"""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any


class CasebaseError(ValueError):
    """The input is wrong; the message says what to do."""


class FormatError(CasebaseError):
    """A data file does not have the expected format."""


class EncodingError(FormatError):
    """A text is not in the encoding in which it is read."""


class SchemaError(CasebaseError):
    """A table does not match the features that a model was trained on."""


class ModelFileError(CasebaseError):
    """A model file is damaged, foreign, or of another version."""


class LockedError(CasebaseError):
    """Another process is correcting a model file, or serves it."""


class NoConsistentRuleError(CasebaseError):
    """No rule of this depth is right on enough examples.

    `n_conflicts` is the number of examples that prevent it; `examples` has the positions of some of them, `conflicts`
    of all. Each equals an example of another class, or is in no concept whose exceptions can be covered.
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
    """Patterns with letter classes expand to more patterns of letters, `n_patterns`, than a file may have."""

    def __init__(self, message: str, n_patterns: int) -> None:
        super().__init__(message)
        self.n_patterns = n_patterns


class DataNotFoundError(CasebaseError, FileNotFoundError):
    """The file of a data set is in none of the searched places."""


class MissingExtraError(CasebaseError, ImportError):
    """The package that contains a data set is not installed."""


class MissingPlotExtraError(CasebaseError, ImportError):
    """A picture needs matplotlib, which is not installed."""


class ChangedError(CasebaseError):
    """The model has changed since the version that a correction was made for."""


class ReadOnlyError(CasebaseError):
    """The model is served for reading only, or its method cannot be corrected."""


class ReplacedError(CasebaseError):
    """Another process has replaced or deleted the model file of a desk."""


class KeyReusedError(CasebaseError):
    """An idempotency key was used before, for another correction."""


class JournalError(CasebaseError):
    """A journal is damaged, or does not continue the model file beside it."""


class NotFoundError(CasebaseError):
    """There is nothing with this name here."""


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
