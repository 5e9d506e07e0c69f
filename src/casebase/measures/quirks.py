"""Quirks: where a program departs from the usual definitions, behaviour by behaviour.

A setting such as compat="timbl" chooses a record. Methods ask for the behaviour, never for the program.
"""

from dataclasses import dataclass, fields

from casebase.errors import CasebaseError, unknown_name


@dataclass(frozen=True)
class Quirks:
    """What is done otherwise than the usual definitions have it; nothing by default."""

    classes_as_met: bool = False  # class ties and sums over classes go by the order in which classes were first seen
    sums_as_met: bool = False  # weights are sums over values in the order first seen, with the rounding that follows
    limit_by_key: bool = False  # feature_limit keeps the features with the largest keys, not the heaviest
    fixed_sum_order: bool = False  # leave-one-out adds costs in the order of all cases
    shared_exemplars: bool = False  # equal cases of one class have the exemplar weight of the first
    exemplars_vote: bool = False  # the exemplar weights of identical cases are their votes
    exemplars_above_zero: bool = False  # the smallest number is added to exemplar weights
    flat_after_tie: bool = False  # after the first tie of a run the inverse linear vote counts all distances alike
    votes_above_zero: bool = False  # an exponential vote of 0 becomes the smallest number
    kept_counted_twice: bool = False  # IB2 counts a case again when it keeps it
    unrounded_cosine: bool = False  # cosines that differ by rounding are different
    root_per_feature: bool = False  # Euclidean distance adds the root of each feature's square
    no_swap_at_start: bool = False  # Levenshtein's distance swaps no letters at the start of a word
    letters_are_bytes: bool = False  # texts are compared byte by byte
    unknown_may_be_free: bool = False  # an unseen value costs nothing where a table of differences is complete
    lists_emptied_classes: bool = False  # a class that a value loses with a held-out case is still listed


USUAL = Quirks()
TIMBL = Quirks(**{one.name: True for one in fields(Quirks)})
PROGRAMS = {"timbl": TIMBL}


def quirks_of(compat: object) -> Quirks:
    """Return the quirks of a program that is to be imitated; none by default.

    >>> quirks_of(None) == USUAL, quirks_of("timbl").no_swap_at_start
    (True, True)
    """
    if compat is None:
        return USUAL
    if not isinstance(compat, str) or compat not in PROGRAMS:
        raise CasebaseError(unknown_name("compat", compat, PROGRAMS))
    return PROGRAMS[compat]
