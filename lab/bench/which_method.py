"""Every learner on a dozen data sets, beside what one would otherwise take: `python -m lab.bench.which_method`.

All learners have their defaults, as somebody has them who has not tuned anything; IB1 is measured in three settings.
Accuracy is that of stratified folds, the same for all; size is that of the saved model (for scikit-learn, of its
pickle); times are the processor's, on one thread, so that other work on the machine counts little. The figures are
kept in `docs/which-method.json`, and the tables made of them in `docs/which-method.md`; `--write` makes these
anew without measuring.
"""

import os

if __name__ == "__main__":  # before the libraries are loaded that ask for it
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import json
import pickle
import re
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier

import casebase as cb
from casebase.datasets import DataNotFoundError, Dataset
from lab.local import local_lines
from lab.paths import DOCS

RESULTS, PAGE = DOCS / "which-method.json", DOCS / "which-method.md"
N_FOLDS = 5
N_ATTACHMENTS = 4000


def _attachments() -> Dataset:
    """Return some prepositional phrases of the Wall Street Journal: does one belong to the verb or to the noun?"""
    rows = [line.split() for line in local_lines("ppattach.training.txt.gz")]
    chosen = np.random.default_rng(0).choice(len(rows), N_ATTACHMENTS, replace=False)
    table = np.array([rows[i] for i in chosen], dtype=object)
    return Dataset("attachment", table[:, :-1], table[:, -1], ("verb", "noun", "preposition", "object"), "")


DATA: dict[str, tuple[str, Callable[[], Dataset]]] = {
    "tic-tac-toe": ("symbols", cb.datasets.load_tic_tac_toe),
    "monks-1": ("symbols", lambda: cb.datasets.load_monks(1)),
    "monks-2": ("symbols", lambda: cb.datasets.load_monks(2)),
    "chess": ("symbols", lambda: cb.datasets.load_keel("chess")),
    "splice": ("symbols", lambda: cb.datasets.load_keel("splice")),
    "housevotes": ("symbols", lambda: cb.datasets.load_keel("housevotes")),
    "led7digit": ("symbols", lambda: cb.datasets.load_keel("led7digit")),
    "attachment": ("words", _attachments),
    "breast": ("mixed", lambda: cb.datasets.load_keel("breast")),
    "german": ("mixed", lambda: cb.datasets.load_keel("german")),
    "saheart": ("mixed", lambda: cb.datasets.load_keel("saheart")),
    "vehicle": ("numbers", lambda: cb.datasets.load_keel("vehicle")),
}


def _symbols(table: pd.DataFrame) -> list[str]:
    return [name for name in table if not pd.api.types.is_float_dtype(table[name])]


def _numbers(table: pd.DataFrame) -> list[str]:
    return [name for name in table if pd.api.types.is_float_dtype(table[name])]


def _after(symbols: Any, numbers: Any, classifier: Any) -> Any:
    return make_pipeline(make_column_transformer((symbols, _symbols), (numbers, _numbers)), classifier)


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore")


def _boosting() -> Any:
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return _after(codes, "passthrough", HistGradientBoostingClassifier(random_state=0))


OURS = {
    "Autopilot": cb.AutoClassifier,
    "IB1": lambda: cb.IB1Classifier(weighting="none"),
    "IB1-IG": cb.IB1Classifier,
    "IB1-IG, MVDM, k=5": lambda: cb.IB1Classifier(k=5, metric="mvdm", vote="inverse_distance"),
    "IGTree": cb.IGTreeClassifier,
    "TRIBL": cb.TRIBLClassifier,
    "TRIBL2": cb.TRIBL2Classifier,
    "IB2": cb.IB2Classifier,
    "OBLIVION": cb.OblivionClassifier,
    "SMILE": cb.SMILEClassifier,
    "ID3": cb.ID3Classifier,
    "C4.5": cb.C45Classifier,
    "C4.5's rules": cb.C45RulesClassifier,
    "Perceptron trees": cb.PerceptronTreeClassifier,
    "Oblivious graphs": lambda: cb.ObliviousGraphClassifier(method="consistent"),
    "Hierarchical rules": cb.HierarchicalRuleClassifier,
    "Forest of cases": cb.CaseForestClassifier,
    "Kernel vote": cb.KernelVoteClassifier,
    "Pool of opinions": cb.OpinionPoolClassifier,
    "Discriminant": cb.DiscriminantClassifier,
}
PEERS = {
    "random forest, one-hot": lambda: _after(_one_hot(), "passthrough", RandomForestClassifier(random_state=0)),
    "gradient boosting, codes": _boosting,
    "decision tree, one-hot": lambda: _after(_one_hot(), "passthrough", DecisionTreeClassifier(random_state=0)),
    "5-NN, one-hot": lambda: _after(_one_hot(), StandardScaler(), KNeighborsClassifier()),
    "5-NN, target encoding": lambda: _after(TargetEncoder(random_state=0), StandardScaler(), KNeighborsClassifier()),
    "naive Bayes": lambda: _after(
        _one_hot(), KBinsDiscretizer(5, encode="onehot", quantile_method="averaged_inverted_cdf"), MultinomialNB()
    ),
}
LEARNERS: dict[str, Callable[[], Any]] = OURS | PEERS


