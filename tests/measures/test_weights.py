"""Feature weights: TiMBL's figures, the oracle, and what must be exactly zero."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.contingency import Contingency, bin_numbers, contingency, feature_contingency
from casebase.measures.weights import MEASURES, feature_weights, split_info
from tests.oracles.weights import relevance
from tests.strategies import tasks, weightings

TOY = [list(row) for row in ["ax1P", "ay2P", "bx3Q", "by4Q", "cx5P", "cz1R", "az2Q"]]


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [
        ("information_gain", [0.769545992558975, 0.483831706844689, 0.877387064296613]),
        ("gain_ratio", [0.494358190132524, 0.310814648165607, 0.392404277560295]),
        ("chi_squared", [6.22222222222222, 3.88888888888889, 7]),
        ("shared_variance", [0.444444444444444, 0.277777777777778, 0.5]),
        ("none", [1, 1, 1]),
    ],
)
def test_toy_set(weighting, expected):
    """The weights of seven cases are TiMBL's."""
    assert feature_weights(Cases.from_table(TOY, target=-1), weighting).tolist() == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("n_bins", "expected"),
    [
        (2, [0.591672778582327, 0.600543931849057, 4.27777777777778, 0.611111111111111]),
        (3, [0.877387064296613, 0.563635553099345, 7.19444444444444, 0.513888888888889]),
        (20, [1.55665670746282, 0.554492307058167, 14, 1]),
    ],
)
def test_bins(n_bins, expected):
    """The numbers 1 to 7 with classes A A B B A C C, in two, three and twenty bins, are TiMBL's."""
    cases = Cases.from_table([[float(i)] for i in range(1, 8)], y=list("AABBACC"))
    table = contingency(*_binned(cases, n_bins))
    measures = ["information_gain", "gain_ratio", "chi_squared", "shared_variance"]
    assert [MEASURES[m](table) for m in measures] == pytest.approx(expected, rel=1e-13)


def _binned(cases, n_bins):
    codes, n_values = bin_numbers(cases.columns[0], n_bins)
    return codes, cases, n_values


def test_bins_share_distinct_numbers():
    """Forty-five numbers in twenty bins: five bins of three, then fifteen of two; gaps have their own."""
    codes, n_values = bin_numbers(np.array([*range(45), 3.0, 3.0, np.nan]))
    assert np.bincount(codes).tolist() == [3, 5, 3, 3, 3, *[2] * 15, 1]
    assert n_values == 21


@given(tasks(), weightings)
def test_weights_are_those_of_the_oracle(task, weighting):
    """Symbols, binned numbers, gaps and counts are weighed as by a plain second version."""
    expected = relevance(task.rows, task.labels, weighting, task.counts, task.numeric)
    assert feature_weights(task.cases(), weighting).tolist() == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("n", [1, 3, 7, 10])
@pytest.mark.parametrize("weighting", ["information_gain", "gain_ratio", "chi_squared", "shared_variance"])
def test_independent_features_weigh_nothing(weighting, n):
    """Where every value has the classes in the same shares the weight is 0, not a rounding error."""
    rows = [[value, label] for value in range(n) for label in ["P", "P", "P", "Q", "R", "R", "S"]]
    assert feature_weights(Cases.from_table(rows, target=-1), weighting).tolist() == [0.0]


@pytest.mark.parametrize("column", [["a"] * 3, [None] * 3, [1.5] * 3], ids=["symbol", "nothing", "number"])
@pytest.mark.parametrize("weighting", ["information_gain", "gain_ratio", "chi_squared", "shared_variance"])
def test_constant_features_weigh_nothing(weighting, column):
    """A feature of one value tells nothing, whatever the value."""
    cases = Cases.from_table([[value] for value in column], y=["P", "Q", "Q"])
    assert feature_weights(cases, weighting).tolist() == [0.0]


@pytest.mark.parametrize("weighting", ["information_gain", "gain_ratio", "chi_squared", "shared_variance"])
def test_one_class_weighs_nothing(weighting):
    """Where all cases have one class there is nothing to tell."""
    assert feature_weights(Cases.from_table([["a", "P"], ["b", "P"]], target=-1), weighting).tolist() == [0.0]


def test_ignored_features_weigh_nothing():
    """An ignored feature has weight 0 even without weighting; ignoring all of them is refused."""
    cases = Cases.from_table([["a", "x", "P"], ["b", "y", "Q"]], target=-1, kinds={0: "ignored"})
    assert feature_weights(cases, "none").tolist() == [0, 1]
    with pytest.raises(CasebaseError, match="All features are ignored"):
        feature_weights(cases.with_kinds({1: "ignored"}), "none")


def test_given_weights():
    """Weights may be given, one per feature."""
    cases = Cases.from_table([["a", "x", "P"]], target=-1)
    assert feature_weights(cases, [2, 0.5]).tolist() == [2, 0.5]


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, float("nan")], [1, float("inf")], [[1, 2]]])
def test_given_weights_that_are_none(weights):
    """One number per feature, finite and not negative."""
    with pytest.raises(CasebaseError, match=r"one weight per feature|finite and not negative"):
        feature_weights(Cases.from_table([["a", "x", "P"]], target=-1), weights)


def test_unknown_weighting():
    """A misspelt weighting is answered with the nearest one."""
    with pytest.raises(CasebaseError, match="Did you mean 'gain_ratio'"):
        feature_weights(Cases.from_table(TOY, target=-1), "gain_rato")


def test_weighted_cases_count_as_copies():
    """Weights of features are bit for bit those of copied cases."""
    counts = [2, 1, 1, 3, 1, 2, 1]
    copies = [row for row, n in zip(TOY, counts) for _ in range(n)]
    for weighting in MEASURES:
        weighted = feature_weights(Cases.from_table(TOY, target=-1, weights=counts), weighting)
        assert weighted.tolist() == feature_weights(Cases.from_table(copies, target=-1), weighting).tolist()


def test_split_info():
    """The bits of naming a value: log2 of their number where all are equally frequent."""
    assert split_info(Contingency.from_dense([[1, 0], [0, 1], [1, 0], [0, 1]])) == 2.0


@given(tasks(min_rows=2, counts=True), st.data())
def test_leaving_a_case_out_of_the_counts(task, data):
    """Counts without a case are those of a table without it."""
    cases = task.cases()
    row = data.draw(st.integers(0, cases.n_cases - 1))
    for f, feature in enumerate(cases.schema.features):
        if feature.vocabulary is None:
            continue
        weight = 1.0 if cases.weights is None else float(cases.weights[row])
        without = feature_contingency(cases, f).without(int(cases.columns[f][row]), int(cases.labels[row]), weight)
        others = feature_contingency(cases.take(np.delete(np.arange(cases.n_cases), row)), f)
        for name in ("value", "label", "count"):
            np.testing.assert_array_equal(getattr(without, name), getattr(others, name))


@pytest.mark.parametrize("weighting", [{"f1": 2}, ["a"]])
def test_a_weighting_that_is_no_weighting(weighting):
    """The message lists the names that are known."""
    with pytest.raises(CasebaseError, match="gain_ratio"):
        feature_weights(Cases.from_table([["a", "P"]], target=-1), weighting)
