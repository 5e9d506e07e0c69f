"""C4.5's rules: the examples of the book, what does not matter, and what is told."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from casebase.data import Cases
from casebase.datasets import load_tic_tac_toe, load_weather
from casebase.errors import CasebaseError
from casebase.trees.c45rules import fit

DAYS = load_weather(numeric=True)
FRAME = pd.DataFrame(DAYS.data, columns=DAYS.feature_names).astype({"temperature": float, "humidity": float})


def told(model):
    asked = [model.asked_rule(i) for i in range(len(model.rules) + 1)]
    return [(dict(zip(rule.features, rule.values)), rule.label) for rule in asked]


def test_the_rules_of_the_fourteen_days():
    """Those of the book: what is dropped is the rule for sunny days of low humidity, which the default answers."""
    assert told(fit(Cases.from_table(FRAME, y=DAYS.target))) == [
        ({"outlook": "overcast"}, "yes"),
        ({"outlook": "rainy", "windy": "false"}, "yes"),
        ({"outlook": "sunny", "humidity": "> 75"}, "no"),
        ({"outlook": "rainy", "windy": "true"}, "no"),
        ({}, "yes"),
    ]


def test_the_winning_lines_are_found():
    """A tree must repeat the lines in its branches; the rules for crosses are the eight lines, and nothing else."""
    boards = load_tic_tac_toe()
    cases = Cases.from_table(pd.DataFrame(boards.data, columns=boards.feature_names), y=boards.target)

    model = fit(cases)

    lines = [asked for asked, label in told(model) if label == "positive"]
    assert len(lines) == 8
    assert all(list(asked.values()) == ["x", "x", "x"] for asked in lines)
    assert (model.answer(cases).label == cases.labels).all()


def test_the_order_of_rows_and_named_columns_does_not_matter():
    shuffled = np.random.default_rng(1).permutation(len(FRAME))

    other = fit(Cases.from_table(FRAME.iloc[shuffled, ::-1], y=DAYS.target[shuffled]))

    assert told(other) == told(fit(Cases.from_table(FRAME, y=DAYS.target)))


def test_a_case_of_weight_two_is_two_cases():
    weights = np.arange(len(FRAME)) % 3
    rows = np.repeat(np.arange(len(FRAME)), weights)

    once = fit(Cases.from_table(FRAME, y=DAYS.target, weights=weights))
    again = fit(Cases.from_table(FRAME.iloc[rows], y=DAYS.target[rows]))

    assert told(once) == told(again)
    assert once.decided.tolist() == again.decided.tolist()


def test_a_missing_value_meets_no_condition():
    model = fit(Cases.from_table(FRAME, y=DAYS.target))
    asked = model.schema.encode(FRAME.head(1).assign(outlook=pd.array([None], "string")))

    assert model.first(asked).tolist() == [len(model.rules)]


def test_evidence_is_the_rule_and_what_other_rules_say():
    """The first rule that holds answers; rules of other classes that hold too are told, the default last."""
    rows = [["a", "x", "P"]] * 6 + [["a", "y", "Q"]] * 2 + [["b", "y", "Q"]] * 6 + [["b", "x", "P"]]
    model = fit(Cases.from_table(rows, target=-1), theory_weight=0)

    (evidence,) = model.explain(model.schema.encode([["a", "y"]]))

    assert evidence.rule.label == evidence.label
    assert evidence.overridden[-1].features == ()
    assert evidence.n_cases == evidence.rule.n_cases


def test_one_class_needs_no_rule():
    model = fit(Cases.from_table([["a", "P"], ["b", "P"]], target=-1))

    assert told(model) == [({}, "P")]
    assert model.codelength() == 1.0  # that no rule follows


def test_dearer_rules_are_fewer():
    """With a weight of 0 rules cost nothing; with a large one there are none."""
    cases = Cases.from_table(FRAME, y=DAYS.target)

    n_rules = [len(fit(cases, theory_weight=weight).rules) for weight in (0, 0.5, 100)]

    assert n_rules[0] >= n_rules[1] > n_rules[2] == 0


def test_the_codelength_of_the_fourteen_days():
    """Four features, 3 + 2 values and 2 · 9 choices of humidity; every figure is written out."""
    two = np.log2
    outlook, windy, humidity = two(4 * 3), two(4 * 2), two(4 * 18)
    yes = (outlook + 2) + (outlook + windy - 1 + 3) + 3 - 1
    no = (outlook + humidity - 1 + 3) + (outlook + windy - 1 + 3) + 3 - 1

    model = fit(Cases.from_table(FRAME, y=DAYS.target))

    assert model.codelength() == pytest.approx(yes + no + 1 + 1)  # the order of two classes, and the default


@pytest.mark.parametrize("weight", [-1, True, "much", float("nan")])
def test_a_theory_weight_that_is_none_is_refused(weight):
    with pytest.raises(CasebaseError, match="theory_weight"):
        fit(Cases.from_table(FRAME, y=DAYS.target), theory_weight=weight)


def test_a_default_that_is_as_often_wrong_does_not_claim_all_cases():
    """With as many cases of another class, the default said that all of them were of its own."""
    rows = [["a", "P"], ["b", "Q"]]
    model = fit(Cases.from_table(rows, target=-1))

    (evidence,) = model.explain(model.schema.encode([["b"]]))

    assert (evidence.is_default, evidence.label, evidence.votes) == (True, "P", {"P": 1.0, "Q": 1.0})
    assert model.answer(model.schema.encode([["b"]])).votes_of(0) == {0: 1.0, 1: 1.0}


def test_answers_need_no_table_of_all_rules_and_cases():
    """Regression: a byte for each rule and case at once, gigabytes for a million questions and some thousand rules."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 6, (2000, 3)).astype(str)
    model = fit(Cases.from_table(rows, y=rows[:, 0]))
    asked = model.schema.encode(rng.integers(0, 6, (200_000, 3)).astype(str))
    asked_rules = model.conditions.table(asked)
    expected = np.where(asked_rules.any(axis=0), asked_rules.argmax(axis=0), len(model.rules))
    tracemalloc.start()
    fired = model.first(asked)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert fired.tolist() == expected.tolist()
    assert peak < 0.9 * (asked_rules.nbytes + fired.nbytes)
