"""Held-out votes: how training cases are answered by models that have not seen them.

IB1 leaves each case out of its memory, exactly and without a new fit. All other methods learn again from four of five
folds. Large tables are sampled. Which cases are drawn, and in which fold they are, depends on their content alone: the
order of the cases and of the columns does not matter, and a case of weight 3 is three cases.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import How
from casebase.base.method import Method
from casebase.base.model import LeavesOneOut, Model, is_incomplete
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.copies import as_copies
from casebase.memory.fingerprints import case_keys, first_by_content
from casebase.methods import method_named

LEFT_OUT = 5_000  # cases that are left out of a memory at most
N_FOLDS = 5
# Cases up to which all folds are learned, by the power of n in the cost of learning. With more cases, one quarter of
# this number is held out once, and five times this number is learned from at most.
FOLDED = {1: 20_000, 2: 4_000, 3: 1_000}
MOST_SHARES = 4_000_000  # held-out cases times classes: a row of shares per case must fit in memory


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The votes for some training cases, one row per case and one column per class, by models that have not seen them.

    `unit` is the weight that counts as one vote.
    """

    how: How
    cases: Cases
    votes: np.ndarray
    answers: np.ndarray
    unit: float = 1.0


def held_out(model: Model, cases: Cases, *, n_jobs: int = 1) -> HeldOut | None:
    """Return held-out votes of a model's training cases; None if there is nothing to hold out."""
    cases, unit = as_copies(cases)
    if cases.n_cases < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if isinstance(model, LeavesOneOut) and model.leaves_one_out:
                return replace(_leave_one_out(model, cases, n_jobs), unit=unit)
            return replace(_by_folds(model, cases, n_jobs), unit=unit)
        except CasebaseError:  # settings for exactly these cases, such as given folds, do not fit a part of them
            return None


def dense_votes(answers: Answers, n_classes: int) -> np.ndarray:
    """Return the votes of answers, one row per case and one column per class."""
    votes = np.zeros((len(answers.label), n_classes))
    votes[np.repeat(np.arange(len(votes)), answers.n_votes), answers.vote_label] = answers.votes
    return votes


def _most_cases(n_classes: int) -> int:
    return max(500, MOST_SHARES // n_classes)


def _leave_one_out(model: LeavesOneOut, cases: Cases, n_jobs: int) -> HeldOut:
    rows = first_by_content(cases, min(LEFT_OUT, _most_cases(cases.n_classes)))
    answers = model.held_out_answers(cases, rows, n_jobs=n_jobs)
    return HeldOut("leave-one-out", cases.take(rows), dense_votes(answers, cases.n_classes), answers.label)


def _by_folds(model: Model, cases: Cases, n_jobs: int) -> HeldOut:
    """Answer each fold with a model of the others, or, if there are many cases, one part with a model of the rest."""
    method, n_most = method_named(model.method), _most_cases(cases.n_classes)
    largest = FOLDED[method.exponent]
    if cases.n_cases > largest:
        n_asked = min(largest // 4, n_most)
        drawn = first_by_content(cases, n_asked + 5 * largest)
        rows, training = drawn[:n_asked], np.sort(drawn[n_asked:])
        answers = _answers(method, model, cases, training, rows, n_jobs)
        return HeldOut("folds", cases.take(rows), dense_votes(answers, cases.n_classes), answers.label)
    # By class, then by chance: dealt in this order, every class is spread evenly.
    keys = case_keys(cases)
    order = np.lexsort([keys, cases.known_labels])
    parts = [
        (np.sort(np.delete(order, slice(i, None, N_FOLDS))), np.sort(order[i::N_FOLDS]))
        for i in range(min(N_FOLDS, cases.n_cases))
    ]
    found = [_answers(method, model, cases, *part, n_jobs) for part in parts]
    rows = np.concatenate([asked for _, asked in parts])
    # In an order that does not depend on that of the cases, so that sums are rounded alike.
    some = np.argsort(keys[rows], kind="stable")[:n_most]
    votes = np.concatenate([dense_votes(answers, cases.n_classes) for answers in found])
    labels = np.concatenate([answers.label for answers in found])
    return HeldOut("folds", cases.take(rows[some]), votes[some], labels[some])


def _answers(
    method: Method, model: Model, cases: Cases, training: np.ndarray, asked: np.ndarray, n_jobs: int
) -> Answers:
    other = method.fit(cases.take(training), model.settings.for_sample(), n_jobs=n_jobs)
    if is_incomplete(other):  # its votes are not those of the method
        raise KeyboardInterrupt
    answers: Answers = other.answer(other.schema.recode(cases.take(asked)), n_jobs=n_jobs)
    return answers
