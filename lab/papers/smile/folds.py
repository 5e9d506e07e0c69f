"""One fold of a data set: every method learns from the other nine and predicts its cases."""

import time
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from casebase import C45Classifier, IB1Classifier, MDLPDiscretizer, SMILEClassifier
from casebase.data.folds import folds
from lab.papers.smile.data import ALL_CUTS, SIZE_ALPHAS, Task
from lab.papers.smile.peers import SCIKIT_LEARN, SVMS, peers_on_numbers, peers_on_symbols, percent_by_weka
from lab.peers import weka

N_FOLDS = 10
AUTO, CHOSEN, SECONDS, IB1, C45 = "auto", "chosen alpha", "seconds", "IB1", "C4.5"
BY_SIZE, AS_NEIGHBOUR = "by size", "as the neighbour"


@dataclass(frozen=True, eq=False)
class Tables:
    """A data set as SMILE reads it and as the other methods do, its classes, and the fold of each case."""

    data: np.ndarray
    for_others: np.ndarray
    labels: np.ndarray
    fold: np.ndarray

    @property
    def is_measured(self) -> bool:
        """Whether the other methods see numbers."""
        return isinstance(self.for_others[0, 0], float)

    def read_as(self, variant: str) -> np.ndarray:
        """Return the table for SMILE, read in another way."""
        return self.cut_by_all if variant == ALL_CUTS else self.for_others

    @cached_property
    def cut_by_all(self) -> np.ndarray:
        table: np.ndarray = MDLPDiscretizer(encode="name").fit_transform(self.data, self.labels)
        return table


@cache
def tables_of(task: Task, seed: int) -> Tables:
    """Return the tables of a task, cut into folds; the same for all its runs."""
    data_set = task.load()
    drawn = np.random.default_rng(seed).permutation(len(data_set.target))[: task.n_drawn]
    for_others = (task.load_numbers() if task.load_numbers else data_set).data[drawn]
    labels = data_set.target[drawn]
    fold = folds(np.unique(labels, return_inverse=True)[1], N_FOLDS, seed)
    return Tables(data_set.data[drawn], for_others, labels, fold)


def run(task: Task, seed: int, number: int) -> dict[Any, float]:
    """Return each method's accuracy on a fold in percent, the chosen alpha, and how often SMILE answers as IB1 does.

    SMILE counts the cases of its pools as the paper prints it; the keys of `BY_SIZE` have pools that weigh by size.
    """
    tables = tables_of(task, seed)
    labels, held_out = tables.labels, tables.fold == number
    results: dict[Any, float] = {}

    answers: dict[Any, np.ndarray] = {}

    def measure(key: Any, method: Any, table: np.ndarray) -> Any:
        fitted = method.fit(table[~held_out], labels[~held_out])
        answers[key] = fitted.predict(table[held_out])
        results[key] = 100.0 * float(np.mean(answers[key] == labels[held_out]))
        return fitted

    begin = time.perf_counter()
    results[CHOSEN] = float(measure(AUTO, SMILEClassifier(alpha="auto", pools="cases"), tables.data).alpha_)
    results[SECONDS] = time.perf_counter() - begin
    for variant in ("", *task.variants):
        table = tables.read_as(variant) if variant else tables.data
        for alpha in task.alphas:
            measure((variant, alpha) if variant else alpha, SMILEClassifier(alpha=alpha, pools="cases"), table)
        for alpha in SIZE_ALPHAS:
            measure((BY_SIZE, variant, alpha), SMILEClassifier(alpha=alpha, pools="size"), table)
    measure(IB1, IB1Classifier(weighting="none"), tables.for_others)
    measure(C45, C45Classifier(subtree_raising=True), tables.for_others)  # as J48
    for key in (AUTO, *((BY_SIZE, "", alpha) for alpha in SIZE_ALPHAS)):
        results[AS_NEIGHBOUR, key] = 100.0 * float(np.mean(answers[key] == answers[IB1]))
    if task.with_svms:
        for setting, make in SVMS.items():
            measure((SCIKIT_LEARN, setting), make(), tables.for_others.astype(float))
    if weka.is_installed():
        said = percent_by_weka(tables.for_others, labels, held_out)
        return results | {(weka.NAME, peer): percent for peer, percent in said.items()}
    peers = peers_on_numbers(seed) if tables.is_measured else peers_on_symbols(tables.for_others, seed)
    for peer, method in peers.items():
        measure((SCIKIT_LEARN, peer), method, tables.for_others)
    return results
