"""Compare a classifier that chooses for itself with its peers, on the same folds of the same tables.

    python -m lab.bench.autopilot --group develop --methods peers --out results.json
    python -m lab.bench.autopilot --group develop --methods auto trial=my_module:make --out results.json
    python -m lab.bench.autopilot --group develop --out results.json
    python -m lab.bench.autopilot --generated --methods catboost auto --out results.json
    python -m lab.bench.autopilot --write --out docs/autopilot.json

A method is `peers`, one of the peers by name, `auto` (`casebase.AutoClassifier`), or `module:factory`, with an
optional name and `=` before it. Pairs of a table and a method that the file has are not computed again. Without
methods, the results in the file are printed. Times are the processor's, with one thread.
"""

import os

if __name__ == "__main__":  # before the libraries are loaded that ask for it
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from lab.bench.mixed_tables import GROUPS, Load, Mixed, generated, numbers, symbols
from lab.paths import DOCS

PAGE = DOCS / "which-method.md"
N_FOLDS = 10
N_BINS = 15
LEAST_PROBABILITY = 1e-15
MOST_CATEGORIES = 255  # that scikit-learn's boosting takes in one feature
GENERATED_SIZES = (10_000, 100_000)


class Classifier(Protocol):
    """What a method must have; accuracy is that of the most probable class."""

    @property
    def classes_(self) -> Sequence[str] | np.ndarray: ...

    def fit(self, X: pd.DataFrame, y: pd.Series, /) -> Any: ...

    def predict_proba(self, X: pd.DataFrame, /) -> np.ndarray: ...


Make = Callable[[], Classifier]


# --- the peers ---


def _after_encoding(scaled_numbers: Any, classifier: Any) -> Any:
    encoding = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), symbols), (scaled_numbers, numbers))
    return make_pipeline(encoding, classifier)


def random_forest() -> Classifier:
    forest = RandomForestClassifier(200, random_state=0, n_jobs=1)
    model: Classifier = _after_encoding(SimpleImputer(strategy="median"), forest)
    return model


def logistic_regression() -> Classifier:
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    model: Classifier = _after_encoding(scaled, LogisticRegression(max_iter=1000))
    return model


def majority() -> Classifier:
    model: Classifier = DummyClassifier(strategy="prior")
    return model


class HistBoosting:
    """scikit-learn's histogram boosting; symbols are categories, or ordered codes if they are too many."""

    def fit(self, X: pd.DataFrame, y: pd.Series) -> Self:
        self._symbols, self._numbers = symbols(X), numbers(X)
        self._codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
        self._codes.fit(X[self._symbols])
        is_few = [len(values) <= MOST_CATEGORIES for values in self._codes.categories_]
        is_category = np.array(is_few + [False] * len(self._numbers))
        self._model = HistGradientBoostingClassifier(categorical_features=is_category, random_state=0)
        self._model.fit(self._encode(X), y)
        self.classes_: np.ndarray = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        answers: np.ndarray = self._model.predict_proba(self._encode(X))
        return answers

    def _encode(self, X: pd.DataFrame) -> np.ndarray:
        return np.hstack([self._codes.transform(X[self._symbols]), X[self._numbers].to_numpy(float)])


class LightGBM:
    """LightGBM with its defaults; symbols are pandas categories."""

    def fit(self, X: pd.DataFrame, y: pd.Series) -> Self:
        self._types = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in symbols(X)}
        self._model = import_module("lightgbm").LGBMClassifier(verbose=-1, n_jobs=1)
        self._model.fit(X.astype(self._types), y)
        self.classes_: np.ndarray = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        answers: np.ndarray = self._model.predict_proba(X.astype(self._types))
        return answers


