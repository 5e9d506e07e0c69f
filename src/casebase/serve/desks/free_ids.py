"""Ids for new records that come without one, where ids are texts."""

from collections.abc import Collection

import numpy as np

from casebase.base.log import Id
from casebase.memory.lookup import rows_or_none
from casebase.memory.segments import Memory

PREFIX = "new-"


def free_ids(memory: Memory, n_ids: int, used: Collection[Id] = ()) -> list[str]:
    """Return texts that no stored record has as its id, `new-1`, `new-2` …, nor an earlier one that was `used`.

    The numbers go on after the largest of those that were used, so that the journal never has two records with one id.
    """
    numbers = [
        int(case[len(PREFIX) :])
        for case in used
        if isinstance(case, str) and case.startswith(PREFIX) and case[len(PREFIX) :].isdecimal() and len(case) < 20
    ]
    found: list[str] = []
    first, n_tried = max(numbers, default=0) + 1, n_ids
    while len(found) < n_ids:
        tried = [f"{PREFIX}{number}" for number in range(first, first + n_tried)]
        rows = rows_or_none(memory, np.array(tried, dtype=object))
        found += [case for case, row in zip(tried, rows.tolist()) if row < 0]
        first, n_tried = first + n_tried, 2 * n_tried
    return found[:n_ids]
