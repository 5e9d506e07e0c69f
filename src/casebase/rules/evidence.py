"""The evidence of hierarchical rules: the rule that decided, the rules it overrides, and its own exceptions."""

from typing import TYPE_CHECKING

import numpy as np

from casebase.base.answers import decided_votes
from casebase.base.evidence import AskedRule, CoveredCase, RuleEvidence
from casebase.base.quotes import stored_cases, unseen_values
from casebase.data import Cases

if TYPE_CHECKING:
    from casebase.rules.table import Rules, TableRule


def evidence_for(model: "Rules", case: Cases, coded: Cases, fired: int, limit: int) -> RuleEvidence:
    """Return the evidence for one case; `fired` is the position of its rule, `coded` the case in intervals.

    The stored cases that the rule covers are sorted: first those that it decides, then those that agree with the
    question on most features, then by input order.
    """
    schema, classes = model.schema, model.schema.classes
    rule = asked_rule(model, fired)
    is_default = fired == len(model.rules)
    held = model.extents[fired]
    overridden = [
        number
        for number in range(fired + 1, len(model.rules))
        if model.rules[number].level > rule.level and model.holds(model.rules[number], coded)
    ]
    return RuleEvidence(
        features=schema.names,
        values=tuple(case.values(0)),
        unseen=unseen_values(case),
        label=classes[model.labels[fired]],
        votes={classes[c]: n for c, n in decided_votes(int(model.labels[fired]), model.counts[fired]).items()},
        weights=(),
        n_levels=model.n_levels,
        rule=rule,
        overridden=tuple(asked_rule(model, n) for n in [*overridden, *([] if is_default else [len(model.rules)])]),
        exceptions=tuple(asked_rule(model, number) for number in exceptions_to(model, fired)),
        n_cases=len(held),
        cases=_covered(model, coded, held, fired, limit),
    )


def asked_rule(model: "Rules", number: int) -> AskedRule:
    """Return a rule with the names and values of the table; the default is one past the last."""
    if number not in model.shown:
        model.shown[number] = _written_out(model, number)
    return model.shown[number]


def _written_out(model: "Rules", number: int) -> AskedRule:
    classes = model.schema.classes
    rows, label = model.extents[number], int(model.labels[number])
    weights = None if model.coded.weights is None else model.coded.weights[rows]
    counts = np.bincount(model.coded.known_labels[rows], weights, minlength=len(classes))
    tests = model.rules[number].tests if number < len(model.rules) else ()
    return AskedRule(
        tuple(model.schema.names[feature] for feature, _ in tests),
        tuple(model.compared.features[feature].value(code) for feature, code in tests),
        classes[label],
        model.level_of(number),
        float(counts.sum()),
        float(counts.sum() - counts[label]),
    )


def exceptions_to(model: "Rules", number: int) -> list[int]:
    """Return the positions of the exceptions to a rule.

    These are the rules of the level before, with another class, that share a case of that class with the rule.
    """
    if number not in model.exceptions:
        model.exceptions[number] = _exceptions(model, number)
    return model.exceptions[number]


def _exceptions(model: "Rules", number: int) -> list[int]:
    inside = np.zeros(model.coded.n_cases, dtype=bool)
    inside[model.extents[number]] = True
    labels = model.coded.known_labels

    def overrides(i: int, rule: "TableRule") -> bool:
        rows = model.extents[i]
        return bool((inside[rows] & (labels[rows] == rule.label)).any())

    before = model.level_of(number) - 1
    return [
        i
        for i, rule in enumerate(model.rules)
        if rule.level == before and rule.label != model.labels[number] and overrides(i, rule)
    ]


def _covered(model: "Rules", coded: Cases, held: np.ndarray, fired: int, limit: int) -> tuple[CoveredCase, ...]:
    order = model.memory.order
    agrees = np.array([model.coded.columns[position][held] == coded.columns[position][0] for position in order])
    is_decided = model.fired[held] == fired
    first = np.lexsort((model.memory.given(held), -agrees.sum(axis=0), ~is_decided))[:limit]
    told = stored_cases(model.schema, model.memory, held[first], agrees[:, first])
    return tuple(CoveredCase(**case, is_decided=bool(decided)) for case, decided in zip(told, is_decided[first]))
