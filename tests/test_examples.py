"""Worked examples: TiMBL's toy set, the behaviours the paper describes, and the smallest memories."""

import itertools

import numpy as np
import pytest

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.neighbours import ib1, ib2, igtree, tribl
from casebase.neighbours.tribl import automatic_switch
from tests.base.results import ask, labels_and_votes

TOY = [list(row) for row in ["ax1P", "ay2P", "bx3Q", "by4Q", "cx5P", "cz1R", "az2Q"]]
QUESTIONS = [list(row) for row in ["ax3", "bz9", "dx1", "dw8", "az2"]]
TIED = [list(row) for row in ["axP", "axQ", "bxQ", "cyP", "czP"]]


def toy(**options):
    return Cases.from_table(TOY, target=-1, **options)


def test_ib1_at_one_distance():
    """The classes and votes that TiMBL gives the five questions about the toy set."""
    assert ask(ib1.fit(toy(), compat="timbl"), QUESTIONS) == [
        ("P", {"P": 1}),
        ("Q", {"Q": 2}),
        ("P", {"P": 1}),
        ("P", {"P": 3, "Q": 3, "R": 1}),
        ("Q", {"Q": 1}),
    ]


def test_ib1_at_two_distances():
    """At k = 2 three votes are tied; a third distance decides the last one, against the exact match."""
    assert ask(ib1.fit(toy(), k=2, compat="timbl"), QUESTIONS) == [
        ("P", {"P": 1, "Q": 1}),
        ("Q", {"Q": 3, "R": 1}),
        ("P", {"P": 2, "Q": 1, "R": 1}),
        ("P", {"P": 3, "Q": 3, "R": 1}),
        ("P", {"P": 2, "Q": 1}),
    ]


def test_distances_of_the_toy_set():
    """The nearest distances are TiMBL's."""
    model = ib1.fit(toy())
    found = model.nearest(model.schema.encode(QUESTIONS[:3]), k=3)
    assert found.distance.tolist() == pytest.approx(
        [
            0.39240427756030,
            0.49435819013252,
            0.70321892572590,
            0.70321892572590,
            0.88676246769282,
            1.19757711585842,
            0.49435819013252,
            0.80517283829813,
            0.88676246769282,
        ],
        rel=1e-12,
    )


def test_igtree_of_the_toy_set():
    """The tree asks about features 1, 3, 2, and answers as TiMBL's does."""
    model = igtree.fit(toy(), compat="timbl")
    assert model.order.tolist() == [0, 2, 1]
    questions = [QUESTIONS[i] for i in (0, 1, 2, 4)]
    assert ask(model, questions) == [
        ("P", {"P": 2, "Q": 1}),
        ("Q", {"Q": 2}),
        ("P", {"P": 3, "Q": 3, "R": 1}),
        ("Q", {"Q": 1}),
    ]
    assert model.walk(model.schema.encode(questions))[1].tolist() == [1, 1, 0, 3]


def test_leave_one_out_of_the_toy_set():
    """No case of the toy set is right from the others, as in TiMBL."""
    cases = toy()
    answers = labels_and_votes(cases.schema, ib1.leave_one_out(cases, compat="timbl"))
    assert [label for label, _ in answers] == list("QQPPRPP")


def test_tied_exact_match():
    """IB1 asks the next distance as well; TRIBL does not, and takes the more frequent class."""
    cases = Cases.from_table(TIED, target=-1)
    asked = [["a", "x"]]
    assert ask(ib1.fit(cases, weighting="none"), asked) == [("Q", {"P": 1, "Q": 2})]
    assert ask(tribl.fit(cases, switch=1, weighting="none"), asked) == [("P", {"P": 1, "Q": 1})]


def test_last_resort_of_a_tie():
    """Equal votes and equal frequencies: the order of the labels, or the class seen first."""
    cases = Cases.from_table([["a", "Q"], ["a", "P"]], target=-1)
    for learner in (ib1, igtree, tribl):
        assert ask(learner.fit(cases), [["a"]])[0][0] == "P"
        assert ask(learner.fit(cases, compat="timbl"), [["a"]])[0][0] == "Q"


def test_pure_node_has_no_children():
    """Cases of one class need no further question: one branch below the root each way, none below those."""
    rows = [["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"], ["b", "z", "Q"]]
    model = igtree.fit(Cases.from_table(rows, target=-1), weighting=[1, 0.5])
    assert model.tree.n_nodes == 2  # the root says Q, so of the two branches only P's is kept
    assert model.tree.depth == 1


