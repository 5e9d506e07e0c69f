"""McNemar's exact test agrees with its definition, and with scipy's binomial test."""

from math import comb

import pytest
from scipy.stats import binomtest

from casebase.errors import CasebaseError
from casebase.measures.paired import LARGEST_EXACT, mcnemar_p


def by_all_outcomes(n_first: int, n_second: int) -> float:
    """Add up the probabilities of all outcomes that are at most as likely as the one observed."""
    n = n_first + n_second
    ways = [comb(n, k) for k in range(n + 1)]
    return sum(way for way in ways if way <= ways[n_first]) / 2**n


@pytest.mark.parametrize("n_first", range(9))
@pytest.mark.parametrize("n_second", range(9))
def test_p_is_the_share_of_outcomes_that_are_no_likelier(n_first, n_second):
    """With few cases all outcomes can be listed."""
    assert mcnemar_p(n_first, n_second) == pytest.approx(by_all_outcomes(n_first, n_second), abs=1e-15)


@pytest.mark.parametrize(
    ("n_first", "n_second"), [(480, 520), (480, 521), (600, 500), (5000, 5200), (40_000, 40_000), (3000, 100)]
)
def test_many_cases_agree_with_scipy(n_first, n_second):
    """Above a thousand cases the tail is summed in floating point."""
    expected = binomtest(n_first, n_first + n_second).pvalue

    assert mcnemar_p(n_first, n_second) == pytest.approx(expected, rel=1e-7)


def test_the_two_ways_to_sum_agree_where_they_meet(monkeypatch):
    """A case more or less changes p by little."""
    exact = mcnemar_p(LARGEST_EXACT // 2 - 30, LARGEST_EXACT // 2 + 30)
    monkeypatch.setattr("casebase.measures.paired.LARGEST_EXACT", 0)

    assert mcnemar_p(LARGEST_EXACT // 2 - 30, LARGEST_EXACT // 2 + 30) == pytest.approx(exact, rel=1e-9)


def test_no_difference_is_no_evidence():
    """Two classifiers that are right on the same cases have p = 1."""
    assert mcnemar_p(0, 0) == 1.0


def test_negative_numbers_of_cases_are_refused():
    """They can only come from a mistake."""
    with pytest.raises(CasebaseError, match="not negative"):
        mcnemar_p(-1, 3)
