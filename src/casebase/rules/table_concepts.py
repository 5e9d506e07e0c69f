"""The concepts of a table: `feature = value`, and optionally two such tests together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from casebase.data import Schema
from casebase.errors import CasebaseError, unknown_name
from casebase.render.words import format_value, printable, sign
from casebase.rules.concepts import Concepts

COSTS = ("unit", "length")

Tests = tuple[tuple[int, int], ...]  # the position of a feature and the code of its value


@dataclass(frozen=True, eq=False)
class TableConcepts:
    """Concepts, with the tests and the name of each."""

    concepts: Concepts
    tests: tuple[Tests, ...]
    names: tuple[str, ...]

    def position(self, name: str) -> int:
        """Return the position of the concept with a name."""
        if name not in self.names:
            raise CasebaseError(unknown_name("concept", name, self.names))
        return self.names.index(name)


def written(tests: Tests, schema: Schema) -> str:
    """Return tests as text: "outlook = sunny and humidity > 77.5"."""
    return " and ".join(_written_test(schema, feature, code) for feature, code in tests)


def _written_test(schema: Schema, position: int, code: int) -> str:
    feature = schema.features[position]
    value = feature.value(code)
    return f"{printable(feature.name)} {sign(value)}{format_value(value)}"


def table_concepts(
    columns: Sequence[np.ndarray],
    schema: Schema,
    features: Sequence[int],
    *,
    pairs: bool,
    cost: str,
    forbid: Iterable[str],
) -> TableConcepts:
    """Return the tests that some example satisfies, with their examples.

    `columns` has the codes of all features by position, and `features` the positions of those in use. Forbidden
    concepts are left out; the name of a feature forbids all tests of it. Concepts are in tie order: fewer tests first
    (which are never more expensive), then shorter names, then alphabetically.
    """
    if cost not in COSTS:
        raise CasebaseError(unknown_name("cost", cost, COSTS))
    found: list[tuple[Tests, np.ndarray]] = []
    for feature in features:
        found += [(((feature, code),), held) for code, held in _by_value(columns[feature].astype(np.int64))]
    for one, other in combinations(features, 2) if pairs else ():
        n_values = int(columns[other].max()) + 1
        both = columns[one].astype(np.int64) * n_values + columns[other]
        found += [(((one, key // n_values), (other, key % n_values)), held) for key, held in _by_value(both)]
    named = [(tests, written(tests, schema), held) for tests, held in found]
    named = _without(named, list(forbid), schema)
    named.sort(key=lambda one: (len(one[0]), len(one[1]), one[1]))
    first = np.concatenate([[0], np.cumsum([len(held) for _, _, held in named], dtype=np.int64)])
    examples = np.concatenate([held for _, _, held in named]) if named else np.zeros(0)
    costs = np.array([len(tests) if cost == "length" else 1 for tests, _, _ in named], dtype=float)
    return TableConcepts(
        Concepts(first, examples, costs), tuple(tests for tests, _, _ in named), tuple(name for _, name, _ in named)
    )


def _by_value(keys: np.ndarray) -> Iterable[tuple[int, np.ndarray]]:
    order = np.argsort(keys, kind="stable")
    values, starts = np.unique(keys[order], return_index=True)
    return zip(values.tolist(), np.split(order, starts[1:]))


def _without(
    named: list[tuple[Tests, str, np.ndarray]], forbid: list[str], schema: Schema
) -> list[tuple[Tests, str, np.ndarray]]:
    names = {name for _, name, _ in named}
    features = {printable(feature.name): i for i, feature in enumerate(schema.features)}
    for name in forbid:
        if name not in names and name not in features:
            raise CasebaseError(unknown_name("concept or feature to forbid", name, [*sorted(features), *sorted(names)]))
    forbidden = {features[name] for name in forbid if name in features}
    return [
        (tests, name, held)
        for tests, name, held in named
        if name not in forbid and not forbidden.intersection(feature for feature, _ in tests)
    ]
