"""The data sets of the paper's Tables 2 and 3, and the figures it prints for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from casebase.datasets import Dataset, load_keel, load_tic_tac_toe
from lab.local import load_local

IGTREE, IB1, IB1_IG, TRIBL = "IGTree", "IB1", "IB1-IG", "TRIBL"
EODG, C45, C45_RULES = "EODG", "C4.5", "C4.5rules"
TABLE_2, TABLE_3 = "Table 2", "Table 3"
MUSHROOMS = "mushroom, all 8,124"  # as Kohavi and Li had them; the paper has those without unknown values
# TiMBL's options for each method. Its weights have numbers: none, gain ratio, information gain.
TIMBL_OPTIONS = {
    IGTREE: ("-a", "IGTREE", "-w", "1"),
    IB1: ("-a", "IB1", "-k", "1", "-w", "0"),
    IB1_IG: ("-a", "IB1", "-k", "1", "-w", "1"),
    TRIBL: ("-a", "TRIBL", "-k", "1", "-w", "1"),
}

Figure = tuple[float, float]  # the printed figure, and its spread after ±


@dataclass(frozen=True, eq=False)
class Task:
    """A data set, and what the paper prints for it: accuracies, nodes of trees and graphs, TRIBL's switch point.

    `load_numbers` loads the table as C4.5 reads it, where that is another one.
    """

    where: str
    name: str
    load: Callable[[], Dataset]
    printed: Mapping[str, Figure]
    nodes: Mapping[str, float]
    switch: float | None = None
    load_numbers: Callable[[], Dataset] | None = None
    n_drawn: int | None = None  # a sample of this many cases

    @property
    def has_tribl(self) -> bool:
        return self.where == TABLE_3

    @property
    def has_memories(self) -> bool:
        """Whether the paper's own methods were run on these cases, or only those of Kohavi and Li."""
        return self.name != MUSHROOMS


def load_soybean() -> Dataset:
    """Return the soybean data without duplicates: 631 of 683 cases.

    >>> load_soybean()  # doctest: +SKIP
    Dataset('soybean': 631 cases, 35 features, 19 classes)
    """
    whole = load_local("soybean")
    seen = {(*row, label): i for i, (row, label) in reversed(list(enumerate(zip(whole.data.tolist(), whole.target))))}
    first = np.array(sorted(seen.values()))
    return replace(whole, data=whole.data[first], target=whole.target[first])


TASKS = (
    Task(
        TABLE_2,
        "mushroom",
        partial(load_keel, "mushroom"),
        dict.fromkeys((IGTREE, IB1, IB1_IG, EODG, C45, C45_RULES), (100.0, 0.0)),
        {IGTREE: 20.0},
    ),
    Task(
        TABLE_2,
        MUSHROOMS,
        partial(load_local, "mushroom8124"),
        dict.fromkeys((EODG, C45, C45_RULES), (100.0, 0.0)),
        {EODG: 31.6, C45: 30.5},
    ),
    Task(
        TABLE_2,
        "soybean",
        load_soybean,
        {
            IGTREE: (91.61, 2.84),
            IB1: (91.30, 3.10),
            IB1_IG: (91.30, 2.49),
            EODG: (81.13, 1.87),
            C45: (92.54, 1.43),
            C45_RULES: (91.28, 1.00),
        },
        {IGTREE: 207.1, EODG: 80.9, C45: 66.5},
    ),
    Task(
        TABLE_3,
        "tic-tac-toe",
        load_tic_tac_toe,
        {
            IGTREE: (85.59, 3.32),
            IB1: (98.75, 0.66),
            IB1_IG: (89.56, 2.21),
            TRIBL: (98.75, 0.66),
            EODG: (89.4, 0.96),
            C45: (85.6, 1.08),
            C45_RULES: (98.9, 0.57),
        },
        {},
        switch=1,
    ),
    Task(
        TABLE_3,
        "vehicle",
        partial(load_keel, "vehicle", symbolic=False),
        {
            IGTREE: (66.52, 7.74),
            IB1: (69.96, 7.27),
            IB1_IG: (70.45, 6.85),
            TRIBL: (70.57, 6.75),
            EODG: (54.6, 2.72),
            C45: (69.8, 1.77),
            C45_RULES: (71.9, 1.56),
        },
        {},
        switch=2,
    ),
    Task(
        TABLE_3,
        "chess",
        partial(load_keel, "chess"),
        {
            IGTREE: (96.12, 0.87),
            IB1: (96.62, 0.79),
            IB1_IG: (96.65, 0.71),
            TRIBL: (97.81, 0.72),
            EODG: (98.5, 0.25),
            C45: (99.5, 0.13),
            C45_RULES: (99.5, 0.12),
        },
        {},
        switch=6,
    ),
    Task(
        TABLE_3,
        "glass",
        partial(load_local, "glass"),
        {IGTREE: (72.40, 10.82), IB1: (78.03, 11.57), IB1_IG: (75.67, 12.58), TRIBL: (76.13, 12.36)},
        {},
        switch=1,
    ),
    Task(
        TABLE_3,
        "letter",
        partial(load_keel, "letter"),
        {IGTREE: (74.49, 1.28), IB1: (89.58, 0.81), IB1_IG: (90.93, 1.24), TRIBL: (86.99, 1.37)},
        {},
        switch=2,
        load_numbers=partial(load_keel, "letter", symbolic=False),
    ),
)

# For a quick look: a part of the largest set.
QUICK_TASKS = tuple(replace(task, n_drawn=2000) if task.name == "letter" else task for task in TASKS)
