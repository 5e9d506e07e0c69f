"""The demonstration: seven methods on small built-in data sets, and one explained answer."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from casebase.base.evidence import Evidence
from casebase.base.model import Model
from casebase.data import Cases
from casebase.datasets import Dataset, load_monks, load_objects, load_tic_tac_toe
from casebase.evaluate import cross_validate
from casebase.methods import method_named
from casebase.progress import Progress

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "autopilot": ("auto", {}),
    "IB1": ("ib1", {"weighting": "none"}),
    "IB1-IG": ("ib1", {"weighting": "gain_ratio"}),
    "IGTree": ("igtree", {}),
    "TRIBL": ("tribl", {}),
    "OBLIVION": ("oblivion", {}),
    "SMILE": ("smile", {}),
}
N_FOLDS = 10
N_ANSWERS = 20_000  # predictions that time a method


@dataclass(frozen=True)
class Trial:
    """One method on one data set: its accuracy by cross-validation, the size of its model, and its speed."""

    data: str
    n_cases: int
    method: str
    accuracy: float
    size: str
    answers_per_second: float

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as `casebase demo --json` prints it."""
        return dict(vars(self))


def run_trials(progress: Progress | None = None) -> list[Trial]:
    """Return one trial per data set and method."""
    data = [load_tic_tac_toe(), load_monks(1), load_monks(3)]
    trials: list[Trial] = []
    for dataset in data:
        cases = _cases(dataset)
        for method in METHODS:
            trials.append(_trial(dataset.name, cases, method))
            if progress:
                progress(len(trials), len(data) * len(METHODS))
    return trials


def explain_one() -> Evidence:
    """Return the evidence of IB1-IG for a combination of values that none of the twelve objects has."""
    objects = _cases(load_objects())
    model = _fit("IB1-IG", objects)
    evidence: Evidence = model.explain(model.schema.encode([_new_combination(objects)]))[0]
    return evidence


def _cases(dataset: Dataset) -> Cases:
    rows = [dict(zip(dataset.feature_names, row)) for row in dataset.data.tolist()]
    return Cases.from_table(rows, y=dataset.target)


def _fit(method: str, cases: Cases) -> Model:
    learner, parameters = METHODS[method]
    model: Model = method_named(learner).fit(cases, **parameters)
    return model


def _trial(data: str, cases: Cases, method: str) -> Trial:
    learner, parameters = METHODS[method]
    report = cross_validate(cases, partial(method_named(learner).fit, **parameters), N_FOLDS)
    model = _fit(method, cases)
    queries = model.schema.recode(_random_queries(cases))
    start = time.perf_counter()
    model.answer(queries)
    seconds = time.perf_counter() - start
    return Trial(data, cases.n_cases, method, report.accuracy, model.summary().size, N_ANSWERS / seconds)


def _random_queries(cases: Cases) -> Cases:
    """Return queries to time predictions on: each value is drawn independently, so that few of them are stored."""
    draw = np.random.default_rng(0)
    columns = tuple(column[draw.integers(cases.n_cases, size=N_ANSWERS)] for column in cases.columns)
    return replace(cases, columns=columns, labels=None, ids=None, n_cases=N_ANSWERS, notations=())


def _new_combination(objects: Cases) -> dict[str, Any]:
    """Return the first combination of values that no object has."""
    stored: set[tuple[Any, ...]] = {tuple(objects.values(row)) for row in range(objects.n_cases)}
    values: Sequence[list[Any]] = [
        feature.vocabulary.values.to_pylist() for feature in objects.schema.features if feature.vocabulary
    ]
    new = next(combination for combination in itertools.product(*values) if combination not in stored)
    return dict(zip(objects.schema.names, new))
