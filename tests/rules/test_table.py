"""Hierarchical rules for tables: which tests there are, what rules answer, and what always holds."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.rules.search import NoConsistentRuleError
from casebase.rules.table import fit

ANIMALS = [
    ["bird", "sparrow", "flies"],
    ["bird", "penguin", "walks"],
    ["bird", "tit", "flies"],
    ["cat", "tabby", "walks"],
    ["dog", "pug", "walks"],
]


def animals():
    return Cases.from_table(ANIMALS, target=-1)


def told(model):
    return [(rule.level, model.written(rule), model.schema.classes[rule.label]) for rule in model.rules]


def answers(model, rows):
    return [model.schema.classes[label] for label in model.answer(model.schema.encode(rows)).label]


def test_birds_fly_but_penguins_do_not():
    model = fit(animals(), noise=0)

    assert told(model) == [(1, "f2 = penguin", "walks"), (2, "f1 = bird", "flies")]
    assert model.schema.classes[model.default] == "walks"
    assert model.cost == 3.0


def test_a_case_is_answered_by_the_first_rule_that_holds():
    model = fit(animals())

    assert answers(model, [["bird", "penguin"], ["bird", "robin"], ["fish", "penguin"], ["fish", "cod"]]) == [
        "walks",
        "flies",
        "walks",
        "walks",
    ]


def test_votes_are_the_cases_that_the_rule_decides():
    model = fit(animals())

    found = model.answer(model.schema.encode([["bird", "robin"], ["fish", "cod"]]))

    assert [found.votes_of(i) for i in range(2)] == [{0: 2.0}, {1: 2.0}]


def test_pairs_ask_for_two_values_at_once():
    """Neither value alone tells: both together do (exclusive or)."""
    table = [["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]]
    cases = Cases.from_table(table, target=-1)

    with pytest.raises(NoConsistentRuleError, match="depth 2"):
        fit(cases, noise=0)
    model = fit(cases, noise=0, pairs=True, depth=1)

    assert told(model) == [(1, "f1 = a and f2 = y", "Q"), (1, "f1 = b and f2 = x", "Q")]


def test_length_makes_pairs_dearer():
    """With unit cost the pair is as good as two single tests; with length it costs as much as both."""
    table = [["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "Q"], ["c", "y", "Q"]]
    cases = Cases.from_table(table, target=-1)

    assert fit(cases, pairs=True, noise=0, cost="unit").cost == 2.0
    assert fit(cases, pairs=True, noise=0, cost="length").cost == 3.0


def test_numbers_are_cut_into_intervals():
    rows = [[float(i), "P" if i < 6 else "Q"] for i in range(12)]
    model = fit(Cases.from_table(rows, target=-1))

    assert told(model) == [(2, "f1 > 5.5", "Q")]
    assert answers(model, [[-3.0], [5.6], [None]]) == ["P", "Q", "P"]


def test_missing_is_a_value():
    rows = [["a", "P"], ["b", "P"], ["c", "P"], [None, "Q"], [None, "Q"]]
    model = fit(Cases.from_table(rows, target=-1))

    assert told(model) == [(2, "f1 = ?missing", "Q")]
    assert answers(model, [[None], ["z"]]) == ["Q", "P"]


def test_cases_in_conflict_are_named():
    rows = [["a", "x", "P"], ["a", "x", "Q"], ["b", "y", "P"]]

    with pytest.raises(
        NoConsistentRuleError, match=r"2 of 3 cases are in conflict, such as case 0 \(a, x: P\); case 1 \(a, x: Q\)"
    ) as caught:
        fit(Cases.from_table(rows, target=-1), noise=0)

    assert caught.value.n_conflicts == 2


def test_by_default_as_few_as_possible_are_left_unexplained():
    rows = [["a", "P"]] * 3 + [["a", "Q"]] + [["b", "Q"]] * 2
    model = fit(Cases.from_table(rows, target=-1))

    assert answers(model, [["a"], ["b"]]) == ["P", "Q"]
    assert model.n_unexplained == 1


def test_a_forbidden_concept_gives_its_place_to_the_next():
    model = fit(animals(), forbid=["f1 = bird"])

    assert told(model) == [(2, "f2 = tit", "flies"), (2, "f2 = sparrow", "flies")]


def test_a_forbidden_feature_is_not_asked_for():
    model = fit(animals(), forbid=["f2"])

    assert told(model) == [(2, "f1 = bird", "flies")]
    assert model.n_unexplained == 1


def test_a_forced_rule_is_used():
    model = fit(animals(), force=[("f2 = tit", "flies")], noise=0)

    assert (2, "f2 = tit", "flies") in told(model)
    assert model.n_unexplained == 0


def test_a_forced_rule_takes_the_place_of_its_equals():
    """`f2 = tabby` and `f1 = cat` hold for the same case; the shorter name would be taken."""
    model = fit(animals(), force=[("f2 = tabby", "walks")], noise=0, depth=1)

    assert (1, "f2 = tabby", "walks") in told(model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"forbid": ["f1 = brid"]}, "Did you mean 'f1 = bird'"),
        ({"forbid": "f1 = bird"}, "forbid is a list of concepts"),
        ({"force": [("f1 = cat", "swims")]}, "Unknown class 'swims'"),
        ({"force": [("f1 = cow", "walks")]}, "Unknown concept 'f1 = cow'"),
        ({"force": ["f1 = cat"]}, "force is a list of pairs"),
        ({"cost": "free"}, "Unknown cost 'free'"),
        ({"depth": 1.5}, "depth is the number of levels"),
        ({"noise": 2}, "noise is the share"),
        ({"window": 0}, "share of examples to start with"),
        ({"discretise": "no"}, "discretise is the method"),
        ({"random_state": -1}, "random_state is a whole number"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(CasebaseError, match=message):
        fit(animals(), **arguments)


@st.composite
def tables(draw):
    n_classes = draw(st.integers(1, 3))
    row = st.tuples(*[st.sampled_from("abc")] * 3, st.sampled_from("PQR"[:n_classes]))
    return draw(st.lists(row, min_size=1, max_size=20))


def test_a_window_is_judged_by_the_rule_that_answers():
    """Rules of one level were put in order by distinct cases in the window and by all cases afterwards."""
    rows = ["aaaP", "bbaQ", "bcaQ", "caaR", "cbbP", "cbbP"]
    cases = Cases.from_table([list(row) for row in rows], target=-1)

    model = fit(cases, depth=1, noise=0, window=0.3)
    assert model.answer(cases).label.tolist() == cases.labels.tolist()


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(0, 3), st.booleans(), st.sampled_from([None, 0.3]))
def test_whenever_there_is_a_rule_every_case_is_right(rows, depth, pairs, window):
    cases = Cases.from_table([list(row) for row in rows], target=-1)
    try:
        model = fit(cases, depth=depth, pairs=pairs, window=window, noise=0)
    except NoConsistentRuleError:
        model = fit(cases, depth=depth, pairs=pairs, window=window)
        assert model.n_unexplained > 0
    else:
        assert model.n_unexplained == 0
        assert model.answer(cases).label.tolist() == cases.labels.tolist()
    assert model.n_levels <= depth


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False), st.sampled_from([None, 0.3]))
def test_the_order_of_rows_and_of_named_columns_has_no_say(rows, random, window):
    order = list(range(4))
    names = ["one", "two", "three", "class"]
    random.shuffle(order)
    shuffled = list(rows)
    random.shuffle(shuffled)

    def learnt(table, columns):
        frame = pa.table({names[i]: [row[i] for row in table] for i in columns})
        model = fit(Cases.from_table(frame, target="class"), window=window, depth=3)
        return told(model), model.schema.classes[model.default]

    assert learnt(rows, range(4)) == learnt(shuffled, order)


def test_weights_are_copies():
    rows = [["a", "x", "P"], ["a", "y", "Q"], ["b", "x", "Q"], ["b", "y", "P"]]
    weights = [3, 1, 2, 1]
    copies = [row for row, n in zip(rows, weights) for _ in range(n)]

    weighted = fit(Cases.from_table(rows, target=-1, weights=weights))
    repeated = fit(Cases.from_table(copies, target=-1))

    assert told(weighted) == told(repeated)
    assert weighted.n_unexplained == repeated.n_unexplained
    assert np.array_equal(weighted.counts, repeated.counts)


def test_windows_are_told():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (300, 4))
    cases = Cases.from_table(values.astype(str), y=(values[:, 0] == 1).astype(str))

    model = fit(cases, window=0.1)

    assert model.n_unexplained == 0
    assert model.rounds[-1].n_wrong == 0
    assert model.rounds[0].n_examples < 30
