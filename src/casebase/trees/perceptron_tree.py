"""Perceptron trees: a decision tree with perceptrons at the leaves.

A decision tree separates classes one feature at a time, a perceptron weighs all features at once. At each node a
perceptron tree first trains a perceptron. If the cases are linearly separable, the node is a leaf with that perceptron;
otherwise the most informative test splits the cases, and each branch is treated in the same way. A linearly separable
concept is therefore a single perceptron, and any other concept is split until its parts are separable.

Every value of a symbolic feature is an input: 1 for the value of the case, -1 for all others. Numbers are shifted and
scaled to the range -1 to 1 over the training cases. For more than two classes the perceptron is a linear machine: one
unit per class, and the class with the greatest sum wins.

Reference: Utgoff, "Perceptron trees: a case study in hybrid concept representations" (1988).
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from typing import ClassVar

import numpy as np

from casebase import _native
from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.measures import codelengths
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.measures.weights import used_features
from casebase.memory.distinct import AbstractCases, kinds_of
from casebase.memory.segments import relevance_order, without_ignored_values
from casebase.progress import Progress
from casebase.trees import settings as shared
from casebase.trees.evidence import Contribution, PerceptronEvidence
from casebase.trees.growth import n_branches, n_thresholds, walk, with_tests
from casebase.trees.nodes import TreeNodes, node_counts
from casebase.trees.paths import path_evidence

A_NUMBER = 0xFFFFFFFF  # in place of a value: the input is the number itself
FAR = 1e9  # scaled numbers of new cases are clipped here, so that sums stay finite


@dataclass(frozen=True, eq=False)
class Perceptrons:
    """Perceptrons in flat arrays; weights are integers of `precision` bits, the sign included.

    The classes of perceptron i, as label codes, are entries `first_class[i]` to `first_class[i + 1]`. Its inputs are
    stored likewise: the positions of their features and the codes of their values (`A_NUMBER` for a number). Its
    weights are those of its units in turn, each with the bias first. Two classes share one unit, whose sum is positive
    for the first class; more classes have one unit each.
    """

    first_class: np.ndarray
    class_label: np.ndarray
    first_input: np.ndarray
    input_feature: np.ndarray
    input_value: np.ndarray
    first_weight: np.ndarray
    weight: np.ndarray
    precision: np.ndarray

    def __len__(self) -> int:
        return len(self.precision)

    @property
    def n_classes(self) -> np.ndarray:
        """The number of classes of each perceptron."""
        return np.diff(self.first_class.astype(np.int64))

    @property
    def n_inputs(self) -> np.ndarray:
        return np.diff(self.first_input.astype(np.int64))

    @property
    def n_units(self) -> np.ndarray:
        return np.where(self.n_classes == 2, 1, self.n_classes)

    def classes(self, i: int) -> np.ndarray:
        return self.class_label[int(self.first_class[i]) : int(self.first_class[i + 1])]

    def inputs(self, i: int) -> list[tuple[int, int]]:
        """Return the feature and the value of every input."""
        entries = slice(int(self.first_input[i]), int(self.first_input[i + 1]))
        return list(zip(self.input_feature[entries].tolist(), self.input_value[entries].tolist()))

    def weights(self, i: int) -> np.ndarray:
        """Return one row per unit: the bias, then a weight per input."""
        entries = slice(int(self.first_weight[i]), int(self.first_weight[i + 1]))
        return self.weight[entries].reshape(int(self.n_units[i]), -1)


@dataclass(frozen=True, eq=False)
class PerceptronTree:
    """A tree whose node n predicts by perceptron `perceptron[n]`, or by its class if that is -1.

    `centre` and `half_range` have one number per feature: what is subtracted from numbers, and what divides them.
    """

    schema: Schema
    nodes: TreeNodes
    perceptron: np.ndarray
    perceptrons: Perceptrons
    centre: np.ndarray
    half_range: np.ndarray
    preference: Preference
    n_cases: int
    n_contradictory: float = 0.0
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "perceptron_tree"

    @property
    def spreads(self) -> bool:
        """Whether an unknown value takes every branch: here it takes none."""
        return False

    @property
    def n_perceptrons(self) -> int:
        return len(self.perceptrons)

    @property
    def n_weights(self) -> int:
        return len(self.perceptrons.weight)

    def summary(self) -> Summary:
        """Return the model's size: nodes, perceptrons, weights and classes."""
        nodes = self.nodes
        weights = f"{format_count(self.n_perceptrons, 'perceptron')} with {format_count(self.n_weights, 'weight')}"
        wrong = f"; {self.n_contradictory:,.6g} of the cases contradict others" if self.n_contradictory else ""
        counts = node_counts(nodes, self.n_cases) | {
            "n_perceptrons": self.n_perceptrons,
            "n_weights": self.n_weights,
            "n_contradictory": self.n_contradictory,
        }
        return summary_of(self, f"{format_count(nodes.n_nodes, 'node')}, depth {nodes.depth}, {weights}{wrong}", counts)

    def codelength(self) -> float:
        """Return the description length in bits: tests and classes as for any tree, plus the perceptrons.

        Each leaf needs a bit to say whether it has a perceptron; a leaf that has one needs no class.
        """
        p, n_classes = self.perceptrons, len(self.schema.classes)
        is_number = np.array([feature.kind == "numeric" for feature in self.schema.features])
        n_inputs = np.where(is_number, 1, self.nodes.n_values.astype(np.int64))  # that each feature can have
        said = 0.0
        for i, node in enumerate(np.flatnonzero(self.perceptron >= 0).tolist()):
            above = self.nodes.path(node)[:-1]
            tested = {f for f in self.nodes.feature[above].tolist() if not is_number[f]}
            said += codelengths.perceptron(
                int(p.n_inputs[i]),
                int(p.n_units[i]),
                int(p.precision[i]),
                n_available=int(n_inputs.sum() - n_inputs[list(tested)].sum()),
                n_classes=n_classes,
                n_present=int(p.n_classes[i]),
            )
        n_leaves = self.nodes.n_leaves + self.nodes.n_empty
        return self.nodes.codelength(n_classes) + n_leaves + said - len(p) * log2(n_classes)

    @cached_property
    def place(self) -> np.ndarray:
        """The rank of each class in ties between sums."""
        order = np.lexsort([self.preference.rank, -self.preference.frequency])
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order))
        return place

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return for every case the class of its leaf, or the class that the leaf's perceptron predicts.

        The votes are the training cases at the leaf; a perceptron gives all of them to the class it predicts.
        """
        if cases.n_cases == 0:
            return Answers.none()
        nodes = walk(self.nodes, cases, False, n_jobs).node
        if progress:
            progress(cases.n_cases, cases.n_cases)
        answers = self.nodes.answers_at(nodes)
        perceptron = self.perceptron[nodes]
        rows = np.flatnonzero(perceptron >= 0)
        if not len(rows):
            return answers
        label = self._perceptron_labels(cases, perceptron[rows], rows, n_jobs)
        first = np.arange(len(rows) + 1, dtype=np.uint64)
        return answers.replace_at(rows, Answers(label, first, label, self.nodes.n_cases[nodes[rows]]))

    def _perceptron_labels(self, cases: Cases, perceptron: np.ndarray, rows: np.ndarray, n_jobs: int) -> np.ndarray:
        p = self.perceptrons
        return _native.ask_machines(
            p.first_class,
            p.class_label,
            p.first_input,
            p.input_feature,
            p.input_value,
            p.first_weight,
            p.weight,
            self.place,
            perceptron,
            rows.astype(np.uint32),
            self._columns(cases),
            cases.n_cases,
            n_jobs,
        )

    def _columns(self, cases: Cases) -> list[np.ndarray]:
        """Return the inputs of the perceptrons: codes, and numbers scaled as in training."""
        columns = [np.ascontiguousarray(column) for column in cases.columns]
        numeric = [i for i, feature in enumerate(self.schema.features) if feature.kind == "numeric"]
        if numeric:
            numbers = np.stack([columns[i] for i in numeric])
            scales = self.centre[numeric, np.newaxis], self.half_range[numeric, np.newaxis]
            for i, column in zip(numeric, scaled(numbers, *scales)):
                columns[i] = column
        return columns

    def explain(self, cases: Cases, *, limit: int = 10) -> list[PerceptronEvidence]:
        """Return the path of every case and the sums of its perceptron, with at most `limit` contributions."""
        labels = self.answer(cases).label.tolist()
        nodes = walk(self.nodes, cases, False).node
        return [self._evidence(*one, limit) for one in zip(cases.one_by_one(), nodes.tolist(), labels)]

    def _evidence(self, case: Cases, node: int, label: int, limit: int) -> PerceptronEvidence:
        path = path_evidence(self.nodes, self.schema, case, label=label, spreads=False)
        shared = dict(vars(path))
        i = int(self.perceptron[node])
        if i < 0:
            return PerceptronEvidence(**shared, sums={}, rival=None, bias=0.0, contributions=(), n_contributions=0)
        sums, added = self._sums(i, case)
        classes = self.perceptrons.classes(i).tolist()
        mine = classes.index(label)
        others = [u for u in range(len(classes)) if u != mine]
        rival = max(others, key=lambda u: (sums[u], -int(self.place[classes[u]])))
        # Two classes share one unit, with opposite signs: the lead is its sum, not the difference of both.
        amounts = added[mine] if len(classes) == 2 else added[mine] - added[rival]
        bias, amounts = float(amounts[0]), amounts[1:]
        known = [(n, amount) for n, amount in zip(self._inputs_of(i).features, amounts.tolist()) if amount]
        values = case.values(0)
        listed = [
            Contribution(self.schema.names[feature], values[feature], amount)
            for feature, amount in sorted(known, key=lambda one: -abs(one[1]))
        ]
        shared["votes"] = {self.schema.classes[label]: float(self.nodes.n_cases[node])}
        return PerceptronEvidence(
            **shared,
            sums={self.schema.classes[c]: sums[u] for u, c in enumerate(classes)},
            rival=self.schema.classes[classes[rival]],
            bias=bias,
            contributions=tuple(listed[:limit]),
            n_contributions=len(listed),
        )

    @cached_property
    def _inputs(self) -> "dict[int, _Inputs]":
        """What the perceptrons that were explained do with their inputs, ready to be added up."""
        return {}

    def _inputs_of(self, i: int) -> "_Inputs":
        if i not in self._inputs:
            self._inputs[i] = _Inputs.of(self.perceptrons.inputs(i), self.perceptrons.weights(i).astype(float))
        return self._inputs[i]

    def _sums(self, i: int, case: Cases) -> tuple[list[float], np.ndarray]:
        """Return the sum of every class, and per class the amounts that the bias and each feature add."""
        inputs, columns = self._inputs_of(i), self._columns(case)
        weights = inputs.weights
        added = np.zeros((len(weights), 1 + len(inputs.features)))
        added[:, 0] = weights[:, 0]
        for place, feature in enumerate(inputs.features, start=1):
            stored = columns[feature].item(0)
            if self.schema.features[feature].kind == "numeric":
                added[:, place] = weights[:, inputs.first[feature]] * stored
            elif (feature, stored) in inputs.place:  # a value without an input adds nothing
                # Its own input is 1 and those of the other values are -1; weights are whole, so the sum is exact.
                added[:, place] = 2 * weights[:, inputs.place[feature, stored]] - inputs.total[feature]
        if len(weights) == 1:
            added = np.concatenate([added, -added])
        return added.sum(axis=1).tolist(), added


@dataclass(frozen=True, eq=False)
class _Inputs:
    """The inputs of a perceptron: its features, the weights, and where the weight of each value stands among them.

    `first` is the place of a feature's first weight, `total` the sum of its weights, a number per unit.
    """

    features: tuple[int, ...]
    weights: np.ndarray
    first: dict[int, int]
    place: dict[tuple[int, int], int]
    total: dict[int, np.ndarray]

    @staticmethod
    def of(inputs: list[tuple[int, int]], weights: np.ndarray) -> "_Inputs":
        place = {one: n for n, one in enumerate(inputs, start=1)}
        of_feature: dict[int, list[int]] = {}
        for (feature, _), n in place.items():
            of_feature.setdefault(feature, []).append(n)
        first = {feature: mine[0] for feature, mine in of_feature.items()}
        total = {feature: weights[:, mine].sum(axis=1) for feature, mine in of_feature.items()}
        return _Inputs(tuple(of_feature), weights, first, place, total)


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How long perceptrons are trained, and how tests are chosen where no perceptron fits."""

    first: ClassVar[str] = "max_passes"

    max_passes: int = setting(
        100,
        "int",
        "The largest number of training passes through the cases of a node. If a pass needs no correction, the cases "
        "are linearly separable and the node becomes a perceptron.",
        lambda n: _passes("max_passes", n),
        kind="whole",
    )
    patience: int = setting(
        10,
        "int",
        "Training ends early when this many passes in a row needed no fewer corrections than the best pass before "
        "them.",
        lambda n: _passes("patience", n),
        kind="whole",
    )
    criterion: str = shared.criterion(
        "information_gain", "The measure that chooses the test where the cases are not linearly separable."
    )
    metric: MetricNames = shared.metric()
    random_state: int = common.random_state("Seed of the order in which training goes through the cases.")
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> PerceptronTree:
    """Return a tree that predicts every training case correctly, unless equal cases have different classes.

    The cases of a node count as linearly separable if training converges: a pass through all of them needs no
    correction. Training gives up after `max_passes` passes, or after `patience` passes in a row without fewer
    corrections than the best pass so far.

    >>> rows = [["a", "x", "P"], ["a", "y", "P"], ["b", "x", "P"], ["b", "y", "Q"]]
    >>> model = fit(Cases.from_table(rows, target=-1))
    >>> model.nodes.n_nodes, model.n_perceptrons
    (1, 1)
    """
    cases = with_tests(cases, settings.metric)
    schema, preference = cases.schema, preference_of(cases)
    order = relevance_order(schema, used_features(cases))
    centre, half_range = np.zeros(len(schema.features)), np.ones(len(schema.features))
    # Equal rows are merged before training. `kinds_of` compares codes, so a number goes in as its rank and comes back
    # as a value: once as it is, for tests, and once scaled, for perceptrons.
    ranks, values = [], {}
    for i in order:
        column = cases.columns[i]
        if schema.features[i].kind == "numeric":
            values[i], column = ranked(column)
            centre[i], half_range[i] = scale_of(cases.columns[i])
        ranks.append(column)
    kinds = kinds_of(ranks, cases.known_labels, cases.weights)
    columns = [values[i][column] if i in values else column for i, column in zip(order, kinds.columns)]
    inputs = [scaled(c, centre[i], half_range[i]) if i in values else c for i, c in zip(order, columns)]
    groups = kinds.groups
    n_values = np.zeros(len(schema.features), dtype=np.uint32)
    n_values[order] = [n_branches(schema, i, is_fractional=False) for i in order]
    grown = _native.grow_perceptron_tree(
        columns,
        n_values[order].tolist(),
        inputs,
        kinds.label,
        kinds.amount,
        np.repeat(np.arange(kinds.n_groups, dtype=np.uint32), kinds.n_kinds),
        _labels_of(groups, preference),
        preference.frequency,
        preference.rank,
        settings.max_passes,
        settings.patience,
        settings.random_state % 2**64,
        settings.criterion == "gain_ratio",
    )
    positions = np.array(order)
    feature = np.where(grown["column"] < 0, -1, positions[grown["column"]]).astype(np.int32)
    nodes = TreeNodes(
        feature,
        grown["threshold"],
        grown["first_child"],
        grown["value"],
        grown["label"],
        grown["first_count"],
        grown["count_label"],
        grown["count"],
        n_values,
        n_thresholds(cases),
    )
    perceptron = np.full(nodes.n_nodes, -1, dtype=np.int32)
    perceptron[grown["node"]] = np.arange(len(grown["node"]))
    perceptrons = Perceptrons(
        grown["first_class"],
        grown["class_label"],
        grown["first_input"],
        positions[grown["input_feature"]].astype(np.uint32),
        grown["input_value"],
        grown["first_weight"],
        grown["weight"],
        grown["precision"],
    )
    return PerceptronTree(
        without_ignored_values(schema),
        nodes,
        perceptron,
        perceptrons,
        centre,
        half_range,
        preference,
        cases.n_cases,
        contradictory(groups),
        checked_normalisation(settings.normalisation),
        settings,
    )


