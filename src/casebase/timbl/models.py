"""Models that answer as TiMBL does, from its options and a memory."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.threads import n_cores
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.formats.weights import MEASURES
from casebase.measures import weights as measured
from casebase.memory import segments
from casebase.methods import method_named
from casebase.neighbours import ib1
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.igtree import grow
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2
from casebase.timbl.memory import Memory, metric_parameter, required_measures
from casebase.timbl.metric_string import NUMERIC, SIMILARITIES
from casebase.timbl.options import Options
from casebase.timbl.relevance import relevance_of

VOTES = {"Z": "equal", "ID": "inverse_distance", "IL": "inverse_linear", "ED": "exponential"}


@dataclass(frozen=True, eq=False)
class Learned:
    """A model with TiMBL's order of the classes. A tree that was read from a file has no memory."""

    model: Any
    classes: list[str]
    n_features: int
    metrics: tuple[str, ...] = ()
    memory: Memory | None = None

    @property
    def rank(self) -> np.ndarray:
        """TiMBL's number of each class of the model."""
        place = {label: i for i, label in enumerate(self.classes)}
        return np.array([place[label] for label in self.model.schema.classes], dtype=np.int64)

    @property
    def ignored(self) -> list[int]:
        return [i for i, letter in enumerate(self.metrics) if letter == "I"]


def compared_metrics(memory: Memory, options: Options) -> tuple[str, ...]:
    """Return the metrics in effect: in a tree, two numbers are equal if their texts are equal."""
    n_in_tree = {"IGTree": memory.n_used, "TRIBL": options.switch or 0}.get(options.algorithm, 0)
    in_tree = memory.order[:n_in_tree]
    return tuple("O" if i in in_tree and letter in NUMERIC else letter for i, letter in enumerate(memory.metrics))


