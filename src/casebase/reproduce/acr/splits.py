"""One split of the examples: nine tenths to choose a representation by and to learn from, one tenth to be asked."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.folds import folds
from casebase.learners import id3
from casebase.representation import compare_representations
from casebase.reproduce import weka
from casebase.reproduce.acr.tasks import Tables, Task, tables_of

N_FOLDS = 10
HELD_OUT = 0.1
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the training set, for the curves
ACR, CROSS_VALIDATION = "ACR", "10-fold cross-validation"


@dataclass(frozen=True)
class Effort:
    """How long ACR may go on: runs for a pair that is not decided."""

    max_runs: int = 50


def run(tasks: tuple[Task, ...], effort: Effort, seed: int, number: int) -> dict[Any, float]:
    """Return what one split of each task gives: accuracies in percent, what was chosen, and in how many seconds.

    A choice is -1 for the first representation, 1 for the second and 0 for neither.
    """
    results: dict[Any, float] = {}
    for place, task in enumerate(tasks):
        tables = tables_of(task, seed)
        some = next(iter(tables.values()))
        shuffled = np.random.default_rng([seed, number, place]).permutation(some.n_cases)
        asked, training = np.split(shuffled, [max(1, round(HELD_OUT * some.n_cases))])
        for share in SHARES:
            rows = training[: max(2, round(share * len(training)))]
            results[task.name, "examples", share] = len(rows)
            for name, cases in tables.items():
                results[task.name, name, share] = 100 * accuracy(cases.take(rows), cases.take(asked))
        if task.printed and weka.is_installed():
            results |= {
                (task.name, name, weka.NAME): percent_by_weka(cases, training, asked)
                for name, cases in tables.items()
                if all(feature.kind == "symbolic" for feature in cases.schema.features)  # it knows no numbers
            }
        given = {name: cases.take(training) for name, cases in tables.items()}
        for method, choose in ((ACR, chosen_by_acr), (CROSS_VALIDATION, chosen_by_folds)):
            begun = time.perf_counter()
            best = choose(given, effort, seed + number)
            results[task.name, method, "seconds"] = time.perf_counter() - begun
            results[task.name, method] = 0 if best is None else 2 * task.names.index(best) - 1
    return results


def accuracy(training: Cases, asked: Cases) -> float:
    """Return the share of cases that ID3 answers rightly."""
    return float(np.mean(id3.fit(training).answer(asked).label == asked.known_labels))


def percent_by_weka(cases: Cases, training: np.ndarray, asked: np.ndarray) -> float:
    """Return the percent of cases that Weka's Id3 answers rightly; those it has no answer for are not."""
    with weka.Fold(np.stack(cases.columns, axis=1), cases.known_labels, training, asked) as fold:
        return fold.ask(weka.ID3).percent


def chosen_by_acr(tables: Tables, effort: Effort, seed: int) -> str | None:
    """Return the representation that ACR decides for, None if it does not."""
    return compare_representations(tables, max_runs=effort.max_runs, sensitivity=False, random_state=seed).best


def chosen_by_folds(tables: Tables, effort: Effort, seed: int) -> str | None:
    """Return the representation with which ID3 is right more often on folds held out in turn; None if on as many."""
    right = {}
    for name, cases in tables.items():
        fold = folds(cases.known_labels, N_FOLDS, seed)
        parts = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(N_FOLDS)]
        right[name] = sum(
            round(accuracy(cases.take(rest), cases.take(held)) * len(held)) for rest, held in parts if len(held)
        )
    first, second = right
    return None if right[first] == right[second] else max(right, key=lambda name: right[name])
