"""The smallest flip of one prediction against one prediction, on the tables of the comparison of methods."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import casebase as cb
from casebase.datasets import DataNotFoundError, Dataset
from casebase.estimators._load import estimator_of
from casebase.methods import METHODS
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, core_clock
from lab.bench.which_method import DATA

TABLES = ("tic-tac-toe", "splice", "housevotes", "attachment", "german", "vehicle")
ON_ALL: dict[str, Callable[[], Any]] = {
    "IB1, k=1": cb.IB1Classifier,
    "IB1, k=3": lambda: cb.IB1Classifier(k=3),
    "IGTree": cb.IGTreeClassifier,
    "C4.5": cb.C45Classifier,
}
FOR_EACH_METHOD = "german"
ASKED = 40
TARGET = 100  # predictions
MILLI = 1000.0


def flips(sizes: Sizes) -> Iterator[Row]:
    """Measure the median time of a flip, removals included, and of a prediction: some learners on all tables, then all
    methods on one."""
    for name in TABLES:
        table = _table(name)
        if table is not None:
            for what, learner in ON_ALL.items():
                yield _row(f"{what}, {name}", learner(), table, sizes)
    table = _table(FOR_EACH_METHOD)
    if table is not None:
        for method in METHODS:
            yield _row(f"{method}, {FOR_EACH_METHOD}", estimator_of(method)(), table, sizes)


def _table(name: str) -> Dataset | None:
    try:
        return DATA[name][1]()
    except DataNotFoundError:
        return None


def _row(what: str, learner: Any, table: Dataset, sizes: Sizes) -> Row:
    X = pd.DataFrame(table.data, columns=table.feature_names).infer_objects()
    rows = np.random.default_rng(0).permutation(len(X))
    asked, learned = rows[:ASKED], rows[ASKED : ASKED + sizes.few]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rules that are not right on all cases
        learner.fit(X.iloc[learned], table.target[learned])
    queries = [X.iloc[[i]] for i in asked[: ASKED if sizes.is_full else 3]]
    learner.flip(queries[0])  # caches that are filled on first use
    taken = {call: Runs(tuple(_milliseconds(call, one) for one in queries)) for call in (learner.flip, learner.predict)}
    work = f"the smallest flip of one prediction against one prediction, {what}, {len(queries)} queries"
    return beside(work, taken[learner.flip], taken[learner.predict], TARGET, "ms", is_cost=True)


def _milliseconds(call: Callable[[Any], object], query: Any) -> float:
    start = core_clock()
    call(query)
    return (core_clock() - start) * MILLI
