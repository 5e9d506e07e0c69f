"""Logarithms, exponentials and powers: the nearest doubles nearly always, and the same bits on every machine."""

import hashlib
import math
import random
from decimal import Context, Decimal

import numpy as np
import pytest

from casebase.measures import functions

DIGITS = Context(prec=50)
MOST = 0.53  # units in the last place


def numbers(n=400, low=-30, high=30, seed=1):
    chance = random.Random(seed)
    return [chance.uniform(1, 2) * 2.0 ** chance.randint(low, high) for _ in range(n)]


def units(found, exact):
    """Return how far a double is from a number, in units of its last place."""
    return abs((Decimal(found) - exact) / Decimal(math.ulp(found)))


def oracle_log(x):
    return DIGITS.ln(Decimal(x))


def oracle_log2(x):
    return DIGITS.divide(DIGITS.ln(Decimal(x)), DIGITS.ln(Decimal(2)))


def oracle_log1p(x):
    return DIGITS.ln(DIGITS.add(Decimal(x), 1))


ORACLES = {
    "log": (functions.log, oracle_log, numbers() + [1 + i / 64 for i in range(-20, 40) if i]),
    "log2": (functions.log2, oracle_log2, numbers() + [float(i) for i in range(3, 200)]),
    "log1p": (functions.log1p, oracle_log1p, numbers(200, -40, 20)),
    "exp": (functions.exp, lambda x: DIGITS.exp(Decimal(x)), [s * x for x in numbers(200, -20, 8) for s in (1, -1)]),
}


@pytest.mark.parametrize("name", ORACLES)
def test_results_are_the_nearest_doubles_or_next_to_them(name):
    function, oracle, asked = ORACLES[name]
    most = 1.0 if name == "log1p" else MOST
    found = function(np.array(asked)).tolist()
    assert max(units(one, oracle(x)) for one, x in zip(found, asked)) < most


def test_powers_are_within_a_unit():
    chance = random.Random(2)
    for x in numbers(300, -20, 20):
        y = chance.uniform(-8, 8)
        exact = DIGITS.exp(DIGITS.multiply(Decimal(y), DIGITS.ln(Decimal(x))))
        assert units(functions.power(x, y), exact) < MOST


def test_powers_of_two_and_special_numbers():
    exponents = np.arange(-1074, 1024)
    assert functions.log2(np.ldexp(1.0, exponents)).tolist() == exponents.tolist()
    inf, nan = math.inf, math.nan
    assert functions.log([0.0, inf, 1.0]).tolist() == [-inf, inf, 0.0]
    assert np.isnan(functions.log([-1.0, nan])).all()
    assert functions.exp([0.0, -inf, inf, 710.0, -746.0]).tolist() == [1.0, 0.0, inf, inf, 0.0]
    assert functions.exp(-740.0) == pytest.approx(math.exp(-740.0), rel=1e-2)  # few digits are left
    assert functions.log1p([0.0, 1e-300, -1.0]).tolist() == [0.0, 1e-300, -inf]
    assert functions.power([0.0, 1.0, inf, 3.0], 0.3).tolist() == [0.0, 1.0, inf, 3.0**0.3]
    assert functions.power([0.0, 2.0], 0.0).tolist() == [1.0, 1.0]
    assert np.isnan(functions.exp(nan))


def test_the_bits_are_those_of_every_other_machine():
    """Recorded once: a compiler that fuses products and sums, or another library, would change them."""
    x = np.array(numbers(2000, -40, 40))
    results = [functions.log(x), functions.log2(x), functions.log1p(x), functions.exp(-np.minimum(x, 700.0))]
    results += [functions.power(x, y) for y in (0.3, 1.7, -2.5)]
    digest = hashlib.sha256(b"".join(one.tobytes() for one in results)).hexdigest()
    assert digest == "93ec082196e705907a463b6de7684d61858910229406834edd68d822a5baf67e"
