"""From options and training lines to a model, and from test lines to answers in TiMBL's terms."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.cores import n_cores
from casebase.data import Cases, Table
from casebase.data.arrays import as_numpy, as_strings
from casebase.data.numbers import NUMBER
from casebase.errors import CasebaseError
from casebase.learners import IB1, LEARNERS, TRIBL, TRIBL2, Answers, ib1
from casebase.learners.igtree import grow
from casebase.measures import weights as measured
from casebase.timbl.formatting import stored
from casebase.timbl.metric_string import METRICS, NUMERIC, SIMILARITIES, MetricString, feature_ranges
from casebase.timbl.options import Options
from casebase.timbl.reading import DataFile
from casebase.timbl.relevance import CASEBASE_NAMES, ORDER_OF_WEIGHTING, Relevance, permutation, relevance_of
from casebase.timbl.results import Distributions
from casebase.timbl.symbols import Symbols

EPSILON = 2.0**-52
BY_LETTERS = ("L", "DC")
VOTES = {"Z": "equal", "ID": "inverse_distance", "IL": "inverse_linear", "ED": "exponential"}
Warn = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Training:
    """Lines to learn from: a table with the class last, and how much each line counts.

    Lines out of an instance base bring an order of classes and of features with them; the first `n_used` of those
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
    values: list[str] | None = None  # numbered already, before those of the lines
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
        return np.array([float(NUMBER.match(value).group()) for value in self.symbols.values[feature] or []])  # type: ignore[union-attr]


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and what TiMBL would know beside it. A tree out of a file has no memory."""

    model: Any
    classes: list[str]
    n_features: int
    metrics: tuple[str, ...] = ()
    memory: Memory | None = None

    @property
    def rank(self) -> np.ndarray:
        """The number that TiMBL gives to each class of the model."""
        place = {label: i for i, label in enumerate(self.classes)}
        return np.array([place[label] for label in self.model.schema.classes], dtype=np.int64)

    @property
    def ignored(self) -> list[int]:
        return [i for i, letter in enumerate(self.metrics) if letter == "I"]


@dataclass(frozen=True, eq=False)
class Tested:
    """Answers by TiMBL's numbers of classes."""

    label: np.ndarray
    actual: np.ndarray
    distributions: Distributions
    distance: np.ndarray
    was_tied: np.ndarray
    depth: np.ndarray
    at_leaf: np.ndarray


def effective_metrics(metric: MetricString, table: Table, warn: Warn) -> tuple[str, ...]:
    """Return a letter per feature; a numeric feature that holds something else is compared as the others are."""
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
    """Return training lines ready to learn from; `given` are weights from a file."""
    table = training.table
    metrics = effective_metrics(options.metric, table, warn)
    if training.order is not None:  # what is not in the tree cannot be compared
        outside = training.order[training.n_used :]
        metrics = tuple("I" if i in outside else letter for i, letter in enumerate(metrics))
    ignored = {i for i, letter in enumerate(metrics) if letter == "I"}
    symbols = Symbols.of(list(table.columns), ignored)
    if training.classes is not None:
        symbols = symbols.with_order(training.classes, training.values or [])
    constant = [i + 1 for i, values in enumerate(symbols.values) if values is not None and len(values) == 1]
    if constant:
        warn(f"Warning: The following feature(s) have only 1 value: {feature_ranges(constant)}")
    cases = Cases.from_table(_stored(table, metrics), weights=training.occurrences, exemplars=training.exemplars)
    if metrics[0] in SIMILARITIES or set(metrics) & set(SIMILARITIES):
        cases = cases.with_kinds(dict.fromkeys(ignored, "ignored"))
    wanted = measures_wanted(options)
    relevance = relevance_of(cases, metric_parameter(metrics), symbols, wanted, options.n_bins)
    order, order_name = tree_order(options, relevance, given, ignored, training)
    n_used = training.n_features - len(ignored)
    return Memory(training, symbols, cases, metrics, relevance, order, order_name, given, n_used)


def limited(memory: Memory, options: Options, warn: Warn) -> Memory:
    """Return the memory with all but the first features of the tree order ignored."""
    assert options.limit is not None
    if options.limit > memory.training.n_features:
        raise CasebaseError(f"Option --limit={options.limit}: there are only {memory.training.n_features} features.")
    dropped = {feature + 1: "I" for feature in memory.order[options.limit :]}
    # TiMBL names only what is ignored in the metric it goes on with, so the other features lose theirs.
    text = f"{options.metric.default}:I{feature_ranges(sorted(dropped))}" if dropped else options.metric.default
    warn(f"\t--limit={options.limit} is specified, so we retrain the data with option: -m{text}")
    metric = MetricString(options.metric.text, options.metric.default, {**options.metric.per_feature, **dropped})
    return remember(memory.training, replace(options, metric=metric, limit=None), memory.weights, warn)