class CatBoost:
    """CatBoost with its defaults, on one thread; a missing symbol is a symbol."""

    def fit(self, X: pd.DataFrame, y: pd.Series) -> Self:
        self._symbols = symbols(X)
        self._model = import_module("catboost").CatBoostClassifier(
            verbose=False, thread_count=1, allow_writing_files=False, cat_features=self._symbols
        )
        self._model.fit(self._filled(X), y)
        self.classes_: np.ndarray = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        answers: np.ndarray = self._model.predict_proba(self._filled(X))
        return answers

    def _filled(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.fillna(dict.fromkeys(self._symbols, "?"))


PEERS: dict[str, Make] = {
    "majority": majority,
    "logistic": logistic_regression,
    "forest": random_forest,
    "histboost": HistBoosting,
    "lightgbm": LightGBM,
}
ONLY_TIMED: dict[str, Make] = {"catboost": CatBoost}
AUTO = "casebase:AutoClassifier"


# --- measuring ---


@dataclass(frozen=True)
class Result:
    """How a method did on one table; counts and seconds are over all folds."""

    accuracy: float
    log_loss: float
    ece: float
    learning: float
    learning_by_the_wall: float
    answers_per_second: float
    fold_accuracies: tuple[float, ...]


def evaluate(table: Mixed, make: Make, n_folds: int = N_FOLDS) -> Result:
    """Return the results of one method on held-out answers of cross-validation."""
    X, y = table
    classes = np.unique(y)
    truth = np.searchsorted(classes, y)
    probabilities = np.zeros((len(y), len(classes)))
    accuracies: list[float] = []
    learning = learning_by_the_wall = answering = 0.0
    for train, test in _folds(y, n_folds):
        train_X, train_y, test_X = X.iloc[train], y.iloc[train], X.iloc[test]
        model = make()
        start, wall_start = time.process_time(), time.perf_counter()
        model.fit(train_X, train_y)
        learning_by_the_wall += time.perf_counter() - wall_start
        fitted = time.process_time()
        answers = model.predict_proba(test_X)
        answering += time.process_time() - fitted
        learning += fitted - start
        # A class that is missing from a training fold keeps the probability 0.
        probabilities[np.ix_(test, np.searchsorted(classes, np.asarray(model.classes_, dtype=object)))] = answers
        accuracies.append(float((probabilities[test].argmax(axis=1) == truth[test]).mean()))
    return Result(
        accuracy=float((probabilities.argmax(axis=1) == truth).mean()),
        log_loss=log_loss(probabilities, truth),
        ece=calibration_error(probabilities, truth),
        learning=learning,
        learning_by_the_wall=learning_by_the_wall,
        answers_per_second=len(y) / max(answering, 1e-9),
        fold_accuracies=tuple(accuracies),
    )


def _folds(y: pd.Series, n_folds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        yield from StratifiedKFold(n_folds, shuffle=True, random_state=0).split(y, y)


def log_loss(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean of -ln of the right class's probability, which is at least 1e-15.

    >>> round(log_loss(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1])), 4)  # half of ln 2
    0.3466
    """
    of_truth = probabilities[np.arange(len(truth)), truth]
    return float(-np.log(of_truth.clip(LEAST_PROBABILITY, 1)).mean())


def calibration_error(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Return the expected calibration error: how far confidence is from accuracy, in bins of equal width.

    >>> round(calibration_error(np.array([[0.8, 0.2], [0.8, 0.2]]), np.array([0, 1])), 4)  # confident 0.8, right 0.5
    0.3
    """
    confidence = probabilities.max(axis=1)
    is_right = probabilities.argmax(axis=1) == truth
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    # The weight of a bin, n / N, cancels the n of its two means.
    gaps = np.bincount(bins, weights=is_right - confidence, minlength=N_BINS)
    return float(np.abs(gaps).sum() / len(truth))


def learning_times(make: Make, sizes: Sequence[int] = GENERATED_SIZES) -> dict[str, float]:
    """Return the processor's seconds to learn generated tables of 15 columns, by the number of cases."""
    seconds = {}
    for n_cases in sizes:
        X, y = generated(n_cases)
        model = make()
        start = time.process_time()
        model.fit(X, y)
        seconds[str(n_cases)] = time.process_time() - start
    return seconds


def catboost_timing() -> dict[str, float]:
    """Return CatBoost's learning times; it is too slow for the folds of all tables."""
    return learning_times(CatBoost)


# --- running ---


def methods_of(specifications: Sequence[str]) -> dict[str, Make]:
    """Return the methods that the command line names; what is not installed is left out and said."""
    methods: dict[str, Make] = {}
    for each in specifications:
        if each == "peers":
            methods |= PEERS
        elif each in PEERS | ONLY_TIMED:
            methods[each] = (PEERS | ONLY_TIMED)[each]
        else:
            name, _, place = (f"auto={AUTO}" if each == "auto" else each).rpartition("=")
            module, _, factory = place.partition(":")
            methods[name or place] = getattr(import_module(module), factory)
    absent = [name for name in ("lightgbm", "catboost") if name in methods and find_spec(name) is None]
    for name in absent:
        print(f"{name}: left out, it is not installed.", flush=True)
    return {name: make for name, make in methods.items() if name not in absent}


def run(tables: Mapping[str, Load], methods: Mapping[str, Make], out: Path) -> None:
    """Compute the pairs that the file does not have, and write it after each."""
    for table_name, load in tables.items():
        wanted = [name for name in methods if name not in read(out)["results"].get(table_name, {})]
        if not wanted:
            continue
        table = load()
        about = {
            "cases": len(table.X),
            "symbols": len(symbols(table.X)),
            "numbers": len(numbers(table.X)),
            "missing": int(table.X.isna().sum().sum()),
            "classes": table.y.nunique(),
        }
        for name in wanted:
            try:
                result = evaluate(table, methods[name])
            except Exception as error:  # one failure does not stop the others, and is tried again next time
                print(f"{table_name:30} {name:12} failed: {type(error).__name__}: {error}", flush=True)
                continue
            record = read(out)  # anew: another process may have written meanwhile
            record["tables"][table_name] = about
            record["results"].setdefault(table_name, {})[name] = asdict(result)
            write(record, out)
            print(
                f"{table_name:30} {name:12} {100 * result.accuracy:6.2f} %  log loss {result.log_loss:.3f}  "
                f"ECE {result.ece:.3f}  {result.learning:8.2f} s",
                flush=True,
            )


def run_generated(methods: Mapping[str, Make], out: Path, sizes: Sequence[int] = GENERATED_SIZES) -> None:
    """Time learning on generated tables, for the methods and sizes that the file does not have."""
    for name, make in methods.items():
        for n_cases in sizes:
            if str(n_cases) in read(out)["generated"].get(name, {}):
                continue
            seconds = learning_times(make, [n_cases])
            record = read(out)
            record["generated"].setdefault(name, {}).update(seconds)
            write(record, out)
            print(f"{name:12} {seconds}", flush=True)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the stored record, an empty one if there is none."""
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {"tables": {}, "results": {}, "generated": {}} | stored


def write(record: Mapping[str, Any], path: Path) -> None:
    """Write the record in one step, so that a reader never sees half of it."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


# --- printing ---


@dataclass(frozen=True)
class Measure:
    """A field of the results, as a table of its own."""

    title: str
    field: str
    shown: Callable[[float], str]
    larger_is_better: bool = False


MEASURES = (
    Measure("Accuracy, per cent", "accuracy", lambda x: f"{100 * x:.2f}", larger_is_better=True),
    Measure("Log loss", "log_loss", lambda x: f"{x:.3f}"),
    Measure("Expected calibration error", "ece", lambda x: f"{x:.3f}"),
    Measure("Seconds to learn, all folds", "learning", lambda x: f"{x:.2f}"),
    Measure("Answers a second", "answers_per_second", lambda x: f"{x:,.0f}", larger_is_better=True),
)


def markdown(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a Markdown table for each measure, tables down and methods across.

    Means and mean ranks are over the tables that all methods have answered.
    """
    about, results = record["tables"], {name: record["results"][name] for name in names if name in record["results"]}
    methods = list(dict.fromkeys(method for by_method in results.values() for method in by_method))
    common = [name for name, by_method in results.items() if all(method in by_method for method in methods)]
    lines: list[str] = []
    for measure in MEASURES:
        lines += [f"### {measure.title}", "", _row("", "cases", *methods), "|---|" + "---:|" * (len(methods) + 1)]
        for name, by_method in results.items():
            cells = [measure.shown(by_method[m][measure.field]) if m in by_method else "" for m in methods]
            lines.append(_row(name, f"{about[name]['cases']:,}", *cells))
        if common:
            values = np.array([[results[name][m][measure.field] for m in methods] for name in common])
            over = f"of {len(common)} tables"
            lines.append(_row(f"**mean** {over}", "", *(measure.shown(x) for x in values.mean(axis=0))))
            lines.append(_row(f"**mean rank** {over}", "", *(f"{x:.2f}" for x in mean_ranks(values, measure))))
        lines.append("")
    return "\n".join(lines)


def mean_ranks(values: np.ndarray, measure: Measure) -> list[float]:
    """Return each method's mean place, 1 for the best; methods equal to four decimals share their places."""
    rounded = np.round(values, 4)
    ranks: np.ndarray = rankdata(-rounded if measure.larger_is_better else rounded, axis=1)
    return [float(rank) for rank in ranks.mean(axis=0)]


def generated_markdown(record: Mapping[str, Any]) -> str:
    """Return the learning times on generated tables."""
    lines = [_row("seconds to learn", *(f"{n:,} × 15" for n in GENERATED_SIZES)), "|---|---:|---:|"]
    for name, seconds in record["generated"].items():
        lines.append(_row(name, *(f"{seconds[str(n)]:.2f}" if str(n) in seconds else "" for n in GENERATED_SIZES)))
    return "\n".join(lines) + "\n"


SHOWN = {
    "auto": "autopilot",
    "forest": "random forest",
    "histboost": "HistGradientBoosting",
    "lightgbm": "LightGBM",
    "logistic": "logistic regression",
    "majority": "majority",
}
MEASURED = re.compile(r"(<!-- autopilot -->\n).*?(<!-- end of autopilot -->)", re.DOTALL)


def report(record: Mapping[str, Any]) -> str:
    """Return a table for each group: accuracy and log loss of each method on each table, and the means."""
    lines: list[str] = []
    for title, group in (("Thirteen symbolic tables", "study"), ("Twenty tables that were not used before", "unseen"),
                         ("Eighteen tables that were used for development", "develop")):  # fmt: skip
        results = {name: record["results"][name] for name in GROUPS[group] if name in record["results"]}
        lines += [f"### {title}", "", _row("", "cases", *SHOWN.values()), "|---|" + "---|" * (len(SHOWN) + 1)]
        for name, by_method in results.items():
            best = max(round(100 * by_method[m]["accuracy"], 1) for m in SHOWN)
            lines.append(
                _row(name, f"{record['tables'][name]['cases']:,}", *(_pair(by_method[m], best) for m in SHOWN))
            )
        fields = ("accuracy", "log_loss", "ece", "learning")
        values = {field: np.array([[by[m][field] for m in SHOWN] for by in results.values()]) for field in fields}
        means = {field: table.mean(axis=0) for field, table in values.items()}
        ranks = mean_ranks(values["accuracy"], MEASURES[0])
        both = zip(means["accuracy"], means["log_loss"])
        lines.append(_row("**mean**", "", *(f"**{100 * accuracy:.1f}** / {loss:.3f}" for accuracy, loss in both)))
        lines.append(_row("mean rank by accuracy", "", *(f"{rank:.2f}" for rank in ranks)))
        lines.append(_row("mean calibration error", "", *(f"{x:.3f}" for x in means["ece"])))
        lines.append(_row("seconds to learn, ten folds", "", *(f"{x:.1f}" for x in means["learning"])))
        lines.append("")
    return "\n".join(lines)


def _pair(result: Mapping[str, float], best: float) -> str:
    accuracy = round(100 * result["accuracy"], 1)
    return f"{f'**{accuracy:.1f}**' if accuracy == best else f'{accuracy:.1f}'} / {result['log_loss']:.3f}"


def with_report(page: str, record: Mapping[str, Any]) -> str:
    """Return the page with the tables of a record where it has its part about the autopilot."""
    return MEASURED.sub(lambda found: f"{found[1]}\n{report(record)}\n{found[2]}", page)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=list(GROUPS), default="develop")
    parser.add_argument("--tables", nargs="+", help="only these of the group")
    parser.add_argument("--methods", nargs="+", default=[], help="peers, auto, a peer's name, [name=]module:factory")
    parser.add_argument("--write", action="store_true", help="put the results into docs/which-method.md")
    parser.add_argument("--generated", action="store_true", help="time learning on generated tables instead")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the results, as JSON")
    options = parser.parse_args()
    if options.write:
        PAGE.write_text(with_report(PAGE.read_text(encoding="utf-8"), read(options.out)), encoding="utf-8")
        return
    methods = methods_of(options.methods)
    if options.generated:
        run_generated(methods, options.out)
        print(generated_markdown(read(options.out)))
        return
    group = GROUPS[options.group]
    unknown = [name for name in options.tables or () if name not in group]
    if unknown:
        parser.error(f"no table {unknown[0]!r}; there are {', '.join(group)}")
    tables = {name: load for name, load in group.items() if not options.tables or name in options.tables}
    run(tables, {name: make for name, make in methods.items() if name not in ONLY_TIMED}, options.out)
    print(markdown(read(options.out), list(tables)))


if __name__ == "__main__":
    main()
