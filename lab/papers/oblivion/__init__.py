"""Langley and Sage's OBLIVION: feature selection where features interact.

The paper has learning curves and no numbers behind them. So the rows have the results of an earlier
prototype for orientation, and the sentences of the text are the claims.
"""

from collections.abc import Sequence
from functools import partial

from casebase.datasets import DataNotFoundError
from lab.papers.oblivion import beyond, chess, domains, generated
from lab.papers.records import Part
from lab.papers.running import Experiment, Paper, Reasons

N_RUNS, N_QUICK_RUNS = 20, 5
REASONS: Reasons = {
    "C4.5": "Mooney's C4.5 and its settings are not told",
    "OBLIVION's accuracy is consistently higher": "the paper does not tell what becomes of a tied vote; if it is an "
    "error, the difference is 8.1 points, and 9.4 from 200 cases on",
}


def _experiments(seed: int, quick: bool, n_runs: int | None) -> Sequence[Experiment]:
    n = n_runs or (N_QUICK_RUNS if quick else N_RUNS)
    parity = partial(generated.run, generated.parity, seed)
    conjunction = partial(generated.run, generated.conjunction, seed)
    return [
        Experiment("Figure 1", "five-bit parity", n, parity, generated.of_parity),
        Experiment(generated.NOT_SHOWN, "five-feature conjunction", n, conjunction, generated.of_conjunction),
        Experiment("Figure 2a", chess.DATA, n, partial(chess.run, seed), chess.summary),
        Experiment("Figure 2b", "semantic class of a word", n, _words, lambda results: Part()),
        *(
            Experiment(domains.NOT_SHOWN, d.name, n, partial(domains.run, d, seed), partial(domains.summary, d))
            for d in domains.DOMAINS
        ),
        Experiment(beyond.NOISE, "five-bit parity with noise", n, partial(beyond.run_noise, seed), beyond.of_noise),
        Experiment(beyond.BEAM, "five-bit parity", n, partial(beyond.run_beam, seed), beyond.of_beam),
    ]


def _words(number: int) -> dict[str, float]:
    raise DataNotFoundError(
        "Cardie's data (a word's semantic class from 35 nominal attributes of its sentence) are in no package that "
        "casebase can load data from."
    )


PAPER = Paper(
    "oblivion",
    "Langley and Sage: Oblivious Decision Trees and Abstract Cases (1994)",
    "Learning curves of nearest neighbour, C4.5 and OBLIVION. The paper draws them and prints no numbers, so no row "
    "can be inside or outside of it; “orientation” is what an earlier prototype of the same reading of the paper got. "
    "What the text says about the curves is checked below the tables.",
    _experiments,
    domains.overall,
    REASONS,
)