def measured(data: Dataset, make: Callable[[], Any], n_folds: int = N_FOLDS) -> dict[str, float]:
    """Return accuracy in per cent, model size in bytes, and the processor's time to learn and per answer."""
    table = pd.DataFrame(list(data.data), columns=list(data.feature_names)).convert_dtypes(convert_integer=False)
    table = table.astype({name: float if pd.api.types.is_numeric_dtype(table[name]) else object for name in table})
    target = np.asarray(data.target, dtype=str)
    warnings.filterwarnings("ignore", "Check the kinds")
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0).split(table, target)
    accuracy, size, learning, answering = [], [], [], []
    for train, test in folds:
        model = make()
        start = time.process_time()
        model.fit(table.iloc[train], target[train])
        fitted = time.process_time()
        answers = model.predict(table.iloc[test])
        done = time.process_time()
        accuracy.append(float((answers == target[test]).mean()))
        size.append(_size(model))
        learning.append(fitted - start)
        answering.append((done - fitted) / len(test))
    return {
        "accuracy": 100 * float(np.mean(accuracy)),
        "deviation": 100 * float(np.std(accuracy, ddof=1)),
        "bytes": float(np.median(size)),
        "learning": float(np.median(learning)),
        "answering": float(np.median(answering)),
    }


def _size(model: Any) -> int:
    if not hasattr(model, "save"):
        return len(pickle.dumps(model))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.cb"
        model.save(path)
        return path.stat().st_size


def measure(names: list[str], learners: list[str], known: dict[str, Any]) -> dict[str, Any]:
    """Return the record of all data sets, those in `known` that are not asked for as they were."""
    record = {"data": dict(known.get("data", {})), "results": dict(known.get("results", {}))}
    for name in names:
        kind, load = DATA[name]
        try:
            data = load()
        except DataNotFoundError as error:
            print(f"{name}: left out. {error}", flush=True)
            continue
        n_cases, n_features = data.data.shape
        record["data"][name] = {
            "kind": kind,
            "cases": n_cases,
            "features": n_features,
            "classes": len(np.unique(data.target)),
        }
        rows = record["results"].setdefault(name, {})
        for learner in learners:
            rows[learner] = measured(data, LEARNERS[learner])
            print(
                f"{name:12} {learner:26} {rows[learner]['accuracy']:6.1f} %  {rows[learner]['learning']:8.3f} s",
                flush=True,
            )
    return record


def tables(record: dict[str, Any]) -> str:
    """Return the tables of the page: accuracy on each data set, and what learning, answering and the models cost."""
    data, results = record["data"], record["results"]
    names = [name for name in DATA if name in results]
    learners = [name for name in LEARNERS if all(name in results[one] for one in names)]
    best = {name: max(round(results[name][learner]["accuracy"], 1) for learner in learners) for name in names}
    sizes = [f"{data[n]['cases']:,} × {data[n]['features']}" for n in names]
    lines = [_row("", "mean", "mean rank", *names), "|---|" + "---|" * (len(names) + 2)]
    lines.append(_row("*cases × features*", "", "", *sizes))
    ranks = _mean_ranks([[results[name][learner]["accuracy"] for name in names] for learner in learners])
    for learner, rank in zip(learners, ranks):
        found = [results[name][learner]["accuracy"] for name in names]
        cells = [f"**{a:.1f}**" if round(a, 1) == best[n] else f"{a:.1f}" for a, n in zip(found, names)]
        lines.append(_row(_marked(learner), f"{np.mean(found):.1f}", f"{rank:.1f}", *cells))
    for title, measure, shown in COSTS:
        lines += ["", f"### {title}", "", _row("", *names), "|---|" + "---|" * len(names)]
        for learner in learners:
            lines.append(_row(_marked(learner), *(shown(results[name][learner][measure]) for name in names)))
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"


def _marked(learner: str) -> str:
    return learner if learner in OURS else f"*{learner}*"


def _mean_ranks(accuracies: list[list[float]]) -> list[float]:
    """Return the mean place of each learner over the data sets, 1 for the best; equal ones share their places."""
    table = np.round(np.array(accuracies), 1)
    above = (table[None, :, :] > table[:, None, :]).sum(axis=1)
    equal = (table[None, :, :] == table[:, None, :]).sum(axis=1)
    return [float(rank) for rank in (above + (equal + 1) / 2).mean(axis=1)]


def _digits(x: float) -> str:
    """Return a number with one digit behind the point, or with none from ten on."""
    return f"{x:.1f}" if x < 9.95 else f"{x:,.0f}"


def _milliseconds(seconds: float) -> str:
    return _digits(1000 * seconds)


def _thousands_a_second(seconds: float) -> str:
    return _digits(1e-3 / max(seconds, 1e-9))


def _kilobytes(n: float) -> str:
    return _digits(n / 1e3)


COSTS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("Learning, in milliseconds", "learning", _milliseconds),
    ("Answers a second, in thousands", "answering", _thousands_a_second),
    ("Size of the model, in kilobytes", "bytes", _kilobytes),
)

MEASURED = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(page: str, record: dict[str, Any]) -> str:
    """Return the page with the tables of a record where it has its measured part."""
    return MEASURED.sub(lambda found: f"{found[1]}\n{tables(record)}\n{found[2]}", page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(DATA), default=list(DATA), help="data sets to measure")
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--write", action="store_true", help="only put the stored figures into the page")
    options = parser.parse_args()
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if not options.write:
        known = measure(options.only, options.learners, known)
        RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    if PAGE.exists():
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), known), encoding="utf-8")


if __name__ == "__main__":
    main()
