"""Wrong classes, planted and found: `python -m lab.bench.label_noise`.

Some classes of ten clean tables are changed, at random or where a confusion is likely, and every side ranks the records
by how suspect their class is. Precision is that of as many records as were changed; the area under the ROC curve is
over all records. Peers are cleanlab (`get_label_quality_scores`, `find_label_issues`) with cross-validated shares of a
logistic regression and of a random forest, and scikit-learn's kNN, all on one-hot codes. Times are the processor's, on
one thread. The figures are kept in `docs/health.json`, and the table made of them in `docs/health.md`; `--write` makes
the table anew without measuring.

The score was chosen on other tables with other seeds: KEEL's penbased, phoneme, vowel, wisconsin, optdigits, letter,
twonorm, texture, hayes-roth and mammographic (samples of the larger ones), monks-2, and made-up conjunctions, parities
and boards. Twenty-five scores were compared there, once; these ten tables decided nothing.
"""

import os

if __name__ == "__main__":  # before the libraries are loaded that ask for it
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import casebase as cb
from casebase.checkup.suspicion import opinions
from casebase.data.kinds import cases_with_kinds
from casebase.datasets import Dataset
from lab.local import load_local
from lab.paths import DOCS

try:
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
except ImportError:
    find_label_issues = get_label_quality_scores = None

HAS_CLEANLAB = find_label_issues is not None
RESULTS, PAGE = DOCS / "health.json", DOCS / "health.md"
TABLES: dict[str, Callable[[], Dataset]] = {
    "tic-tac-toe": cb.datasets.load_tic_tac_toe,
    "monks-1": lambda: cb.datasets.load_monks(1),
    "monks-3": lambda: cb.datasets.load_monks(3),
    "chess": lambda: cb.datasets.load_keel("chess"),
    "splice": lambda: cb.datasets.load_keel("splice"),
    "mushroom": lambda: cb.datasets.load_keel("mushroom"),
    "soybean": lambda: load_local("soybean"),
    "zoo": lambda: load_local("zoo"),
    "votes": lambda: load_local("votes"),
    "segment": lambda: cb.datasets.load_keel("segment"),
}
RATES, HOW, SEEDS = (0.05, 0.1, 0.2), ("random", "likely"), (101,)
N_FOLDS, N_NEIGHBOURS = 5, 10
OURS, SHAPLEY, FOREST = "casebase health", "casebase, Shapley value", "cleanlab, random forest"
SIDES = (OURS, SHAPLEY, "cleanlab, logistic regression", FOREST, "scikit-learn, 5-NN")


class Ranked(NamedTuple):
    """How suspect each record is, which records are said to be wrong, and the seconds of the work."""

    score: np.ndarray
    wrong: np.ndarray
    seconds: float


class Figures(NamedTuple):
    """One side on one table with changed classes."""

    table: str
    how: str
    rate: float
    seed: int
    side: str
    auc: float
    precision: float
    f_score: float
    seconds: float


def frame(data: Dataset) -> pd.DataFrame:
    """Return the features as a user has them: columns of floats are numbers, all others symbols."""
    table = pd.DataFrame(data.data, columns=list(data.feature_names))
    for name in table:
        is_number = all(isinstance(value, float) for value in table[name])
        table[name] = table[name].astype(float) if is_number else table[name].fillna("?").astype(str)
    return table


