"""The five data sets of the paper's Table 1, and the figures it prints for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from casebase.datasets import Dataset, load_keel, load_weather
from lab.local import load_local

SMILE, NEIGHBOURS, BAYES, TREE, SVM = "SMILE", "kNN", "naive Bayes", "J48", "SVM"
ALL_CUTS, AS_NUMBERS = "cuts from all cases", "integers cut too"
UP_TO_20 = tuple(range(21))
SIZE_ALPHAS = (1, 0)  # with pools that weigh by size: the alpha that is nearest to the paper, and casebase's default


@dataclass(frozen=True, eq=False)
class Task:
    """A data set, the paper's figures, and the settings that are measured besides alpha="auto".

    `alphas` are tried one by one on the same folds, with pools as printed; pools that weigh by size have those of
    `SIZE_ALPHAS`. `orientation` is the result of an earlier prototype with the
    best of them, with cuts from all cases if these are measured, too. `load_numbers` loads the table as
    the other methods read it, where that is another one.
    """

    name: str
    load: Callable[[], Dataset]
    printed: Mapping[str, float]
    alphas: tuple[int, ...]
    orientation: float | None
    load_numbers: Callable[[], Dataset] | None = None
    with_all_cuts: bool = False  # also with cuts from all cases, including held-out ones
    with_svms: bool = False  # also with other readings of the SVM
    n_drawn: int | None = None  # a sample of this many cases

    @property
    def variants(self) -> tuple[str, ...]:
        """Other readings of the data for SMILE."""
        return (ALL_CUTS,) * self.with_all_cuts + (AS_NUMBERS,) * (self.load_numbers is not None)

    def drawn(self, n: int) -> "Task":
        """Return the task with a sample of n cases."""
        return replace(self, n_drawn=n)


def _printed(smile: float, knn: float, bayes: float, tree: float, svm: float) -> dict[str, float]:
    return {SMILE: smile, NEIGHBOURS: knn, BAYES: bayes, TREE: tree, SVM: svm}


TASKS = (
    Task(
        "Iris",
        partial(load_keel, "iris"),
        _printed(94.0, 96.0, 96.0, 95.3, 85.3),
        (4,),
        94.0,
        with_all_cuts=True,
        with_svms=True,
    ),
    Task(
        "Letter",
        partial(load_keel, "letter"),
        _printed(86.8, 94.8, 64.2, 87.8, 81.7),
        (8,),
        86.9,
        load_numbers=partial(load_keel, "letter", symbolic=False),
    ),
    Task(
        "Sonar",
        partial(load_keel, "sonar"),
        _printed(84.6, 73.0, 65.9, 74.1, 77.8),
        UP_TO_20,
        82.7,
        with_all_cuts=True,
    ),
    # With temperature, humidity and legs as numbers, as the figures of the paper's J48 on Weather suggest.
    Task("Weather", partial(load_weather, numeric=True), _printed(80.0, 70.0, 70.0, 65.0, 40.0), tuple(range(7)), None),
    Task("Zoo", partial(load_local, "zoo", symbolic=False), _printed(98.1, 88.2, 95.2, 92.1, 92.1), UP_TO_20, None),
)

# For a quick look: a part of the largest set.
QUICK_TASKS = tuple(task.drawn(2000) if task.name == "Letter" else task for task in TASKS)
