"""One query at a time: a row through a model and through an estimator, a sentence through a tagger.

This shows the fixed costs of a call, which a batch hides: checks, conversions, indexes. C4.5's rules learn from part of
the cases, because learning takes minutes; predicting does not.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import casebase as cb
from casebase.autopilot.committee import Committee
from casebase.data import Cases
from casebase.datasets import DataNotFoundError
from casebase.estimators._load import estimator_of
from casebase.methods import all_methods
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes
from lab.bench.tagger import brown
from lab.bench.timing import Runs, core_clock, runs_of

MILLI = 1000.0
N_VALUES, N_SYMBOLS, N_NUMBERS, N_CLASSES = 8, 8, 4, 4
ASKED = 100  # distinct queries; the figure is their mean
LEARNT = {"c45rules": 1_000}  # cases, where learning from all takes too long
LENGTH = 20  # words of a sentence


def single(sizes: Sizes) -> Iterator[Row]:
    """Measure the milliseconds per row for each method, and per sentence for the tagger."""
    rows, labels = _table(sizes.few)
    for method in all_methods():
        n = min(LEARNT.get(method.name, sizes.few), sizes.few)
        model = method.fit(Cases.from_table(rows[:n], y=labels[:n]))
        estimator = estimator_of(method.name)()._with_model(model, labels.dtype)
        estimator.n_features_in_ = len(model.schema.features)
        what = f"one row of {N_SYMBOLS} symbols and {N_NUMBERS} numbers, {method.name}, {n:,} cases"

        def answer(row: list[Any], model: Any = model) -> object:
            return model.answer(model.schema.encode([row]))

        def predict(row: list[Any], estimator: Any = estimator) -> object:
            return estimator.predict([row])

        # A committee asks several readings: it has no target of its own.
        target = None if issubclass(method.model, Committee) else 0.1
        yield alone(f"{what}: coded and answered by the model, in ms", _each(answer, rows, sizes), target, "ms")
        yield alone(f"{what}: predicted by the estimator, in ms", _each(predict, rows, sizes), 1, "ms")
    yield from _sentence(sizes)


def _sentence(sizes: Sizes) -> Iterator[Row]:
    try:
        train, test = brown(sizes.sentences)
    except DataNotFoundError:
        return
    corpus = [[tuple(line.split("\t")) for line in sentence] for sentence in train]
    asked = [[line.split("\t")[0] for line in sentence] for sentence in test if len(sentence) == LENGTH]
    for what, compat in (("the default", None), ("MBT's patterns", "mbt")):
        tagger = cb.Tagger(compat=compat).fit(corpus)
        took = _each(tagger.tag, asked or [[line.split("\t")[0] for line in test[0]]], sizes)
        yield alone(f"one sentence of {LENGTH} words, {what}, in ms", took, 1, "ms")


def _each(ask: Callable[[Any], object], questions: Sequence[Any], sizes: Sizes) -> Runs:
    """Return the mean milliseconds per query, over queries that are asked one after the other."""
    asked = questions[:ASKED]
    ask(asked[0])  # caches that are filled on first use
    runs = runs_of(lambda: [ask(question) for question in asked], sizes.repeats, core_clock)
    return runs.times(MILLI / len(asked))


def _table(n_cases: int) -> tuple[list[list[Any]], np.ndarray]:
    """Return rows of symbols and numbers; three symbols determine the class, with ten percent noise."""
    draw = np.random.default_rng(0)
    symbols = draw.integers(0, N_VALUES, size=(n_cases, N_SYMBOLS))
    numbers = np.round(draw.normal(size=(n_cases, N_NUMBERS)), 2)
    label = (symbols[:, 0] * 3 + symbols[:, 1] * 2 + symbols[:, 2]) % N_CLASSES
    is_noise = draw.random(n_cases) < 0.1
    label[is_noise] = draw.integers(0, N_CLASSES, is_noise.sum())
    texts = np.array([f"v{i}" for i in range(N_VALUES)], dtype=object)[symbols].tolist()
    rows = [[*words, *figures] for words, figures in zip(texts, numbers.tolist())]
    return rows, np.array([f"c{i}" for i in label])
