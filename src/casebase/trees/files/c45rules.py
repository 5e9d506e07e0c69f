"""The model file of C4.5's rules: conditions, classes, and the training cases that each rule covers and decides."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_n_cases, read_preference, read_schema, write_preference, write_schema
from casebase.data import Schema
from casebase.data.checks import is_whole
from casebase.trees import c45rules
from casebase.trees.c45rules import C45Rules
from casebase.trees.path_rules import PathRule
from casebase.trees.paths import Branch


def write_c45rules(model: C45Rules, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    conditions = [condition for rule in model.rules for condition in rule.conditions]
    arrays |= {
        "rule.label": model.labels[:-1],
        "rule.first_test": np.cumsum([0, *(len(rule.conditions) for rule in model.rules)]).astype(np.uint64),
        "test.feature": np.array([one.feature for one in conditions], dtype=np.uint32),
        "test.value": np.array([_code(one, model.schema) for one in conditions], dtype=np.uint32),
        "test.threshold": np.array([_or_nan(one.threshold) for one in conditions], dtype=np.float64),
        "n_choices": model.n_choices.astype(np.uint64),
    }
    for name, counts in (("held", model.held), ("decided", model.decided)):
        cell = np.flatnonzero(counts)
        arrays |= {f"{name}.cell": cell.astype(np.uint64), f"{name}.count": counts.ravel()[cell]}
    header |= {"default": model.default, "n_cases": model.n_cases}


def _code(condition: Branch, schema: Schema) -> int:
    """Return the code of the condition's value; for a number, 1 if it must be above the threshold."""
    vocabulary = schema.features[condition.feature].vocabulary
    code = int(condition.is_above) if vocabulary is None else vocabulary.code(condition.value)
    assert code is not None
    return code


def _or_nan(threshold: float | None) -> float:
    return np.nan if threshold is None else threshold


def read_c45rules(header: Header, arrays: CheckedArrays, settings: c45rules.Settings) -> C45Rules:
    schema = read_schema(header, arrays)
    n_classes, n_features = len(schema.classes), len(schema.features)
    label = arrays.get("rule.label", "uint32", below=n_classes)
    conditions = _read_conditions(arrays, schema)
    first = arrays.offsets("rule.first_test", len(label) + 1, len(conditions))
    if first[0] != 0 or (np.diff(first.astype(np.int64)) < 1).any():
        raise ValueError("a rule has no conditions")
    default = header["default"]
    if not is_whole(default, 0, n_classes - 1):
        raise ValueError("the default is not a class")
    rules = tuple(
        PathRule(tuple(conditions[int(first[i]) : int(first[i + 1])]), int(label[i])) for i in range(len(label))
    )
    shape = len(rules) + 1, n_classes
    model = C45Rules(
        schema,
        rules,
        default,
        _read_counts("held", arrays, shape),
        _read_counts("decided", arrays, shape),
        arrays.get("n_choices", "uint64", n_features).astype(np.int64),
        read_preference(arrays, n_classes),
        read_n_cases(header),
        settings.normalisation,
        settings,
    )
    if any(model.n_choices[one.feature] < 1 for one in conditions):
        raise ValueError("a rule tests a feature that was not used")
    return model


def _read_counts(name: str, arrays: CheckedArrays, shape: tuple[int, int]) -> np.ndarray:
    """Return class counts, a row for each rule; only the nonzero ones are stored."""
    cell = arrays.get(f"{name}.cell", "uint64", below=shape[0] * shape[1])
    counts = np.zeros(shape)
    counts.flat[cell] = arrays.numbers(f"{name}.count", len(cell))
    if (np.diff(cell.astype(np.int64)) <= 0).any():
        raise ValueError(f"array '{name}.cell' does not ascend")
    return counts


def _read_conditions(arrays: CheckedArrays, schema: Schema) -> list[Branch]:
    feature = arrays.get("test.feature", "uint32", below=len(schema.features))
    value = arrays.get("test.value", "uint32", len(feature))
    threshold = arrays.get("test.threshold", "float64", len(feature))
    conditions = []
    for position, code, cut in zip(feature.tolist(), value.tolist(), threshold.tolist()):
        vocabulary = schema.features[position].vocabulary
        if schema.features[position].kind == "ignored" or code >= (2 if vocabulary is None else len(vocabulary)):
            raise ValueError("a rule tests for a value that its feature does not have")
        if np.isfinite(cut) != (vocabulary is None) or np.isinf(cut):
            raise ValueError("a rule compares a symbol with a number, or a number with none")
        is_number = vocabulary is None
        conditions.append(
            Branch(position, None, cut, code == 1)
            if is_number
            else Branch(position, schema.features[position].value(code))
        )
    return conditions
