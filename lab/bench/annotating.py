"""Sentences that a tagger learns, forgets and corrects, in processor time, against training it again."""

import random
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from casebase.datasets import DataNotFoundError
from casebase.tagging.tagger import Tagger
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.tagger import FIRST, brown
from lab.bench.timing import Runs, core_clock, runs_of

N_CORRECTIONS = 200
CHANGED = 0.1  # the share of words that a correction gives another tag of its sentence


def annotating(sizes: Sizes) -> Iterator[Row]:
    """Corrections in turn: the first of a tagger, which builds its indexes, is a row of its own."""
    try:
        train, test = ([[tuple(line.split("\t")) for line in one] for one in part] for part in brown(sizes.sentences))
    except DataNotFoundError:
        return
    tagger = Tagger().fit(train)
    training = runs_of(lambda: Tagger().fit(train), sizes.repeats, core_clock)
    first = _seconds(partial(tagger.learn, test[0]))
    draw = random.Random(1)
    taken = []
    for i in range(N_CORRECTIONS):
        sentence = test[i % len(test)]
        tags = [tag for _, tag in sentence]
        sentence = [(word, draw.choice(tags) if draw.random() < CHANGED else tag) for word, tag in sentence]
        place = draw.randrange(tagger.n_sentences_)
        ways = (
            partial(tagger.learn, sentence),
            partial(tagger.forget, place),
            partial(tagger.correct, place, sentence),
        )
        taken.append(_seconds(ways[i % 3]))
    what = f"annotating: {sum(map(len, train)):,} words of Brown, a sentence changed and one tagged"
    yield beside(f"{what}, the median, against training again", Runs((float(np.median(taken)),)), training, 100)
    yield beside(
        f"{what}, the 95th percentile, against training again", Runs((float(np.percentile(taken, 95)),)), training, 20
    )
    yield alone("annotating: the first correction of a tagger, in seconds", Runs((first,)), 1.0)


def _seconds(correct: Callable[[], Tagger]) -> float:
    before = time.process_time()
    correct().tag(FIRST)
    return time.process_time() - before
