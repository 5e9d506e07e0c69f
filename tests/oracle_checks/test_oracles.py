"""The oracles themselves, on examples worked by hand or known from TiMBL's output."""

from __future__ import annotations

import pytest

from tests.oracles import ib1, igtree, leave_one_out, tribl
from tests.oracles.weights import bins, relevance

# Toy set A: training cases with their classes, and five questions.
ROWS = [list(row) for row in ["ax1", "ay2", "bx3", "by4", "cx5", "cz1", "az2"]]
LABELS = list("PPQQPRQ")
T1, T2, T3, T4, T5 = (list(row) for row in ["ax3", "bz9", "dx1", "dw8", "az2"])
FIRST_SEEN = ["P", "Q", "R"]
RATIOS = [0.494358190132524, 0.310814648165607, 0.392404277560295]


def ask(query, k=1):
    return ib1.classify(ROWS, LABELS, query, relevance(ROWS, LABELS, "gain_ratio"), k, label_order=FIRST_SEEN)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("information_gain", [0.769545992558975, 0.483831706844689, 0.877387064296613]),
        ("gain_ratio", RATIOS),
        ("chi_squared", [6.22222222222222, 3.88888888888889, 7]),
        ("shared_variance", [0.444444444444444, 0.277777777777778, 0.5]),
        ("none", [1, 1, 1]),
    ],
)
def test_weights_of_symbolic_features(measure, expected):
    """The weights of toy set A are TiMBL's."""
    assert relevance(ROWS, LABELS, measure) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("n_bins", "expected"),
    [
        (2, [0.591672778582327, 0.600543931849057, 4.27777777777778, 0.611111111111111]),
        (3, [0.877387064296613, 0.563635553099345, 7.19444444444444, 0.513888888888889]),
        (20, [1.55665670746282, 0.554492307058167, 14, 1]),
    ],
)
def test_weights_of_numeric_features(n_bins, expected):
    """A numeric feature is weighed by its bins."""
    rows = [[float(value)] for value in range(1, 8)]
    measures = ["information_gain", "gain_ratio", "chi_squared", "shared_variance"]
    weights = [relevance(rows, list("AABBACC"), m, numeric=[0], n_bins=n_bins)[0] for m in measures]
    assert weights == pytest.approx(expected, rel=1e-13)


def test_bins_hold_equal_numbers_of_distinct_values():
    """Forty-five values in twenty bins: five bins of three, then fifteen of two."""
    assert [len(b) for b in bins([float(v) for v in range(45)])] == [3] * 5 + [2] * 15


def test_a_feature_of_one_value_weighs_nothing():
    """Split information 0 gives gain ratio 0, and no degree of freedom shared variance 0."""
    for measure in ["information_gain", "gain_ratio", "chi_squared", "shared_variance"]:
        assert relevance([["a"], ["a"], ["a"]], list("PPQ"), measure) == [0]


@pytest.mark.parametrize("measure", ["information_gain", "gain_ratio", "chi_squared", "shared_variance"])
@pytest.mark.parametrize("numeric", [(), (2,)])
def test_a_count_weighs_like_copies(measure, numeric):
    """Counts 2, 0 and 3 are two, no and three copies of a case."""
    counts = [2, 1, 0, 1, 3, 1, 1]
    rows = [[a, b, float(c)] for a, b, c in ROWS]
    copies = [i for i, n in enumerate(counts) for _ in range(n)]
    assert relevance(rows, LABELS, measure, counts, numeric) == pytest.approx(
        relevance([rows[i] for i in copies], [LABELS[i] for i in copies], measure, None, numeric)
    )


