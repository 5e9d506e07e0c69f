"""English at scale: whether patterns can be learned back from the words that they hyphenate."""

import time
from typing import Any

from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.patterns import PatternSet
from lab.papers.records import Part, Row
from lab.papers.rules.finnish import LIANG, PATGEN, SHORT
from lab.papers.rules.measuring import percent_right
from lab.papers.rules.words import LEFT_MIN, RIGHT_MIN, english, halves
from lab.papers.running import Results
from lab.peers import patgen

WHERE = "Beyond the paper"
DEPTH = 3
N_OTHERS = 5_000  # test words
UNITS = {"patterns": "patterns", "training words right": "%", "other words right": "%", "time": "s"}
NOTE = (
    "English words are those of a pronouncing dictionary, broken by the en_US patterns of pyphen: a test of learning "
    "from many words, not of English. Those patterns are TeX's, made by patgen from another list."
)


def run(n_words: int, seed: int, number: int) -> dict[Any, float]:
    """Return the number of patterns, their accuracy on words, and the time, for a number of words."""
    training, others = halves(english(n_words + N_OTHERS, seed), n_words, seed)
    results: dict[Any, float] = {}
    start = time.perf_counter()
    settings = Settings(depth=DEPTH, left_min=LEFT_MIN, right_min=RIGHT_MIN, max_class_length=SHORT, random_state=seed)
    learnt = learn(training.for_learning(), settings)
    seconds = time.perf_counter() - start
    found: dict[Any, tuple[PatternSet, int, float]] = {DEPTH: (learnt.patterns, len(learnt.patterns.patterns), seconds)}
    if patgen.is_installed():
        start = time.perf_counter()
        theirs = patgen.patterns_by_patgen(training.with_hyphens(), left_min=LEFT_MIN, right_min=RIGHT_MIN)
        found[PATGEN] = theirs.patterns, theirs.n_lines, time.perf_counter() - start
    for method, (patterns, n_patterns, seconds) in found.items():
        results |= {
            (method, "patterns"): n_patterns,
            (method, "training words right"): percent_right(patterns, training.words, training.places)[1],
            (method, "other words right"): percent_right(patterns, others.words, others.places)[1],
            (method, "time"): seconds,
        }
    return results


def summary(n_words: int, results: Results) -> Part:
    """Return the figures as rows."""
    rows = []
    for what, unit in UNITS.items():
        data = f"English, {n_words:,} words: {what}"
        rows.append(Row(WHERE, data, f"rules of depth {DEPTH}", ours=results[DEPTH, what], unit=unit))
        if (PATGEN, what) in results:
            rows.append(Row(WHERE, data, LIANG, peer=results[PATGEN, what], peer_name=PATGEN, unit=unit))
    return Part(tuple(rows), notes=(NOTE,))
