"""One fold of a data set: every method learns from the other nine and predicts its cases."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from casebase import (
    C45Classifier,
    C45RulesClassifier,
    IB1Classifier,
    IGTreeClassifier,
    MDLPDiscretizer,
    ObliviousGraphClassifier,
    TRIBLClassifier,
)
from casebase.data.folds import folds
from lab.papers.igtree.data import C45, C45_RULES, EODG, IB1, IB1_IG, IGTREE, TIMBL_OPTIONS, TRIBL, Task
from lab.papers.igtree.tagging import ASKING, KILOBYTES, LEARNING, kilobytes_of
from lab.peers import timbl, weka
from lab.peers.scikit_learn import one_neighbour, unpruned_tree

N_FOLDS = 10
MISSING = "?"
NODES, SWITCH, SINGLE, WEIGHTED, PEER_TREE = "nodes", "switch point", "a single nearest case", "weighted below", "tree"
RESTORED = "training cases restored"
CONSISTENT, AS_VALUE, WITH_EMPTY = "until all cases are told apart", "? as a value", "nodes, empty leaves too"

ON_SYMBOLS: dict[str, Callable[[], Any]] = {
    IGTREE: partial(IGTreeClassifier, keep_cases=False),
    IB1: partial(IB1Classifier, weighting="none"),
    IB1_IG: partial(IB1Classifier, weighting="gain_ratio"),
    SINGLE: one_neighbour,
}
WITH_TRIBL: dict[str, Callable[[], Any]] = {
    TRIBL: TRIBLClassifier,
    WEIGHTED: partial(TRIBLClassifier, weighting_below="gain_ratio"),
}
GRAPHS: dict[str, Callable[[], Any]] = {
    EODG: partial(ObliviousGraphClassifier, method="eodg"),
    CONSISTENT: partial(ObliviousGraphClassifier, method="consistent"),
}
ON_NUMBERS: dict[str, Callable[[], Any]] = {
    C45: partial(C45Classifier, subtree_raising=True),  # as Quinlan's program
    C45_RULES: C45RulesClassifier,
}


@dataclass(frozen=True, eq=False)
class Tables:
    """A data set as the memories read it and as C4.5 does, its classes, and the fold of each case.

    `with_marks` is the table for trees with unknown values as the value `?`, if it has some.
    """

    data: np.ndarray
    for_trees: np.ndarray
    labels: np.ndarray
    fold: np.ndarray
    with_marks: np.ndarray | None = None

    @property
    def is_measured(self) -> bool:
        """Whether the memories need cuts."""
        return isinstance(self.data[0, 0], float)

    @property
    def trees_see_numbers(self) -> bool:
        return isinstance(self.for_trees[0, 0], float)


@cache
def tables_of(task: Task, seed: int) -> Tables:
    """Return the tables of a task, cut into folds; the same for all its runs."""
    data_set = task.load()
    drawn = np.random.default_rng(seed).permutation(len(data_set.target))[: task.n_drawn]
    given = (task.load_numbers() if task.load_numbers else data_set).data[drawn]
    for_trees = given.copy()
    for_trees[given == MISSING] = None
    labels = data_set.target[drawn]
    fold = folds(np.unique(labels, return_inverse=True)[1], N_FOLDS, seed)
    return Tables(data_set.data[drawn], for_trees, labels, fold, given if (given == MISSING).any() else None)


def run(task: Task, seed: int, number: int) -> dict[Any, float]:
    """Return each method's accuracy on a fold in percent, the sizes of the models, and the results of peers."""
    tables = tables_of(task, seed)
    held_out = tables.fold == number
    results: dict[Any, float] = {}

    def measure(method: str, made: Any, table: np.ndarray) -> Any:
        begin = time.perf_counter()
        fitted = made.fit(table[~held_out], tables.labels[~held_out])
        learnt = time.perf_counter()
        answers = fitted.predict(table[held_out])
        results[method, LEARNING], results[method, ASKING] = learnt - begin, time.perf_counter() - learnt
        results[method] = 100.0 * float(np.mean(answers == tables.labels[held_out]))
        return fitted

    symbols = _cut(tables, held_out) if tables.is_measured else tables.data
    memories = ON_SYMBOLS | (WITH_TRIBL if task.has_tribl else {}) if task.has_memories else {}
    for method, make in memories.items():
        fitted = measure(method, make(), symbols)
        if method == IGTREE:
            results[method, NODES] = float(fitted.n_nodes_)
        if method in (IGTREE, IB1):
            results[method, KILOBYTES] = kilobytes_of(fitted.model_)
        if method == IGTREE:
            results[RESTORED] = percent_restored(fitted, symbols[~held_out], tables.labels[~held_out])
        if method == TRIBL:
            results[SWITCH] = float(fitted.switch_)
    for method, make in GRAPHS.items():  # EODG cuts numbers itself
        fitted = measure(method, make(), tables.data if method == EODG else symbols)
        results[method, NODES] = float(fitted.n_nodes_)
    for method, make in ON_NUMBERS.items():
        fitted = measure(method, make(), tables.for_trees)
        if method == C45:  # J48's own count includes leaves that no case reaches
            results[method, NODES] = float(fitted.n_nodes_)
            results[method, WITH_EMPTY] = float(fitted.n_nodes_ + fitted.model_.nodes.n_empty)
    if tables.with_marks is not None:
        results[C45, NODES] = float(measure(AS_VALUE, ON_NUMBERS[C45](), tables.with_marks).n_nodes_)
    if tables.trees_see_numbers:
        measure(PEER_TREE, DecisionTreeClassifier(criterion="entropy", random_state=seed), tables.for_trees)
    else:
        measure(PEER_TREE, unpruned_tree(seed), symbols)
    if weka.is_installed():
        with weka.Fold(tables.for_trees, tables.labels, np.flatnonzero(~held_out), np.flatnonzero(held_out)) as asked:
            said = asked.ask(weka.J48)
        results |= {(weka.NAME, C45): said.percent, (weka.NAME, NODES): float(said.n_nodes or 0)}
    if timbl.is_installed() and task.has_memories:
        results |= _by_timbl(symbols, tables.labels, held_out, results.get(SWITCH))
    return results