@pytest.mark.parametrize(
    ("query", "label", "votes", "distance"),
    [
        (T1, "P", {"P": 1}, 0.39240427756030),
        (T2, "Q", {"Q": 2}, 0.70321892572590),
        (T3, "P", {"P": 1}, 0.49435819013252),
        (T4, "P", {"P": 3, "Q": 3, "R": 1}, 1.1975771158584),
        (T5, "Q", {"Q": 1}, 0),
    ],
)
def test_ib1_with_one_distance(query, label, votes, distance):
    """IB1 on toy set A at k = 1."""
    answer = ask(query)
    assert (answer.label, answer.votes) == (label, votes)
    assert answer.distance == pytest.approx(distance, rel=1e-13)
    assert answer.was_tied == (query == T4)


D1, D2, D3 = 0.39240427756030, 0.49435819013252, 0.70321892572590
D4, D5, D6, D7 = 0.31081464816561, 0.80517283829813, 0.88676246769282, 1.1975771158584


@pytest.mark.parametrize(
    ("query", "label", "groups", "is_tied"),
    [
        (T1, "P", [(D1, {"P": 1}), (D2, {"Q": 1})], True),  # the third group, P and Q, leaves it tied
        (T2, "Q", [(D3, {"Q": 2}), (D6, {"Q": 1, "R": 1})], False),
        (T3, "P", [(D2, {"P": 1}), (D5, {"R": 1}), (D6, {"P": 1, "Q": 1})], True),  # the third decides
        (T4, "P", [(D7, {"P": 3, "Q": 3, "R": 1})], True),  # there is no other distance
        (T5, "P", [(0, {"Q": 1}), (D4, {"P": 1}), (D3, {"P": 1})], True),  # against the exact match
    ],
)
def test_ib1_with_two_distances(query, label, groups, is_tied):
    """IB1 on toy set A at k = 2: all groups that voted, the extra one only where it decided."""
    answer = ask(query, k=2)
    assert (answer.label, answer.was_tied) == (label, is_tied)
    assert [group.votes for group in answer.groups] == [votes for _, votes in groups]
    assert [group.distance for group in answer.groups] == pytest.approx([d for d, _ in groups], rel=1e-13)


TIED = [["a", "x"], ["a", "x"], ["b", "x"], ["c", "y"], ["c", "z"]]
TIED_LABELS = list("PQQPP")


def test_a_tie_of_exact_matches_is_retried():
    """`a x` is once P and once Q; the next distance holds a Q, against P's greater frequency."""
    answer = ib1.classify(TIED, TIED_LABELS, ["a", "x"], [1, 1])
    assert (answer.label, answer.votes, answer.was_tied) == ("Q", {"P": 1, "Q": 2}, True)
    assert [group.rows for group in answer.groups] == [[0, 1], [2]]


def test_a_tie_of_exact_matches_is_not_retried_in_tribl():
    """The same case in TRIBL goes to the more frequent class, though `b x` is below `x` too."""
    answer = tribl.classify(TIED, TIED_LABELS, ["a", "x"], [1, 2], [1, 2], switch=1)
    assert (answer.label, answer.votes) == ("P", {"P": 1, "Q": 1})


def test_an_exact_match_excludes_cases_at_distance_zero():
    """At k = 1 an identical case answers alone, though a feature of weight 0 hides another."""
    rows, labels = [["a", "x"], ["a", "y"], ["a", "y"]], list("PQQ")
    assert ib1.classify(rows, labels, ["a", "x"], [1, 0]).votes == {"P": 1}
    assert ib1.classify(rows, labels, ["a", "x"], [1, 0], k=2).votes == {"P": 1, "Q": 2}


def test_the_last_tie_goes_by_label_order():
    """Equal votes and equal frequency: sorted labels, unless another order is given."""
    rows, labels = [["a"], ["a"]], ["Q", "P"]
    assert ib1.classify(rows, labels, ["a"], [1]).label == "P"
    assert ib1.classify(rows, labels, ["a"], [1], label_order=["Q", "P"]).label == "Q"


