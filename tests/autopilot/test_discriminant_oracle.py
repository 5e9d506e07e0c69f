"""Discriminant: densities and held-out densities are those of moments computed anew without the case."""

from dataclasses import replace

import numpy as np
import pytest

from casebase.autopilot import discriminant
from casebase.autopilot.inputs import Features
from tests.autopilot.tables import TABLES, stored_of
from tests.oracles import discriminant as oracle

PLANS = [(0.0, 0.1, 1.0), (0.1, 1.0, 0.5), (0.5, 10.0, 0.25), (1.0, 0.1, 1.0)]


def points_of(reading, inputs):
    rows = [
        oracle.point(inputs.numbers[:, i], inputs.codes[:, i], reading.numbers, reading.values)
        for i in range(inputs.n_cases)
    ]
    return np.array(rows).reshape(inputs.n_cases, -1)


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


@pytest.fixture(params=PLANS, ids=str)
def plan(request):
    return dict(zip(("shrinkage", "ridge", "sharpness"), request.param))


def naive(x, points, labels, weights, stored, plan):
    logs = oracle.log_densities(x, points, labels, weights, stored.n_classes, plan["shrinkage"], plan["ridge"])
    return oracle.shares(logs, plan["sharpness"])


def test_answers_follow_the_densities(table, plan):
    """New cases, with missing and unseen values, too."""
    cases = table.cases()
    stored = stored_of(cases)
    reading = discriminant.learn(stored, plan)
    asked = Features.of(cases.schema).inputs(cases.schema.encode(table.asked))
    points, found = points_of(reading, stored.inputs), reading.shares(asked)
    for i, x in enumerate(points_of(reading, asked)):
        expected = naive(x, points, stored.labels, stored.case_weights, stored, plan)
        np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-12)


def test_held_out_answers_follow_the_densities_of_the_others(table, plan):
    """Scales and dimensions are held; means, scatters and frequencies are those of all other cases."""
    stored = stored_of(table.cases())
    reading = discriminant.learn(stored, plan)
    points = points_of(reading, stored.inputs)
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i in range(stored.n_cases):
        others = np.arange(stored.n_cases) != i
        expected = naive(points[i], points[others], stored.labels[others], stored.case_weights[others], stored, plan)
        np.testing.assert_allclose(held[i], expected, rtol=1e-8, atol=1e-12)


def test_the_last_case_of_a_class_is_held_out():
    """Without it the class has no density, and its share is 0."""
    table = TABLES["mixed"]
    rows, labels = [*table.rows, ["v0", 1.0, "v1", 2.0]], [*table.labels, "rare"]
    stored = stored_of(replace(table, rows=rows, labels=labels).cases())
    for shrinkage in (0.0, 1.0):
        reading = discriminant.learn(stored, {"shrinkage": shrinkage, "ridge": 1.0, "sharpness": 1.0})
        (i,) = np.flatnonzero(stored.labels == 3)
        held = reading.held_out(stored, np.array([i]))[0]
        points = points_of(reading, stored.inputs)
        others = np.arange(stored.n_cases) != i
        expected = naive(points[i], points[others], stored.labels[others], np.ones(others.sum()), stored, reading.plan)
        assert held[3] == 0.0
        np.testing.assert_allclose(held, expected, rtol=1e-9, atol=1e-12)


def test_dimensions_are_standardised_by_weight():
    """Centre and scale of a number are its weighted mean and deviation; a constant has no dimension."""
    table = TABLES["weighted"]
    stored = stored_of(table.cases())
    reading = discriminant.learn(stored, {"shrinkage": 1.0, "ridge": 1.0, "sharpness": 1.0})
    for feature, centre, scale in reading.numbers:
        column, w = stored.inputs.numbers[feature], stored.case_weights
        assert centre == pytest.approx((w * column).sum() / w.sum(), rel=1e-12)
        assert scale == pytest.approx(np.sqrt((w * (column - centre) ** 2).sum() / w.sum()), rel=1e-12)
    assert [feature for feature, _, _ in reading.numbers] == [0, 1]


def test_the_chosen_shrinkage_has_the_least_held_out_loss():
    """No other combination that is tried answers the stored cases better."""
    stored = stored_of(TABLES["numeric"].cases())
    rows = np.arange(stored.n_cases)
    _, held = discriminant.choose(stored, rows, 0)

    def loss(shares):
        return -np.log(np.maximum(shares[rows, stored.labels], 1e-6)).mean()

    tried = [
        loss(discriminant.learn(stored, {"shrinkage": s, "ridge": r, "sharpness": p}).held_out(stored, rows))
        for s in discriminant.SHRINKAGES
        for r in discriminant.RIDGES
        for p in discriminant.SHARPNESSES
    ]
    assert loss(held) == pytest.approx(min(tried), abs=2e-9)
