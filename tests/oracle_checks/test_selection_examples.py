"""The oracles of OBLIVION, SMILE, FOCUS, RELIEF and MDLP, on examples worked by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import focus, ib1, mdlp, oblivion, relief, smile

# Exclusive or of the first two bits; the third is irrelevant.
BITS = [list(row) for row in product("01", repeat=3)]
PARITY = ["odd" if row[0] != row[1] else "even" for row in BITS]


def rows_of(text):
    """Rows of one-letter values; a dot is missing."""
    return [[None if value == "." else value for value in word] for word in text.split()]


class TestOblivion:
    def test_backward_elimination_keeps_what_interacts(self):
        """With all three bits two wrong neighbours outvote a right one; without the third a copy answers.

        Without the first or the second, the case left in the group is of the other class: eight errors.
        """
        selection = oblivion.select(BITS, PARITY)
        assert (selection.kept, selection.history) == ([0, 1], [(None, 8), (2, 0)])

    def test_forward_selection_sees_no_single_bit(self):
        """One bit alone, like none, leaves three right cases against four wrong ones."""
        selection = oblivion.select(BITS, PARITY, direction="forward")
        assert (selection.kept, selection.history) == ([], [(None, 8)])

    def test_forward_selection_may_be_made_to_go_on(self):
        """Two features at least: the first by column, then the one that completes the parity."""
        selection = oblivion.select(BITS, PARITY, direction="forward", min_features=2)
        assert (selection.kept, selection.history) == ([0, 1], [(None, 8), (0, 8), (1, 0)])

    def test_steps_and_features_may_be_limited(self):
        """Nothing is dropped in no steps, or where all three must stay."""
        for limit in [{"max_steps": 0}, {"min_features": 3}]:
            assert oblivion.select(BITS, PARITY, **limit).kept == [0, 1, 2]

    def test_irrelevant_features_all_go_the_earlier_first(self):
        """Any feature makes the same errors: dropped in the order of the columns, and the majority is left."""
        rows, labels = rows_of("aa bb aa bb aa"), list("PPPPQ")
        selection = oblivion.select(rows, labels)
        assert (selection.kept, selection.history) == ([], [(None, 1), (0, 1), (1, 1)])
        assert oblivion.predict(rows, labels, [], ["z", "z"]) == ("P", {"P": 4, "Q": 1})

    def test_nearest_abstract_cases_are_summed(self):
        """`b y` meets one condition of `a y` and one of `b x`; the tie goes to the more frequent class."""
        rows, labels = rows_of("ax ay bx cz cz"), list("PPQQQ")
        assert oblivion.predict(rows, labels, [0, 1], ["b", "y"]) == ("Q", {"P": 1, "Q": 1})
        assert oblivion.predict(rows, labels, [0, 1], ["a", "y"]) == ("P", {"P": 1})
        assert oblivion.predict(rows, labels, [0, 1], ["z", "w"]) == ("Q", {"P": 2, "Q": 3})

    def test_missing_values_are_values_or_meet_nothing(self):
        """A question without its first value is `. x` itself, or as near to `. x` as to `a x`."""
        rows, labels = rows_of(".x ax ax"), list("PQQ")
        assert oblivion.predict(rows, labels, [0, 1], [None, "x"]) == ("P", {"P": 1})
        assert oblivion.predict(rows, labels, [0, 1], [None, "x"], missing="unknown") == ("Q", {"P": 1, "Q": 2})

    def test_a_weighted_case_is_left_out_once_or_wholly(self):
        """Of `a` twice P, one P stays beside the Q, a tie that goes to the more frequent Q; or none stays."""
        rows, labels, weights = rows_of("a a b"), list("PQQ"), [2, 1, 1]
        assert oblivion.held_out_answers(rows, labels, [0], weights)[0] == ("Q", {"P": 1, "Q": 1})
        assert oblivion.held_out_answers(rows, labels, [0], weights, leave_out="case")[0] == ("Q", {"Q": 1})
        assert oblivion.leave_one_out_errors(rows, labels, [0], weights) == 4

    def test_a_tie_goes_by_the_frequency_without_the_case(self):
        """Of two P and two Q one P is left out: Q is more frequent then, and the answer is wrong."""
        rows, labels = rows_of("a a a b"), list("PPQQ")
        assert oblivion.held_out_answers(rows, labels, [0])[0] == ("Q", {"P": 1, "Q": 1})

    def test_folds_are_left_out_together(self):
        """Copies in one fold do not answer each other."""
        rows, labels = rows_of("a a b b"), list("PPQQ")
        assert oblivion.fold_errors(rows, labels, [0], [0, 0, 1, 1]) == 4
        assert oblivion.fold_errors(rows, labels, [0], [0, 1, 0, 1]) == 0

    def test_a_case_alone_has_no_answer(self):
        """Nothing to learn from is an error, whatever is kept."""
        selection = oblivion.select([["a"]], ["P"])
        assert (selection.kept, selection.history) == ([], [(None, 1), (0, 1)])


MEMORY, CLASSES = rows_of("aab abb abb bba"), list("PQQP")


class TestSmile:
    @pytest.mark.parametrize(
        ("alpha", "joints", "label", "likelihood"),
        [
            # The joint of 0 and 1 covers that of 0 alone.
            (0, [{0, 1}, {2}], "P", {"P": 1, "Q": 0}),
            # One case is too few for 0 and 1, and nothing is pruned for it; 0 alone has three.
            (1, [{0}], "Q", {"P": Fraction(1, 3), "Q": Fraction(2, 3)}),
            (2, [{0}], "Q", {"P": Fraction(1, 3), "Q": Fraction(2, 3)}),
            # More than three, none has: the memory answers.
            (3, [], "P", {"P": Fraction(1, 2), "Q": Fraction(1, 2)}),
        ],
    )
    def test_alpha(self, alpha, joints, label, likelihood):
        """`aaa` agrees with the memory on 0 and 1, twice on 0, and on 2."""
        answer = smile.classify(MEMORY, CLASSES, list("aaa"), alpha)
        assert (answer.label, list(answer.pools)) == (label, joints)
        assert answer.likelihood == pytest.approx({c: float(p) for c, p in likelihood.items()})

    def test_pools_overlap(self):
        """A case in two pools counts twice: 0 and 1 hold the second case, 0 and 2 the third, both the first."""
        rows, labels = rows_of("aaab aabb abab"), list("PQQ")
        answer = smile.classify(rows, labels, list("aaaa"), 1)
        assert answer.pools == {frozenset({0, 1}): {"P": 1, "Q": 1}, frozenset({0, 2}): {"P": 1, "Q": 1}}

    def test_only_joints_of_some_case_are_considered(self):
        """Both cases agree on 0, but none on 0 alone: no joint has more than one case."""
        assert smile.explore(rows_of("aab aba"), list("aaa"), 1) == []

    def test_missing_values_never_agree(self):
        """A gap in the memory and one in the question are not the same."""
        assert smile.maximal_overlap([None, "a"], [None, "a"]) == {1}

    def test_weights_are_copies(self):
        """A case of weight 2 is a pool of more than 1."""
        assert smile.explore([["a"]], ["a"], 1, [2]) == [{0}]
        assert smile.explore([["a"]], ["a"], 2, [2]) == []

    def test_alpha_is_chosen_by_leave_one_out(self):
        """With 0 the two `a b` answer each other, both wrongly; with more only the Q is wrong. The least of 1, 2, 3."""
        rows, labels = rows_of("ab ab ac ad"), list("PQPP")
        errors = [smile.leave_one_out_errors(rows, labels, alpha) for alpha in [0, 1, 2, 3]]
        assert errors == [2, 1, 1, 1]
        assert smile.choose_alpha(rows, labels, [3, 2, 1, 0]) == 1


@st.composite
def memories(draw):
    """A few cases of up to four features, a question and an alpha."""
    n_features = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from(["a", "b", None]), min_size=n_features, max_size=n_features)
    rows = draw(st.lists(row, min_size=1, max_size=10))
    weights = draw(st.lists(st.sampled_from([1, 1, 2, 0]), min_size=len(rows), max_size=len(rows)))
    return rows, draw(row), draw(st.integers(0, 4)), weights


@given(memories())
def test_smile_two_ways(memory):
    """Figure 2 finds the maximal joints of the lattice, whichever pool is counted and in whatever order."""
    rows, t, alpha, weights = memory
    found = smile.explore(rows, t, alpha, weights)
    assert len(found) == len(set(found))
    assert set(found) == smile.maximal_joints(rows, t, alpha, weights)
    assert found == smile.explore(rows, t, alpha, weights, is_active_only=True)
    assert set(found) == set(smile.explore(rows[::-1], t, alpha, weights[::-1]))


@given(memories())
def test_smile_covers_no_joint_twice(memory):
    """No joint of U covers another (Equation 3.4), and every pool holds more than alpha (3.5)."""
    rows, t, alpha, weights = memory
    found = smile.explore(rows, t, alpha, weights)
    assert not any(one < other for one in found for other in found)
    assert all(smile.size(smile.pool(rows, joint, t), weights) > alpha for joint in found)


@given(memories(), st.sampled_from(["value", "unknown"]), st.data())
def test_oblivion_answers_like_an_unweighted_vote(memory, missing, data):
    """Pooling the nearest abstract cases is a vote of all the nearest cases under overlap."""
    rows, query, _, weights = memory
    labels = data.draw(st.lists(st.sampled_from("PQR"), min_size=len(rows), max_size=len(rows)))
    kept = data.draw(st.lists(st.integers(0, len(query) - 1), unique=True))
    if not sum(weights):
        return
    _, distribution = oblivion.predict(rows, labels, kept, query, weights, missing)
    answer = ib1.classify(rows, labels, query, [1] * len(query), counts=weights, missing=missing, sum_order=kept)
    assert answer.listed[0].votes == distribution


class TestFocus:
    def test_smallest_consistent_subset(self):
        """Exclusive or needs its two bits, and not the third, wherever they are."""
        assert focus.smallest(BITS, PARITY) == [0, 1]
        assert focus.smallest([row[::-1] for row in BITS], PARITY) == [1, 2]

    def test_first_of_equal_size(self):
        """Either feature will do: the first."""
        assert focus.smallest(rows_of("ax by"), list("PQ")) == [0]

    def test_one_class_needs_no_feature(self):
        """All cases are equal, and none in conflict."""
        assert focus.smallest(rows_of("ax by"), list("PP")) == []

    def test_limit(self):
        """No single bit tells odd from even."""
        assert focus.smallest(BITS, PARITY, max_size=1) is None
        assert focus.smallest(BITS, PARITY, max_size=2) == [0, 1]

    def test_conflicts_that_stay(self):
        """Of `a x` two are P and one, of weight 3, is Q. The second feature tells nothing more."""
        rows, labels = rows_of("ax ax ax by"), list("PPQQ")
        assert focus.conflicts(rows, labels, [0, 1]) == focus.conflicts(rows, labels, [0]) == 1
        assert focus.conflicts(rows, labels, [0], [1, 1, 3, 1]) == 2
        assert focus.conflicts(rows, labels, []) == 2
        assert focus.smallest(rows, labels) == [0]

    def test_no_feature_does_better_than_none(self):
        """The Q is outvoted with all features, and with none."""
        assert focus.smallest(rows_of("ax ax ax by"), list("PPQP")) == []

    def test_missing_values(self):
        """Two gaps are equal, or equal to nothing: then they tell all cases apart."""
        rows, labels = rows_of(".x .y"), list("PQ")
        assert focus.smallest(rows, labels) == [1]
        assert focus.smallest(rows, labels, missing="unknown") == [0]


class TestRelief:
    def test_numbers(self):
        """Of 0 1 | 2 4, range 4: the misses less the hits are 1, 0, -1 and 1 quarters, of four cases."""
        rows, labels = [[0.0], [1.0], [2.0], [4.0]], list("PPQQ")
        assert relief.relief(rows, labels, {0}) == relief.relieff(rows, labels, 1, {0}) == [Fraction(1, 16)]

    def test_equal_distances_share(self):
        """`a x` has two hits at distance 1, half a place each at k = 1: they differ by half on each feature."""
        memory = relief.Memory(rows_of("ax ay bx bz"), list("PPPQ"), (), None)
        first = memory.cases[0]
        assert [(s.row, places) for s, places in memory.nearest(first, "P", 1)] == [
            (("a", "y"), Fraction(1, 2)),
            (("b", "x"), Fraction(1, 2)),
        ]
        assert [memory.mean_diff(f, first, "P", 1) for f in (0, 1)] == [Fraction(1, 2)] * 2
        assert [memory.mean_diff(f, first, "Q", 1) for f in (0, 1)] == [1, 1]

    def test_missing_values(self):
        """Kononenko's probabilities, of the values known in the class."""
        memory = relief.Memory(rows_of("a a b . b b c ."), list("PPPPQQQQ"), (), None)
        case = {(c.row[0], c.label): c for c in memory.cases}
        assert memory.diff(0, case[None, "P"], case["a", "P"]) == Fraction(1, 3)
        assert memory.diff(0, case[None, "P"], case["c", "Q"]) == 1
        assert memory.diff(0, case["b", "P"], case[None, "Q"]) == Fraction(1, 3)
        assert memory.diff(0, case[None, "P"], case[None, "Q"]) == 1 - Fraction(1, 3) * Fraction(2, 3)
        assert memory.diff(0, case[None, "P"], case[None, "P"]) == 1 - Fraction(4, 9) - Fraction(1, 9)

    def test_missing_numbers(self):
        """The mean distance to those known in the class: 0 and 2 of a range of 4."""
        memory = relief.Memory([[0.0], [2.0], [None], [4.0]], list("PPPQ"), {0}, None)
        assert memory.diff(0, memory.cases[2], memory.cases[3]) == Fraction(3, 4)
        assert memory.diff(0, memory.cases[2], memory.cases[2]) == Fraction(1, 4)

    def test_nothing_known(self):
        """A class without a known value takes those of all; a feature without any never differs."""
        memory = relief.Memory(rows_of("a. b. .."), list("PPQ"), (), None)
        assert [memory.diff(f, memory.cases[2], memory.cases[0]) for f in (0, 1)] == [Fraction(1, 2), 0]

    def test_priors_of_other_classes(self):
        """Each other class counts by its share among the others."""
        rows, labels = rows_of("a a b b a"), list("PPQQR")
        # Two P: Q differs and is two thirds of the others. Two Q: all others differ. R: Q differs, half of the others.
        assert relief.relieff(rows, labels, 1) == [(2 * Fraction(2, 3) + 2 * 1 + Fraction(1, 2)) / 5]

    def test_no_other_case_of_the_class(self):
        """A class of one case has no hits, one class no misses: nothing is subtracted, or added."""
        assert relief.relieff(rows_of("a b"), list("PQ")) == [1]
        assert relief.relieff(rows_of("a b"), list("PP")) == [-1]

    def test_exclusive_or(self):
        """The nearest hit of a parity differs on the third bit, the nearest misses on one of the first two."""
        assert relief.relief(BITS, PARITY) == [Fraction(1, 2), Fraction(1, 2), -1]


