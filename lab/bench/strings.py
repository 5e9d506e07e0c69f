"""Rules over strings: letters aligned with phonemes, learning rules from them, and applying the rules."""

import random
from collections.abc import Iterator
from functools import partial

from casebase.alignment import align, read_pronunciations
from casebase.alignment.dictionary import Pronunciation
from casebase.datasets import DataNotFoundError
from casebase.strings.inputs import AskedStrings
from casebase.strings.rules import fit
from casebase.strings.settings import Settings
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes
from lab.bench.timing import Runs, core_clock, runs_of
from lab.local import local_lines

DICTIONARY = "cmudict.txt.gz"
DEPTH = 3


def dictionary(n_words: int) -> list[Pronunciation]:
    """Return some words of the dictionary, drawn with a fixed seed."""
    words = read_pronunciations("\n".join(local_lines(DICTIONARY)).encode())
    random.Random(0).shuffle(words)
    return words[:n_words]


def strings(sizes: Sizes) -> Iterator[Row]:
    """Align, learn and predict, one run of learning, on one thread."""
    n_words = sizes.words[0]
    try:
        words = dictionary(n_words)
    except DataNotFoundError:
        return
    before = core_clock()
    aligned = align(words)
    seconds = core_clock() - before
    yield alone(f"strings: {n_words:,} words aligned with their phonemes, in seconds of a core", Runs((seconds,)), 60)
    pairs, labels = aligned.strings()
    asked = AskedStrings(tuple(word for word, _ in pairs), tuple(place for _, place in pairs))
    before = core_clock()
    model = fit(asked, labels, Settings(depth=DEPTH, by_letter=True))
    seconds = core_clock() - before
    what = f"strings: rules for the {len(asked):,} letters of {n_words:,} words, depth {DEPTH}"
    yield alone(f"{what}, learning, in seconds of a core", Runs((seconds,)), 120)
    taken = runs_of(partial(model.answer, asked), sizes.repeats)
    yield alone(f"{what}: predictions per second, one thread", taken.rate(len(asked)), None, "/s", is_cost=False)
