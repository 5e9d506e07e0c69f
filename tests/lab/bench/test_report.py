"""From runs to ratios, and from curves to exponents."""

import pytest

from lab.bench.growth import curve as grown
from lab.bench.report import Curve, alone, beside
from lab.bench.timing import Runs
from tests.lab.bench.fakes import FakeClock, curve, row


def test_fewer_seconds_are_better():
    """A peer that takes ten times as long gives ten."""
    made = beside("work", Runs((1, 2, 4)), Runs((20,)), 5)

    assert made.ratio == 10
    assert (made.low, made.high) == (5, 20)
    assert beside("work", Runs((2, 4)), Runs((20, 40)), 5).low == 5
    assert (made.n_ours, made.n_peer) == (3, 1)


def test_more_answers_a_second_are_better():
    """A rate ten times as high gives ten; our worst run beside the peer's best is the lower bound."""
    made = beside("work", Runs((80, 100, 120)), Runs((8, 10, 16)), unit="/s")

    assert made.ratio == 10
    assert (made.low, made.high) == (5, 15)


def test_a_cost_is_a_share_of_the_peers():
    """A quarter of the peer's seconds or bytes is a quarter, whatever the unit."""
    assert beside("work", Runs((1,)), Runs((4,)), 0.25, is_cost=True).ratio == 0.25
    assert beside("work", Runs((1,)), Runs((4,)), 0.25, "MB", is_cost=True).is_met


@pytest.mark.parametrize(
    ("ratio", "target", "is_cost", "is_met"),
    [(9, 10, False, False), (10, 10, False, True), (2, 1, True, False), (1, 1, True, True), (0, None, False, True)],
)
def test_targets(ratio, target, is_cost, is_met):
    """Costs must not exceed their target, ratios must reach it; where none was asked for there is none to miss."""
    assert row(ratio, target=target, is_cost=is_cost).is_met == is_met


def test_the_spread_stands_behind_the_median():
    """Extremes are shown where there is more than one run."""
    assert alone("work", Runs((1.5, 1, 3))).ours == "1.5 s (1–3)"
    assert alone("work", Runs((1_234.5,)), unit="/s").ours == "1,234/s"


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_the_exponent_is_that_of_the_power(power):
    """A time of n to the power p has exponent p, over all sizes and over the last."""
    assert curve(power).exponent == pytest.approx(power)
    assert curve(power).last_exponent == pytest.approx(power)


def test_the_last_exponent_knows_only_the_last_tenfold():
    """A constant cost flattens small sizes: the end of the curve shows the growth."""
    made = Curve("IB1", (1_000, 10_000, 100_000), (Runs((1,)), Runs((1,)), Runs((10,))))

    assert made.last_exponent == pytest.approx(1)
    assert made.exponent == pytest.approx(0.5)


def test_one_point_has_no_exponent():
    """Nothing is fitted through a single size."""
    assert curve(1, (1_000,)).exponent is None


def test_a_size_that_would_take_too_long_is_left_out():
    """By the growth so far the third size would take 10,000 seconds; the curve ends before it and says so."""
    clock = FakeClock()

    made = grown("slow", lambda n: clock.work("slow", (n / 1_000) ** 2), (1_000, 10_000, 100_000), 5, 1_000, clock)

    assert made.n_cases == (1_000, 10_000)
    assert made.ended == "100,000 left out: some 10,000 s expected"
    assert [len(runs.values) for runs in made.seconds] == [5, 1]