def learner_parameters(memory: Memory, options: Options) -> dict[str, Any]:
    """Return the parameters of the method."""
    keys = np.empty(len(memory.order))
    keys[memory.order] = np.arange(len(memory.order), 0, -1)
    weighting = weights_or_their_name(memory, options)
    parameters: dict[str, Any] = {
        "weighting": weighting,
        "metric": metric_parameter(compared_metrics(memory, options)),
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
        below = weighting
        if options.diversify:
            assert isinstance(weighting, np.ndarray)  # lines are added to IB1 and TRIBL2 only
            below = diversify(weighting, memory)
        parameters |= {"switch": options.switch, "weighting_below": below}
    if options.algorithm == "IB2":
        parameters["bootstrap"] = options.bootstrap
    return parameters


def weights_or_their_name(memory: Memory, options: Options) -> np.ndarray | str:
    """Return the weights of the features, or the name of the measure where weights change during learning."""
    if memory.weights is not None:
        return memory.weights
    if memory.training.n_added or (options.test == "leave_one_out" and not options.sloppy):
        return MEASURES[options.weighting]
    return used_weights(memory, options)


def used_weights(memory: Memory, options: Options) -> np.ndarray:
    """Return the weights by the chosen measure; ignored features have 0."""
    weights = memory.relevance.measures[options.weighting].copy()
    weights[list(memory.ignored)] = 0.0
    return weights


def diversify(weights: np.ndarray, memory: Memory) -> np.ndarray:
    """Return the weights minus the smallest one of the features in use (--Diversify)."""
    used = [i for i in range(len(weights)) if i not in memory.ignored]
    return measured.subtract_smallest(weights, used)


def fit(memory: Memory, options: Options) -> Learned:
    """Fit the model that the options describe."""
    parameters = learner_parameters(memory, options)
    learn = method_named(options.algorithm.lower()).fit
    if options.algorithm == "IB2" and (options.bootstrap or 0) >= memory.symbols.n_lines:
        n_lines = memory.symbols.n_lines
        raise CasebaseError(f"Option -b {options.bootstrap}: expected fewer than the {n_lines} lines to learn from.")
    if memory.training.n_added:
        model = _with_counts(learn(_added_lines_twice(memory), **parameters), memory.cases)
    else:
        model = learn(memory.cases, **parameters)
    if isinstance(model, IB2):
        model = model.kept if memory.weights is not None else _reweigh(model.kept, memory, options)
    learned = Learned(model, memory.symbols.classes, memory.training.n_features, memory.metrics, memory)
    return learned if memory.training.classes is None else with_class_order(learned)


def _added_lines_twice(memory: Memory) -> Cases:
    """Return the cases with added lines counted twice: TiMBL counts them on reading and again on storing."""
    cases = memory.cases
    assert cases.weights is not None
    is_added = np.arange(cases.n_cases) >= cases.n_cases - memory.training.n_added
    return cases.with_weights(np.where(is_added, 2.0, 1.0) * cases.weights)


def _with_counts(model: Any, cases: Cases) -> Any:
    """Return a model whose stored lines vote as often as they occur, however often they were counted."""
    if hasattr(model, "below"):
        return replace(model, below=_with_counts(model.below, cases))
    assert cases.weights is not None
    segment = model.memory.segments[0]
    segment = replace(segment, counts=cases.weights[segment.row_of], given_counts=None)
    return replace(model, memory=replace(model.memory, segments=(segment,)))


def _reweigh(model: IB1, memory: Memory, options: Options) -> IB1:
    """Return IB2's memory with TiMBL's final weights, which count added lines twice."""
    cases = memory.cases
    is_kept = np.zeros(cases.n_cases, dtype=bool)
    is_kept[model.memory.ids(model.memory.in_given_order).astype(np.int64)] = True
    is_added = is_kept & (np.arange(cases.n_cases) >= (options.bootstrap or 0))
    counts = np.ones(cases.n_cases) if cases.weights is None else cases.weights
    cases = cases.with_weights(counts * np.where(is_added, 2.0, 1.0))
    metric = metric_parameter(memory.metrics)
    relevance = relevance_of(cases, metric, memory.symbols, required_measures(options), options.n_bins)
    weights = used_weights(replace(memory, relevance=relevance), options)
    weights = diversify(weights, memory) if options.diversify else weights
    by_rank = replace(model.metric, weights=weights[model.memory.order][None, :])
    return replace(model, weights=weights, metric=by_rank)


def with_class_order(learned: Learned) -> Learned:
    """Return a model that breaks ties in TiMBL's order of the classes, not in that of its lines."""
    rank = learned.rank.astype(np.uint32)
    model = learned.model
    if isinstance(model, TRIBL | TRIBL2):
        below = _with_rank(model.below, rank)
        changed: dict[str, Any] = {"below": below}
        if isinstance(model, TRIBL):
            stored = below.memory.segments[0]
            columns = list(stored.columns[: model.switch])
            changed["tree"] = grow(columns, stored.labels, stored.counts, below.voting.preference, compress=False)
        return replace(learned, model=replace(model, **changed))
    return replace(learned, model=_with_rank(model, rank)) if isinstance(model, IB1) else learned


def _with_rank(model: IB1, rank: np.ndarray) -> IB1:
    preference = replace(model.voting.preference, rank=rank)
    return replace(model, voting=replace(model.voting, preference=preference))


def stored_memory(learned: Learned) -> segments.Memory:
    """Return the memory of a model, or the one below its tree."""
    model = learned.model
    memory: segments.Memory = model.below.memory if hasattr(model, "below") else model.memory
    return memory


def stored_lines(learned: Learned) -> np.ndarray:
    """Return the training lines that a model stores."""
    memory = stored_memory(learned)
    return memory.ids(memory.in_given_order).astype(np.int64)


def leave_one_out(memory: Memory, options: Options) -> Answers:
    """Return the answer to each training line from all the others."""
    parameters = learner_parameters(memory, options)
    if options.sloppy:
        parameters["sloppy"] = True
    return ib1.leave_one_out(memory.cases, **parameters, n_jobs=n_cores())
