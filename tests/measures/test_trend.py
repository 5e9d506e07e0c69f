"""Tests of independence, increase and signs, against scipy and against counting everything."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from casebase.errors import CasebaseError
from casebase.measures import trend


def test_autocorrelations_by_their_definition():
    """The spectrum gives the sums of products."""
    marks = (np.random.default_rng(0).random(203) < 0.2).astype(float)
    centred = marks - marks.mean()
    expected = [(centred[:-k] * centred[k:]).sum() / (centred**2).sum() for k in range(1, 51)]
    np.testing.assert_allclose(trend.autocorrelations(marks), expected, atol=1e-12)


def test_a_quarter_of_the_lags():
    """Of 203 places the first 50 shifts are looked at."""
    assert len(trend.autocorrelations(np.arange(203) % 2)) == 50


def test_a_sequence_that_never_changes_has_no_autocorrelations():
    """No errors at all, or errors everywhere, leave nothing to explain."""
    assert trend.share_outside(np.zeros(40)) is None
    assert trend.share_outside(np.ones(40)) is None


def test_too_short_to_be_tested():
    """Three marks have no quarter."""
    assert trend.share_outside(np.array([0, 1, 0])) is None


def test_blocks_are_not_independent():
    """Errors that stand together have structure; the same number, shuffled, has none most of the time."""
    blocks = np.repeat([0, 1, 0, 0, 1, 0, 0, 0], 50)
    assert trend.share_outside(blocks) >= trend.SHARE
    rng = np.random.default_rng(1)
    independent = [trend.share_outside(rng.permutation(blocks)) < trend.SHARE for _ in range(200)]
    assert np.mean(independent) > 0.5


def test_shifts_beyond_the_end():
    """A sequence cannot be shifted by its length."""
    with pytest.raises(CasebaseError, match="at most 2 for a sequence"):
        trend.autocorrelations(np.array([0, 1, 0]), 3)


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5], [3, 1, 2, 5, 4, 6], [5, 4, 3, 2, 1], [2, 7, 1, 8, 9, 4, 5, 3]])
def test_increase_without_ties_is_scipys(values):
    """The exact one-sided p of Kendall's test."""
    found = stats.kendalltau(range(len(values)), values, alternative="greater", method="exact")
    assert trend.increase_p(values) == pytest.approx(found.pvalue)


@pytest.mark.parametrize("values", [[1, 1, 2, 2, 3], [1, 1, 1, 1, 1], [2, 1, 3, 3, 4, 3], [1, 2, 2, 2, 3, 4]])
def test_increase_with_ties_counts_all_orders(values):
    """With equal values, p is the share of all orders that rise as much."""
    statistic = trend.kendall_statistic(values)
    orders = [trend.kendall_statistic(order) for order in permutations(values)]
    assert trend.increase_p(values) == pytest.approx(np.mean([s >= statistic for s in orders]))


def test_long_sequences_by_the_normal_distribution():
    """From 51 values on p is scipy's asymptotic one, up to the continuity correction."""
    values = np.random.default_rng(3).permutation(80) + np.arange(80)
    found = stats.kendalltau(np.arange(80), values, alternative="greater", method="asymptotic")
    assert trend.increase_p(values.tolist()) == pytest.approx(found.pvalue, rel=0.05)
    assert trend.increase_p([1.0] * 80) == 1.0


def test_the_normal_distribution_is_corrected_for_continuity(monkeypatch):
    """The statistic moves in steps of 2; without half a step p would be a hundredth too small here."""
    values = (np.random.default_rng(5).permutation(60) + 0.15 * np.arange(60)).tolist()
    approximate = trend.increase_p(values)
    monkeypatch.setattr(trend, "LARGEST_EXACT", 60)

    assert approximate == pytest.approx(trend.increase_p(values), rel=0.004)


def test_fifty_values_are_counted_exactly():
    """At 50 values p is still exact."""
    values = (np.random.default_rng(4).permutation(50) + 0.3 * np.arange(50) + np.arange(50) / 1e3).tolist()
    found = stats.kendalltau(np.arange(50), values, alternative="greater", method="exact")
    assert trend.increase_p(values) == pytest.approx(found.pvalue, rel=1e-6)


def test_four_values_say_nothing():
    """Kendall's test needs five."""
    assert trend.increase_p([1, 2, 3, 4]) is None


@pytest.mark.parametrize(("wins", "losses"), [(7, 0), (0, 7), (6, 1), (5, 5), (30, 12)])
def test_sign_test_is_scipys(wins, losses):
    """One-sided, for the side that won more."""
    most = max(wins, losses)
    expected = stats.binomtest(most, wins + losses, alternative="greater").pvalue
    assert trend.sign_test_p(wins, losses) == pytest.approx(expected)


def test_seven_unanimous_runs_decide_at_one_per_cent():
    """Six do not."""
    assert trend.sign_test_p(7, 0) < 0.01 < trend.sign_test_p(6, 0)


def test_no_runs_decide_nothing():
    """Without wins and losses p is 1."""
    assert trend.sign_test_p(0, 0) == 1.0
