"""The evidence of hierarchical rules: the rule that decided, the rules it overrides, and its own exceptions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casebase.base.answers import decided_votes
from casebase.base.evidence import AskedRule, CoveredCase, RuleEvidence
from casebase.base.quotes import foremost, stored_cases, unseen_values
from casebase.data import Cases

if TYPE_CHECKING:
    from casebase.rules.table import Rules, TableRule


def evidence_for(model: "Rules", case: Cases, codes: Sequence[int], limit: int) -> RuleEvidence:
    """Return the evidence for one case; `codes` are the codes of its values or intervals.

    The stored cases that the rule covers are sorted: first those that it decides, then those that agree with the
    question on most features, then by input order.
    """
    holding = model.holding(codes)
    fired = holding[0] if holding else len(model.rules)
    level = model.level_of(fired)
    overridden = [number for number in holding if model.rules[number].level > level]
    if holding:
        overridden.append(len(model.rules))
    decision, values = decision_of(model, fired), tuple(case.values(0))
    return RuleEvidence(
        features=model.schema.names,
        values=values,
        unseen=unseen_values(case, values),
        label=decision.rule.label,
        votes=decision.votes.copy(),
        weights=(),
        target=model.schema.target,
        n_levels=model.n_levels,
        rule=decision.rule,
        overridden=tuple([asked_rule(model, number) for number in overridden]),
        exceptions=decision.exceptions,
        n_decided=float(model.counts[fired].sum()),
        n_cases=len(model.extents[fired]),
        cases=lambda: _covered(model, codes, fired, limit),
    )


@dataclass(frozen=True)
class Decision:
    """What evidence shows of a rule that decides, whatever the case: the rule, its votes and the exceptions to it."""

    rule: AskedRule
    votes: dict[Any, float]
    exceptions: tuple[AskedRule, ...]


def decision_of(model: "Rules", number: int) -> Decision:
    """Return what evidence shows of a rule that decides; the default is one past the last."""
    if number not in model.decisions:
        classes, label = model.schema.classes, int(model.labels[number])
        model.decisions[number] = Decision(
            asked_rule(model, number),
            {classes[c]: n for c, n in decided_votes(label, model.counts[number]).items()},
            tuple(asked_rule(model, other) for other in exceptions_to(model, number)),
        )
    return model.decisions[number]


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


def _covered(model: "Rules", codes: Sequence[int], fired: int, limit: int) -> tuple[CoveredCase, ...]:
    columns, held, is_default = model.coded.columns, model.extents[fired], fired == len(model.rules)
    # The default holds for all cases in the order of the memory: nothing is to be picked.
    agrees = np.array(
        [
            (columns[position] if is_default else columns[position][held]) == codes[position]
            for position in model.memory.order.tolist()
        ]
    )
    is_decided = model.fired[held] == fired
    first = foremost(limit, ~is_decided, len(agrees) - agrees.sum(axis=0), model.memory.given(held))
    listed = stored_cases(model.schema, model.memory, held[first], agrees[:, first])
    return tuple(CoveredCase(**case, is_decided=bool(decided)) for case, decided in zip(listed, is_decided[first]))