def measures_wanted(options: Options) -> set[str]:
    """Return which weights are computed: chi-squared and shared variance only when something needs them."""
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
    """Return the metric of every feature in casebase's words; one that compares whole rows stands for all."""
    for letter in SIMILARITIES:
        if letter in metrics:
            return METRICS[letter][0]
    return dict(enumerate(METRICS[letter][0] for letter in metrics))


def as_compared(memory: Memory, options: Options) -> tuple[str, ...]:
    """Return the metrics of features as they are compared: in a tree numbers are equal if they are spelled alike."""
    n_in_tree = {"IGTree": memory.n_used, "TRIBL": options.switch or 0}.get(options.algorithm, 0)
    in_tree = memory.order[:n_in_tree]
    return tuple("O" if i in in_tree and letter in NUMERIC else letter for i, letter in enumerate(memory.metrics))


def learner_parameters(memory: Memory, options: Options) -> dict[str, Any]:
    """Return what a learner is asked for."""
    keys = np.empty(len(memory.order))
    keys[memory.order] = np.arange(len(memory.order), 0, -1)
    weighting = weights_or_their_name(memory, options)
    parameters: dict[str, Any] = {
        "weighting": weighting,
        "metric": metric_parameter(as_compared(memory, options)),
        "compat": "timbl",
        "order_by": keys,
        "diversify": options.diversify,
    }
    if options.algorithm == "IGTree":
        return parameters
    is_whole = any(letter in SIMILARITIES for letter in memory.metrics)
    shows_groups = options.shows("n") or options.shows("k") or options.neighbours_only
    parameters |= {
        "k": options.k,
        "vote": VOTES[options.decay.kind],
        "decay_alpha": options.decay.alpha,
        "decay_beta": options.decay.beta,
        "threshold": options.threshold or 1,
        "exact_match": "never" if is_whole else options.exact_match or ("never" if shows_groups else False),
        "clip": options.clip,
    }
    if options.algorithm == "TRIBL":
        below = diversified(weighting, memory) if options.diversify else weighting
        parameters |= {"switch": options.switch, "weighting_below": below}
    if options.algorithm == "IB2":
        parameters["bootstrap"] = options.bootstrap
    return parameters


def weights_or_their_name(memory: Memory, options: Options) -> Any:
    """Return the weights of the features, or their name where lines come and go while a learner is at work."""
    changes = options.algorithm == "IB2" or (options.test == "leave_one_out" and not options.sloppy)
    if memory.weights is not None:
        return memory.weights
    if changes or memory.training.n_added:
        return CASEBASE_NAMES[options.weighting]
    weights = memory.relevance.measures[options.weighting].copy()
    weights[list(memory.ignored)] = 0.0
    return weights


def diversified(weights: np.ndarray, memory: Memory) -> np.ndarray:
    used = [i for i in range(len(weights)) if i not in memory.ignored]
    return measured.diversified(weights, used)


def fit(memory: Memory, options: Options) -> Learned:
    """Return the model that the options ask for."""
    parameters = learner_parameters(memory, options)
    learn = LEARNERS[options.algorithm.lower()]
    if options.algorithm == "IB2" and (options.bootstrap or 0) >= memory.symbols.n_lines:
        n_lines = memory.symbols.n_lines
        raise CasebaseError(f"Option -b {options.bootstrap}: expected fewer than the {n_lines} lines to learn from.")
    model = (
        learn(_added_lines_twice(memory), **parameters)
        if memory.training.n_added
        else learn(memory.cases, **parameters)
    )
    if memory.training.n_added:
        model = _with_counts(model, memory.cases)
    learned = Learned(model, memory.symbols.classes, memory.training.n_features, memory.metrics, memory)
    return learned if memory.training.classes is None else with_class_order(learned)


def _added_lines_twice(memory: Memory) -> Cases:
    """TiMBL counts lines that are added to an instance base when it reads them, and again when it stores them."""
    cases = memory.cases
    assert cases.weights is not None
    is_added = np.arange(cases.n_cases) >= cases.n_cases - memory.training.n_added
    return replace(cases, weights=np.where(is_added, 2.0, 1.0) * cases.weights)


def _with_counts(model: Any, cases: Cases) -> Any:
    """Return a model whose stored lines vote as often as they are there, however often they were counted."""
    if hasattr(model, "below"):
        return replace(model, below=_with_counts(model.below, cases))
    assert cases.weights is not None
    segment = model.memory.segments[0]
    counted = replace(segment, counts=cases.weights[segment.row_of])
    return replace(model, memory=replace(model.memory, segments=(counted,)))


