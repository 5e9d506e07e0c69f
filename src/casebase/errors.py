"""The exceptions that casebase raises for mistakes in what it was given.

All derive from `CasebaseError`, so that the command line can turn them into a message, and from
`ValueError`, because that is what callers of a Python library expect for a bad argument.
"""

import difflib
from collections.abc import Iterable


class CasebaseError(ValueError):
    """Something that was given to casebase is wrong; the message says what to do."""


class FormatError(CasebaseError):
    """A data file does not have the form that was expected."""


class SchemaError(CasebaseError):
    """A table does not fit the features that a model was trained on."""


class ModelFileError(CasebaseError):
    """A model file is damaged, foreign, or of another version."""


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