def test_numeric_differences_are_scaled_and_not_clipped():
    """Training numbers 1, 4, 6: a question at 3 is 0.4, 0.2, 0.6 away, one at 16 is 2 from 6."""
    rows, labels = [[1.0], [4.0], [6.0]], list("ABC")
    near = ib1.classify(rows, labels, [3.0], [1], k=3, numeric={0})
    assert [(group.distance, group.rows) for group in near.groups] == [(0.2, [1]), (0.4, [0]), (0.6, [2])]
    assert ib1.classify(rows, labels, [16.0], [1], numeric={0}).distance == 2


def test_numeric_feature_of_one_value_is_compared_like_a_symbol():
    """No range to scale by: equal or not."""
    assert ib1.classify([[2.0], [2.0]], list("PP"), [9.0], [1], numeric={0}).distance == 1


@pytest.mark.parametrize(
    ("missing", "stored", "query", "expected"),
    [
        ("value", None, None, 0),
        ("value", None, 1.0, 1),
        ("value", 1.0, None, 1),
        ("unknown", None, None, 1),
        ("unknown", None, 1.0, 1),
    ],
)
def test_missing_values(missing, stored, query, expected):
    """Missing equals missing by default, and nothing at all as an unknown."""
    for value_range in [None, 4.0]:
        assert ib1.difference(stored, query, value_range, missing) == expected


def test_distances_within_rounding_are_one_group():
    """0.1 + 0.2 and 0.3 are one distance; 1.1 + 2.2 and 3.3 are two."""
    rows, labels = [["b", "b", "a"], ["a", "a", "b"]], ["P", "Q"]
    for weights, n_groups in [([0.1, 0.2, 0.3], 1), ([1.1, 2.2, 3.3], 2)]:
        answer = ib1.classify(rows, labels, ["a", "a", "a"], weights, k=2, sum_order=[0, 1, 2])
        assert len(answer.groups) == n_groups


def test_ib1_counts_are_copies():
    """A case of count 2 votes twice, and one of count 0 is not there."""
    answer = ib1.classify([["a"], ["a"], ["b"]], list("PQR"), ["b"], [1], counts=[2, 1, 0])
    assert (answer.label, answer.votes, answer.groups[0].rows) == ("P", {"P": 2, "Q": 1}, [0, 1])


def test_igtree_of_toy_set_a():
    """The tree after pruning, with each question's node."""
    tree = igtree.grow(ROWS, LABELS, [0, 2, 1], label_order=FIRST_SEEN)
    assert igtree.count_nodes(tree) == 7
    assert set(tree.children) == {"a", "b", "c"}
    assert tree.children["b"].feature is None
    answers = [igtree.classify(tree, query) for query in [T1, T2, T3, T5]]
    assert [a.label for a in answers] == ["P", "Q", "P", "Q"]
    assert [a.depth for a in answers] == [1, 1, 0, 3]
    assert [a.distribution for a in answers] == [
        {"P": 2, "Q": 1},
        {"Q": 2},
        {"P": 3, "Q": 3, "R": 1},
        {"Q": 1},
    ]
    assert answers[3].path == [(0, "a"), (2, "2"), (1, "z")]


def test_igtree_stops_where_the_classes_agree():
    """Figure 1, step 1: an unambiguous node is a leaf, its features untested."""
    tree = igtree.grow([["a", "x"], ["a", "y"], ["b", "x"]], list("PPQ"), [0, 1], is_pruned=False)
    assert tree.children["a"] == igtree.Node("P", {"P": 2})


def test_igtree_without_features_left_takes_the_most_frequent_class():
    """Figure 1, step 2: equal cases of different classes end in a leaf with the commonest."""
    tree = igtree.grow([["a"], ["a"], ["a"], ["b"]], list("QQPP"), [0], is_pruned=False)
    assert tree.children["a"] == igtree.Node("Q", {"P": 1, "Q": 2})


def test_igtree_prunes_parents_that_became_leaves():
    """Pruning goes up: the node of `a` loses its only child, then goes itself."""
    rows = [["a", "x"], ["a", "x"], ["a", "x"], ["b", "x"]]
    tree = igtree.grow(rows, list("PPQP"), [0, 1])
    assert tree == igtree.Node("P", {"P": 3, "Q": 1})


