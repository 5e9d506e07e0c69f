"""FOCUS finds the smallest set of features that is enough, and the first of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import _native
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.selection.focus import focus
from casebase.selection.masks import elements, mask_of

XOR = [["0", "0", "a"], ["0", "1", "a"], ["1", "0", "a"], ["1", "1", "a"]]


def parity(n_cases, n_features, relevant, seed=0):
    values = np.random.default_rng(seed).integers(0, 2, (n_cases, n_features))
    return Cases.from_table(values.astype(str), y=values[:, relevant].sum(axis=1) % 2)


def test_features_that_tell_something_only_together_are_found():
    """In exclusive or, neither of the two features tells anything alone; the constant one is left out."""
    found = focus(Cases.from_table(XOR, y=[0, 1, 1, 0]))

    assert found.features == (0, 1)
    assert found.support.tolist() == [True, True, False]
    assert (found.n_conflicts, found.sizes, found.was_interrupted) == (0, (0, 1, 2), False)
    assert found.n_subsets == 5  # none, {0}, {1}, {2}, {0, 1}


@pytest.mark.parametrize("relevant", [[3, 7, 11, 15, 19], [0, 1, 2, 3, 4]])
def test_parity_among_irrelevant_features(relevant):
    """Five features of twenty are found among the 21,700 sets of at most five."""
    found = focus(parity(1000, 20, relevant))

    assert list(found.features) == relevant
    assert found.n_subsets > 6000
    assert found.n_checked < 100


def test_the_first_of_equal_sets_is_taken():
    """Columns that say the same: the first one, by position or, where there are names, by name."""
    rows = [["x", "x", "P"], ["y", "y", "Q"]]

    assert focus(Cases.from_table(rows, target=-1)).features == (0,)
    named = [dict(zip(["zebra", "ant", "class"], row)) for row in rows]
    assert focus(Cases.from_table(named, target="class")).features == (1,)


def test_one_class_needs_no_feature():
    """Nothing is to be told apart."""
    found = focus(Cases.from_table(XOR, y=["P"] * 4))

    assert found.features == ()
    assert found.n_subsets == 1


def test_cases_in_conflict_do_not_ask_for_more_features():
    """Equal cases of different classes count what they must, and the rest is told apart."""
    rows = [["a", "x"], ["a", "x"], ["a", "x"], ["b", "y"], ["b", "z"]]
    found = focus(Cases.from_table(rows, y=["P", "P", "Q", "Q", "Q"]))

    assert found.features == (0,)
    assert found.n_conflicts == 1


def test_nothing_that_is_gained_is_nothing_that_is_kept():
    """Where all features together do no better than the most frequent class, none is needed."""
    rows = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]]

    assert focus(Cases.from_table(rows, y=["P", "P", "Q", "P", "P", "Q"])).features == ()


def test_three_points_that_agree_two_by_two():
    """Most frequent classes P or Q, Q or R, P or R: any two can stay together, all three cannot."""
    rows = [["a"], ["a"], ["b"], ["b"], ["c"], ["c"]]
    found = focus(Cases.from_table(rows, y=["P", "Q", "Q", "R", "P", "R"]))

    assert found.features == (0,)
    assert found.n_conflicts == 3


def test_weights_count_cases():
    """A case of weight 3 outvotes two others."""
    rows = [["a"], ["a"], ["b"]]

    assert focus(Cases.from_table(rows, y=["P", "Q", "Q"], weights=[3, 1, 1])).n_conflicts == 1
    assert focus(Cases.from_table(rows, y=["P", "Q", "Q"], weights=[1, 3, 1])).features == ()


def test_a_missing_value_is_a_value_or_agrees_with_nothing():
    """Two missing values of different classes are in conflict only if they are equal."""
    cases = Cases.from_table([[None], [None], ["a"], ["a"]], y=["P", "Q", "P", "P"])

    assert focus(cases).n_conflicts == 1
    assert focus(cases, missing="unknown").n_conflicts == 0


def test_numbers_are_equal_or_not():
    """A number that is different in every case tells everything apart."""
    assert focus(Cases.from_table([[0.5, "a"], [1.5, "a"], [np.nan, "a"]], y=[0, 1, 2])).features == (0,)


def test_ignored_features_are_not_chosen():
    """A column that is ignored is not there."""
    cases = Cases.from_table([["x", "x"], ["y", "y"]], y=[0, 1], kinds={0: "ignored"})

    assert focus(cases).features == (1,)


def test_more_features_than_a_word_has_bits():
    """Masks are as long as they must be."""
    cases = parity(400, 80, [70, 75, 79])

    assert focus(cases).features == (70, 75, 79)


def test_a_limit_that_is_too_small():
    """The message says what can be had within the limit."""
    cases = Cases.from_table([dict(zip("abc", row)) for row in XOR], y=[0, 1, 1, 0])

    with pytest.raises(CasebaseError, match=r"max_size=1 .* \(a\) leaves 2 cases .* all features leave 0"):
        focus(cases, max_size=1)
    assert focus(cases, max_size=2).features == (0, 1)


@pytest.mark.parametrize("max_size", [-1, 1.5, True, "two"])
def test_a_limit_that_is_no_number(max_size):
    """Only whole numbers are sizes."""
    with pytest.raises(CasebaseError, match="max_size"):
        focus(Cases.from_table(XOR, y=[0, 1, 1, 0]), max_size=max_size)


def test_progress_and_interruption():
    """An interrupted search gives a set that is enough, and says that it may not be the smallest."""
    seen = []

    def stop(size, n_features):
        seen.append((size, n_features))
        if len(seen) == 12:
            raise KeyboardInterrupt

    cases = parity(300, 12, [0, 1, 2])
    found = focus(cases, progress=stop)

    assert seen[0] == (0, 12)
    assert len(seen) >= 12
    assert found.was_interrupted
    assert found.n_conflicts == 0
    assert focus(cases.with_kinds(dict.fromkeys(np.flatnonzero(~found.support).tolist(), "ignored"))).n_conflicts == 0


def test_interruption_before_anything_fits_the_limit():
    """Then there is no result, and the message says what is known."""

    def stop(size, n_features):
        raise KeyboardInterrupt

    with pytest.raises(CasebaseError, match="Interrupted before finding a set of at most 2"):
        focus(parity(300, 12, [0, 1, 2]), max_size=2, progress=stop)


def conflicts(rows, labels, subset):
    groups = {}
    for row, label in zip(rows, labels):
        groups.setdefault(tuple(row[i] for i in subset), []).append(label)
    return sum(len(group) - max(group.count(label) for label in group) for group in groups.values())


@st.composite
def tables(draw):
    n_cases, n_features = draw(st.integers(1, 25)), draw(st.integers(1, 6))
    value = st.integers(0, draw(st.integers(0, 2)))
    rows = draw(st.lists(st.lists(value, min_size=n_features, max_size=n_features), min_size=n_cases, max_size=n_cases))
    labels = draw(st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n_cases, max_size=n_cases))
    return rows, labels


@given(tables())
def test_same_as_trying_all_sets_by_size(table):
    """The set, its place in the order of all sets, and its conflicts are those of the plain search."""
    rows, labels = table
    n_features = len(rows[0])
    least = conflicts(rows, labels, range(n_features))
    tried = (subset for size in range(n_features + 1) for subset in combinations(range(n_features), size))
    expected = next((s, n) for n, s in enumerate(tried, start=1) if conflicts(rows, labels, s) <= least)
    found = focus(Cases.from_table(rows, y=labels))

    assert (found.features, found.n_subsets, found.n_conflicts) == (*expected, least)


@given(tables(), st.randoms())
def test_the_order_of_rows_and_of_named_columns_does_not_matter(table, random):
    """A shuffled table has the same features, by name."""
    rows, labels = table
    records = [dict(zip("abcdef", row), y=label) for row, label in zip(rows, labels)]
    names = list(records[0])
    expected = focus(Cases.from_table(records, target="y"))
    shuffled = random.sample(records, len(records))
    random.shuffle(names)
    cases = Cases.from_table([{name: record[name] for name in names} for record in shuffled], target="y")
    found = focus(cases)

    assert sorted(cases.schema.names[i] for i in found.features) == ["abcdef"[i] for i in expected.features]
    assert (found.n_subsets, found.n_checked) == (expected.n_subsets, expected.n_checked)


@given(st.lists(st.integers(1, 63), max_size=10), st.integers(0, 63), st.integers(0, 63), st.integers(0, 4))
def test_hitting_sets_exist_where_they_are_found(sets, chosen, allowed, size):
    """A set is found if and only if one of all subsets meets everything, also if the sets are named one by one."""
    allowed &= ~chosen
    subsets = [mask_of(s) | chosen for n in range(size + 1) for s in combinations(elements(allowed), n)]
    possible = [mask for mask in subsets if all(mask & other for other in sets)]
    for n_known in (len(sets), len(sets) // 2, 0):
        known = _native.HittingSets(6)
        for mask in sets[:n_known]:
            known.add(elements(mask))

        def missed(found):
            assert set(elements(chosen)) <= set(found)
            return [elements(mask) for mask in sets if not mask & mask_of(found)][:1]

        found = known.find(elements(chosen), elements(allowed), size, missed, lambda n: None)
        assert (mask_of(found) in possible) if possible else found is None


def test_hitting_sets_check_what_they_are_given():
    """Unknown elements, one that is chosen twice, a set that was hit, and a search within a search."""
    known = _native.HittingSets(3)
    known.add([0, 1])

    for chosen, candidates in (([3], []), ([], [3]), ([0], [0]), ([], [1, 1])):
        with pytest.raises(ValueError, match="element"):
            known.find(chosen, candidates, 1, lambda found: [], lambda n: None)
    with pytest.raises(ValueError, match="no such element"):
        known.add([3])
    with pytest.raises(ValueError, match="has a chosen element"):
        known.find([], [0, 1, 2], 2, lambda found: [found], lambda n: None)
    with pytest.raises(ValueError, match="cannot begin another"):
        known.find([], [0, 1, 2], 2, lambda _: known.find([], [0], 1, list, list), lambda n: None)
    assert known.find([], [0, 1, 2], 1, lambda found: [], lambda n: None) == [0]


def test_a_set_that_fails_does_not_begin_the_search_again(monkeypatch, recwarn):
    """Regression: it did, once for each of some hundred sets; 24 bits of noise took two million partial sets."""
    monkeypatch.setattr("casebase.selection.focus.STEPS_BEFORE_WARNING", 100_000)
    rng = np.random.default_rng(0)
    cases = Cases.from_table(rng.integers(0, 2, (1000, 24)).astype(str), y=rng.integers(0, 2, 1000).astype(str))

    assert len(focus(cases).features) == 15
    assert not recwarn.list


def test_a_long_search_says_what_is_ahead(monkeypatch):
    """Noise makes the search exponential: it says how far it is and how far it may go, once, and then goes on."""
    monkeypatch.setattr("casebase.selection.focus.STEPS_BEFORE_WARNING", 1025)
    rng = np.random.default_rng(0)
    cases = Cases.from_table(rng.integers(0, 2, (1000, 24)).astype(str), y=rng.integers(0, 2, 1000).astype(str))

    with pytest.warns(UserWarning, match=r"tried 2,048 partial sets of 24 features.*Ctrl-C returns") as said:
        found = focus(cases)
    assert len(said) == 1
    assert not found.was_interrupted
