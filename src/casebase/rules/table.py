"""Hierarchical rules for tables: a default, rules that are exceptions to it, and exceptions to those.

The concepts are tests such as `outlook = sunny`; numbers are first cut into intervals. The first level with a rule that
covers a case decides its class; if no level has one, the default decides.

Reference: Kivinen, Mannila, Ukkonen, Vilo, "An algorithm for learning hierarchical classifiers" (1994).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common, intervals
from casebase.base.answers import Answers, Preference, preference_of, rule_answers
from casebase.base.checks import check_flag, check_name
from casebase.base.evidence import AskedRule, RuleEvidence
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.columns import spelling
from casebase.errors import CasebaseError, NoConsistentRuleError, unknown_name
from casebase.measures import codelengths
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.measures.weights import used_features
from casebase.memory.intervals import Discretisation, coded_memory, cut, equal_or_not
from casebase.memory.segments import Memory, relevance_order, sorted_segment, without_ignored_values
from casebase.progress import Progress
from casebase.render.words import format_value
from casebase.rules.concepts import Concepts, merged
from casebase.rules.evidence import Decision, evidence_for
from casebase.rules.hierarchy import Forced, HierarchicalRule, applied
from casebase.rules.search import check_noise, checked_depth, find_rule
from casebase.rules.table_concepts import COSTS, TableConcepts, Tests, table_concepts, written
from casebase.rules.windows import Round, check_window, windowed

N_SHOWN = 3  # cases in an error message
DERIVED = (
    "compared",
    "coded",
    "extents",
    "fired",
    "counts",
    "labels",
    "answers",
    "by_test",
    "shown",
    "exceptions",
    "decisions",
)


@dataclass(frozen=True)
class TableRule:
    """If the features have these values, then the label. Levels count from 1, the level that is tried first."""

    level: int
    label: int
    tests: Tests

    def holds(self, codes: Sequence[int]) -> bool:
        """Return whether the rule holds for a case with these codes."""
        return all(codes[feature] == code for feature, code in self.tests)


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules in the order in which they are tried, the default, and the training cases.

    Within a level, rules that cover more cases come first. `n_levels` includes empty levels.
    """

    schema: Schema
    memory: Memory
    discretisation: Discretisation
    rules: tuple[TableRule, ...]
    default: int
    n_levels: int
    cost: float
    preference: Preference
    normalisation: Normalisation = "probability"
    rounds: tuple[Round, ...] = ()
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "rules"

    def summary(self) -> Summary:
        """Return the model's size: rules, levels, cost, unexplained cases, cuts and classes."""
        levels = format_count(self.n_levels, "level")  # empty ones included, as in `explain`
        wrong = f"; {self.n_unexplained:,.6g} of the cases unexplained" if self.n_unexplained else ""
        counts = {
            "n_cases": self.memory.n_cases,
            "n_levels": self.n_levels,
            "n_rules": len(self.rules),
            "cost": self.cost,
            "n_unexplained": self.n_unexplained,
            "rounds": [[one.n_examples, one.n_wrong] for one in self.rounds],
            "cuts": self.discretisation.by_name(self.schema),
        }
        return summary_of(self, f"{format_count(len(self.rules), 'rule')} at {levels} and a default{wrong}", counts)

    def stored_memory(self) -> Memory:
        return self.memory

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to copy or pickle; cached properties are computed again."""
        return {name: value for name, value in self.__dict__.items() if name not in DERIVED}

    @cached_property
    def compared(self) -> Schema:
        """The schema of the tests, in which numbers are intervals."""
        return self.discretisation.schema(self.schema)

    @cached_property
    def coded(self) -> Cases:
        """The stored cases in memory order, with numbers as intervals."""
        return coded_memory(self.schema, self.memory, self.discretisation)

    @cached_property
    def extents(self) -> tuple[np.ndarray, ...]:
        """The stored cases that each rule covers, in memory order; the default covers all."""
        rows = np.arange(self.coded.n_cases)
        return (*(_holding(rule.tests, self.coded.columns, rows) for rule in self.rules), rows)

    @cached_property
    def fired(self) -> np.ndarray:
        """The position of the rule that decides each stored case; the default is one past the last."""
        return self.decided(self.coded.columns, self.coded.n_cases)

    @cached_property
    def counts(self) -> np.ndarray:
        """The weight of the stored cases that each rule decides, by class; the last row is the default's."""
        shape = len(self.rules) + 1, len(self.schema.classes)
        cell = self.fired * shape[1] + self.coded.known_labels
        return np.bincount(cell, self.coded.weights, minlength=shape[0] * shape[1]).reshape(shape).astype(float)

    @cached_property
    def by_test(self) -> tuple[dict[int, list[int]], ...]:
        """The rules that first ask for a value, by feature and by the value's code."""
        found: tuple[dict[int, list[int]], ...] = tuple({} for _ in self.schema.features)
        for number, rule in enumerate(self.rules):
            feature, code = rule.tests[0]
            found[feature].setdefault(code, []).append(number)
        return found

    @cached_property
    def shown(self) -> dict[int, AskedRule]:
        """A cache of rules with the names and values of the table: evidence shows the same ones again and again."""
        return {}

    @cached_property
    def exceptions(self) -> dict[int, list[int]]:
        """A cache of the exceptions to each rule."""
        return {}

    @cached_property
    def decisions(self) -> dict[int, Decision]:
        """A cache of what evidence shows of a rule that decides."""
        return {}

    @cached_property
    def answers(self) -> Answers:
        """The answer of each rule, the default last."""
        return rule_answers(self.labels, self.counts)

    @property
    def n_unexplained(self) -> float:
        """The weight of the stored cases that the rules get wrong: the noise."""
        right = self.counts[np.arange(len(self.counts)), self.labels].sum()
        return float(self.counts.sum() - right)

    @cached_property
    def labels(self) -> np.ndarray:
        """The class of each rule, the default's last."""
        return np.array([*(rule.label for rule in self.rules), self.default], dtype=np.uint32)

    def codelength(self) -> float:
        """Return the description length in bits: the cuts of numbers, the tests of each level, the default."""
        n_rules = np.bincount([rule.level for rule in self.rules], minlength=self.n_levels + 1)[1:]
        used = self.memory.order.tolist()
        n_values = [len(vocabulary) for i in used if (vocabulary := self.compared.features[i].vocabulary) is not None]
        n_tests = sum(n_values)
        if self.settings.pairs:
            n_tests += (n_tests**2 - sum(n**2 for n in n_values)) // 2  # pairs of values of two different features
        stored = self.memory.segments[0].columns
        cuts = [
            (len(np.unique(column[~np.isnan(column)])) - 1, len(places))
            for i, column in zip(used, stored)
            if (places := self.discretisation.cuts[i]) is not None
        ]
        n_places = [max(n, n_cuts) for n, n_cuts in cuts]  # bins of equal width may be empty
        said = codelengths.cuts(n_places, [n_cuts for _, n_cuts in cuts])
        return said + codelengths.rules(n_rules.tolist(), n_tests, len(self.schema.classes))

    def level_of(self, number: int) -> int:
        """Return the level of a rule by position; the default comes after the last level."""
        return self.rules[number].level if number < len(self.rules) else self.n_levels + 1

    def written(self, rule: TableRule) -> str:
        """Return the tests of a rule as text."""
        return written(rule.tests, self.compared)

    def holding(self, codes: Sequence[int]) -> list[int]:
        """Return the rules that cover a case with these codes, in their order."""
        found = [number for of_value, code in zip(self.by_test, codes) for number in of_value.get(code, ())]
        return sorted(number for number in found if self.rules[number].holds(codes))

    def decided(self, columns: Sequence[np.ndarray], n_cases: int) -> np.ndarray:
        """Return the first rule that covers each case, given by columns; the default is one past the last."""
        if n_cases == 1:  # the index of first tests is faster than trying all rules
            return np.array([*self.holding(_codes(columns, 0)), len(self.rules)])[:1]
        fired = np.full(n_cases, len(self.rules), dtype=np.int64)
        left = np.arange(n_cases)
        for number, rule in enumerate(self.rules):
            if not len(left):
                break
            rows = _holding(rule.tests, columns, left)
            if len(rows):
                fired[rows] = number
                left = left[fired[left] == len(self.rules)]
        return fired

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the first rule that covers each case; the stored cases it decides are its votes."""
        if cases.n_cases == 0:
            return Answers.none()
        fired = self.decided(self.discretisation.columns(cases), cases.n_cases)
        if progress:
            progress(cases.n_cases, cases.n_cases)
        return self.answers.take(fired)

    def explain(self, cases: Cases, *, limit: int = 10) -> list[RuleEvidence]:
        """Return for every case the rule that decided, with at most `limit` of the stored cases it covers."""
        columns = self.discretisation.columns(cases)
        asked = enumerate(cases.one_by_one())
        return [evidence_for(self, case, _codes(columns, row), limit) for row, case in asked]


def _codes(columns: Sequence[np.ndarray], row: int) -> list[int]:
    return [column.item(row) for column in columns]


def _holding(tests: Tests, columns: Sequence[np.ndarray], rows: np.ndarray) -> np.ndarray:
    for feature, code in tests:
        rows = rows[columns[feature][rows] == code]
    return rows


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How deep the hierarchy is, what rules cost, and which rules are forced or forbidden."""

    first: ClassVar[str] = "depth"

    depth: int | str = setting(
        2,
        'int or "auto"',
        "The number of levels of exceptions: 1 allows exceptions to the default, 2 also exceptions to these. "
        '"auto" takes the smallest depth at which the rule is right on every case.',
        checked_depth,
        kind="whole",
        word="auto",
    )
    cost: str = setting(
        "unit",
        '{"unit", "length"}',
        "The cost of a rule: 1, or its number of tests.",
        check_name("cost", COSTS),
        kind="choice",
        choices=COSTS,
    )
    pairs: bool = setting(
        False, "bool", "Whether a rule may test two features at once.", check_flag("pairs"), kind="flag"
    )
    noise: float | str = setting(
        "auto",
        'float or "auto"',
        'The share of the cases that the rules may get wrong. "auto" leaves as few errors as it can and warns if there '
        "are any. With 0, `fit` raises an error that shows conflicting cases if no rule is right on all.",
        check_noise,
        kind="share",
        word="auto",
    )
    window: float | None = setting(
        None,
        "float, optional",
        "Windowing: learn from this share of the cases, add those that are predicted wrongly, and repeat until there "
        "are none. This is faster, and may give other rules than learning from all cases at once.",
        lambda share: None if share is None else check_window(share),
        kind="number",
    )
    forbid: Sequence[str] | None = setting(
        None,
        "list of str, optional",
        'Concepts that must not be used, such as "outlook = sunny", or features that must not be tested.',
        lambda names: _texts("forbid", names or ()),
        kind="concepts",
        metavar="'FEATURE = VALUE'|FEATURE",
    )
    force: Sequence[Sequence[Any]] | None = setting(
        None,
        "list of (concept, class) or (concept, class, level), optional",
        "Rules that must be used; the other rules are learned around them.",
        kind="rules",
        metavar="'FEATURE = VALUE → CLASS'",
    )
    discretise: str = intervals.discretise('with "none" rules ask for single numbers.')
    n_bins: int = intervals.n_bins()
    metric: MetricNames = intervals.metric()
    random_state: int = common.random_state("Seed of the first window.")
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> Rules:
    """Return a near-shortest hierarchical rule for the cases.

    `depth` and `noise` are those of `search.find_rule`. `window` is the share of the cases in the first window, or None
    for all cases at once. `forbid` has names of concepts ("outlook = sunny") or of features. `force` has pairs of a
    concept and a class, or triples with a level; levels count from 1, the level that is tried first.

    >>> table = [["bird", "sparrow", "flies"], ["bird", "penguin", "walks"], ["bird", "tit", "flies"],
    ...          ["cat", "tabby", "walks"], ["dog", "pug", "walks"]]
    >>> model = fit(Cases.from_table(table, target=-1))
    >>> [(rule.level, model.written(rule), model.schema.classes[rule.label]) for rule in model.rules]
    [(1, 'f2 = penguin', 'walks'), (2, 'f1 = bird', 'flies')]
    """
    forbid, force, window = list(settings.forbid or ()), list(settings.force or ()), settings.window
    cases = equal_or_not(cases, settings.metric, "Rules ask")
    cases, discretisation = cut(cases, settings.discretise, settings.n_bins)
    cases = replace(cases, exemplars=None)  # exemplar weights scale distances, and rules have none
    # Features with names are sorted by name, so that the order of the columns does not change the rule.
    order = relevance_order(cases.schema, used_features(cases))
    order.sort(key=lambda i: cases.schema.features[i].kind == "numeric")
    memory = Memory(np.array(order, dtype=np.int64), (sorted_segment(cases, order),))
    schema = without_ignored_values(cases.schema)
    sample, n_rows = _distinct(discretisation.apply(cases), order)
    known = table_concepts(
        sample.columns, sample.schema, order, pairs=settings.pairs, cost=settings.cost, forbid=forbid
    )
    forced = [_forced(one, known, schema) for one in force]

    weights = np.ones(sample.n_cases) if sample.weights is None else sample.weights
    support = np.bincount(known.concepts.owners, weights[known.concepts.examples], minlength=len(known.concepts))

    def learn(examples: np.ndarray) -> HierarchicalRule:
        within, kept = _merged(known.concepts.within(examples, sample.n_cases), forced)
        places = {int(concept): place for place, concept in enumerate(kept)}
        rule = find_rule(
            within,
            sample.known_labels[examples],
            n_classes=cases.n_classes,
            depth=settings.depth,
            noise=settings.noise,
            weights=None if sample.weights is None else sample.weights[examples],
            forced=[replace(one, concept=places[one.concept]) for one in forced],
            n_jobs=n_jobs,
            progress=progress,
        )
        levels = (replace(level, concepts=tuple(int(kept[c]) for c in level.concepts)) for level in rule.levels)
        return replace(rule, levels=tuple(levels))

    def wrong(rule: HierarchicalRule) -> np.ndarray:
        return np.flatnonzero(applied(rule, known.concepts, sample.n_cases, support).label != sample.known_labels)

    try:
        rounds: tuple[Round, ...] = ()
        if window is not None:
            rule, rounds = windowed(sample.n_cases, learn, wrong, fraction=window, seed=settings.random_state)
        else:
            rule = learn(np.arange(sample.n_cases))
    except NoConsistentRuleError as error:
        # A rule for all cases would also fit the window, so there is none. Learn from all cases to count the conflicts.
        raise _described(error if window is None else _error_of(learn, sample.n_cases), sample, n_rows) from None
    asked = [
        (number, -support[concept], concept, label)
        for number, level in enumerate(rule.levels, 1)
        for concept, label in zip(level.concepts, level.labels)
    ]
    rules = tuple(TableRule(number, label, known.tests[concept]) for number, _, concept, label in sorted(asked))
    return Rules(
        schema,
        memory,
        discretisation,
        rules,
        rule.default,
        len(rule.levels),
        rule.cost,
        preference_of(cases),
        checked_normalisation(settings.normalisation),
        rounds,
        settings,
    )


