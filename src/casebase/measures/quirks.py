"""Quirks: behaviours in which a program departs from the usual definitions.

A setting such as compat="timbl" chooses a record. Methods check for a behaviour, never for a program.
"""

from dataclasses import dataclass, fields

from casebase.errors import CasebaseError, unknown_name


@dataclass(frozen=True)
class Quirks:
    """Departures from the usual definitions; none by default."""

    classes_as_met: bool = False  # class ties and sums over classes follow the order of first appearance
    sums_as_met: bool = False  # weights are summed over values in order of first appearance, and rounded accordingly
    limit_by_key: bool = False  # feature_limit keeps the features with the largest keys, not the largest weights
    fixed_sum_order: bool = False  # leave-one-out adds costs in the feature order of all cases
    shared_exemplars: bool = False  # equal cases of one class get the exemplar weight of the first
    exemplars_vote: bool = False  # identical cases vote with their exemplar weights
    exemplars_above_zero: bool = False  # the machine epsilon is added to exemplar weights
    flat_after_tie: bool = False  # after the first tie of a run, the inverse linear vote counts all distances equally
    votes_above_zero: bool = False  # an exponential vote of 0 becomes the machine epsilon
    kept_counted_twice: bool = False  # IB2 counts a case a second time when it keeps it
    unrounded_cosine: bool = False  # cosines that differ only by rounding are different
    root_per_feature: bool = False  # Euclidean distance adds the root of each feature's square
    no_swap_at_start: bool = False  # Levenshtein distance has no transposition at the start of a word
    letters_are_bytes: bool = False  # texts are compared byte by byte
    unknown_may_be_free: bool = False  # an unknown value costs nothing if the table of value differences is complete
    lists_emptied_classes: bool = False  # a class that a value loses with the held-out case is still listed


USUAL = Quirks()
TIMBL = Quirks(**{one.name: True for one in fields(Quirks)})
PROGRAMS = {"timbl": TIMBL}


def quirks_of(compat: object) -> Quirks:
    """Return the quirks of the program to be compatible with; none by default.

    >>> quirks_of(None) == USUAL, quirks_of("timbl").no_swap_at_start
    (True, True)
    """
    if compat is None:
        return USUAL
    if not isinstance(compat, str) or compat not in PROGRAMS:
        raise CasebaseError(unknown_name("compat", compat, PROGRAMS))
    return PROGRAMS[compat]
