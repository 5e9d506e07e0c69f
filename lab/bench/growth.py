"""Time against the number of cases, from a thousand to a million, for learning and for a thousand predictions.

IB1, IGTree, TRIBL, ID3 and C4.5 learn from windows over text, whose vocabulary grows with the text. OBLIVION learns
from bits, of which eight are relevant (if nearly all cases differed, it would compare all pairs). Hierarchical rules
learn classes that have a default, exceptions and exceptions to those. The tagger learns from sentences. A size whose
extrapolated time exceeds the limit is left out, and the curve says so.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import casebase as cb
from casebase.data import Cases
from casebase.formats import read_table
from casebase.neighbours import ib1, igtree, tribl
from casebase.oblivious.elimination import select
from casebase.rules import table
from casebase.tagging.tagger import Tagger
from casebase.trees import c45, id3
from lab.bench import data
from lab.bench.oblivion import N_GROWING_BITS, N_KEPT, bits
from lab.bench.report import Curve
from lab.bench.sizes import Sizes
from lab.bench.timing import Clock, Runs, patient_runs

PATIENCE = 10.0  # seconds: once the runs of a size have taken so long there is no further one
N_VALUES_OF_RULES = 6
WORDS_A_SENTENCE = 20

Work = Callable[[int], Callable[[], object]]  # from a number of cases to what is timed


def growth(sizes: Sizes) -> Iterator[Curve]:
    for name, work in works(sizes).items():
        yield curve(name, work, sizes.growth, sizes.repeats, sizes.growth_limit)


def works(sizes: Sizes) -> dict[str, Work]:
    """Return the timed functions by their names in the report."""
    files = data.windows(sizes)
    asked = files.asked(sizes.growth_asked)

    def first(n: int) -> Cases:
        """Read anew, with the values of these cases only: those of a million would be in every size."""
        return cb.read_cases(data.head(files.many, n, data.CACHE / f"{files.name}.{n}.train"))

    def learning(fit: Callable[[Cases], object]) -> Work:
        return lambda n: partial(fit, first(n))

    def answering(fit: Callable[[Cases], ib1.IB1 | igtree.IGTree | tribl.TRIBL]) -> Work:
        def work(n: int) -> Callable[[], object]:
            model = fit(first(n))
            return partial(model.answer, model.schema.encode(model.schema.mark_target(read_table(asked))))

        return work

    return {
        "IB1, learning": learning(ib1.fit),
        "IB1, answering": answering(ib1.fit),
        "IGTree, learning": learning(igtree.fit),
        "IGTree, answering": answering(igtree.fit),
        "TRIBL, learning": learning(tribl.fit),
        "TRIBL, answering": answering(tribl.fit),
        "OBLIVION": lambda n: partial(select, bits(n, N_GROWING_BITS, N_KEPT, noise=0.05), min_features=N_KEPT),
        "rules": lambda n: partial(table.fit, exceptions(n)),
        "ID3": learning(id3.fit),
        "C4.5": learning(c45.fit),
        "tagger, learning": lambda n: partial(Tagger().fit, sentences(files.many, n)),
    }


def curve(
    name: str, work: Work, n_cases: Sequence[int], repeats: int, limit: float, clock: Clock = time.perf_counter
) -> Curve:
    """Return the times of growing sizes, up to the first that would exceed the limit."""
    done: list[int] = []
    taken: list[Runs] = []
    ended = ""
    for n in n_cases:
        expected = expected_seconds(done, [runs.median for runs in taken], n)
        if expected > limit:
            ended = f"{n:,} left out: some {expected:,.0f} s expected"
            break
        done.append(n)
        taken.append(patient_runs(work(n), repeats, PATIENCE, clock))
    return Curve(name, tuple(done), tuple(taken), ended)


def expected_seconds(n_cases: Sequence[int], seconds: Sequence[float], n: int) -> float:
    """Extrapolate the time of a larger size from the growth between the last two; 0 if there is none.

    >>> round(expected_seconds([10, 100], [1.0, 100.0], 1000))
    10000
    """
    if not n_cases:
        return 0.0
    power = 1.0
    if len(n_cases) > 1:
        power = max(0.0, math.log(seconds[-1] / seconds[-2]) / math.log(n_cases[-1] / n_cases[-2]))
    return float(seconds[-1] * (n / n_cases[-1]) ** power)


def exceptions(n_cases: int) -> Cases:
    """Return cases with a default class, exceptions and exceptions to those, among irrelevant features."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, N_VALUES_OF_RULES, (n_cases, 10))
    labels = ((values[:, 0] == 0) | (values[:, 2] == 3)) & (values[:, 1] != 1)
    return Cases.from_table(values.astype(str), y=labels.astype(int).astype(str))


def sentences(path: Path, n_words: int) -> list[list[tuple[str, str]]]:
    """Return the first words of the windows with their tags, in sentences of equal length."""
    with open(path, encoding="utf-8") as file:
        words = [(fields[3], fields[-1]) for fields in (line.split() for _, line in zip(range(n_words), file))]
    return [words[i : i + WORDS_A_SENTENCE] for i in range(0, len(words), WORDS_A_SENTENCE)]