def _distinct(coded: Cases, order: Sequence[int]) -> tuple[Cases, np.ndarray]:
    """Return the distinct cases, sorted by value, with summed weights, and how many cases each stands for.

    Sorting makes the first window independent of the order of the input. A distinct case has the id of its first case.
    """
    columns = [coded.columns[i] for i in order] + [coded.known_labels.astype(np.uint32)]
    rows = _native.lexicographic_order(columns, coded.n_cases).astype(np.int64)
    differs = np.zeros(coded.n_cases, dtype=bool)
    differs[0] = True
    for column in columns:
        differs[1:] |= column[rows][1:] != column[rows][:-1]
    if differs.all():
        return coded.take(rows), np.ones(coded.n_cases, dtype=np.int64)
    starts = np.flatnonzero(differs)
    weights = np.ones(coded.n_cases) if coded.weights is None else coded.weights
    distinct = coded.take(rows[starts])
    n_rows = np.diff(np.append(starts, coded.n_cases))
    return distinct.with_weights(np.add.reduceat(weights[rows], starts)), n_rows


def _merged(concepts: Concepts, forced: Sequence[Forced]) -> tuple[Concepts, np.ndarray]:
    """Return the distinct concepts and their positions; a forced concept replaces its equals."""
    different, kept = merged(concepts)
    for one in forced:
        extent = concepts.extent(one.concept)
        equal = [place for place in range(len(kept)) if np.array_equal(different.extent(place), extent)]
        if equal:
            kept[equal[0]] = one.concept
        else:
            kept = np.append(kept, one.concept)
    return concepts.taken(kept), kept


