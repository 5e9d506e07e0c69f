"""Models that are lists of rules, with one form: conditions, a class, counts, and the records that a rule decides."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.base.evidence import AskedRule
from casebase.data import Cases
from casebase.rules.evidence import asked_rule
from casebase.rules.table import Rules
from casebase.serve.pictures.drawing import condition
from casebase.trees.c45rules import C45Rules


@dataclass(frozen=True)
class ListedRule:
    """A rule as it is tried: its number from 0, its level, its conditions, its class, and what it decides."""

    number: int
    level: int
    conditions: tuple[str, ...]
    label: Any
    n_cases: float
    n_wrong: float

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a JSON object."""
        return {
            "number": self.number,
            "level": self.level,
            "conditions": list(self.conditions),
            "class": self.label,
            "n_cases": self.n_cases,
            "n_wrong": self.n_wrong,
        }


def rule_of(model: Rules | C45Rules, number: int) -> ListedRule:
    """Return a rule by its number; the default comes last. Cases are those that the rule decides."""
    decided = model.counts[number] if isinstance(model, Rules) else model.decided[number]
    asked: AskedRule = asked_rule(model, number) if isinstance(model, Rules) else model.asked_rule(number)
    level = model.level_of(number) if isinstance(model, Rules) else model.groups[number]
    n_cases = float(decided.sum())
    return ListedRule(
        number,
        int(level),
        tuple(condition(feature, value) for feature, value in zip(asked.features, asked.values)),
        asked.label,
        n_cases,
        n_cases - float(decided[int(model.labels[number])]),
    )


def rows_of_rule(model: Rules | C45Rules, number: int) -> np.ndarray | None:
    """Return the rows of the stored records that a rule decides, in given order; None if the model keeps none."""
    if not isinstance(model, Rules):
        return None
    given = model.memory.in_given_order
    rows: np.ndarray = given[model.fired[given] == number]
    return rows


def decided_by(model: Rules | C45Rules, cases: Cases, number: int) -> np.ndarray:
    """Return which of some cases, in the codes of the model, a rule decides."""
    assert isinstance(model, C45Rules)  # hierarchical rules keep their own records
    return np.flatnonzero(model.first(cases) == number)