def test_leaves_that_repeat_their_parent_are_pruned_again_and_again():
    """A tree in which nothing contradicts the first default is its root alone."""
    rows = [[a, b, c, "P"] for a in "ab" for b in "xy" for c in "12"] + [["a", "x", "1", "Q"], ["a", "x", "1", "P"]]
    model = igtree.fit(Cases.from_table(rows, target=-1), weighting=[3, 2, 1])
    assert (model.tree.n_nodes, model.tree.depth) == (1, 0)
    assert model.compression == 1 - 1 / 30


def test_tree_answers_its_training_cases():
    """Compression is lossless: every case that contradicts no other is answered with its class."""
    model = igtree.fit(toy())
    assert [label for label, _ in ask(model, [row[:-1] for row in TOY])] == [row[-1] for row in TOY]


def test_unknown_value_stops_the_walk():
    """The default of the node where a value has no branch answers, whatever the features behind it say."""
    model = igtree.fit(toy(), weighting=[3, 2, 1], compat="timbl")
    assert ask(model, [["a", "q", "2"]]) == [("P", {"P": 2, "Q": 1})]


def test_missing_value_stops_the_walk_where_it_is_unknown():
    """A stored gap is a branch; with missing="unknown" no question takes it."""
    cases = Cases.from_table([["a", "P"], ["a", "P"], [None, "Q"]], target=-1)
    assert ask(igtree.fit(cases), [[None]]) == [("Q", {"Q": 1})]
    assert ask(igtree.fit(cases, missing="unknown"), [[None]]) == [("P", {"P": 2, "Q": 1})]


def test_automatic_switch():
    """Features above the mean plus one standard deviation are walked, the others compared."""
    assert automatic_switch(np.array([0.9, 0.1, 0.1, 0.1])) == 1
    assert automatic_switch(np.array([0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1])) == 2
    assert automatic_switch(np.array([0.5, 0.5, 0.5])) == 0
    assert automatic_switch(np.array([0.5])) == 0


def test_automatic_switch_of_two_features():
    """Of two features the heavier one is exactly at the threshold, so none exceeds it, however they round."""
    rng = np.random.default_rng(0)
    assert {automatic_switch(weights) for weights in rng.random((2000, 2))} == {0}


def test_automatic_switch_in_any_order():
    """The order of the features does not change how many are walked."""
    rng = np.random.default_rng(1)
    for pair in rng.random((500, 2)):
        weights = np.repeat(pair, 2)
        assert {automatic_switch(rng.permutation(weights)) for _ in range(4)} == {0}


def test_tribl_walks_then_compares():
    """A mismatch in the tree is answered by a default; a match by the nearest of the cases below."""
    rows = [["a", "x", "u", "P"], ["a", "y", "v", "Q"], ["a", "y", "w", "Q"], ["b", "x", "u", "R"]]
    model = tribl.fit(Cases.from_table(rows, target=-1), switch=1, weighting=[3, 2, 1])
    assert ask(model, [["a", "x", "v"], ["c", "x", "u"], ["b", "q", "q"]]) == [
        ("Q", {"P": 1, "Q": 2}),
        ("Q", {"P": 1, "Q": 2, "R": 1}),
        ("R", {"R": 1}),
    ]


@pytest.mark.parametrize("switch", [-1, 1.5, True, "two", None])
def test_switch_that_cannot_be(switch):
    """The switch is a number of features or "auto"."""
    with pytest.raises(CasebaseError, match="switch is the number of features"):
        tribl.fit(toy(), switch=switch)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3", None])
def test_k_that_cannot_be(k):
    """k is a whole number of at least 1."""
    for learner in (ib1, tribl):
        with pytest.raises(CasebaseError, match="k is the number of nearest distances"):
            learner.fit(toy(), k=k)


@pytest.mark.parametrize("option", [{"missing": "valu"}, {"compat": "timb"}, {"metric": "overlp"}])
def test_options_that_cannot_be(option):
    """Misspelt options are refused by every learner."""
    for learner in (ib1, igtree, tribl):
        with pytest.raises(CasebaseError):
            learner.fit(toy(), **option)


@pytest.mark.parametrize("learner", [ib1, igtree, tribl])
@pytest.mark.parametrize("weighting", ["none", "gain_ratio", "chi_squared"])
@pytest.mark.parametrize(
    ("rows", "asked", "expected"),
    [
        ([["a", "P"]], [["a"], ["z"], [None]], ["P", "P", "P"]),
        ([["a", "P"], ["b", "P"]], [["a"], ["z"]], ["P", "P"]),
        ([["a", "x", "P"], ["a", "y", "Q"], ["a", "y", "Q"]], [["a", "x"], ["z", "y"]], ["P", "Q"]),
        ([[None, "x", "P"], [None, "y", "Q"], [None, "y", "Q"]], [[None, "x"], [None, "y"]], ["P", "Q"]),
        ([["a", "P"], ["b", "Q"], ["b", "Q"]], [["a"], ["b"], ["z"]], ["P", "Q", "Q"]),
    ],
    ids=["one case", "one class", "constant feature", "column of nothing", "one feature"],
)
def test_smallest_memories(learner, weighting, rows, asked, expected):
    """The least there can be is learnt from like the rest."""
    if learner is igtree and weighting == "none" and len(asked[0]) == 2:
        asked, expected = asked[:1], expected[:1]
    model = learner.fit(Cases.from_table(rows, target=-1), weighting=weighting)
    assert [label for label, _ in ask(model, asked)] == expected