@st.composite
def labelled(draw, n_classes=3):
    """Rows of a symbol and a number without gaps, with their classes."""
    n_rows = draw(st.integers(2, 8))
    row = st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from("xy")).map(list)
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    return rows, draw(st.lists(st.sampled_from("PQR"[:n_classes]), min_size=n_rows, max_size=n_rows))


@settings(max_examples=40)
@given(labelled(n_classes=2))
def test_relieff_of_two_classes_is_relief(table):
    """One neighbour and two classes, copies included."""
    assert relief.relieff(*table, 1, {1}) == relief.relief(*table, {1})


@settings(max_examples=40)
@given(labelled(), st.integers(1, 4), st.data())
def test_relieff_weights_are_copies(table, k, data):
    """A case of weight n counts as n cases, and the order of the rows changes nothing."""
    rows, labels = table
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).filter(any))
    copies = data.draw(st.permutations([i for i, n in enumerate(counts) for _ in range(n)]))
    assert relief.relieff(rows, labels, k, {1}, counts) == relief.relieff(
        [rows[i] for i in copies], [labels[i] for i in copies], k, {1}
    )


class TestMdlp:
    @pytest.mark.parametrize(
        ("labels", "cuts"),
        [
            ("PPPPQQQQ", [4.5]),  # gain 1 against (2.807 + 0.807) / 8
            ("PQ", [1.5]),  # 1 against (0 + 0.807) / 2
            ("PQPQ", []),  # 0.311 against (1.585 + 2.644) / 4
            ("PPPP", []),
            ("PPPPPPQQQQQQRRRRRR", [6.5, 12.5]),
        ],
    )
    def test_cuts(self, labels, cuts):
        """Of the numbers 1, 2, 3 and so on."""
        assert mdlp.cuts(range(1, len(labels) + 1), labels) == cuts

    def test_the_lowest_of_equal_cuts(self):
        """P Q P leaves as much on either side."""
        assert mdlp.best_cut([(1, "P", 1), (2, "Q", 1), (3, "P", 1)]) == 1.5

    def test_weights_are_copies(self):
        """P Q P is cut twice if each stands for a hundred, and not for ten: 0.252 against 0.261."""
        assert mdlp.cuts([1, 2, 3], "PQP", [100, 100, 100]) == [1.5, 2.5]
        assert mdlp.cuts([1, 2, 3], "PQP", [10, 10, 10]) == []

    def test_gaps_and_weights_of_none_are_left_out(self):
        """The number between and the missing one change nothing."""
        assert mdlp.cuts([1.0, None, 2.0, 4.0], "PQPQ", [1, 5, 0, 1]) == [2.5]

    def test_equal_numbers_are_not_parted(self):
        """One value in two classes has no cut."""
        assert mdlp.cuts([1, 1, 1, 1], "PQPQ") == []

    def test_neighbouring_floats(self):
        """Half-way between them is no number: the cut is the lower one, which lies below it."""
        low, high = 1.0 + 2.0**-52, 1.0 + 2.0**-51
        assert (low + high) / 2 == high
        assert mdlp.cuts([low, high], "PQ") == [low]

    def test_less_than_two_cases(self):
        """Three quarters of a case on either side are not cut."""
        assert mdlp.cuts([1, 2], "PQ", [0.75, 0.75]) == []
