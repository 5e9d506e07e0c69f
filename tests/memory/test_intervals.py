"""Cases whose numbers have become intervals."""

import numpy as np
import pytest

from casebase.base.files import CheckedArrays
from casebase.base.intervals import read_discretisation, write_discretisation
from casebase.data import Cases
from casebase.data.intervals import interval_names
from casebase.errors import CasebaseError
from casebase.memory.intervals import Discretisation, discretisation_of

ROWS = [[1.0, "a", 5.0], [2.0, "b", None], [3.0, "a", 5.0], [7.0, "b", 5.0], [8.0, None, 5.0], [None, "a", 5.0]]
LABELS = list("PPPQQQ")


@pytest.fixture
def cases():
    return Cases.from_table(ROWS, y=LABELS)


@pytest.fixture
def discretisation(cases):
    return discretisation_of(cases, "mdlp")


def test_numbers_become_intervals(cases, discretisation):
    """Symbols and gaps stay as they are; a constant feature has one interval."""
    known = discretisation.apply(cases)
    assert [feature.kind for feature in known.schema.features] == ["symbolic"] * 3
    assert [known.values(i)[0] for i in range(6)] == ["≤ 5", "≤ 5", "≤ 5", "> 5", "> 5", None]
    assert known.columns[1] is cases.columns[1]
    assert [known.values(i)[2] for i in range(2)] == ["any number", None]


def test_questions_have_the_codes_of_the_stored_cases(cases, discretisation):
    """A number that was never stored has the code of its interval, and evidence can show the number."""
    known = discretisation.apply(cases)
    asked = discretisation.apply(cases.schema.encode([[2.5, "a", 1.0], [99.0, "new", None], [None, None, 5.0]]))
    assert asked.columns[0].tolist() == [known.columns[0][0], known.columns[0][3], known.columns[0][5]]
    assert asked.columns[1][1] == cases.schema.features[1].vocabulary.unknown
    assert asked.values(0) == [2.5, "a", 1.0]
    assert known.schema.features[0].value(asked.columns[0][0]) == "≤ 5"


def test_codes_follow_from_the_cuts(discretisation, cases):
    """Two sets of cases discretised alike have the same codes, whatever values occur in them."""
    some = discretisation.apply(cases.take(np.array([3])))
    assert some.columns[0].tolist() == [discretisation.apply(cases).columns[0][3]]


def test_values_with_their_intervals(cases, discretisation):
    """Evidence shows the number and the interval."""
    assert discretisation.values(cases, 0) == ["1 (≤ 5)", "a", "5 (any number)"]
    assert discretisation.values(cases, 5) == [None, "a", "5 (any number)"]


@pytest.mark.parametrize("by", ["mdlp", "equal_width", "equal_frequency"])
def test_every_method(cases, by):
    """Each method of DISCRETISERS gives cuts for the numeric features, and none for others."""
    cuts = discretisation_of(cases, by, n_bins=2).cuts
    assert cuts[1] is None
    assert len(cuts[0]) == 1
    assert len(cuts[2]) == 0


def test_weights_count():
    """Cases of weight n count as n cases."""
    weighted = Cases.from_table(ROWS, y=LABELS, weights=[9, 1, 1, 1, 1, 1])
    assert discretisation_of(weighted, "equal_frequency", 2).cuts[0].tolist() == [1.5]


def test_ignored_features_stay_ignored(cases):
    """A numeric feature that is ignored has no cuts."""
    ignoring = cases.with_kinds({2: "ignored"})
    discretisation = discretisation_of(ignoring)
    assert discretisation.cuts[2] is None
    assert discretisation.apply(ignoring).schema.features[2].kind == "ignored"


def test_other_features_are_refused(cases, discretisation):
    """Cuts fit the features they were made for."""
    with pytest.raises(CasebaseError, match="3 features, 2 of them numeric; the cases have 3 features, 1 of them"):
        discretisation.apply(cases.with_kinds({2: "ignored"}))


@pytest.mark.parametrize(
    ("cuts", "names"),
    [
        ([0.1 + 0.2], ["≤ 0.3", "> 0.3"]),
        ([1.0, 1.0000001], ["≤ 1", "1 – 1.0000001", "> 1.0000001"]),
        ([20240115.5], ["≤ 20240115.5", "> 20240115.5"]),
        ([-1e300, 0.0], ["≤ -1e+300", "-1e+300 – 0", "> 0"]),
        ([1.0, float(np.nextafter(1.0, 2))], ["≤ 1.0", "1.0 – 1.0000000000000002", "> 1.0000000000000002"]),
    ],
)
def test_names_tell_intervals_apart(cuts, names):
    """Six digits, or as many as it takes."""
    assert interval_names(cuts) == names


def test_cuts_in_a_file(cases, discretisation):
    """What is written is read back; cuts that do not ascend are refused."""
    arrays = {}
    write_discretisation(discretisation, arrays)
    again = read_discretisation(CheckedArrays(arrays), cases.schema)
    assert [None if c is None else c.tolist() for c in again.cuts] == [[5.0], None, []]
    with pytest.raises(ValueError, match=r"cuts in array 'cuts.0' do not ascend"):
        read_discretisation(CheckedArrays({**arrays, "cuts.0": np.array([2.0, 1.0])}), cases.schema)
    with pytest.raises(ValueError, match="is missing"):
        read_discretisation(CheckedArrays({}), cases.schema)


def test_no_numbers():
    """Where no feature is numeric nothing changes."""
    cases = Cases.from_table([["a"], ["b"]], y=["P", "Q"])
    assert discretisation_of(cases).apply(cases).columns[0] is cases.columns[0]
    assert Discretisation((None,)).cuts == (None,)
