"""Section 3.1: the tagger of IGTrees on unseen text."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from casebase.tagging.tagger import Tagger
from lab.papers.igtree.tagging import CORPORA, Corpus, sentences_in
from lab.papers.records import Part, Row
from lab.papers.running import Results

WHERE, METHOD, WITH_CASE = "Section 3.1", "tagger of IGTrees", "tagger of IGTrees, letter case as a feature"
PATTERNS = {METHOD: "dFapsss", WITH_CASE: "dFapsssc"}
PRINTED = {"known words": 96.7, "unknown words": 90.6, "all words": 96.4}
SPEED = "words a second"
ALL = sys.maxsize
TEXTS = tuple(replace(corpus, n_words=ALL) for corpus in CORPORA)
QUICK_TEXTS = (replace(CORPORA[0], n_words=100_000),)
NOTE = (
    "Section 3.1: the paper's tagger learnt 2 million words of the Wall Street Journal, and quotes its figures from "
    "Daelemans and others (1996). Here it is the tagger as MBT has it (features ddfa and dFapsss, both IGTrees), which "
    "learns nine tenths of the sentences of a corpus, and is asked the others. A feature for letter case, which has "
    "rows of its own, and on the Wall Street Journal more text are what unknown words lack here."
)


def run(corpus: Corpus, seed: int, number: int) -> dict[Any, float]:
    """Return the taggers' accuracy and speed on a tenth of the sentences after training on the others."""
    sentences = sentences_in(corpus)
    held_out = np.random.default_rng(seed).permutation(len(sentences)) % 10 == number
    training = [sentence for sentence, out in zip(sentences, held_out) if not out]
    asked = [sentence for sentence, out in zip(sentences, held_out) if out]
    results: dict[Any, float] = {}
    for method, pattern in PATTERNS.items():
        tagger = Tagger(unknown=pattern, unknown_learner="igtree", compat="mbt").fit(training)
        scores = tagger.evaluate(asked)
        shares = {"known words": scores.known, "unknown words": scores.unknown, "all words": scores.all}
        results |= {(method, name): 100.0 * (share.accuracy or 0.0) for name, share in shares.items()}
        results[method, SPEED] = scores.words_per_second or 0.0
    return results


def printed(corpus: Corpus) -> tuple[Row, ...]:
    """Return rows with the paper's figures alone."""
    rows = [Row(WHERE, corpus.name, METHOD, name, percent, comparable=False) for name, percent in PRINTED.items()]
    return (*rows, Row(WHERE, corpus.name, METHOD, SPEED, 1200, comparable=False, unit="/s", decimals=0))


def summary(corpus: Corpus, results: Results) -> Part:
    """Return the rows with the results of casebase."""
    part = f", {corpus.n_words} words" if corpus.n_words != ALL else ""
    figures = printed(corpus)
    rows = [replace(row, setting=row.setting + part, ours=results[METHOD, row.setting]) for row in figures]
    with_case = [
        replace(row, setting=row.setting + part, method=WITH_CASE, ours=results[WITH_CASE, row.setting])
        for row in figures
        if row.setting != SPEED
    ]
    return Part((*rows, *(replace(row, another_reading=True) for row in with_case)), notes=(NOTE,))
