"""Sentences that a tagger learns, forgets and corrects, in processor time, against training it again."""

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from casebase.datasets import DataNotFoundError
from casebase.tagging.tagger import Tagger
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.tagger import FIRST, brown
from lab.bench.timing import Runs, core_clock, runs_of

N_CORRECTIONS = 200
CHANGED = 0.1  # the share of words that a correction gives another tag of its sentence
# By name: the parameters, and the targets of the median and of a high percentile against training again.
TAGGERS: dict[str, tuple[dict[str, Any], int, float, float]] = {
    "": ({}, 95, 100, 20),
    ", two case bases": ({"known": "ddfa"}, 99, 25, 10),
    ', compat="mbt"': ({"compat": "mbt"}, 99, 25, 10),
}


def annotating(sizes: Sizes) -> Iterator[Row]:
    """Corrections in turn: the first of a tagger, which builds its indexes, is a row of its own."""
    try:
        train, test = ([[tuple(line.split("\t")) for line in one] for one in part] for part in brown(sizes.sentences))
    except DataNotFoundError:
        return
    for name, (parameters, percentile, median_target, high_target) in TAGGERS.items():
        tagger = Tagger(**parameters).fit(train)
        training = runs_of(partial(_train, tagger), sizes.repeats, core_clock)
        first = _seconds(partial(tagger.learn, test[0]))
        taken = _corrections(tagger, test)
        what = f"annotating{name}: {sum(map(len, train)):,} words of Brown, a sentence changed and one tagged"
        median, high = (Runs((float(np.percentile(taken, share)),)) for share in (50, percentile))
        yield beside(f"{what}, the median, against training again", median, training, median_target)
        yield beside(f"{what}, the {percentile}th percentile, against training again", high, training, high_target)
        yield alone(f"annotating{name}: the first correction of a tagger, in seconds", Runs((first,)), 1.0)


def _train(tagger: Tagger) -> None:
    """Train on sentences that were read already, as a correction without the indexes would."""
    model = tagger.model_
    model.retrain(model.corpus)


def _corrections(tagger: Tagger, sentences: list[list[tuple[str, ...]]]) -> list[float]:
    """Return the seconds of sentences that are learned, forgotten and corrected in turn."""
    draw = random.Random(1)
    taken = []
    for i in range(N_CORRECTIONS):
        sentence = sentences[i % len(sentences)]
        tags = [tag for _, tag in sentence]
        sentence = [(word, draw.choice(tags) if draw.random() < CHANGED else tag) for word, tag in sentence]
        place = draw.randrange(tagger.n_sentences_)
        ways = (
            partial(tagger.learn, sentence),
            partial(tagger.forget, place),
            partial(tagger.correct, place, sentence),
        )
        taken.append(_seconds(ways[i % 3]))
    return taken


def _seconds(correct: Callable[[], Tagger]) -> float:
    before = time.process_time()
    correct().tag(FIRST)
    return time.process_time() - before
