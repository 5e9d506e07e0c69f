"""SMILE's ways to weigh pools on tables that had no part in their making: `python -m lab.bench.smile_defaults`.

The list of tables was written down before any of them was measured. Apart from breast, which OBLIVION's paper has, it
has none of the papers' tables. Every setting sees the same ten stratified folds, once; numbers are cut by the training
part of each fold. An alpha is not chosen for tables of more than 150,000 values, where that takes very long. The table
that is printed is the one in `docs/smile.md`; names of tables restrict it to them.
"""

import sys
from collections.abc import Mapping

import numpy as np

from casebase import IB1Classifier, SMILEClassifier
from casebase.data.folds import folds
from casebase.datasets import load_keel

TABLES = [
    "australian",
    "bands",
    "breast",
    "bupa",
    "contraceptive",
    "crx",
    "german",
    "hayes-roth",
    "heart",
    "ionosphere",
    "led7digit",
    "mammographic",
    "movement_libras",
    "optdigits",
    "penbased",
    "phoneme",
    "pima",
    "saheart",
    "satimage",
    "segment",
    "spambase",
    "splice",
    "tae",
    "texture",
    "titanic",
    "vowel",
    "wdbc",
    "wine",
    "wisconsin",
]
N_FOLDS = 10
MOST_VALUES = 150_000  # of a table for which an alpha is chosen
SETTINGS: Mapping[str, dict[str, object]] = {
    "`cases`, `auto`": {"pools": "cases", "alpha": "auto"},
    "`cases`, 0": {"pools": "cases", "alpha": 0},
    "`cases`, 1": {"pools": "cases", "alpha": 1},
    "`size`, `auto`": {"pools": "size", "alpha": "auto"},
    "`size`, 0": {"pools": "size", "alpha": 0},
    "`size`, 1": {"pools": "size", "alpha": 1},
}
NEIGHBOUR = "IB1, unweighted"


def percent_right(name: str, n_jobs: int = 1) -> dict[str, float]:
    """Return the mean accuracy over the folds of a table for every setting, and for one nearest neighbour."""
    table = load_keel(name)
    X, y = table.data, table.target
    fold = folds(np.unique(y, return_inverse=True)[1], N_FOLDS, 0)
    methods = {
        setting: SMILEClassifier(**given, n_jobs=n_jobs)
        for setting, given in SETTINGS.items()
        if X.size <= MOST_VALUES or given["alpha"] != "auto"
    }
    methods[NEIGHBOUR] = IB1Classifier(weighting="none", n_jobs=n_jobs)
    right: dict[str, list[float]] = {setting: [] for setting in methods}
    for number in range(N_FOLDS):
        held_out = fold == number
        for setting, method in methods.items():
            fitted = method.set_params(normalisation="probability").fit(X[~held_out], y[~held_out])
            right[setting].append(100.0 * float(np.mean(fitted.predict(X[held_out]) == y[held_out])))
    return {setting: float(np.mean(of_folds)) for setting, of_folds in right.items()}


def line(name: str, found: Mapping[str, float]) -> str:
    """Return a line of the table; the best of SMILE's settings is bold."""
    best = max(n for setting, n in found.items() if setting in SETTINGS)
    cells = (found.get(setting) for setting in [*SETTINGS, NEIGHBOUR])
    shown = ("–" if n is None else f"**{n:.1f}**" if n == best else f"{n:.1f}" for n in cells)
    return f"| {name} | {' | '.join(shown)} |"


def main(names: list[str]) -> None:
    heads = [*SETTINGS, NEIGHBOUR]
    print(f"| table | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    for name in names:
        print(line(name, percent_right(name)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or TABLES)
