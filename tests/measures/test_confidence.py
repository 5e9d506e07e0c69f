"""Wilson's interval, from its definition."""

from statistics import NormalDist

import pytest

from casebase.measures.confidence import wilson_interval


@pytest.mark.parametrize(("n_right", "n"), [(9, 10), (1, 3), (50, 100), (999, 1000), (0, 7), (7, 7), (1, 1)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_limits_are_just_not_rejected(n_right, n, confidence):
    """A normal test of the observed share rejects a rate farther away than z standard errors of that rate."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = n_right / n

    low, high = wilson_interval(n_right, n, confidence)

    assert 0.0 <= low <= share <= high <= 1.0
    for limit in (low, high):
        if 0.0 < limit < 1.0:
            assert abs(share - limit) == pytest.approx(z * (limit * (1 - limit) / n) ** 0.5)
    assert (low == 0.0) == (n_right == 0)
    assert (high == 1.0) == (n_right == n)