def flipped(labels: np.ndarray, rate: float, how: str, seed: int, likely: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return classes of which some are changed, and which.

    At random, every record may get every other class. Where a confusion is likely, records are drawn by the share of
    other classes among their nearest records (`likely`, a row per record), and get one of these classes.
    """
    draw = np.random.default_rng(seed)
    n, n_classes = likely.shape
    other = likely.copy() if how == "likely" else np.ones((n, n_classes))
    other[np.arange(n), labels] = 0
    chance = other.sum(axis=1) + 1e-3  # a record without such neighbours is hardly ever drawn
    chosen = draw.choice(n, round(rate * n), replace=False, p=chance / chance.sum())
    changed = labels.copy()
    for i in chosen:
        shares = other[i] + 1e-6 * (np.arange(n_classes) != labels[i])
        changed[i] = draw.choice(n_classes, p=shares / shares.sum())
    return changed, np.isin(np.arange(n), chosen)


def one_hot(table: pd.DataFrame) -> Any:
    numbers = [name for name in table if pd.api.types.is_float_dtype(table[name])]
    symbols = [name for name in table if name not in numbers]
    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), symbols), (StandardScaler(), numbers))


def cross_validated(table: pd.DataFrame, labels: np.ndarray, classifier: Any) -> np.ndarray:
    """Return the shares of the classes for every record, from folds without it."""
    n_folds = int(np.clip(np.bincount(labels).min(), 2, N_FOLDS))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes, and logistic regression that has not converged
        model = make_pipeline(one_hot(table), classifier)
        shares: np.ndarray = cross_val_predict(model, table, labels, cv=folds, method="predict_proba")
    return shares


def by_cleanlab(table: pd.DataFrame, labels: np.ndarray, classifier: Any) -> Ranked:
    start = time.process_time()
    shares = cross_validated(table, labels, classifier)
    score = -get_label_quality_scores(labels, shares)
    return Ranked(score, find_label_issues(labels, shares, n_jobs=1), time.process_time() - start)


def by_neighbours(table: pd.DataFrame, labels: np.ndarray) -> Ranked:
    start = time.process_time()
    shares = cross_validated(table, labels, KNeighborsClassifier(5))
    own = shares[np.arange(len(labels)), labels]
    return Ranked(-own, shares.argmax(axis=1) != labels, time.process_time() - start)


def by_casebase(table: pd.DataFrame, labels: np.ndarray) -> Ranked:
    start = time.process_time()
    found = opinions(cases_with_kinds(table, labels, or_plain=True))
    return Ranked(found.score, found.score > 0, time.process_time() - start)


def by_shapley(table: pd.DataFrame, labels: np.ndarray) -> Ranked:
    """Return the whole report, with its ranking by Shapley value: its time is that of everything."""
    start = time.process_time()
    report = cb.health(table, labels)
    value = report.scores.shapley
    return Ranked(-value, value < 0, time.process_time() - start)


def ranked(table: pd.DataFrame, labels: np.ndarray, sides: Iterable[str] = SIDES) -> Iterator[tuple[str, Ranked]]:
    work: dict[str, Callable[[], Ranked]] = {
        OURS: lambda: by_casebase(table, labels),
        SHAPLEY: lambda: by_shapley(table, labels),
        "scikit-learn, 5-NN": lambda: by_neighbours(table, labels),
    }
    if HAS_CLEANLAB:
        logistic, forest = LogisticRegression(max_iter=1000), RandomForestClassifier(random_state=0)
        work["cleanlab, logistic regression"] = lambda: by_cleanlab(table, labels, logistic)
        work[FOREST] = lambda: by_cleanlab(table, labels, forest)
    for side in sides:
        if side in work:
            yield side, work[side]()


def measured(
    names: Iterable[str] = tuple(TABLES),
    rates: Sequence[float] = RATES,
    hows: Sequence[str] = HOW,
    seeds: Sequence[int] = SEEDS,
    sides: Iterable[str] = SIDES,
) -> Iterator[Figures]:
    """Yield the figures of every side, table by table."""
    for name in names:
        data = TABLES[name]()
        table, labels = frame(data), np.unique(data.target.astype(str), return_inverse=True)[1]
        likely = cross_validated(table, labels, KNeighborsClassifier(N_NEIGHBOURS))
        for how in hows:
            for rate in rates:
                for seed in seeds:
                    changed, is_wrong = flipped(labels, rate, how, seed, likely)
                    for side, found in ranked(table, changed, sides):
                        yield Figures(name, how, rate, seed, side, *_scores(found, is_wrong), found.seconds)


def _scores(found: Ranked, is_wrong: np.ndarray) -> tuple[float, float, float]:
    """Return the area under the curve, the precision at the number of wrong records, and F of those said to be so."""
    n_wrong = int(is_wrong.sum())
    mixed = np.random.default_rng(0).permutation(len(is_wrong))  # equal scores in no order
    first = mixed[np.argsort(-found.score[mixed], kind="stable")[:n_wrong]]
    both = float((found.wrong & is_wrong).sum())
    f_score = 2 * both / (found.wrong.sum() + n_wrong)
    return float(roc_auc_score(is_wrong, found.score)), float(is_wrong[first].mean()), f_score


def table_of(figures: Sequence[Figures]) -> str:
    """Return the figures as a table in Markdown: means over rates and seeds, one line per table and kind of change."""
    found = pd.DataFrame(figures)
    sides = [side for side in SIDES if side in set(found["side"])]
    lines = ["| table | changed | " + " | ".join(sides) + " |", "|---|---|" + "---|" * len(sides)]
    groups = [(name, how) for how in HOW for name in TABLES] + [("mean", how) for how in (*HOW, "all")]
    for name, how in groups:
        part = found[(name == "mean") | (found["table"] == name)]
        part = part[(how == "all") | (part["how"] == how)]
        if part.empty:
            continue
        means = part.groupby("side")[["auc", "precision"]].mean()
        best = means["precision"].round(3).max()
        cells = []
        for side in sides:
            text = f"{means.loc[side, 'auc']:.3f} / {means.loc[side, 'precision']:.3f}"
            cells.append(f"**{text}**" if round(means.loc[side, "precision"], 3) == best else text)
        lines.append(f"| {name} | {how} | " + " | ".join(cells) + " |")
    seconds = found.groupby("side")["seconds"].sum()
    f_score = found.groupby("side")["f_score"].mean()
    lines.append("| F of the listed records | | " + " | ".join(f"{f_score[side]:.3f}" for side in sides) + " |")
    lines.append("| CPU seconds in all | | " + " | ".join(f"{seconds[side]:.1f}" for side in sides) + " |")
    return "\n".join(lines)


def write_page(figures: Sequence[Figures]) -> None:
    """Put the table into the page of the manual."""
    begin, end = "<!-- label noise -->", "<!-- end of label noise -->"
    text = PAGE.read_text(encoding="utf-8")
    made = f"{begin}\n{table_of(figures)}\n{end}"
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: made, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.bench.label_noise", description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="tables, joined by commas")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)))
    parser.add_argument("--write", action="store_true", help="only make the page from the kept figures")
    options = parser.parse_args()
    kept = [Figures(*each) for each in json.loads(RESULTS.read_text())] if RESULTS.exists() else []
    if not options.write:
        names = options.only.split(",") if options.only else list(TABLES)
        seeds = [int(seed) for seed in options.seeds.split(",")]
        for name in names:
            kept = [each for each in kept if each.table != name or each.seed not in seeds]
            kept += measured([name], seeds=seeds)
            RESULTS.write_text("[\n" + ",\n".join(json.dumps(list(each)) for each in kept) + "\n]\n")
            print(name, flush=True)
    print(table_of(kept))
    if PAGE.exists():
        write_page(kept)


if __name__ == "__main__":
    main()