@pytest.mark.parametrize("k", [7, 8, 1000])
def test_k_beyond_the_memory(k):
    """With more distances asked for than there are, every case votes."""
    assert ask(ib1.fit(toy(), k=k), QUESTIONS[:1]) == [("P", {"P": 3, "Q": 3, "R": 1})]


def test_nobody_asks():
    """No questions, no answers."""
    for learner in (ib1, igtree, tribl):
        assert ask(learner.fit(toy()), np.empty((0, 3), dtype=object)) == []


def test_leave_one_out_needs_others():
    """One case has no others to be answered by."""
    with pytest.raises(CasebaseError, match="at least two cases"):
        ib1.leave_one_out(Cases.from_table([["a", "P"]], target=-1))


def test_numbers_in_any_order():
    """Regression: three cases at distances a rounding error apart were grouped by the order of the rows."""
    rows = [[0.09, 0.06, "P"], [0.08, 0.07, "Q"], [0.01, 0.0, "R"], [0.0, 0.0, "S"], [0.11, 0.11, "T"]]
    answers = [
        ask(ib1.fit(Cases.from_table(list(order), target=-1), weighting="none"), [[0.05, 0.03]])
        for order in itertools.permutations(rows)
    ]
    assert all(answer == answers[0] for answer in answers)


def test_how_many_cases_ib2_asks_at_once_changes_nothing(monkeypatch):
    """A tie behind the first wrong answer of a block has not happened yet: after a tie TiMBL decides otherwise."""
    rows = [list(row) for row in zip("2111100102020", "0101121122112", "PQPQQPPPQPQPP")]
    parameters = {"bootstrap": 2, "k": 2, "vote": "inverse_linear", "compat": "timbl"}
    in_blocks = ib2.fit(Cases.from_table(rows, target=-1), **parameters)
    for name in ("FIRST_BLOCK", "LARGEST_BLOCK"):
        monkeypatch.setattr(ib2, name, 1)
    one_by_one = ib2.fit(Cases.from_table(rows, target=-1), **parameters)

    assert in_blocks.memory.segments[0].ids.tolist() == one_by_one.memory.segments[0].ids.tolist()
    assert in_blocks.voting.had_tie == one_by_one.voting.had_tie


def test_the_weights_of_kept_cases_do_not_depend_on_the_order_of_ids():
    """Regression: with TiMBL's counting, weights were looked up by ids as if these ascended."""
    rows = [["a", "P"], ["b", "Q"], ["c", "R"]]
    cases = Cases.from_table(rows, target=-1, weights=[5, 1, 2], ids=["z", "m", "a"])
    memory = ib2.fit(cases, compat="timbl").memory

    assert dict(zip(memory.ids(memory.in_given_order), memory.counts(memory.in_given_order))) == {
        "z": 5,
        "m": 1,
        "a": 2,
    }


@pytest.mark.parametrize("metric", ["jeffrey", "jensen_shannon"])
@pytest.mark.parametrize("other", ["numeric", "euclidean"])
def test_differences_are_never_negative(metric, other):
    """Regression: of values with the same classes but for rounding the terms cancelled to less than nothing.

    Its root is no number: with a Euclidean feature beside it the nearest cases were not found.
    """
    shares = [0.1, 0.2, 0.7, 0.3, 1.1]
    for weights in itertools.product(shares, repeat=3):
        rows = [["A", 0.0, c] for c in "PQR"] + [["B", 1.0, c] for c in "PQR"] + [["C", 2.0, "P"]]
        case_weights = [*weights, *(0.7 * w for w in weights), 1.0]
        cases = Cases.from_table(rows, target=-1, kinds={1: "numeric"}, weights=case_weights)
        model = ib1.fit(cases, metric={0: metric, 1: other}, weighting="none")
        nearest = model.nearest(model.schema.encode([["A", 1.0]]))
        assert 0.0 <= nearest.distance[0] < 1e-7
        assert sorted(model.memory.segments[0].row_of[nearest.rows].tolist()) == [3, 4, 5]
