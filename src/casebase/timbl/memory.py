"""Training data: lines as symbols and as cases, feature weights, and the order of the features."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from casebase.data import Cases, Table
from casebase.data.arrays import as_strings
from casebase.data.numbers import NUMBER, numbers_in
from casebase.errors import CasebaseError
from casebase.measures.votes import EPSILON
from casebase.timbl.data_files import DataFile
from casebase.timbl.metric_string import METRICS, NUMERIC, SIMILARITIES, MetricString, feature_ranges
from casebase.timbl.notation import escape
from casebase.timbl.options import Options
from casebase.timbl.relevance import ORDER_OF_WEIGHTING, Relevance, permutation, relevance_of
from casebase.timbl.symbols import Symbols

BY_LETTERS = ("L", "DC")
Warn = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class Training:
    """Training lines: a table with the class last, and the weight of each line.

    Lines from an instance base have an order of classes and of features; the first `n_used` of those
    features are in its tree.
    """

    name: str
    n_features: int
    table: Table
    occurrences: np.ndarray | None = None
    exemplars: np.ndarray | None = None
    classes: list[str] | None = None
    order: list[int] | None = None
    n_used: int | None = None
    values: list[str] | None = None  # of an instance base, numbered before those of the lines
    n_added: int = 0  # lines at the end that were added to those of an instance base

    @classmethod
    def from_file(cls, file: DataFile, options: Options) -> "Training":
        weights = file.numbers if options.exemplars in ("both", "train") else None
        counts = file.numbers if options.occurrences in ("train", "both") else None
        return cls(file.path, file.layout.n_features, file.table(), counts, weights)


@dataclass(frozen=True, eq=False)
class Memory:
    """Training lines as symbols and as cases, with the metric of every feature and the order of the tree."""

    training: Training
    symbols: Symbols
    cases: Cases
    metrics: tuple[str, ...]  # a letter per feature
    relevance: Relevance
    order: list[int]
    order_name: str
    weights: np.ndarray | None  # from a file
    n_used: int

    @property
    def ignored(self) -> set[int]:
        return {i for i, letter in enumerate(self.metrics) if letter == "I"}

    def numbers(self, feature: int) -> np.ndarray:
        """Return the distinct numbers of a numeric feature."""
        return numbers_in(as_strings(self.symbols.values[feature] or []))[0]


def effective_metrics(metric: MetricString, table: Table, warn: Warn) -> tuple[str, ...]:
    """Return a letter per feature; a numeric feature with other values gets the default metric."""
    n_features = len(table.columns) - 1
    letters = [metric.of(i + 1) for i in range(n_features)]
    if all(letter == "I" for letter in letters):
        raise CasebaseError(f"Option -m {metric.text}: all features are ignored, so there is nothing to compare.")
    fallback = "O" if metric.default in NUMERIC else metric.default
    wrong, constant = [], []
    for i, letter in enumerate(letters):
        if letter not in NUMERIC + SIMILARITIES:
            continue
        numbers = []
        for value in table.columns[i].dictionary.to_pylist():
            found = NUMBER.match(value)
            if found is None:
                warn(f"Warning:a Non Numeric value '{value}' in Numeric Feature!")
                if letter in SIMILARITIES:
                    raise CasebaseError(
                        f"Option -m {metric.text}: expected numbers, but feature {i + 1} has {value!r}. "
                        f"Ignore it, -m {metric.default}:I{i + 1}, or choose another metric."
                    )
                wrong.append(i + 1)
                break
            numbers.append(float(found.group()))
        else:
            if letter in NUMERIC and max(numbers) - min(numbers) < EPSILON:
                constant.append(i + 1)
    for i in wrong + constant:
        letters[i - 1] = fallback
    if wrong:
        warn("Warning: The following feature(s) contained non-numeric values and")
        warn(f"will be treated as NON-Numeric: {feature_ranges(wrong)}")
    return tuple(letters)


def remember(training: Training, options: Options, given: np.ndarray | None, warn: Warn) -> Memory:
    """Prepare training lines for a learner; `given` are weights from a file."""
    table = training.table
    metrics = effective_metrics(options.metric, table, warn)
    if training.order is not None:  # features outside the tree of an instance base cannot be compared
        outside = training.order[training.n_used :]
        metrics = tuple("I" if i in outside else letter for i, letter in enumerate(metrics))
    ignored = {i for i, letter in enumerate(metrics) if letter == "I"}
    symbols = Symbols.of(list(table.columns), ignored)
    if training.classes is not None:
        symbols = symbols.with_order(training.classes, training.values or [])
    constant = [i + 1 for i, values in enumerate(symbols.values) if values is not None and len(values) == 1]
    if constant:
        warn(f"Warning: The following feature(s) have only 1 value: {feature_ranges(constant)}")
    cases = Cases.from_table(escape_strings(table, metrics), weights=training.occurrences, exemplars=training.exemplars)
    if set(metrics) & set(SIMILARITIES):
        cases = cases.with_kinds(dict.fromkeys(ignored, "ignored"))
    measures = required_measures(options)
    relevance = relevance_of(cases, metric_parameter(metrics), symbols, measures, options.n_bins)
    order, order_name = tree_order(options, relevance, given, ignored, training)
    n_used = training.n_features - len(ignored)
    return Memory(training, symbols, cases, metrics, relevance, order, order_name, given, n_used)


def limit_features(memory: Memory, options: Options, warn: Warn) -> Memory:
    """Return the memory with all but the first features of the tree order ignored."""
    assert options.limit is not None
    if options.limit > memory.training.n_features:
        raise CasebaseError(f"Option --limit={options.limit}: there are only {memory.training.n_features} features.")
    dropped = {feature + 1: "I" for feature in memory.order[options.limit :]}
    # The metric string that TiMBL prints names only the ignored features, not the metrics of the others.
    text = f"{options.metric.default}:I{feature_ranges(sorted(dropped))}" if dropped else options.metric.default
    warn(f"\t--limit={options.limit} is specified, so we retrain the data with option: -m{text}")
    metric = MetricString(options.metric.text, options.metric.default, {**options.metric.per_feature, **dropped})
    return remember(memory.training, replace(options, metric=metric, limit=None), memory.weights, warn)


def required_measures(options: Options) -> set[str]:
    """Return the measures to compute: chi-squared and shared variance only if an option needs them."""
    if options.weighting == "sd" and options.weights_file is None:
        return {"sd"}
    wanted = {"ig", "gr"}
    order = options.tree_order or ""
    if (
        (options.weights_file is None and options.weighting in ("x2", "sv"))
        or options.weights_out
        or order in ("X2O", "SVO", "X/V", "S/V")
    ):
        wanted |= {"x2", "sv"}
    return wanted


def tree_order(
    options: Options, relevance: Relevance, given: np.ndarray | None, ignored: set[int], training: Training
) -> tuple[list[int], str]:
    """Return the features in the order of the tree, and the name of that order."""
    n_features = len(relevance.n_values)
    if training.order is not None:
        return training.order, "UDO"
    order = options.tree_order
    if order is None:
        is_tree = options.algorithm in ("IGTree", "TRIBL", "TRIBL2")
        weighting = "gr" if given is not None else options.weighting
        order = ORDER_OF_WEIGHTING[weighting] if is_tree else "G/V"
    keys = relevance.keys(order, given)
    return permutation(keys, ignored, n_features), order if given is None or options.tree_order else "weightfile"


def metric_parameter(metrics: tuple[str, ...]) -> str | dict[str | int, str]:
    """Return the metric of each feature as casebase names it; a metric on whole rows is the only one."""
    for letter in SIMILARITIES:
        if letter in metrics:
            return METRICS[letter][0]
    return dict(enumerate(METRICS[letter][0] for letter in metrics))


def escape_strings(table: Table, metrics: tuple[str, ...]) -> Table:
    """Return a table in which values of string metrics are written as TiMBL stores them."""
    columns = list(table.columns)
    for i, letter in enumerate(metrics):
        if letter in BY_LETTERS:
            values = columns[i].dictionary.to_pylist()
            if any(escape(value) != value for value in values):
                texts = as_strings([escape(value) for value in values])
                columns[i] = pa.DictionaryArray.from_arrays(columns[i].indices, texts)
    return replace(table, columns=tuple(columns))
