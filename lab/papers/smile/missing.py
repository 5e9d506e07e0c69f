"""Section 1: values that are missing. Some are erased at random from a data set, and SMILE is compared with kNN."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from casebase import IB1Classifier, SMILEClassifier
from lab.papers.judging import lies_within, points
from lab.papers.records import Claim, Part, Row
from lab.papers.running import Experiment, Results
from lab.papers.smile.data import NEIGHBOURS, SMILE, TASKS, Task
from lab.papers.smile.folds import tables_of

WHERE = "Section 1"
SHARES = (0.0, 0.25, 0.5)  # of the values that are erased, in the memory and in the queries
MOST = SHARES[-1]
N_DRAWN = 2000  # cases of Letter
MISSING = "When there are many missing values, SMILE can still give a fairly satisfactory performance."
CRITERION = "with half of the values erased at least as accurate as one nearest neighbour, by the 95 % interval"


@dataclass(frozen=True)
class Contender:
    """A method, its setting, and how to make it."""

    method: str
    setting: str
    settings: tuple[tuple[str, Any], ...]

    def make(self) -> Any:
        return (SMILEClassifier if self.method == SMILE else IB1Classifier)(**dict(self.settings))


PRINTED = Contender(SMILE, 'alpha="auto"', (("alpha", "auto"), ("pools", "cases")))
BY_SIZE = Contender(SMILE, 'pools="size", alpha 1', (("alpha", 1), ("pools", "size")))
DEFAULT = Contender(SMILE, 'pools="size", alpha 0', (("alpha", 0), ("pools", "size")))
NEAREST = Contender(NEIGHBOURS, "k = 1", (("weighting", "none"), ("missing", "unknown")))
CONTENDERS = (PRINTED, BY_SIZE, DEFAULT, NEAREST)


def experiments(seed: int, n_folds: int) -> Sequence[Experiment]:
    """Return an experiment for every data set with enough cases; a sample of Letter."""
    return [
        Experiment(WHERE, task.name, n_folds, partial(run, task, seed), partial(summary, task))
        for task in (_smaller(task) for task in TASKS)
        if task.name != "Weather"
    ]


def _smaller(task: Task) -> Task:
    return task.drawn(N_DRAWN) if task.name == "Letter" else task


def run(task: Task, seed: int, number: int) -> dict[Any, float]:
    """Return the accuracy of each method on a fold, in percent, for every share of values that is erased."""
    tables = tables_of(task, seed)
    labels, held_out = tables.labels, tables.fold == number
    results = {}
    lots = np.random.default_rng((seed, number)).random(tables.for_others.shape)
    for share in SHARES:
        table = tables.for_others.astype(object)
        table[lots < share] = None  # what is missing at a small share is missing at a large one, too
        for contender in CONTENDERS:
            fitted = contender.make().fit(table[~held_out], labels[~held_out])
            right = fitted.predict(table[held_out]) == labels[held_out]
            results[contender, share] = 100.0 * float(np.mean(right))
    return results


def summary(task: Task, results: Results) -> Part:
    """Return a row for every method and share, and the claim for every reading of SMILE."""
    rows = [
        Row(WHERE, task.name, one.method, f"{one.setting}, {share:.0%} of the values erased", ours=results[one, share])
        for share in SHARES
        for one in CONTENDERS
    ]
    claims = []
    for one in (PRINTED, BY_SIZE, DEFAULT):
        lead = results[one, MOST].minus(results[NEAREST, MOST])
        lost = [results[who, MOST].mean - results[who, 0.0].mean for who in (one, NEAREST)]
        measured = (
            f"SMILE with {one.setting} less one nearest neighbour: {points(lead)}; "
            f"SMILE changes by {lost[0]:+.1f} points when the values are erased, the neighbour by {lost[1]:+.1f}."
        )
        holds = lies_within(lead.interval, 0.0, float("inf"))
        claims.append(Claim(f"{WHERE}, {task.name}", MISSING, CRITERION, measured, holds))
    return Part(tuple(rows), tuple(claims))
