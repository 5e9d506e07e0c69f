"""Daelemans, van den Bosch and Zavrel's IGTree and TRIBL: a memory indexed and compressed by feature relevance."""

from collections.abc import Sequence
from functools import partial

from lab.papers.igtree import new_text, tables, tagging, worked
from lab.papers.igtree.data import QUICK_TASKS, TASKS
from lab.papers.igtree.folds import N_FOLDS, run
from lab.papers.running import Experiment, Paper, Reasons

N_QUICK_FOLDS = 4
REASONS: Reasons = {
    "The amount of memory is compressed": "a value takes one byte here, and a node twelve",
    "IGTree uses over 95 % less memory": "a case takes 8 bytes here, where the paper's took 10",
    "IGTree is able to generate a tree that is even smaller": "the graph here merges more than Kohavi and Li's did",
    "Brown": "other words than the paper's, tagged by hand with another set of tags",
    "Wall Street Journal": "other words than the paper's, tagged by a program, and easier to learn",
    ("objects", "C4.5"): "the table of objects is not the paper's",
    ("letter", "TRIBL"): "the paper's figure is that of weights below the tree",
    ("vehicle", "TRIBL"): "the switch point depends on how numbers are cut, which the paper does not tell",
    ("glass", "TRIBL"): "the switch point depends on how numbers are cut, which the paper does not tell",
    "EODG": "this graph merges by rules of its own",
    ("vehicle", "C4.5"): "± is Kohavi and Li's, and smaller than folds can give: it seems to be that of the mean",
    ("vehicle", "C4.5rules"): "± is Kohavi and Li's, and smaller than folds can give: it seems to be that of the mean",
    ("mushroom", "C4.5"): "it is not told how Kohavi and Li counted nodes",
    ("soybean", "C4.5"): "it is not told how Kohavi and Li counted nodes, nor how they treated unknown values",
}


def _experiments(seed: int, quick: bool, n_runs: int | None) -> Sequence[Experiment]:
    n_folds = min(n_runs or (N_QUICK_FOLDS if quick else N_FOLDS), N_FOLDS)
    text = new_text.QUICK_CORPUS if quick else new_text.CORPUS
    return [
        Experiment(worked.WHERE, worked.DATA, 1, worked.run, worked.summary, worked.printed()),
        Experiment(
            new_text.WHERE,
            text.name,
            1 if quick else n_folds,
            partial(new_text.run, text, seed),
            partial(new_text.summary, text),
            new_text.printed(text),
        ),
        *(
            Experiment(
                tagging.WHERE,
                corpus.name,
                n_folds,
                partial(tagging.run, corpus, seed),
                partial(tagging.summary, corpus),
                tagging.printed(corpus),
            )
            for corpus in (tagging.QUICK_CORPORA if quick else tagging.CORPORA)
        ),
        *(
            Experiment(
                task.where,
                task.name,
                n_folds,
                partial(run, task, seed),
                partial(tables.summary, task),
                tables.printed(task),
            )
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
    reasons=REASONS,
)
