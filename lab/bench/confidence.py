"""How honest probabilities are, and what sets of classes cost: `python -m lab.bench.confidence [TABLE …]`.

Every learner has its defaults. Log loss and expected calibration error are those of stratified folds, the same for all,
beside classifiers of scikit-learn on one-hot columns. The part `confidence` of the benchmark measures the cost of
probabilities and of prediction sets beside that of predictions.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import casebase as cb
from casebase.estimators._load import estimator_of
from casebase.formats import read_table
from casebase.measures.smoothing import log_losses
from casebase.methods import METHODS
from lab.bench import data
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import alternating, side

N_FOLDS, N_BINS = 5, 10
TABLES: dict[str, Callable[[], Any]] = {
    "titanic": lambda: cb.datasets.load_keel("titanic"),
    "tic-tac-toe": cb.datasets.load_tic_tac_toe,
    "breast": lambda: cb.datasets.load_keel("breast"),
    "led7digit": lambda: cb.datasets.load_keel("led7digit"),
    "housevotes": lambda: cb.datasets.load_keel("housevotes"),
}


def _after_one_hot(classifier: Any) -> Any:
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), classifier)


PEERS: dict[str, Callable[[], Any]] = {
    "random forest": lambda: _after_one_hot(RandomForestClassifier(random_state=0)),
    "logistic regression": lambda: _after_one_hot(LogisticRegression(max_iter=1000)),
    "naive Bayes": lambda: _after_one_hot(MultinomialNB()),
    "decision tree": lambda: _after_one_hot(DecisionTreeClassifier(random_state=0)),
    "5-NN": lambda: _after_one_hot(KNeighborsClassifier()),
}


def calibration_error(shares: np.ndarray, labels: np.ndarray) -> float:
    """Return the expected calibration error: how far confidence and accuracy differ, on average over ten bins.

    >>> calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1])).__round__(3)
    0.4
    """
    confidence, is_right = shares.max(axis=1), shares.argmax(axis=1) == labels
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    gaps = [abs(confidence[bins == b].sum() - is_right[bins == b].sum()) for b in range(N_BINS)]
    return float(sum(gaps) / len(labels))


def held_out_shares(table: np.ndarray, target: np.ndarray, make: Callable[[], Any]) -> np.ndarray:
    """Return the probabilities of all cases, each from a model of the other folds."""
    classes = np.unique(target)
    shares = np.zeros((len(target), len(classes)))
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(table, target):
        model = make().fit(table[train], target[train])
        shares[np.ix_(test, np.searchsorted(classes, model.classes_))] = model.predict_proba(table[test])
    return shares


def figures(name: str) -> Iterator[tuple[str, str, float, float]]:
    """Yield learner, "raw" or "smoothed" or "", log loss and calibration error on a table."""
    found = TABLES[name]()
    table = pd.DataFrame(list(found.data)).astype(str).to_numpy(dtype=object)
    target = np.asarray(found.target, dtype=str)
    labels = np.unique(target, return_inverse=True)[1]
    learners: list[tuple[str, str, Callable[[], Any]]] = []
    for method in METHODS:
        make = estimator_of(method)
        if "normalisation" in make().get_params():
            learners.append((method, "raw", partial(make, normalisation="probability")))
            learners.append((method, "smoothed", make))
        else:
            learners.append((method, "", make))
    learners += [(peer, "", make) for peer, make in PEERS.items()]
    prior = np.tile(np.bincount(labels) / len(labels), (len(labels), 1))
    yield "class frequencies", "", float(log_losses(prior, labels).mean()), calibration_error(prior, labels)
    for learner, how, build in learners:
        shares = np.clip(held_out_shares(table, target, build), 1e-15, 1.0)
        yield learner, how, float(log_losses(shares, labels).mean()), calibration_error(shares, labels)


def costs(sizes: Sizes) -> Iterator[Row]:
    """Yield what probabilities and sets cost beside predictions, from coded cases."""
    files = data.windows(sizes)
    (X, y), (asked, _) = (_rows(path) for path in (files.middle, files.asked(sizes.asked)))
    for learner in ("ib1", "igtree"):
        what = f"{learner}, {files.name} {files.size(files.middle)} × 12"
        taken = alternating(
            {
                "fit": side(partial(_fitted, learner, X, y), sizes.repeats),
                "calibrated": side(partial(_calibrated, learner, X, y), sizes.repeats),
            }
        )
        work = f"{what}: fit and calibration, against the fit alone"
        yield beside(work, taken["calibrated"], taken["fit"], unit="s", is_cost=True)
        clf = _fitted(learner, X, y)
        clf.predict_set(asked[:1])  # the calibration is known before the clock starts
        sides = {
            "predict": side(partial(clf.predict, asked), sizes.repeats),
            "predict_proba": side(partial(clf.predict_proba, asked), sizes.repeats),
            "predict_set": side(partial(clf.predict_set, asked), sizes.repeats),
        }
        taken = {name: runs.times(1e6 / len(asked)) for name, runs in alternating(sides).items()}
        for name, target in (("predict_proba", 1.5), ("predict_set", 3.0)):
            work = f"{what}: {name}, against predict"
            yield beside(work, taken[name], taken["predict"], target, "µs", is_cost=True)


def _fitted(learner: str, X: np.ndarray, y: np.ndarray) -> Any:
    return estimator_of(learner)().fit(X, y)


def _calibrated(learner: str, X: np.ndarray, y: np.ndarray) -> Any:
    return _fitted(learner, X, y).calibration_


def _rows(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the features and the classes of a file."""
    table = read_table(path)
    columns = np.array([column.to_pylist() for column in table.columns], dtype=object)
    return columns[:-1].T, columns[-1]


def main() -> None:
    """Print log loss and calibration error as a table in Markdown."""
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or TABLES:
        for learner, how, loss, error in figures(name):
            print(f"| {name} | {learner} | {how} | {loss:.3f} | {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
