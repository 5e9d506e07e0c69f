"""A paper that was never written, small enough to check by hand."""

import os
import signal

from casebase.datasets import DataNotFoundError
from lab.papers import Claim, Curve, Experiment, Figure, Measured, Panel, Paper, Part, Row


def _curve_run(i):
    return {("ours", 10): 60.0 + i, ("ours", 20): 80.0 + i, ("theirs", 10): 50.0, ("theirs", 20): 70.0}


def _curve_summary(results):
    rows = tuple(
        Row(
            "Figure 1",
            "coins",
            "guessing",
            f"{n} training cases",
            ours=results["ours", n],
            peer=results["theirs", n],
            peer_name="their guess",
            orientation=65.0 if n == 10 else None,
        )
        for n in (10, 20)
    )
    lead = results["ours", 20].minus(results["theirs", 20])
    claim = Claim("Figure 1", "ours leads", "ours is higher at 20", f"{lead.mean:+.1f} points.", lead.mean > 0)
    curves = tuple(Curve(name, {n: results[name, n] for n in (10, 20)}) for name in ("ours", "theirs"))
    panel = Panel("(a) coins", "Number of training instances", "Accuracy (%)", curves, floor=40)
    return Part(rows, (claim,), (Figure("coins-figure1", "Figure 1", "How <guessing> learns.", (panel,)),))


def _table_summary(results):
    rows = (
        Row("Table 1", "dice", "guessing", paper=17.0, paper_spread=1.0, ours=results["dice"]),
        Row(
            "Table 1", "cards", "guessing", paper=50.0, paper_spread=1.0, ours=results["cards"], note="Why | not known."
        ),
    )
    return Part(rows)


def _absent(i):
    raise DataNotFoundError("Data set 'rain': there is no file rain.csv.")


def _experiments(seed, quick, n_runs):
    runs = n_runs or (2 if quick else 3)
    return [
        Experiment("Figure 1", "coins", runs, _curve_run, _curve_summary),
        Experiment("Table 1", "games", runs, lambda i: {"dice": 16.5 + i, "cards": 40.0 + seed}, _table_summary),
        Experiment("Table 2", "rain", runs, _absent, lambda results: Part()),
    ]


CHANCE = Paper("chance", "On chance", "Guesses about coins and dice.", _experiments)
ONE_RUN = Measured((50.0,))


def stopped_in(n, *, swallow):
    """A paper of ten runs in whose run `n` Ctrl-C is pressed."""

    def run(i):
        if i == n:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                if not swallow:
                    raise
        return {"x": i}

    def summary(results):
        return Part((Row("Table 1", "coins", "guessing", ours=results["x"]),))

    again = Experiment("Table 2", "dice", 10, lambda i: {"x": 0}, summary)
    return Paper("p", "P", "", lambda seed, quick, n_runs: [Experiment("Table 1", "coins", 10, run, summary), again])
