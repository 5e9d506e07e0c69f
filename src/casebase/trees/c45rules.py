"""C4.5's rules: the paths of an unpruned tree, simplified to fewer and shorter rules.

A tree repeats a concept in every branch that needs it; a rule states it once. `path_rules` has the steps: generalise
each path, select each class's rules by description length, order the classes, and give the remaining cases a default.

Reference: Quinlan, "C4.5: programs for machine learning" (1993), chapter 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log2
from typing import Any, ClassVar

import numpy as np

from casebase.base import common
from casebase.base.answers import Answers, Preference, decided_votes, rule_answers
from casebase.base.evidence import AskedRule, RuleEvidence
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.quotes import unseen_values
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_number
from casebase.errors import CasebaseError
from casebase.measures.confidence import error_rate
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.progress import Progress
from casebase.trees import c45
from casebase.trees import settings as shared
from casebase.trees.growth import with_tests
from casebase.trees.path_rules import (
    Conditions,
    Extents,
    PathRule,
    Selecting,
    class_bits,
    generalise,
    log2_factorial,
    needed_rules,
    ordered_classes,
    rule_bits,
    rules_of_paths,
    weights_of,
)


@dataclass(frozen=True, eq=False)
class C45Rules:
    """Rules in the order in which they are tried, grouped by class, followed by the default.

    `held` has the class counts of the training cases that each rule covers. `decided` has those of the cases that it
    decides, because no earlier rule covers them. Their last rows are for the cases that no rule covers. `n_choices` is
    the number of possible tests on each feature, 0 for unused features.
    """

    schema: Schema
    rules: tuple[PathRule, ...]
    default: int
    held: np.ndarray
    decided: np.ndarray
    n_choices: np.ndarray
    preference: Preference
    n_cases: int
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "c45rules"

    @property
    def labels(self) -> np.ndarray:
        """The class of each rule, the default's last."""
        return np.array([*(rule.label for rule in self.rules), self.default], dtype=np.uint32)

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The rank of each rule's class, from 1; the default comes after the last."""
        order = list(dict.fromkeys(rule.label for rule in self.rules))
        return (*(order.index(rule.label) + 1 for rule in self.rules), len(order) + 1)

    def summary(self) -> Summary:
        """Return the model's size: rules and classes."""
        size = f"{format_count(len(self.rules), 'rule')} for {format_count(self.groups[-1] - 1, 'class')} and a default"
        return summary_of(self, size, {"n_cases": self.n_cases, "n_rules": len(self.rules)})

    @cached_property
    def conditions(self) -> Conditions:
        """The conditions of all rules, to evaluate them together."""
        return Conditions.of(self.rules, self.schema)

    @cached_property
    def answers(self) -> Answers:
        """The answer of each rule, the default last."""
        return rule_answers(self.labels, self.decided)

    def first(self, cases: Cases) -> np.ndarray:
        """Return the first rule that covers each case; the default is one past the last."""
        return self.conditions.first_rule(cases)

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class of the first rule that covers each case; the training cases it decides are its votes."""
        if cases.n_cases == 0:
            return Answers.none()
        fired = self.first(cases)
        if progress:
            progress(cases.n_cases, cases.n_cases)
        return self.answers.take(fired)

    def asked_rule(self, number: int) -> AskedRule:
        """Return a rule with the names and values of the table; the default is one past the last."""
        conditions = self.rules[number].conditions if number < len(self.rules) else ()
        counts, label = self.held[number], int(self.labels[number])
        return AskedRule(
            tuple(self.schema.names[condition.feature] for condition in conditions),
            tuple(condition.shown for condition in conditions),
            self.schema.classes[label],
            self.groups[number],
            float(counts.sum()),
            float(counts.sum() - counts[label]),
        )

    def explain(self, cases: Cases, *, limit: int = 10) -> list[RuleEvidence]:
        """Return for every case the rule that decided, and up to `limit` rules of other classes that also cover it."""
        table = self.conditions.table(cases)
        return [
            self._evidence(case, np.flatnonzero(table[:, i]).tolist(), limit)
            for i, case in enumerate(cases.one_by_one())
        ]

    def _evidence(self, case: Cases, holding: list[int], limit: int) -> RuleEvidence:
        classes, default = self.schema.classes, len(self.rules)
        fired = holding[0] if holding else default
        rule = self.asked_rule(fired)
        others = [number for number in holding if self.labels[number] != self.labels[fired]]
        later = [*others[:limit], default] if holding else []
        values = tuple(case.values(0))
        return RuleEvidence(
            features=self.schema.names,
            values=values,
            unseen=unseen_values(case, values),
            label=rule.label,
            votes={classes[c]: n for c, n in decided_votes(int(self.labels[fired]), self.decided[fired]).items()},
            weights=(),
            target=self.schema.target,
            n_levels=self.groups[-1] - 1,
            rule=rule,
            overridden=tuple(map(self.asked_rule, later)),
            exceptions=(),
            n_cases=round(rule.n_cases),
            cases=(),
            n_decided=float(self.decided[fired].sum()),
        )

    def codelength(self) -> float:
        """Return the description length in bits: each class's rules, the order of the classes, and the default.

        One more bit after every condition, rule and class says whether another follows.
        """
        n_classes = len(self.schema.classes)
        bits = [said(rule, self.n_choices) + len(rule.conditions) + 1 for rule in self.rules]
        per_class = np.bincount(self.labels[:-1], bits, minlength=n_classes)
        n_rules = np.bincount(self.labels[:-1], minlength=n_classes)
        of_classes: float = sum(class_bits(n, total) + n + 1 for n, total in zip(n_rules.tolist(), per_class.tolist()))
        return of_classes + log2_factorial(n_classes) + log2(n_classes)


def said(rule: PathRule, n_choices: np.ndarray) -> float:
    """Return the description length of a rule; each condition is a choice of a feature and a test on it."""
    n_features = int((n_choices > 0).sum())
    return rule_bits([n_features * float(n_choices[condition.feature]) for condition in rule.conditions])


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """How the tree behind the rules is grown, and how many rules are kept."""

    first: ClassVar[str] = "confidence"

    confidence: float = shared.confidence(
        "Confidence level of the pessimistic error estimate; lower values make rules shorter. At most 0.5."
    )
    min_cases: float = shared.min_cases(2)
    criterion: str = shared.criterion("gain_ratio")
    theory_weight: float = setting(
        0.5,
        "float",
        "Weight of a bit of the rules against a bit of their exceptions; higher values keep fewer rules.",
        lambda weight: checked_theory_weight(weight),
        kind="number",
    )
    metric: MetricNames = common.metric(
        'Which features are "numeric" (split at a threshold) or "ignored": a dict by feature, or one name for all.'
    )
    normalisation: Normalisation = common.normalisation()


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> C45Rules:
    """Return rules from the paths of a C4.5 tree.

    `theory_weight` weights a bit of the rules against a bit of their exceptions. The default is below 1 because the
    encoding of rules is redundant: different rules can make the same predictions.

    >>> rows = [["sunny", "hot", "no"], ["sunny", "cool", "no"], ["rainy", "hot", "yes"], ["rainy", "cool", "yes"]]
    >>> model = fit(Cases.from_table(rows * 3, target=-1))
    >>> [(model.asked_rule(i).values, model.asked_rule(i).label) for i in range(len(model.rules) + 1)]
    [(('sunny',), 'no'), (('rainy',), 'yes'), ((), 'no')]
    """
    confidence, theory_weight = float(settings.confidence), float(settings.theory_weight)
    cases = replace(with_tests(cases, settings.metric), exemplars=None)
    tree = c45.fit(
        cases, confidence=confidence, min_cases=settings.min_cases, criterion=settings.criterion, pruned=False
    )
    is_number = [feature.kind == "numeric" for feature in tree.schema.features]
    n_choices = np.where(is_number, 2 * tree.nodes.n_thresholds, tree.nodes.n_values).astype(np.int64)
    extents, labels, weights = Extents(cases), cases.known_labels, weights_of(cases)
    paths = dict.fromkeys(generalise(rule, extents, confidence) for rule in rules_of_paths(tree.nodes, tree.schema))
    by_class = {
        label: _selected(
            [rule for rule in paths if rule.label == label and rule.conditions], extents, theory_weight, n_choices
        )
        for label in range(cases.n_classes)
    }
    by_class = {label: rules for label, rules in by_class.items() if rules}
    covered = {label: np.any(extents.table(rules), axis=0) for label, rules in by_class.items()}
    order = ordered_classes(covered, labels, weights, tree.preference)
    rules = [rule for label in order for rule in _reliable_first(by_class[label], extents, confidence)]
    default = _default(np.logical_or.reduce([np.zeros(len(labels), bool), *covered.values()]), labels, weights, tree)
    held = extents.table(rules)
    kept = needed_rules(held, np.array([rule.label for rule in rules], dtype=np.int64), labels, weights, default)
    rules, held = [rules[i] for i in kept], held[kept]
    return C45Rules(
        tree.schema,
        tuple(rules),
        default,
        *_counts(held, labels, weights, cases.n_classes),
        n_choices,
        tree.preference,
        cases.n_cases,
        checked_normalisation(settings.normalisation),
        settings,
    )


def checked_theory_weight(weight: Any) -> float:
    """Return the weight of a bit of the rules, after checking that it is a number of at least 0."""
    if not is_number(weight) or not 0 <= weight < np.inf:
        raise CasebaseError(f"theory_weight is the weight of a bit of the rules, 0 or more; got {weight!r}.")
    return float(weight)


def _selected(rules: list[PathRule], extents: Extents, theory_weight: float, n_choices: np.ndarray) -> list[PathRule]:
    """Return the subset of a class's rules with the smallest description length, exceptions included."""
    if not rules:
        return []
    is_own = extents.cases.known_labels == rules[0].label
    bits = np.array([said(rule, n_choices) for rule in rules])
    chosen = Selecting(extents.table(rules), weights_of(extents.cases), is_own, bits, theory_weight).best()
    return [rules[i] for i in chosen]