def percent_restored(fitted: Any, symbols: np.ndarray, labels: np.ndarray) -> float:
    """Return the percent of consistent training cases that a model classifies correctly."""
    classes: dict[tuple[Any, ...], set[Any]] = {}
    for row, label in zip(symbols.tolist(), labels.tolist()):
        classes.setdefault(tuple(row), set()).add(label)
    is_clear = np.array([len(classes[tuple(row)]) == 1 for row in symbols.tolist()])
    return 100.0 * float(np.mean(fitted.predict(symbols[is_clear]) == labels[is_clear]))


def _cut(tables: Tables, held_out: np.ndarray) -> np.ndarray:
    """Return the table in intervals, with cuts from the training cases."""
    cut = MDLPDiscretizer(encode="name").fit(tables.data[~held_out], tables.labels[~held_out])
    table: np.ndarray = cut.transform(tables.data)
    return table


def _by_timbl(symbols: np.ndarray, labels: np.ndarray, held_out: np.ndarray, switch: float | None) -> dict[Any, float]:
    results: dict[Any, float] = {}
    with timbl.Fold(coded(symbols, labels), held_out) as fold:
        for method in (IGTREE, IB1, IB1_IG):
            said = fold.ask(*TIMBL_OPTIONS[method])
            results[timbl.NAME, method] = said.percent
            if method == IGTREE:
                results[timbl.NAME, NODES] = float(said.n_nodes)
        if switch is not None:
            # TiMBL's switch is at least 1; without features in the tree, TRIBL is IB1.
            options = (*TIMBL_OPTIONS[TRIBL], "-q", f"{switch:.0f}") if switch else TIMBL_OPTIONS[IB1_IG]
            results[timbl.NAME, TRIBL] = fold.ask(*options).percent
    return results


def coded(symbols: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return values and classes as numbers, the class last.

    >>> coded(np.array([["a", "x"], ["b", "x"]]), np.array(["no", "yes"])).tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    columns = [np.unique(column.astype(str), return_inverse=True)[1] for column in (*symbols.T, labels)]
    return np.stack(columns, axis=1)
