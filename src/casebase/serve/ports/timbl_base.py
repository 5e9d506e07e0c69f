"""A model as timblserver's instance base: lines of text in, answers in TiMBL's terms out.

A model that was trained with compat="timbl" gives TiMBL's answers, ties included. Any other classifier answers in the
same form: its class, its votes, and a distance where it has one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.model import Model
from casebase.data import Cases, Schema, Table
from casebase.data.arrays import as_strings
from casebase.data.numbers import NUMBER
from casebase.data.rows import PlainRows
from casebase.errors import SchemaError
from casebase.formats.weights import MEASURES
from casebase.measures.distances import BY_CLASSES
from casebase.measures.votes import Decay as VoteDecay
from casebase.memory.segments import Memory
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.search import Neighbourhood, Neighbours
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2
from casebase.serve.ports.timbl_settings import VOTE_OF, VOTES, Described
from casebase.timbl.layout import SEPARATORS, cut
from casebase.timbl.metric_string import METRICS
from casebase.timbl.neighbour_lists import NOT_USED
from casebase.timbl.notation import as_votes, escape
from casebase.timbl.options import Decay, Options
from casebase.timbl.results import Distributions, Shown

SEPARATED = {",": "C4.5", "\t": "Tabbed", " ": "Columns"}
FORMATS = {"csv": "C4.5", "c45": "C4.5", "arff": "ARFF", "tsv": "Tabbed", "tabbed": "Tabbed", "compact": "Compact"}
PRINTED = {"Columns": "Column", "C4.5": "C45"}  # timblserver's own names, where they differ
KEPT_VARIANTS = 16


class MismatchError(SchemaError):
    """A line that does not have a value for each feature, and a class."""


@dataclass(frozen=True)
class Pattern:
    """Stored lines with equal values, at one distance: their text and the votes of their classes."""

    text: str
    votes: str


@dataclass(frozen=True)
class Group:
    """The patterns at one distance."""

    distance: float
    n_lines: float
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Answer:
    """What timblserver says about a line; fields that were not asked for are None, except for the depth.

    A line that `is_stored` was answered by the stored lines that are equal to it, without a search.
    """

    category: str
    was_tied: bool
    is_stored: bool = False
    distribution: str | None = None
    distance: float | None = None
    depth: int | None = None
    confidence: float | None = None
    groups: tuple[Group, ...] | None = None


class Base:
    """A frozen model that answers lines of text; variants with other voting rules share its index."""

    def __init__(self, model: Model) -> None:
        self.model: Any = model.kept if isinstance(model, IB2) else model
        self.is_tree = isinstance(model, IGTree)
        self.described = _described(model)
        self.format = next(
            (name for name, own in PRINTED.items() if own == self.described.format), self.described.format
        )
        self._variants: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def classes(self) -> list[str]:
        """The classes in TiMBL's order."""
        classes = [str(label) for label in self.model.schema.classes]
        return [classes[i] for i in np.argsort(self.rank)]

    @cached_property
    def rank(self) -> np.ndarray:
        """TiMBL's number of each class of the model."""
        rank: np.ndarray = np.asarray(self.model.preference.rank, dtype=np.int64)
        return rank

    def options(self, levels: Iterable[str] = ()) -> Options:
        """Return the options of a connection that has changed none."""
        settings = self.model.settings
        options = Options(verbosity=frozenset(levels))
        if not hasattr(settings, "vote"):
            return options
        kind = VOTES[settings.vote]
        decay = Decay(kind, kind, float(settings.decay_alpha), float(settings.decay_beta))
        is_alone = settings.exact_match is True
        return replace(options, k=settings.k, decay=decay, threshold=settings.threshold, exact_match=is_alone)

    @property
    def weights(self) -> list[float]:
        """The weights of the features in the order of the columns."""
        weights: list[float] = np.asarray(self.model.weights, dtype=float).tolist()
        return weights

    def values(self, line: str) -> list[str]:
        """Return the values of a line without its class."""
        n_features = len(self.model.schema.column_names)
        fields = cut(line, self.format, self.described.width or 1)
        if fields is None or len(fields) != n_features + 1:
            n_given = (-1 if fields is None else len(fields) - 1) % 2**64  # timblserver's count has no sign
            raise MismatchError(
                f"mismatch between number of features in testline '{line.strip()}' and the Instancebase "
                f"({n_given} vs. {n_features})"
            )
        fields.pop(self.described.target)
        return fields

    def answer(self, line: str, options: Options, *, had_tie: bool = False) -> Answer:
        """Return the answer to a line; `had_tie` says whether an earlier vote of the connection was tied."""
        values = self.values(line)
        model = self._variant(options, had_tie)
        queries = _encoded(self.model.schema, values)
        is_search = isinstance(model, Neighbourhood)
        answers: Answers = model.answer(model.questions(queries)) if is_search else model.answer(queries)
        code = int(answers.label[0])
        shows = options.verbosity
        distribution = confidence = groups = None
        if "db" in shows or "cf" in shows:
            votes = Distributions.in_order(answers.first_vote, answers.vote_label, answers.votes, self.rank)
            shown = Shown(options.normalisation, options.added)
            if "db" in shows:
                distribution = votes.texts(self.classes, shown)[0]
            if "cf" in shows:
                label = self.rank[answers.label]
                confidence = float(votes.shares_of(label, shown, len(self.classes))[0])
        was_tied = answers.was_tied is not None and bool(answers.was_tied[0])
        if "n" in shows and not self.is_tree:
            groups = self._groups(model, queries, values, options, was_tied)
        return Answer(
            str(self.model.schema.classes[code]),
            was_tied,
            isinstance(model, TRIBL2) and answers.at_leaf is not None and bool(answers.at_leaf[0]),
            distribution,
            float(answers.distance[0]) if "di" in shows and answers.distance is not None else None,
            self._depth(answers),
            confidence,
            groups,
        )

    def _depth(self, answers: Answers) -> int | None:
        """Return how many features were compared: without a tree all, with TRIBL all below the tree."""
        n_features = len(self.model.schema.features)
        if isinstance(self.model, IB1) or answers.depth is None:
            return n_features if isinstance(self.model, IB1) else None
        depth = int(answers.depth[0])
        is_from_cases = isinstance(self.model, TRIBL) and depth >= min(self.model.switch, len(self._memory.order))
        return n_features if is_from_cases else depth

    # Variants

    def _variant(self, options: Options, had_tie: bool) -> Any:
        """Return the model with the voting rules of a connection."""
        model = self.model
        if not isinstance(model, IB1 | TRIBL | TRIBL2):
            return model
        # Where neighbours are listed, identical cases are one group among others.
        exact = "alone" if options.exact_match else "never" if "n" in options.verbosity else "first"
        is_flat = had_tie and options.decay.kind == "IL"
        key = (options.k, options.decay, options.threshold, exact, is_flat)
        if key not in self._variants:
            while len(self._variants) >= KEPT_VARIANTS:
                del self._variants[next(iter(self._variants))]
            self._variants[key] = self._make_variant(options, exact, is_flat)
        return self._variants[key]

    def _make_variant(self, options: Options, exact: str, is_flat: bool) -> "Neighbourhood | TRIBL | TRIBL2":
        stored: IB1 = self.model if isinstance(self.model, IB1) else self.model.below
        voting = replace(
            stored.voting,
            k=options.k,
            vote=VOTE_OF[options.decay.kind],
            decay=VoteDecay(options.decay.alpha, options.decay.beta),
            exact_match=stored.voting.exact_match if isinstance(self.model, TRIBL2) else exact,
            had_tie=is_flat,
        )
        threshold = options.threshold or 1
        if threshold != stored.comparing.threshold and set(stored.comparing.metrics) & set(BY_CLASSES):
            stored = replace(stored, comparing=replace(stored.comparing, threshold=threshold))
        # The index is the costly part of a model: with other votes it stays the same.
        if isinstance(self.model, IB1):
            return stored.nearby.voting_by(voting)
        tree: TRIBL | TRIBL2 = replace(self.model, below=replace(stored, voting=voting))
        return tree

    # Neighbours

    @property
    def _memory(self) -> Memory:
        memory: Memory = self.model.stored_memory()
        return memory

    def _groups(
        self, model: Any, queries: Cases, values: Sequence[str], options: Options, was_tied: bool
    ) -> tuple[Group, ...] | None:
        if not isinstance(model, Neighbourhood | TRIBL | TRIBL2):
            return ()
        found: Neighbours
        if not isinstance(model, Neighbourhood):
            found = model.deciding(queries)
        elif options.decay.kind == "IL" and not options.exact_match:  # whether it is tied depends on earlier lines
            found = model.nearest(model.questions(queries), options.k + was_tied)
        else:
            found = model.deciding(model.questions(queries))
        is_asked = bool(found.is_exact[0]) and (options.exact_match or isinstance(model, TRIBL2))
        own_text = self._line([*map(escape, values), "?"]) if is_asked else None
        first, groups = found.first_row.tolist(), []
        for group, distance in enumerate(found.distance.tolist()):
            rows = found.rows[first[group] : first[group + 1]]
            groups.append(self._group(rows, distance, values, options.n_listed, own_text))
        return tuple(groups)

    def _group(
        self, rows: np.ndarray, distance: float, asked: Sequence[str], n_listed: int, own_text: str | None
    ) -> Group:
        memory = self._memory
        labels = self.rank[memory.labels(rows)].tolist()
        counts = memory.counts(rows)
        weights = [1.0] * len(rows) if counts is None else counts.tolist()
        codes = list(zip(*(memory.column(rank, rows).tolist() for rank in range(len(memory.order)))))
        votes: dict[tuple[Any, ...], Counter[int]] = {}
        for pattern, label, weight in zip(codes, labels, weights):
            votes.setdefault(pattern if own_text is None else (), Counter())[label] += weight
        if own_text is not None:
            patterns = [Pattern(own_text, self._votes(votes[()]))]
        else:
            in_order = sorted(votes, key=lambda pattern: self._place(pattern, asked))[:n_listed]
            patterns = [Pattern(self._text(pattern), self._votes(votes[pattern])) for pattern in in_order]
        return Group(distance, sum(weights), tuple(patterns))

    def _votes(self, votes: Counter[int]) -> str:
        return "{ " + ", ".join(f"{self.classes[label]} {as_votes(n)}" for label, n in sorted(votes.items())) + " }"

    def _text(self, pattern: tuple[Any, ...]) -> str:
        schema, values = self.model.schema, [NOT_USED] * len(self.model.schema.features)
        for rank, code in enumerate(pattern):
            feature = int(self._memory.order[rank])
            value = schema.features[feature].value(code)
            values[feature] = "?" if value is None else escape(str(value))
        return self._line(values)

    def _line(self, values: Sequence[str]) -> str:
        separator = SEPARATORS[self.format]
        return "".join(value + separator for value in values)

    def _place(self, pattern: tuple[Any, ...], asked: Sequence[str]) -> tuple[int, ...]:
        """Return the key of TiMBL's visiting order: at every level the asked value first, then the others by number."""
        numbers = []
        for rank in self._levels:
            feature = int(self._memory.order[rank])
            value = self.model.schema.features[feature].value(pattern[rank])
            is_asked = str(value) == asked[feature]
            numbers.append(-1 if is_asked else self._value_numbers.get(str(value), len(self._value_numbers)))
        return tuple(numbers)

    @cached_property
    def _levels(self) -> list[int]:
        """The ranks of the features in the order of TiMBL's tree, which divides weights by numbers of values in IB1."""
        memory, weights = self._memory, np.asarray(self.model.weights, dtype=float)
        keys = {}
        for rank, feature in enumerate(memory.order.tolist()):
            vocabulary = self.model.schema.features[feature].vocabulary
            n_values = 1 if vocabulary is None or not isinstance(self.model, IB1) else max(len(vocabulary), 1)
            keys[rank] = (-weights[feature] / n_values, feature)
        return sorted(keys, key=lambda rank: keys[rank])

    @cached_property
    def _value_numbers(self) -> dict[str, int]:
        """TiMBL's number of every value: the order of its first occurrence, line by line, in all features."""
        memory, schema = self._memory, self.model.schema
        rows = memory.in_given_order
        first_seen = []
        for rank, feature in enumerate(memory.order.tolist()):
            codes, lines = np.unique(memory.column(rank, rows), return_index=True)
            values = [str(schema.features[feature].value(code)) for code in codes.tolist()]
            first_seen += [(line, feature, value) for line, value in zip(lines.tolist(), values)]
        numbers: dict[str, int] = {}
        for _, _, value in sorted(first_seen):
            numbers.setdefault(value, len(numbers))
        return numbers