def _reliable_first(rules: list[PathRule], extents: Extents, confidence: float) -> list[PathRule]:
    """Order one class's rules by expected error; the first match is the one shown."""
    cases, weights = extents.cases, weights_of(extents.cases)
    held = extents.table(rules)
    errors = held @ (weights * (cases.known_labels != rules[0].label))
    rates = np.round(error_rate(held @ weights, errors, confidence), 9)
    return [rules[i] for i in np.argsort(rates, kind="stable")]


def _default(is_covered: np.ndarray, labels: np.ndarray, weights: np.ndarray, tree: Any) -> int:
    """Return the most frequent class of the cases that no rule covers, or of all cases if every case is covered."""
    preference: Preference = tree.preference
    counts = np.bincount(labels[~is_covered], weights[~is_covered], minlength=len(preference.frequency)).tolist()
    return min(range(len(counts)), key=lambda c: (-round(counts[c], 9), -preference.frequency[c], preference.rank[c]))


def _counts(held: np.ndarray, labels: np.ndarray, weights: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the class counts of the cases that each rule covers, and of those that it decides."""

    def count_labels(masks: Sequence[np.ndarray]) -> np.ndarray:
        return np.array([np.bincount(labels[mask], weights[mask], minlength=n_classes) for mask in masks], dtype=float)

    first = np.where(held.any(axis=0), held.argmax(axis=0) if len(held) else 0, len(held))
    return count_labels([*held, first == len(held)]), count_labels([first == i for i in range(len(held) + 1)])
