"""Kivinen, Mannila, Ukkonen and Vilo's hierarchical rules: hyphenation of Finnish words."""

from collections.abc import Sequence
from functools import partial

from lab.papers.rules import english, finnish
from lab.papers.running import Experiment, Paper

N_ENGLISH, N_ENGLISH_QUICK = 50_000, 3_000
N_QUICK_FOLDS = 4


def _experiments(seed: int, quick: bool, n_runs: int | None) -> Sequence[Experiment]:
    n_folds = min(n_runs or (N_QUICK_FOLDS if quick else finnish.N_FOLDS), finnish.N_FOLDS)
    n_words = N_ENGLISH_QUICK if quick else N_ENGLISH
    return [
        Experiment(
            finnish.WHERE, finnish.WORD, 1, finnish.run_word, finnish.summary_of_word, finnish.printed_of_word()
        ),
        Experiment(finnish.WHERE, finnish.DATA, 1, partial(finnish.run, seed), finnish.summary),
        Experiment(finnish.UNSEEN, finnish.DATA, n_folds, partial(finnish.run_fold, seed), finnish.summary_of_folds),
        Experiment(english.WHERE, "English", 1, partial(english.run, n_words, seed), partial(english.summary, n_words)),
    ]


PAPER = Paper(
    "rules",
    "Kivinen, Mannila, Ukkonen and Vilo: An Algorithm for Learning Hierarchical Classifiers (1994)",
    "Hyphenation of Finnish by rules with exceptions, and exceptions to those. The paper tells how many patterns a "
    "rule has, not how it does on words it has not seen; that is measured here by ten folds, beside TeX's patgen and a "
    "rule of thumb. Its words are not to be had, so no figure can be inside or outside of it; “orientation” is what an "
    "earlier prototype of the same reading of the paper got on the words used here.",
    _experiments,
)
