"""Saxena's ACR: the representation with which ID3 describes the examples in fewer bits, and whether it is better."""

from collections.abc import Sequence
from functools import partial

from lab.papers.acr import further, table1
from lab.papers.acr.splits import Effort, run
from lab.papers.acr.tasks import BOARDS, CLUMPS, FURTHER, HANDWRITING
from lab.papers.running import Experiment, Paper, Reasons

N_SPLITS, N_QUICK_SPLITS = 20, 3
QUICK_RUNS = 20
REASONS: Reasons = {
    "ACR ranks representations correctly whenever": "with ten intervals a test has ten branches, and each must be "
    "said; the bits of the more accurate tree are more than it saves",
    "ACR chooses as": "codelengths differ also where accuracies do not",
    "Handwriting-1: ACR": "perceptrons over 64 pixels take thousands of bits, those over Cross's five columns hundreds",
}

GROUPS = {
    "clumps": ("the clumps problems", CLUMPS),
    "boards": ("Tic-Tac-Toe problems", BOARDS),
    "handwriting": ("handwriting recognition", HANDWRITING),
}


def _experiments(seed: int, quick: bool, n_runs: int | None) -> Sequence[Experiment]:
    n = n_runs or (N_QUICK_SPLITS if quick else N_SPLITS)
    effort = Effort(QUICK_RUNS) if quick else Effort()
    return [
        *(
            Experiment(
                table1.WHERE,
                title,
                n,
                partial(run, tasks, effort, seed),
                partial(table1.summary, name, title, tasks),
                table1.printed(tasks),
            )
            for name, (title, tasks) in GROUPS.items()
        ),
        Experiment(further.WHERE, "UCI data", n, partial(run, FURTHER, effort, seed), further.summary),
    ]


PAPER = Paper(
    "acr",
    "Saxena: An Algorithm to Evaluate Instance Representations (1991)",
    "ACR chooses one of two representations from nine tenths of the examples; ID3 learns from these in both, and is "
    "asked about the tenth held out. The paper prints in Table 1 which one ACR chose, and no accuracies; “orientation” "
    "is what an earlier prototype of the same reading of the paper got. Beyond the paper, the same is done with data "
    "sets of the UCI repository, and ACR is compared with choosing by 10-fold cross-validation.",
    _experiments,
    reasons=REASONS,
)