def _passes(name: str, n: object) -> int:
    if not is_whole(n, 1):
        raise CasebaseError(f"{name} is a number of passes through the cases, 1 or more; got {n!r}.")
    return int(n)


def ranked(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct numbers, ascending, and the rank of each; a missing number ranks lowest.

    >>> values, ranks = ranked(np.array([2.0, np.nan, 1.0]))
    >>> values.tolist(), ranks.tolist()
    ([nan, 1.0, 2.0], [2, 0, 1])
    """
    values, ranks = np.unique(np.where(np.isnan(numbers), -np.inf, numbers), return_inverse=True)
    return np.where(np.isinf(values), np.nan, values), ranks.ravel().astype(np.uint32)


def scale_of(numbers: np.ndarray) -> tuple[float, float]:
    """Return the centre of some numbers and half of their range; 1 if the range is empty."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return 0.0, 1.0
    low, high = known.min(), known.max()
    half = (high - low) / 2
    return low + half, half if half > 0 else 1.0


def scaled(numbers: np.ndarray, centre: float | np.ndarray, half_range: float | np.ndarray) -> np.ndarray:
    """Return numbers scaled to -1 … 1 over the training range; a missing number is 0, so it adds nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved = (numbers - centre) / half_range
    return np.where(np.isnan(numbers), 0.0, np.minimum(np.maximum(moved, -FAR), FAR))


def _labels_of(groups: AbstractCases, preference: Preference) -> np.ndarray:
    """Return the most frequent class of every group; ties go to the preferred class."""
    group = np.repeat(np.arange(groups.n_groups), np.diff(groups.first_count.astype(np.int64)).astype(np.int64))
    label = groups.count_label
    by_size = np.lexsort([preference.rank[label], -preference.frequency[label], -groups.count, group])
    return label[by_size[groups.first_count[:-1].astype(np.int64)]]


def contradictory(groups: AbstractCases) -> float:
    """Return the weight of the cases that no function of the features can predict correctly."""
    first = groups.first_count[:-1].astype(np.int64)
    return float((np.add.reduceat(groups.count, first) - np.maximum.reduceat(groups.count, first)).sum())
