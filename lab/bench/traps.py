"""Inputs on which a learner could explode: how its time grows with what makes it grow.

Each row has the time at the larger size, and as ratio the power of the size with which it grows. FOCUS is exponential
in the features where the classes are noise: its row has seconds, and it says itself how far it may have to search.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.formats import read_table
from casebase.oblivious.elimination import select
from casebase.rules import table
from casebase.selection.focus import focus
from casebase.smile import smile
from casebase.trees import c45rules
from lab.bench import oblivion
from lab.bench.report import Row, alone, shown
from lab.bench.sizes import Sizes
from lab.bench.timing import alternating, runs_of, side

Work = Callable[[], object]
N_FOCUS = 28  # features of noise
N_REPEATS = 3


@dataclass(frozen=True)
class Trap:
    """Work of growing size; `most` is the power of the size that its time may have."""

    name: str
    unit: str
    few: int
    many: int
    make: Callable[[int], Work]
    most: float


def traps(sizes: Sizes) -> Iterator[Row]:
    n_runs = min(sizes.repeats, N_REPEATS)
    for trap in TRAPS:
        scale = 1.0 if sizes.is_full else 0.02
        few, many = max(20, int(trap.few * scale)), max(40, int(trap.many * scale))
        yield _growth(trap, few, many, n_runs)
    n = N_FOCUS if sizes.is_full else 12
    yield alone(f"FOCUS, classes of noise, 1,000 × {n} bits", runs_of(_focus(n), n_runs), 30)


def _growth(trap: Trap, few: int, many: int, n_runs: int) -> Row:
    work = {"few": trap.make(few), "many": trap.make(many)}
    taken = alternating({name: side(partial(_quietly, one), n_runs) for name, one in work.items()})
    power = math.log(taken["many"].median / taken["few"].median) / math.log(many / few)
    return Row(
        f"{trap.name}, from {few:,} to {many:,} {trap.unit}: time as a power of them",
        shown(taken["many"], "s"),
        shown(taken["few"], "s"),
        power,
        trap.most,
        True,
        n_ours=n_runs,
        n_peer=n_runs,
    )


def _quietly(work: Work) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()


def noise(n_cases: int, n_features: int, n_values: int = 4, seed: int = 0) -> Cases:
    """Return random symbols with random classes."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n_values, (n_cases, n_features)).astype(str)
    return Cases.from_table(drawn, y=rng.integers(0, 2, n_cases).astype(str))


def _focus(n_features: int) -> Work:
    return partial(_quietly, partial(focus, noise(1_000, n_features, 2)))


def _rules_of_noise(n: int) -> Work:
    return partial(c45rules.fit, noise(n, 8))


def _blanks(n: int) -> Work:
    text = b"@relation r\n@attribute a {x,y}\n@attribute c {P,Q}\n@data\n" + b" " * n + b"'x,P\n"

    def read() -> None:
        with suppress(CasebaseError):
            read_table(text, format="arff")

    return read


def _all_neighbours(n: int) -> Work:
    numbers = np.random.default_rng(0).random((n, 3))
    asked, labels = numbers[:20] + 0.001, (numbers[:, 0] > 0.5).astype(int)
    return partial(cb.IB1Classifier(n, vote="inverse_distance").fit(numbers, labels).predict, asked)


def _long_texts(n: int) -> Work:
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcd"), n)) for _ in range(9)]
    fitted = cb.IB1Classifier(metric="levenshtein").fit([[text] for text in texts[:8]], list("PQPQPQPQ"))
    return partial(fitted.predict, [[texts[8]]])


def _pairs(n: int) -> Work:
    return partial(table.fit, noise(n, 6), pairs=True)


def _many_classes(n: int) -> Work:
    X = np.arange(n).astype(str)[:, None]

    def learn() -> None:
        cb.IB1Classifier().fit(X, X[:, 0]).predict_proba(X[:20])

    return learn


def _wide_images(n: int) -> Work:
    model = smile.fit(noise(1_000, n, 3))
    return partial(model.answer, model.schema.encode(np.random.default_rng(1).integers(0, 3, (50, n)).astype(str)))


def _many_values(n: int) -> Work:
    X = np.stack([np.arange(n), np.arange(n) % 7], axis=1).astype(str)
    y = (np.arange(n) % 3).astype(str)

    def learn() -> None:
        cb.IB1Classifier(metric="mvdm").fit(X, y).predict(X[:20])

    return learn


def _different(n: int) -> Work:
    return partial(select, oblivion.words(n), max_steps=1)


TRAPS = (
    Trap("C4.5's rules of noise", "cases", 500, 2_000, _rules_of_noise, 3.0),
    Trap("ARFF, a stray quote behind blanks", "blanks", 10_000, 1_000_000, _blanks, 1.2),
    Trap("IB1, k as large as the memory, 20 queries", "cases", 5_000, 50_000, _all_neighbours, 1.3),
    Trap("IB1, Levenshtein of eight long texts", "letters", 1_000, 16_000, _long_texts, 2.1),
    Trap("rules with pairs of tests, of noise", "cases", 500, 2_000, _pairs, 2.5),
    Trap("IB1, learning and `predict_proba` of 20 queries", "classes", 2_000, 10_000, _many_classes, 2.1),
    Trap("SMILE, 1,000 cases of noise, 50 queries", "features", 15, 60, _wide_images, 2.0),
    Trap("IB1, MVDM, learning and 20 queries", "values", 100_000, 1_000_000, _many_values, 1.2),
    Trap("OBLIVION, one step where nearly all cases differ", "cases", 12_500, 50_000, _different, 1.7),
)