def _texts(name: str, given: Any) -> list[str]:
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise CasebaseError(f"{name} is a list of concepts, such as ['outlook = sunny']; got {given!r}.")
    return list(given)


def _forced(given: Any, known: TableConcepts, schema: Schema) -> Forced:
    if isinstance(given, str) or not 2 <= len(given) <= 3:
        raise CasebaseError(
            f"force is a list of pairs of a concept and a class, such as [('outlook = sunny', 'no')]; got {given!r}."
        )
    concept, label, *level = given
    classes = [str(spelling(one)) for one in schema.classes]
    if str(spelling(label)) not in classes:
        raise CasebaseError(unknown_name("class", label, classes))
    return Forced(known.position(concept), classes.index(str(spelling(label))), level[0] if level else None)


def _error_of(learn: Any, n_examples: int) -> NoConsistentRuleError:
    try:
        learn(np.arange(n_examples))
    except NoConsistentRuleError as error:
        return error
    raise AssertionError("a rule for all examples is one for a part of them")


def _described(error: NoConsistentRuleError, sample: Cases, n_rows: np.ndarray) -> NoConsistentRuleError:
    """Return the error with some of the conflicting cases written out; equal cases appear once, with the first id."""
    n_conflicts = int(n_rows[list(error.conflicts)].sum())
    shown = "; ".join(
        f"case {sample.case_ids()[example]} ({', '.join(map(format_value, sample.values(example)))}: "
        f"{format_value(sample.schema.classes[sample.known_labels[example]])})"
        for example in error.conflicts[:N_SHOWN]
    )
    cases = f" {n_conflicts} of {n_rows.sum()} cases are in conflict, such as {shown}." if shown else ""
    return NoConsistentRuleError(f"{error}{cases}", n_conflicts, error.examples, error.conflicts)
