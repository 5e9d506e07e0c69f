"""McNemar's exact test: do two classifiers differ on the same cases?

References: McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
Psychometrika 12 (1947); Dietterich, "Approximate statistical tests for comparing supervised classification learning
algorithms", Neural Computation 10 (1998).
"""

from math import exp, lgamma, log

import numpy as np

from casebase.errors import CasebaseError
from casebase.measures.trend import sign_test_p

LARGEST_EXACT = 1000  # cases up to which the test counts in whole numbers


def mcnemar_p(n_first: int, n_second: int) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    `n_first` counts the cases that only the first classifier answers correctly, `n_second` those that only the second
    does; cases on which both are right or both are wrong say nothing about the difference. If the classifiers are
    equally good, each of the counted cases is the toss of a fair coin.

    >>> mcnemar_p(0, 5), mcnemar_p(3, 3)
    (0.0625, 1.0)
    """
    if n_first < 0 or n_second < 0:
        raise CasebaseError(f"Numbers of cases are not negative; got {n_first} and {n_second}.")
    n, least = n_first + n_second, min(n_first, n_second)
    if n <= LARGEST_EXACT:
        return min(1.0, 2 * sign_test_p(n_first, n_second))
    # The largest term of the binomial tail, times the sum of the ratios of all terms to it: C(n, k - 1) is
    # C(n, k) · k / (n - k + 1). Whole numbers would be exact, but have a digit for every three cases.
    k = np.arange(least, 0, -1, dtype=float)
    ratios = np.cumprod(k / (n - k + 1))
    largest = exp(lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) - n * log(2))
    return min(1.0, 2 * largest * (1 + float(ratios.sum())))
