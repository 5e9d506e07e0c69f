"""Smallest flips: the fewest changes of a query after which a model predicts another class.

`domains` says which values a change may choose, `columns` turns them into changes of the user's columns, `search` finds
the fewest changes and the cheapest of them, and `records` is the result. A method's row in the list of methods has a
`Structure`, which tells the search what the model looks at.
"""

from casebase.base.flips.domains import Domain, domains_of
from casebase.base.flips.records import Change, Flip, Removal
from casebase.base.flips.rules import asked_by_rules
from casebase.base.flips.search import ALL_SYMBOLS, BUDGET, Structure, find_flips

__all__ = [
    "ALL_SYMBOLS",
    "BUDGET",
    "Change",
    "Domain",
    "Flip",
    "Removal",
    "Structure",
    "asked_by_rules",
    "domains_of",
    "find_flips",
]
