"""Rules from paths: the oracle generalises, selects and orders them in the same way."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.base.answers import Preference
from casebase.data import Cases
from casebase.measures.confidence import added_errors, error_rate
from casebase.trees.path_rules import (
    Conditions,
    Extents,
    PathRule,
    Selecting,
    generalise,
    needed_rules,
    ordered_classes,
    rule_bits,
)
from casebase.trees.paths import Branch
from tests.oracles import c45, c45rules


@pytest.mark.parametrize("confidence", [0.01, 0.25, 0.5])
def test_feared_errors_are_those_of_the_formula(confidence):
    """One at a time or many at once; whole cases or parts of them."""
    pairs = [(n, e) for n in (0.5, 1, 2, 3.5, 14, 200) for e in (0, 0.25, 0.5, 1, 1.5, 3, 14) if e <= n]

    expected = [c45.added_errors(n, e, confidence) for n, e in pairs]

    assert added_errors(*zip(*pairs), confidence) == pytest.approx(expected, abs=1e-9)


def test_feared_rates_of_few_and_many_cases():
    """Six cases without an error may err in one of five (Quinlan's figures); none at all may be all wrong."""
    assert error_rate([6, 9, 1, 0], [0, 0, 0, 0]).round(3).tolist() == [0.206, 0.143, 0.75, 1.0]


ROWS = st.lists(st.tuples(*map(st.sampled_from, ("abc", "xy", [1.0, 2.0, 3.0, None], "PQR"))), min_size=2, max_size=25)
CONDITIONS = st.lists(
    st.sampled_from(
        [
            *(Branch(0, "a"), Branch(0, "b"), Branch(1, "x"), Branch(1, "y")),
            *(Branch(2, None, 1.5, True), Branch(2, None, 2.5)),
        ]
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


def asked_by(condition: Branch):
    def test(row):
        value = row[condition.feature]
        if condition.threshold is None:
            return value == condition.value
        return value is not None and (value > condition.threshold) == condition.is_above

    return test


def cases_of(rows) -> Cases:
    frame = pd.DataFrame([row[:3] for row in rows], columns=["f", "g", "h"]).astype({"h": float})
    return Cases.from_table(frame, y=[row[3] for row in rows])


@given(ROWS, CONDITIONS, st.sampled_from("PQR"), st.sampled_from([0.1, 0.25]))
@settings(max_examples=60, deadline=None)
def test_a_rule_loses_the_conditions_that_the_slow_way_takes(rows, conditions, label, confidence):
    cases = cases_of(rows)
    code = cases.schema.classes.index(label) if label in cases.schema.classes else -1

    kept = generalise(PathRule(tuple(conditions), code), Extents(cases), confidence).conditions

    tests = [asked_by(one) for one in conditions]
    expected = c45rules.generalise(tests, label, [row[:3] for row in rows], [row[3] for row in rows], confidence)
    assert list(kept) == [conditions[i] for i in expected]


@given(ROWS, st.lists(CONDITIONS | st.just([]), max_size=4), st.sampled_from([1, 2, 1024]))
@settings(max_examples=60, deadline=None)
def test_conditions_asked_together_hold_where_each_holds(rows, rules, at_once):
    """Arrays of conditions say the same as one condition after the other, in blocks of any size, also of no rule."""
    cases = cases_of(rows)
    asked = [PathRule(tuple(conditions), 0) for conditions in rules]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("casebase.trees.path_rules.AT_ONCE", at_once)
        held = Conditions.of(asked, cases.schema).table(cases)

    assert held.tolist() == [[all(asked_by(c)(row) for c in rule.conditions) for row in rows] for rule in asked]


def selecting(held, own, n_cases, bits) -> Selecting:
    table = np.array([[i in one for i in range(n_cases)] for one in held])
    return Selecting(table, np.ones(n_cases), np.array([i in own for i in range(n_cases)]), np.array(bits), 0.5)


@st.composite
def selections(draw, max_rules):
    n_cases, n_rules = draw(st.integers(1, 12)), draw(st.integers(1, max_rules))
    some = st.sets(st.integers(0, n_cases - 1))
    held = draw(st.lists(some, min_size=n_rules, max_size=n_rules))
    bits = draw(st.lists(st.integers(1, 20).map(float), min_size=n_rules, max_size=n_rules))
    return held, draw(some), n_cases, bits


@given(selections(6))
@settings(max_examples=60, deadline=None)
def test_few_rules_are_selected_as_all_subsets_say(given):
    held, own, n_cases, bits = given

    assert selecting(*given).best().tolist() == c45rules.select(held, own, n_cases, bits)


@given(selections(6))
@settings(max_examples=40, deadline=None)
def test_climbing_ends_where_no_single_rule_helps(given):
    """The costs on the way are those of the formula, and neither adding nor dropping a rule makes it cheaper."""
    held, own, n_cases, bits = given

    cost, chosen = selecting(*given)._climb(np.zeros(len(held), dtype=bool))

    kept = np.flatnonzero(chosen).tolist()
    assert cost == pytest.approx(c45rules.cost(kept, held, own, n_cases, bits))
    for rule in range(len(held)):
        assert c45rules.cost(sorted({*kept} ^ {rule}), held, own, n_cases, bits) > cost - 1e-5


def test_a_rule_is_as_long_as_its_conditions_in_any_order():
    """Two conditions of 8 and 4 choices: 3 + 2 bits, less the one that their order would say."""
    assert rule_bits([8, 4]) == 4.0


def test_classes_come_by_what_their_rules_get_wrong_of_what_is_left():
    """Class 1 errs once on all cases, but not on those that class 0 leaves."""
    labels = np.array([0, 0, 1, 1, 2])
    held = {
        0: np.array([1, 1, 0, 0, 0], dtype=bool),
        1: np.array([1, 0, 1, 1, 0], dtype=bool),
        2: np.array([0, 0, 0, 1, 1], dtype=bool),
    }
    preference = Preference(np.array([2.0, 2.0, 1.0]), np.arange(3))

    assert ordered_classes(held, labels, np.ones(5), preference) == [0, 1, 2]


def test_rules_that_do_harm_go():
    """Without the second rule one case more is right: the third rule answers it."""
    held = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1]], dtype=bool)

    assert needed_rules(held, np.array([0, 0, 1]), np.array([0, 1, 1, 1]), np.ones(4), default=0) == [0, 2]