def answerable(learned: Learned, table: Table) -> Table:
    """Return test lines whose numeric features hold numbers only.

    What is no number is as far from all numbers as can be (in a whole row of numbers it counts as 0).
    """
    table = _stored(table, learned.metrics)
    columns = list(table.columns)
    for i, letter in enumerate(learned.metrics):
        if letter in NUMERIC + SIMILARITIES and learned.model.schema.features[i].kind == "numeric":
            columns[i] = _numbers_only(columns[i], "0" if letter in SIMILARITIES else "?")
    return replace(table, columns=tuple(columns))


def _stored(table: Table, metrics: tuple[str, ...]) -> Table:
    """Return a table in which values that are compared by their letters are spelled as TiMBL stores them."""
    columns = list(table.columns)
    for i, letter in enumerate(metrics):
        if letter in BY_LETTERS:
            values = columns[i].dictionary.to_pylist()
            if any(stored(value) != value for value in values):
                texts = as_strings([stored(value) for value in values])
                columns[i] = pa.DictionaryArray.from_arrays(columns[i].indices, texts)
    return replace(table, columns=tuple(columns))


def _numbers_only(column: pa.DictionaryArray, instead: str) -> pa.DictionaryArray:
    values = column.dictionary.to_pylist()
    if all(NUMBER.match(value) for value in values):
        return column
    texts = as_strings([value if NUMBER.match(value) else instead for value in values])
    return pa.DictionaryArray.from_arrays(column.indices, texts)


def answers_to(learned: Learned, asked: Cases, options: Options) -> Answers:
    """Return the model's answers. TiMBL's threads (--clones) deal lines among them, and each remembers its own ties."""
    try:
        return _dealt(learned, asked, options)
    except OverflowError as error:  # a dot product that has no distance
        raise CasebaseError(f"Option -m {options.metric.text}: {error}. Or take the cosine, -m C.") from None


def _dealt(learned: Learned, asked: Cases, options: Options) -> Answers:
    if options.clones == 1 or options.decay.kind != "IL":
        return learned.model.answer(asked, n_jobs=n_cores())
    shares = [np.arange(i, asked.n_cases, options.clones) for i in range(min(options.clones, asked.n_cases))]
    parts = [learned.model.answer(asked.take(rows), n_jobs=n_cores()) for rows in shares]
    return Answers.joined(parts).picked(np.argsort(np.concatenate(shares)))


def stored_memory(learned: Learned) -> Any:
    """Return the memory of a model that has one: its own, or that below its tree."""
    model = learned.model
    return model.below.memory if hasattr(model, "below") else model.memory


def stored_lines(learned: Learned) -> np.ndarray:
    """Return which training lines a model has kept."""
    memory = stored_memory(learned)
    return memory.ids(memory.in_given_order).astype(np.int64)


def with_class_order(learned: Learned) -> Learned:
    """Return a model that decides between tied classes by TiMBL's order of them, not by that of its lines."""
    rank = learned.rank.astype(np.uint32)
    model = learned.model
    if isinstance(model, TRIBL | TRIBL2):
        below = _ranked(model.below, rank)
        changed: dict[str, Any] = {"below": below}
        if isinstance(model, TRIBL):
            stored = below.memory.segments[0]
            columns = list(stored.columns[: model.switch])
            changed["tree"] = grow(columns, stored.labels, stored.counts, below.voting.preference, compress=False)
        return replace(learned, model=replace(model, **changed))
    return replace(learned, model=_ranked(model, rank)) if isinstance(model, IB1) else learned


def _ranked(model: IB1, rank: np.ndarray) -> IB1:
    preference = replace(model.voting.preference, rank=rank)
    return replace(model, voting=replace(model.voting, preference=preference))


def actual_labels(classes: list[str], column: pa.DictionaryArray) -> np.ndarray:
    """Return the number of each line's true class; one that training never saw is the number of classes."""
    place = {label: i for i, label in enumerate(classes)}
    numbers = np.array([place.get(label, len(classes)) for label in column.dictionary.to_pylist()], dtype=np.int64)
    return numbers[as_numpy(column.indices)]


def in_timbls_terms(learned: Learned, answers: Any, column: pa.DictionaryArray) -> Tested:
    """Return answers by TiMBL's numbers of classes; `column` holds the true classes."""
    rank = learned.rank
    return Tested(
        rank[answers.label],
        actual_labels(learned.classes, column),
        Distributions.ordered(answers.first_vote, answers.vote_label, answers.votes, rank),
        answers.distance,
        answers.was_tied,
        answers.depth,
        answers.at_leaf,
    )


def leave_one_out(memory: Memory, options: Options) -> Any:
    """Return the answer to every training line from all the others."""
    parameters = learner_parameters(memory, options)
    if options.sloppy:
        parameters["sloppy"] = True
    return ib1.leave_one_out(memory.cases, **parameters, n_jobs=n_cores())
