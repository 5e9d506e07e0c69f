"""The model file of hierarchical rules: the rules, the cut points of numbers, and the training cases."""

import math
from dataclasses import replace

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.intervals import read_discretisation, write_discretisation
from casebase.base.parts import read_memory, read_preference, read_schema, write_memory, write_preference, write_schema
from casebase.data.checks import is_whole
from casebase.rules import table
from casebase.rules.table import Rules, TableRule
from casebase.rules.windows import Round


def write_rules(model: Rules, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_memory(model.memory, model.schema, arrays)
    write_discretisation(model.discretisation, arrays)
    tests = [test for rule in model.rules for test in rule.tests]
    arrays |= {
        "rule.level": np.array([rule.level for rule in model.rules], dtype=np.uint32),
        "rule.label": np.array([rule.label for rule in model.rules], dtype=np.uint32),
        "rule.first_test": np.cumsum([0, *(len(rule.tests) for rule in model.rules)]).astype(np.uint64),
        "test.feature": np.array([feature for feature, _ in tests], dtype=np.uint32),
        "test.value": np.array([value for _, value in tests], dtype=np.uint32),
    }
    header |= {
        "default": model.default,
        "n_levels": model.n_levels,
        "cost": model.cost,
        "n_cuts": [None if cuts is None else len(cuts) for cuts in model.discretisation.cuts],
        "rounds": [[one.n_examples, one.n_wrong] for one in model.rounds],
    }


def read_rules(header: Header, arrays: CheckedArrays, settings: table.Settings) -> Rules:
    schema = read_schema(header, arrays)
    memory = read_memory(arrays, schema)
    if memory.segments[0].exemplars is not None:
        raise ValueError("rules do not use exemplar weights")
    discretisation = read_discretisation(arrays, schema)
    if [None if cuts is None else len(cuts) for cuts in discretisation.cuts] != header["n_cuts"]:
        raise ValueError("a numeric feature has a different number of cuts")
    n_levels = _whole(header["n_levels"], "the number of levels")
    default = _whole(header["default"], "the default")
    if default >= len(schema.classes):
        raise ValueError("the default is not a class")
    cost = float(header["cost"])
    if not (math.isfinite(cost) and cost > 0):
        raise ValueError("the cost of the rules is not a positive number")
    model = Rules(
        schema,
        memory,
        discretisation,
        (),
        default,
        n_levels,
        cost,
        read_preference(arrays, len(schema.classes)),
        settings.normalisation,
        tuple(Round(_whole(n, "a window"), _whole(wrong, "a window")) for n, wrong in header["rounds"]),
        settings,
    )
    return _with_rules(model, arrays)


def _with_rules(model: Rules, arrays: CheckedArrays) -> Rules:
    level = arrays.get("rule.level", "uint32", below=model.n_levels + 1)
    label = arrays.get("rule.label", "uint32", len(level), below=len(model.schema.classes))
    feature = arrays.get("test.feature", "uint32", below=len(model.schema.features))
    value = arrays.get("test.value", "uint32", len(feature))
    first = arrays.offsets("rule.first_test", len(level) + 1, len(feature))
    if first[0] != 0 or (np.diff(first.astype(np.int64)) < 1).any():
        raise ValueError("a rule has no tests")
    if len(level) and (level.min() < 1 or (np.diff(level.astype(np.int64)) < 0).any()):
        raise ValueError("the levels of the rules do not ascend from 1")
    used = set(model.memory.order.tolist())
    for position, code in zip(feature.tolist(), value.tolist()):
        vocabulary = model.compared.features[position].vocabulary
        if position not in used or vocabulary is None or code >= len(vocabulary):
            raise ValueError("a rule tests for a value that its feature does not have")
    tests = list(zip(feature.tolist(), value.tolist()))
    rules = tuple(
        TableRule(int(level[i]), int(label[i]), tuple(tests[int(first[i]) : int(first[i + 1])]))
        for i in range(len(level))
    )
    return replace(model, rules=rules)


def _whole(number: object, what: str) -> int:
    if not is_whole(number, 0):
        raise ValueError(f"{what} is {number!r}")
    return number