def _encoded(schema: Schema, values: Sequence[str]) -> Cases:
    """Return one line as a question; a text in a numeric feature is as far as possible from all numbers."""
    if not "".join(values).isascii():
        values = [value.encode("utf-8", "replace").decode() for value in values]
    if schema.source is not None:
        columns = tuple(as_strings([value]).dictionary_encode() for value in values)
        return schema.encode(Table(schema.column_names, columns, is_named=False))
    row: list[str | float | None] = []
    for value, feature in zip(values, schema.features):
        if not feature.asks_number:
            row.append(value)
        else:
            number = NUMBER.match(value)
            row.append(None if number is None else float(number.group()))
    plain = schema.encode_rows(PlainRows([row]))
    return schema.encode([row]) if plain is None else plain


def _described(model: Any) -> Described:
    schema: Schema = model.schema
    settings = model.settings
    n_columns = len(schema.column_names)
    letters = _letters(model)
    common = Counter(letter for letter in letters if letter not in "IN").most_common(1)
    metric = common[0][0] if common else "N"
    names = {name: letter for letter, name in MEASURES.items()}
    weighting = getattr(settings, "weighting", "none")
    format = _format(schema)
    target = n_columns if schema.target_position is None else schema.target_position
    return Described(
        format=PRINTED.get(format, format),
        width=(schema.layout.width or 1) if format == "Compact" and schema.layout is not None else 0,
        target=target,
        tree_order="GRO" if isinstance(model, IGTree | TRIBL | TRIBL2) else "G/V",
        weighting=names.get(weighting, "gr") if isinstance(weighting, str) else "gr",
        switch=model.switch if isinstance(model, TRIBL) else 0,
        bootstrap=settings.bootstrap if isinstance(model, IB2) else 0,
        keeps_distributions=isinstance(model, IGTree | TRIBL | TRIBL2),
        diversify=bool(getattr(settings, "diversify", False)),
        metric=metric,
        metrics={i: letter for i, letter in enumerate(letters, 1) if letter != metric},
    )


def _letters(model: Any) -> list[str]:
    """Return TiMBL's letter for the metric of each feature."""
    stored = model if isinstance(model, IB1) else getattr(model, "below", getattr(model, "kept", None))
    features = model.schema.features
    if not isinstance(stored, IB1):
        return ["I" if one.kind == "ignored" else "N" if one.vocabulary is None else "O" for one in features]
    letter_of = {name: letter for letter, (name, _) in METRICS.items()}
    letters = ["I"] * len(features)
    for feature, name in zip(stored.memory.order.tolist(), stored.comparing.metrics):
        letters[feature] = letter_of.get(name, "O")
    return letters


def _format(schema: Schema) -> str:
    """Return the format of a client's lines: that of the training file, or columns."""
    layout = schema.layout
    if layout is None:
        return "Columns"
    return SEPARATED.get(layout.separator or "") or FORMATS.get(layout.format, "Columns")
