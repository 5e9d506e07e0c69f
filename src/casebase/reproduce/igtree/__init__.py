"""Daelemans, van den Bosch and Zavrel's IGTree and TRIBL: a memory indexed and compressed by feature relevance."""

from collections.abc import Sequence
from functools import partial

from casebase.reproduce.igtree import tables, tagging
from casebase.reproduce.igtree.data import QUICK_TASKS, TASKS
from casebase.reproduce.igtree.folds import N_FOLDS, run
from casebase.reproduce.running import Experiment, Paper

N_QUICK_FOLDS = 4


def _experiments(seed: int, quick: bool, n_runs: int | None) -> Sequence[Experiment]:
    n_folds = min(n_runs or (N_QUICK_FOLDS if quick else N_FOLDS), N_FOLDS)
    return [
        *(
            Experiment(
                tagging.WHERE,
                corpus.name,
                n_folds,
                partial(tagging.run, corpus, seed),
                partial(tagging.summary, corpus),
            )
            for corpus in (tagging.QUICK_CORPORA if quick else tagging.CORPORA)
        ),
        *(
            Experiment(task.where, task.name, n_folds, partial(run, task, seed), partial(tables.summary, task))
            for task in (QUICK_TASKS if quick else TASKS)
        ),
    ]


PAPER = Paper(
    "igtree",
    "Daelemans, van den Bosch and Zavrel: A Feature-Relevance Heuristic for Indexing and Compressing Large Case Bases "
    "(1997)",
    "Ten-fold cross-validation of IGTree, IB1, IB1-IG and TRIBL, one run a fold, beside TiMBL, the authors' program, "
    "on the same folds where it is installed. What the paper quotes from Kohavi and Li (1995) is measured with "
    "casebase's own C4.5, its rules, and oblivious decision graphs, and with Weka's J48 where that is installed. The "
    "paper's paired t-tests are repeated.",
    _experiments,
)
