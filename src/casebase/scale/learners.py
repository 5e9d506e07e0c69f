"""Which learners learn in parts, and with which settings."""

from casebase.base.method import Method
from casebase.base.settings import Settings
from casebase.errors import CasebaseError
from casebase.measures.weights import FROM_ALL_CASES

BY_COUNTS = ("ib1", "igtree", "tribl", "tribl2")
BY_ALL = ("id3", "c45", "oblivion")
BY_SAMPLE = ("auto", "forest", "kernel", "opinions", "discriminant")
LEARNERS = BY_COUNTS + BY_ALL + BY_SAMPLE


def check_learner(method: Method, settings: Settings) -> None:
    """Refuse methods and settings that need all cases in memory at once."""
    if method.name not in LEARNERS:
        raise CasebaseError(
            f"{method.name} cannot learn from a table that is larger than memory; these can: {', '.join(LEARNERS)}."
        )
    if getattr(settings, "compat", None) is not None:
        raise CasebaseError("compat goes by the order of all cases in memory: leave it out, or leave out --memory.")
    if getattr(settings, "switch", None) == "cv":
        raise CasebaseError(
            "switch='cv' answers the cases again and again, which must be in memory at once: give the number of "
            "features in the tree, or 'auto', or leave out --memory."
        )
    for name in ("weighting", "weighting_below"):
        value = getattr(settings, name, None)
        if isinstance(value, str) and value in FROM_ALL_CASES:
            raise CasebaseError(f"The weighting {value!r} needs all cases in memory at once: choose another one.")