def test_igtree_keeps_a_repeating_parent_of_an_exception():
    """A node with the default of its parent stays while a child of it says otherwise."""
    rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "x"]]
    tree = igtree.grow(rows, list("PPQP"), [0, 1])
    assert set(tree.children) == {"a"}
    assert set(tree.children["a"].children) == {"y"}


def test_igtree_is_lossless():
    """The class of every training case can be read back, pruned or not."""
    for is_pruned in [True, False]:
        tree = igtree.grow(ROWS, LABELS, [0, 2, 1], is_pruned=is_pruned)
        assert [igtree.classify(tree, row).label for row in ROWS] == LABELS


def test_igtree_missing_value():
    """A missing value has a branch of its own, unless it is unknown."""
    tree = igtree.grow([[None], ["a"], ["a"]], list("QPP"), [0])
    assert igtree.classify(tree, [None]).label == "Q"
    assert igtree.classify(tree, [None], missing="unknown").label == "P"


def test_tribl_answers_by_default_where_the_tree_fails():
    """T3 does not match the first feature: the default of the root."""
    answer = tribl.classify(ROWS, LABELS, T3, RATIOS, [1, 1, 1], switch=1, label_order=FIRST_SEEN)
    assert (answer.label, answer.depth, answer.neighbours) == ("P", 0, None)
    assert answer.distance == RATIOS[0] + 1 + 1


def test_tribl_searches_below_the_tree():
    """T1 matches `a`; of the three cases below, `a x 1` is nearest on what remains."""
    answer = tribl.classify(ROWS, LABELS, T1, RATIOS, RATIOS, switch=1)
    assert (answer.label, answer.votes, answer.depth) == ("P", {"P": 1}, 1)
    assert answer.neighbours.groups == [(RATIOS[2], {"P": 1}, [0])]


def test_tribl_settles_ties_by_the_whole_memory():
    """Below `a` are one P and one Q, equally far; Q is the more frequent in all."""
    rows, labels = [["a", "x"], ["a", "y"], ["b", "x"]], list("PQQ")
    assert tribl.classify(rows, labels, ["a", "z"], [2, 1], [2, 1], switch=1).label == "Q"


def test_tribl_scales_numbers_by_the_whole_memory():
    """Below `a` the numbers run from 0 to 2, in the whole memory to 10."""
    rows, labels = [["a", 0.0], ["a", 2.0], ["b", 10.0]], list("PQQ")
    answer = tribl.classify(rows, labels, ["a", 3.0], [2, 1], [2, 1], switch=1, numeric={1})
    assert (answer.label, answer.distance) == ("Q", 0.1)


def test_automatic_switch():
    """Mean plus one population standard deviation: 0.3 + 0.346 here."""
    assert tribl.automatic_switch([0.1, 0.9, 0.1, 0.1]) == 1
    assert tribl.automatic_switch([0.5, 0.5]) == 0


def test_leave_one_out():
    """Toy set A, each case from the six others."""
    answers = leave_one_out.with_ib1(ROWS, LABELS, label_order=FIRST_SEEN)
    assert [answer.label for answer in answers] == list("QQPPRPP")
    assert [answer.distance for answer in answers] == pytest.approx(
        [
            0.78969008214285,
            0.45688765264106,
            0.87000498120534,
            0.87000498120534,
            0.70280741070713,
            0.43830104256851,
            0.45688765264106,
        ],
        rel=1e-13,
    )
    assert sum(answer.was_tied for answer in answers) == 2


def test_leave_one_out_with_the_other_learners():
    """Tree and hybrid are learnt anew as well: a class known from one case is never answered."""
    walks = leave_one_out.with_igtree(ROWS, LABELS)
    mixed = leave_one_out.with_tribl(ROWS, LABELS, switch=1)
    assert len(walks) == len(mixed) == 7
    assert "R" not in {walks[5].label, mixed[5].label}
