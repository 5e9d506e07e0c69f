"""One split of the examples: nine tenths choose a representation and train, one tenth tests."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.folds import folds
from casebase.datasets import DataNotFoundError, MissingExtraError
from casebase.errors import CasebaseError
from casebase.measures import codelengths
from casebase.representations import Comparison, compare_representations
from casebase.representations.samples import sample_sizes
from casebase.trees import id3, perceptron_tree
from lab.papers.acr.tasks import Tables, Task, tables_of
from lab.peers import weka

N_FOLDS = 10
HELD_OUT = 0.1
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the training set, for the curves of accuracy
SAMPLES = (1 / 64, 1 / 32, *SHARES)  # for those of codelengths
ACR, CROSS_VALIDATION = "ACR", "10-fold cross-validation"
EXAMPLES, BITS, RUNS, SECONDS = "examples", "bits", "runs", "seconds"
PERCEPTRONS = "perceptron trees"
# Resampling at every sample size, in which the paper sees the alternative to ACR.
FOLDS_BY_SIZE, BOOTSTRAPS_BY_SIZE, LEFT_OUT_BY_SIZE = "10 folds a size", "200 bootstraps a size", "leave-one-out a size"
N_BOOTSTRAPS = 200
N_TIMED = 2  # fits of a size that are timed, for bootstraps and leave-one-out, which have hundreds of them


@dataclass(frozen=True)
class Effort:
    """The effort of ACR: the number of runs for an undecided pair."""

    max_runs: int = 50


def run(tasks: tuple[Task, ...], effort: Effort, seed: int, number: int) -> dict[Any, float]:
    """Return the results of one split of each task: accuracies in percent, choices, and seconds.

    A choice is -1 for the first representation, 1 for the second and 0 for neither. Tasks whose data are
    missing are left out, as long as there are others.
    """
    results: dict[Any, float] = {}
    absent: list[CasebaseError] = []
    for place, task in enumerate(tasks):
        try:
            tables = tables_of(task, seed)
        except (DataNotFoundError, MissingExtraError) as error:
            absent.append(error)
            continue
        some = next(iter(tables.values()))
        shuffled = np.random.default_rng([seed, number, place]).permutation(some.n_cases)
        asked, training = np.split(shuffled, [max(1, round(HELD_OUT * some.n_cases))])
        for share in SAMPLES:
            rows = training[: max(2, round(share * len(training)))]
            results[task.name, EXAMPLES, share] = len(rows)
            for name, cases in tables.items():
                model = id3.fit(cases.take(rows))
                results[task.name, name, share] = 100 * share_right(model, cases.take(asked))
                results[task.name, name, BITS, share] = codelength(model, cases.take(training))
        if task.printed and weka.is_installed():
            results |= {
                (task.name, name, weka.NAME): percent_by_weka(cases, training, asked)
                for name, cases in tables.items()
                if all(feature.kind == "symbolic" for feature in cases.schema.features)  # it takes symbols only
            }
        given = {name: cases.take(training) for name, cases in tables.items()}
        begun = time.perf_counter()
        compared = compare_by_acr(given, effort, seed + number)
        results[task.name, ACR, SECONDS] = time.perf_counter() - begun
        results[task.name, ACR, RUNS] = compared.n_runs
        results[task.name, ACR] = choice(task, compared.best)
        begun = time.perf_counter()
        results[task.name, CROSS_VALIDATION] = choice(task, chosen_by_folds(given, seed + number))
        results[task.name, CROSS_VALIDATION, SECONDS] = time.perf_counter() - begun
        if task.printed:
            results[task.name, PERCEPTRONS] = choice(
                task, compare_by_acr(given, effort, seed + number, "perceptron_tree").best
            )
            for name, cases in tables.items():
                grown = perceptron_tree.fit(cases.take(training))
                results[task.name, name, PERCEPTRONS] = 100 * share_right(grown, cases.take(asked))
        else:
            sizes = sample_sizes(len(training), compared.first_size, compared.growth)
            results |= {(task.name, how, SECONDS): x for how, x in seconds_of_resampling(given, sizes, seed).items()}
    if absent and not results:
        raise absent[0]
    return results


def choice(task: Task, best: str | None) -> float:
    """Return -1 for the first representation, 1 for the second and 0 for neither."""
    return 0 if best is None else 2 * task.names.index(best) - 1


def share_right(model: id3.ID3 | perceptron_tree.PerceptronTree, asked: Cases) -> float:
    """Return the accuracy of a tree."""
    return float(np.mean(model.answer(asked).label == asked.known_labels))


def codelength(model: id3.ID3, examples: Cases) -> float:
    """Return the bits of a tree and of its errors on all examples."""
    n_wrong = round((1 - share_right(model, examples)) * examples.n_cases)
    corrections = codelengths.exceptions(examples.n_cases, n_wrong, n_classes=examples.n_classes)
    return model.codelength() + corrections


def percent_by_weka(cases: Cases, training: np.ndarray, asked: np.ndarray) -> float:
    """Return the percent of cases that Weka's Id3 classifies correctly; a case without a prediction is wrong."""
    with weka.Fold(np.stack(cases.columns, axis=1), cases.known_labels, training, asked) as fold:
        return fold.ask(weka.ID3).percent


def compare_by_acr(tables: Tables, effort: Effort, seed: int, learner: str = "id3") -> Comparison:
    return compare_representations(
        tables, learner=learner, max_runs=effort.max_runs, sensitivity=False, random_state=seed
    )


def chosen_by_folds(tables: Tables, seed: int) -> str | None:
    """Return the representation with which ID3 has the higher cross-validation accuracy; None if both are equal."""
    right = {name: n_right_in_folds(cases, seed) for name, cases in tables.items()}
    first, second = right
    return None if right[first] == right[second] else max(right, key=lambda name: right[name])


def n_right_in_folds(cases: Cases, seed: int) -> int:
    """Return how many cases ID3 classifies correctly in a cross-validation."""
    fold = folds(cases.known_labels, N_FOLDS, seed)
    parts = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(N_FOLDS)]
    return sum(
        round(share_right(id3.fit(cases.take(rest)), cases.take(held)) * len(held)) for rest, held in parts if len(held)
    )


def seconds_of_resampling(tables: Tables, sizes: list[int], seed: int) -> dict[str, float]:
    """Return what it takes to estimate the accuracy of every representation from samples of every size.

    Cross-validation is run. Of the fits of a bootstrap and of leave-one-out, which all take about as long, a few are.
    """
    seconds = dict.fromkeys((FOLDS_BY_SIZE, BOOTSTRAPS_BY_SIZE, LEFT_OUT_BY_SIZE), 0.0)
    draw = np.random.default_rng(seed)
    for cases in tables.values():
        for size in sizes:
            sample = cases.take(np.arange(size))
            begun = time.perf_counter()
            n_right_in_folds(sample, seed)
            seconds[FOLDS_BY_SIZE] += time.perf_counter() - begun
            for how, n_fits in ((BOOTSTRAPS_BY_SIZE, N_BOOTSTRAPS), (LEFT_OUT_BY_SIZE, size)):
                begun = time.perf_counter()
                for i in range(N_TIMED):
                    rows = (
                        draw.integers(size, size=size) if how == BOOTSTRAPS_BY_SIZE else np.delete(np.arange(size), i)
                    )
                    held = np.setdiff1d(np.arange(size), rows)
                    share_right(id3.fit(sample.take(rows)), sample.take(held))
                seconds[how] += (time.perf_counter() - begun) * n_fits / N_TIMED
    return seconds
