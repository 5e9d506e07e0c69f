"""Section 3.1: the tagger of IGTrees on unseen text."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from casebase.tagging.tagger import Tagger
from lab.papers.igtree.tagging import CORPORA, Corpus, sentences_in
from lab.papers.records import Part, Row
from lab.papers.running import Results

WHERE, METHOD = "Section 3.1", "tagger of IGTrees"
PRINTED = {"known words": 96.7, "unknown words": 90.6, "all words": 96.4}
SPEED = "words a second"
ALL = sys.maxsize
CORPUS = replace(CORPORA[0], n_words=ALL)
QUICK_CORPUS = replace(CORPUS, n_words=100_000)
NOTE = (
    "Section 3.1: the paper's tagger learnt 2 million words of the Wall Street Journal, and quotes its figures from "
    "Daelemans and others (1996). Here it is the tagger as MBT has it (features ddfa and dFapsss, both IGTrees), which "
    "learns nine tenths of the sentences of Brown, and is asked the others; more of its words are unknown, and its "
    "tags are others."
)


def run(corpus: Corpus, seed: int, number: int) -> dict[Any, float]:
    """Return the tagger's accuracy and speed on a tenth of the sentences after training on the others."""
    sentences = sentences_in(corpus)
    held_out = np.random.default_rng(seed).permutation(len(sentences)) % 10 == number
    training = [sentence for sentence, out in zip(sentences, held_out) if not out]
    asked = [sentence for sentence, out in zip(sentences, held_out) if out]
    tagger = Tagger(unknown_learner="igtree", compat="mbt").fit(training)
    scores = tagger.evaluate(asked)
    shares = {"known words": scores.known, "unknown words": scores.unknown, "all words": scores.all}
    results: dict[Any, float] = {name: 100.0 * (share.accuracy or 0.0) for name, share in shares.items()}
    return results | {SPEED: scores.words_per_second or 0.0}


def printed(corpus: Corpus) -> tuple[Row, ...]:
    """Return rows with the paper's figures alone."""
    rows = [Row(WHERE, corpus.name, METHOD, name, percent, comparable=False) for name, percent in PRINTED.items()]
    return (*rows, Row(WHERE, corpus.name, METHOD, SPEED, 1200, comparable=False, unit="/s", decimals=0))


def summary(corpus: Corpus, results: Results) -> Part:
    """Return the rows with the results of casebase."""
    part = f", {corpus.n_words} words" if corpus.n_words != ALL else ""
    rows = [replace(row, setting=row.setting + part, ours=results[row.setting]) for row in printed(corpus)]
    return Part(tuple(rows), notes=(NOTE,))
