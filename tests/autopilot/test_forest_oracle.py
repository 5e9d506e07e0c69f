"""Forest: a naive grower grows the same trees, and naive walks give the same answers."""

import numpy as np
import pytest

from casebase import _native
from casebase.autopilot import forest
from casebase.autopilot.inputs import Features
from casebase.methods import method_named
from tests.autopilot.tables import TABLES, Table, plain_numbers, random_table, stored_of
from tests.oracles import case_forest as oracle
from tests.oracles.opinions import bin_of

TABLES = TABLES | {"many values": random_table("ssn", n=70, seed=21, n_values=70, n_classes=4)}


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


@pytest.fixture(params=[("sqrt", "single", 1.0), ("half", "groups", 1.0), ("half", "single", 3.0)], ids=str)
def plan(request):
    tried, values, least = request.param
    return {"tried": tried, "values": values, "n_trees": 8, "least": least, "seed": 5}


def codes_of(reading, inputs):
    """Return the bins of numbers and the codes of symbols."""
    bins = [[bin_of(x, cuts.tolist()) for x in row] for row, cuts in zip(plain_numbers(inputs), reading.edges)]
    return bins + inputs.codes.tolist()


def task_of(reading, stored):
    n = stored.inputs.n_features
    plan = reading.plan
    return oracle.Task(
        codes=codes_of(reading, stored.inputs),
        labels=stored.labels.tolist(),
        weights=stored.case_weights.tolist(),
        n_classes=stored.n_classes,
        is_ordered=[f < stored.inputs.n_numbers for f in range(n)],
        n_tried=max(1, round(n**0.5 if plan["tried"] == "sqrt" else n / 2)),
        least=plan["least"] * sum(stored.case_weights) / stored.n_cases,
        by_groups=plan["values"] == "groups",
        seed=plan["seed"],
    )


def trees_of(reading):
    return [oracle.written(reading.nodes, reading.n_codes, int(root)) for root in reading.nodes["root"]]


def assert_same_tree(found, expected):
    assert found[:-2] == expected[:-2] if found[0] != "leaf" else found[0] == expected[0]
    if found[0] == "leaf":
        assert found[1] == pytest.approx(expected[1], rel=1e-12)
    else:
        assert_same_tree(found[3], expected[3])
        assert_same_tree(found[4], expected[4])


def test_the_same_trees_are_grown(table, plan):
    """Samples, drawn features, splits by Gini's index, and votes are those of the naive grower."""
    stored = stored_of(table.cases())
    reading = forest.learn(stored, plan)
    task = task_of(reading, stored)
    for t, tree in enumerate(trees_of(reading)):
        assert _native.forest_sample(t, stored.n_cases, stored.n_cases, plan["seed"]).tolist() == oracle.drawn(task, t)
        assert_same_tree(tree, oracle.grow(task, t))


def test_trees_split_by_cuts_values_and_groups():
    """The tables above lead to splits of each kind."""
    kinds = set()
    for values in ("single", "groups"):
        stored = stored_of(TABLES["mixed"].cases())
        plan = {"tried": "half", "values": values, "n_trees": 8, "least": 1.0, "seed": 5}
        kinds |= set(forest.learn(stored, plan).nodes["split"].tolist())
    assert kinds == {0, 1, 2, 3}


def test_held_out_answers_are_those_of_trees_without_the_case(table, plan):
    """Each tree votes with the drawn cases that reach the leaf of the case."""
    stored = stored_of(table.cases())
    reading = forest.learn(stored, plan)
    task, trees = task_of(reading, stored), trees_of(reading)
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i in range(0, stored.n_cases, 3):
        np.testing.assert_allclose(held[i], oracle.held_out(task, trees, i), rtol=0, atol=1e-12)


def test_answers_are_mean_votes(table, plan):
    """New cases, with missing and unseen values, too."""
    cases = table.cases()
    stored = stored_of(cases)
    reading = forest.learn(stored, plan)
    task, trees = task_of(reading, stored), trees_of(reading)
    asked = Features.of(cases.schema).inputs(cases.schema.encode(table.asked))
    found = reading.shares(asked)
    for i, case in enumerate(zip(*codes_of(reading, asked))):
        np.testing.assert_allclose(found[i], oracle.shares(task, trees, case), rtol=0, atol=1e-12)


def test_a_case_in_every_sample_has_the_frequencies_of_the_others():
    """With a single tree, cases that it drew are answered with the class frequencies."""
    stored = stored_of(TABLES["mixed"].cases())
    reading = forest.learn(stored, {"tried": "sqrt", "values": "single", "n_trees": 1, "least": 1.0, "seed": 0})
    drawn = np.flatnonzero(_native.forest_sample(0, stored.n_cases, stored.n_cases, 0))
    np.testing.assert_allclose(reading.held_out(stored, drawn), stored.prior_without(drawn), rtol=1e-15)


def test_known_numbers_of_the_generator():
    """The first numbers of SplitMix64 from seed 1234567, as published with its reference implementation."""
    draws = oracle.Draws.__new__(oracle.Draws)
    draws.state = 1234567
    assert [draws.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_paths_have_an_end():
    """One value against the others takes off a value at a time; with a thousand values a path ends all the same."""
    n = 3_000
    draw = np.random.default_rng(0)
    rows = [[f"v{value}"] for value in draw.integers(0, 1_000, n)]
    model = method_named("forest").fit(Table(rows, [f"c{c}" for c in draw.integers(0, 2, n)], []).cases(), n_trees=3)
    nodes = model.readings["forest"].nodes
    depth = np.zeros(len(nodes["split"]), dtype=int)
    for node in np.flatnonzero(nodes["split"]):  # children come behind their parents
        depth[nodes["left"][node] + np.arange(2)] = depth[node] + 1
    assert depth.max() == 64
