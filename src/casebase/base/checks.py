"""Checks of parameters that several methods have."""

from casebase.errors import CasebaseError


def checked_missing(missing: str) -> bool:
    """Return whether two missing values agree."""
    if missing not in ("value", "unknown"):
        raise CasebaseError(
            f"missing is 'value' (a missing value is a value like any other) or 'unknown' (it agrees with nothing); "
            f"got {missing!r}."
        )
    return missing == "value"
