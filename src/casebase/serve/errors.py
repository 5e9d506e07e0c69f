"""The errors of a desk; all are `CasebaseError`."""

from casebase.errors import CasebaseError, LockedError

__all__ = ["ChangedError", "JournalError", "KeyReusedError", "LockedError", "ReadOnlyError", "ReplacedError"]


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
