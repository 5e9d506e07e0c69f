"""From test lines to answers in TiMBL's class numbers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.base.answers import Answers
from casebase.base.threads import n_cores
from casebase.data import Cases, Table
from casebase.data.arrays import as_numpy, as_strings
from casebase.data.numbers import NUMBER
from casebase.errors import CasebaseError
from casebase.neighbours.ib1 import IB1
from casebase.timbl.memory import escape_strings
from casebase.timbl.metric_string import NUMERIC, SIMILARITIES
from casebase.timbl.models import Learned
from casebase.timbl.options import Options
from casebase.timbl.results import Distributions


@dataclass(frozen=True, eq=False)
class TimblAnswers:
    """Answers in TiMBL's class numbers."""

    label: np.ndarray
    actual: np.ndarray
    distributions: Distributions
    distance: np.ndarray
    was_tied: np.ndarray
    depth: np.ndarray
    at_leaf: np.ndarray


def query_table(learned: Learned, table: Table) -> Table:
    """Return test lines whose numeric features contain only numbers.

    A value that is not a number is as far from all numbers as possible (with metrics of whole rows it counts as 0).
    """
    table = escape_strings(table, learned.metrics)
    columns = list(table.columns)
    for i, letter in enumerate(learned.metrics):
        if letter in NUMERIC + SIMILARITIES and learned.model.schema.features[i].kind == "numeric":
            columns[i] = _numbers_only(columns[i], "0" if letter in SIMILARITIES else "?")
    return replace(table, columns=tuple(columns))


def _numbers_only(column: pa.DictionaryArray, instead: str) -> pa.DictionaryArray:
    values = column.dictionary.to_pylist()
    if all(NUMBER.match(value) for value in values):
        return column
    texts = as_strings([value if NUMBER.match(value) else instead for value in values])
    return pa.DictionaryArray.from_arrays(column.indices, texts)


def answers_to(learned: Learned, queries: Cases, options: Options) -> Answers:
    """Return the model's answers. TiMBL's threads (--clones) share out the lines, and each remembers its own ties."""
    try:
        return _answer_by_clones(learned, queries, options)
    except OverflowError as error:  # a dot product without a distance
        raise CasebaseError(f"Option -m {options.metric.text}: {error}. Or use the cosine, -m C.") from None


def _answer_by_clones(learned: Learned, queries: Cases, options: Options) -> Answers:
    if options.clones == 1 or options.decay.kind != "IL":
        answers: Answers = learned.model.answer(queries, n_jobs=n_cores())
        return answers
    shares = [np.arange(i, queries.n_cases, options.clones) for i in range(min(options.clones, queries.n_cases))]
    parts = [learned.model.answer(queries.take(rows), n_jobs=n_cores()) for rows in shares]
    return Answers.concat(parts).take(np.argsort(np.concatenate(shares)))


def in_timbls_terms(learned: Learned, answers: Any, column: pa.DictionaryArray) -> TimblAnswers:
    """Return answers in TiMBL's class numbers; `column` has the true classes.

    Without a tree, the depth is the number of all features, ignored ones included.
    """
    rank = learned.rank
    depth = np.full(len(answers.label), learned.n_features) if isinstance(learned.model, IB1) else answers.depth
    return TimblAnswers(
        rank[answers.label],
        actual_labels(learned.classes, column),
        Distributions.in_order(answers.first_vote, answers.vote_label, answers.votes, rank),
        answers.distance,
        answers.was_tied,
        depth,
        answers.at_leaf,
    )


def actual_labels(classes: list[str], column: pa.DictionaryArray) -> np.ndarray:
    """Return the number of each line's true class; a class that training never saw gets the number of classes."""
    place = {label: i for i, label in enumerate(classes)}
    numbers = np.array([place.get(label, len(classes)) for label in column.dictionary.to_pylist()], dtype=np.int64)
    labels: np.ndarray = numbers[as_numpy(column.indices)]
    return labels
