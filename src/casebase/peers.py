"""Classifiers of scikit-learn and LightGBM on coded cases, to compare methods with.

Each has the encoding that suits it: one-hot columns for the forest, ordinal codes marked as categories for boosting.
This module imports scikit-learn; those who do not ask for peers do not import it.
"""

import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from threadpoolctl import threadpool_limits

from casebase.data import Cases

N_CATEGORIES = 255  # as many as scikit-learn's boosting takes per feature; the rarest values share one


@dataclass(frozen=True)
class TrainedPeer:
    """A fitted pipeline, from cases in codes to labels and probabilities."""

    pipeline: Any
    n_classes: int
    n_threads: int

    def answer(self, cases: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Return the label code of each case, and one row of probabilities."""
        with _quietly(self.n_threads):
            found = self.pipeline.predict_proba(_matrix(cases))
        # A class that the training cases do not have has no column there.
        probabilities = np.zeros((cases.n_cases, self.n_classes))
        probabilities[:, self.pipeline.classes_] = found
        return probabilities.argmax(axis=1), probabilities

    def n_bytes(self) -> int:
        """Return the size of the pickled pipeline."""
        return len(pickle.dumps(self.pipeline))


@dataclass(frozen=True)
class Peer:
    """A classifier of another library; `build` makes a pipeline for columns of symbols and of numbers."""

    name: str
    title: str
    build: Callable[[list[int], list[int]], tuple[Any, dict[str, Any]]]
    n_threads: int

    def fit(self, cases: Cases) -> TrainedPeer:
        """Train on coded cases."""
        features = [feature for feature in cases.schema.features if feature.kind != "ignored"]
        symbols = [i for i, feature in enumerate(features) if feature.kind == "symbolic"]
        numbers = [i for i, feature in enumerate(features) if feature.kind == "numeric"]
        pipeline, arguments = self.build(symbols, numbers)
        with _quietly(self.n_threads):
            pipeline.fit(_matrix(cases), cases.known_labels.astype(np.int64), **arguments)
        return TrainedPeer(pipeline, cases.n_classes, self.n_threads)


def installed_peers(random_state: int, n_threads: int) -> list[Peer]:
    """Return the peers that can be imported: scikit-learn's forest and boosting, and LightGBM where it is installed."""

    def forest(symbols: list[int], numbers: list[int]) -> tuple[Any, dict[str, Any]]:
        encoder = ColumnTransformer(
            [
                ("symbols", OneHotEncoder(handle_unknown="ignore"), symbols),
                ("numbers", SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), numbers),
            ]
        )
        return make_pipeline(encoder, RandomForestClassifier(random_state=random_state, n_jobs=n_threads)), {}

    def boosting(symbols: list[int], numbers: list[int]) -> tuple[Any, dict[str, Any]]:
        # Without early stopping: it holds cases out by class, which fails for a class with one case.
        classifier = HistGradientBoostingClassifier(
            categorical_features=list(range(len(symbols))), early_stopping=False, random_state=random_state
        )
        return make_pipeline(_ordinal(symbols, numbers), classifier), {}

    def lightgbm(symbols: list[int], numbers: list[int]) -> tuple[Any, dict[str, Any]]:
        classifier = import_module("lightgbm").LGBMClassifier(random_state=random_state, n_jobs=n_threads, verbosity=-1)
        pipeline = make_pipeline(_ordinal(symbols, numbers), classifier)
        return pipeline, {"lgbmclassifier__categorical_feature": list(range(len(symbols)))}

    peers = [
        Peer("random_forest", "scikit-learn's RandomForestClassifier, symbols one-hot", forest, n_threads),
        Peer(
            "hist_gradient_boosting",
            "scikit-learn's HistGradientBoostingClassifier, symbols as categories",
            boosting,
            n_threads,
        ),
    ]
    if find_spec("lightgbm") is not None:
        peers.append(Peer("lightgbm", "LightGBM's LGBMClassifier, symbols as categories", lightgbm, n_threads))
    return peers


@contextmanager
def _quietly(n_threads: int) -> Iterator[None]:
    """Run with this many threads, and without LightGBM's warning that columns have no names."""
    with warnings.catch_warnings(), threadpool_limits(n_threads, user_api="openmp"):
        warnings.simplefilter("ignore", UserWarning)
        yield


def _ordinal(symbols: list[int], numbers: list[int]) -> Any:
    """Return an encoder whose first columns are the symbols as numbers from 0; new values are missing ones."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=N_CATEGORIES)
    return ColumnTransformer([("symbols", encoder, symbols), ("numbers", "passthrough", numbers)])


def _matrix(cases: Cases) -> np.ndarray:
    """Return the cases as one array: codes of symbols, where missing is one more, and numbers, missing as NaN."""
    columns = [
        column.astype(float)
        for column, feature in zip(cases.columns, cases.schema.features)
        if feature.kind != "ignored"
    ]
    return np.column_stack(columns)
