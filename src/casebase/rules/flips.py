"""Flips of hierarchical rules: the answer depends on the first rule that holds, and on why earlier ones do not."""

import numpy as np

from casebase.base.flips import Domain, Structure, asked_by_rules, domains_of
from casebase.data import Cases
from casebase.memory.segments import Memory
from casebase.rules.table import Rules


def rule_domains(model: Rules) -> tuple[Domain | None, ...]:
    """Return the values that the rules tell apart; numbers are stored numbers, one in each interval."""
    asked: dict[int, set[int]] = {}
    for rule in model.rules:
        for feature, code in rule.tests:
            asked.setdefault(feature, set()).add(code)
    groups = {}
    for feature, codes in asked.items():
        vocabulary = model.schema.features[feature].vocabulary
        if vocabulary is not None:
            groups[feature] = np.full(len(vocabulary), len(vocabulary))
            groups[feature][list(codes)] = list(codes)
    return domains_of(model.schema, model.memory, cuts=model.discretisation.cuts, used=sorted(asked), groups=groups)


def asked_features(model: Rules, cases: Cases) -> np.ndarray:
    """Return the features on which the choice of the rule depends."""
    columns = model.discretisation.columns(cases)
    rules = [[(feature, columns[feature] == code) for feature, code in rule.tests] for rule in model.rules]
    return asked_by_rules(rules, cases.n_cases, len(model.schema.features))


def memory_of(model: Rules) -> Memory:
    return model.memory


RULES = Structure(rule_domains, asked_features, memory_of)
