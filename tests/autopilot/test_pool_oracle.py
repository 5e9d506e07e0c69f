"""The opinion pool: shares, loss, gradient, and exponents that are a minimum."""

import numpy as np
import pytest

from casebase import _native
from casebase.autopilot.pool import FLOOR, Pool, as_opinions, fit_pool, log_loss
from tests.oracles import opinion_pool as oracle


def drawn(seed, n_cases=30, n_classes=3, n_opinions=4):
    """Return shares of several opinions, the first ones better, with labels and weights."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, n_classes, n_cases)
    shares = [draw.dirichlet(np.ones(n_classes), n_cases) for _ in range(n_opinions)]
    for i, part in enumerate(shares):
        part[np.arange(n_cases), labels] += 1.0 / (1 + i)
        part /= part.sum(axis=1, keepdims=True)
    return shares, labels, draw.choice([0.5, 1.0, 2.0], n_cases)


def as_cases(shares):
    return np.stack(shares, axis=1).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_a_product_of_powers(seed):
    shares, _, _ = drawn(seed)
    exponents, bias = np.array([0.3, 0.0, 1.2, 0.7]), np.array([0.5, -1.0, 0.0])
    found = Pool(exponents, bias).shares(as_opinions(shares))
    for row, case in zip(found, as_cases(shares)):
        np.testing.assert_allclose(row, oracle.pooled(case, exponents, bias), rtol=1e-12)


def test_no_opinion_excludes_a_class():
    """A share of 0 counts as the floor."""
    opinions = as_opinions([np.array([[0.0, 1.0]])])
    expected = oracle.pooled([[FLOOR, 1.0]], [1.0], [0.0, 0.0])
    np.testing.assert_allclose(Pool(np.ones(1), np.zeros(2)).shares(opinions)[0], expected, rtol=1e-12)
    assert log_loss(np.array([[0.0, 1.0]]), np.array([0])) == pytest.approx(-np.log(FLOOR))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_cases", [5, 200])
def test_loss_and_gradient(weighted, n_cases):
    """The loss is the oracle's, and the gradient that of small steps; blocks and threads change nothing."""
    shares, labels, weights = drawn(4, n_cases)
    weights = weights if weighted else np.ones(n_cases)
    exponents, bias = np.array([0.4, 0.1, 0.9, 0.2]), np.array([0.1, -0.2, 0.3])
    given = as_opinions(shares), labels.astype(np.uint32), weights if weighted else None
    value, slope = _native.pool_loss(*given, exponents, bias, 1)

    def loss(parameters):
        return oracle.penalised_loss(as_cases(shares), labels, weights, parameters[:4], parameters[4:], [0] * 4, 0.0)

    at = np.concatenate([exponents, bias])
    assert value == pytest.approx(loss(at), rel=1e-12)
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = 1e-6
        assert slope[i] == pytest.approx((loss(at + step) - loss(at - step)) / 2e-6, abs=1e-5)
    again = _native.pool_loss(*given, exponents, bias, 3)
    assert again[0] == value
    assert np.array_equal(again[1], slope)


@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("strength", [3.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_fitted_exponents_are_a_minimum(seed, strength, with_bias):
    """No small feasible change of the exponents, alone or together, lowers the penalised loss."""
    shares, labels, weights = drawn(seed)
    start = np.array([0.25, 0.25, 0.25, 0.25])
    pool = fit_pool(as_opinions(shares), labels, weights, start, strength, with_bias=with_bias)
    assert (pool.exponents >= 0).all()
    assert with_bias or not pool.bias.any()

    def loss(exponents, bias):
        return oracle.penalised_loss(as_cases(shares), labels, weights, exponents, bias, start, strength)

    least = loss(pool.exponents, pool.bias)
    draw = np.random.default_rng(seed)
    steps = [*np.eye(7), *-np.eye(7), *draw.normal(size=(30, 7))]
    for step in steps:
        step = 0.01 * step / np.linalg.norm(step)
        exponents = np.maximum(pool.exponents + step[:4], 0.0)
        bias = pool.bias + step[4:] if with_bias else pool.bias
        if not (np.array_equal(exponents, pool.exponents) and np.array_equal(bias, pool.bias)):
            assert loss(exponents, bias) > least


def test_a_misleading_opinion_has_no_exponent():
    """An opinion that says the opposite of the truth would need a negative exponent: it has none."""
    draw = np.random.default_rng(0)
    labels = draw.integers(0, 2, 200)
    good = np.where(labels[:, None] == [0, 1], 0.8, 0.2)
    pool = fit_pool(as_opinions([good, 1 - good]), labels, None, np.array([0.5, 0.5]), 1.0)
    assert pool.exponents[1] == 0.0
    assert pool.exponents[0] > 0.5
