"""The oracles on examples whose answers are known from TiMBL's output, number by number.

tests/oracles/test_oracles.py has those of weights, equal votes and trees.
"""

from __future__ import annotations

import pytest

from tests.oracle_checks.test_oracles import FIRST_SEEN, LABELS, RATIOS, ROWS, T1, T2, T3, T4, T5
from tests.oracles import decay, differences, exemplars, ib1, leave_one_out, normalise, scores, tribl, tribl2, weights
from tests.oracles.metrics import Metric

ORDER = [0, 1, 2]


def ask(queries, k, metric="overlap", group_weights=decay.equal, **options):
    """IB1's answers from toy set A with gain ratio."""
    ratios = weights.relevance(ROWS, LABELS, "gain_ratio")
    learnt = Metric(ROWS, LABELS, metric, compat="timbl")
    return [
        ib1.classify(
            ROWS,
            LABELS,
            query,
            ratios,
            k,
            label_order=FIRST_SEEN,
            sum_order=ORDER,
            metric=learnt,
            group_weights=group_weights,
            **options,
        )
        for query in queries
    ]


def test_inverse_distance():
    """An exact match outweighs everything."""
    t1, t2, t3, t5 = ask([T1, T2, T3, T5], 2, group_weights=decay.inverse_distance)
    assert t1.votes == pytest.approx({"P": 2.54839, "Q": 2.02282}, rel=1e-5)
    assert t2.votes == pytest.approx({"Q": 3.97176, "R": 1.12770}, rel=1e-5)
    assert t3.votes == pytest.approx({"P": 2.02282, "R": 1.24197}, rel=1e-5)
    assert (t5.label, t5.votes) == ("Q", pytest.approx({"P": 3.21735, "Q": 4.50360e15}, rel=1e-5))


def test_exponential_decay():
    """Alpha is the slope, beta the power of the distance."""
    t1, t2 = ask([T1, T2], 2, group_weights=decay.exponential(2))
    assert t1.votes == pytest.approx({"P": 0.456207, "Q": 0.372054}, rel=1e-5)
    assert t2.votes == pytest.approx({"Q": 0.659763, "R": 0.169734}, rel=1e-5)
    (t1,) = ask([T1], 2, group_weights=decay.exponential(1, 2))
    assert t1.votes == pytest.approx({"P": 0.857288, "Q": 0.783182}, rel=1e-5)


def test_normalisations():
    """Half a vote for every class, and the shares of logarithms."""
    (t2,) = ask([T2], 2)
    assert normalise.add_factor(t2.votes, FIRST_SEEN, 0.5) == pytest.approx(
        {"P": 0.0909091, "Q": 0.636364, "R": 0.272727}, rel=1e-5
    )
    assert normalise.log_probability(t2.votes) == pytest.approx({"Q": 0.666667, "R": 0.333333}, rel=1e-5)
    assert normalise.probability(t2.votes) == {"Q": 0.75, "R": 0.25}


def test_value_difference_metric():
    """Two of the nearest groups of toy set A with MVDM."""
    answers = ask([T1, T2, T3, T4, T5], 2, "mvdm")
    assert [answer.label for answer in answers] == list("QQPPP")
    assert [answer.distance for answer in answers] == pytest.approx(
        [0.24800458014108, 0.54781160164310, 0.49435819013252, 1.1975771158584, 0], rel=1e-13
    )
    assert [answer.votes for answer in answers[:3]] == [{"P": 1, "Q": 2}, {"Q": 2}, {"P": 2}]
    assert answers[4].votes == {"P": 2, "Q": 1}


def test_distributions_of_classes():
    """From b, with classes Q and R, to a, with P twice and Q, and to c, which shares none."""
    a, b, c = {"P": 2 / 3, "Q": 1 / 3}, {"Q": 0.5, "R": 0.5}, {"P": 1.0}
    assert differences.value_difference(b, a) == pytest.approx(0.66666666666667)
    assert differences.jeffrey(b, a) == pytest.approx(0.63208020839343)
    assert differences.jensen_shannon(b, a) == pytest.approx(0.59543725231055)
    assert differences.value_difference(b, c) == differences.jeffrey(b, c) == differences.jensen_shannon(b, c) == 1


@pytest.mark.parametrize("name", ["mvdm", "jeffrey", "jensen_shannon"])
def test_threshold(name):
    """A value rarer than the threshold is as far from all others as can be, yet equal to itself."""
    metric = Metric([["a"], ["a"], ["b"]], list("PQP"), name, threshold=2)
    assert metric.cost(0, "a", "b") == 1
    assert metric.cost(0, "b", "b") == 0
    assert Metric([["a"], ["a"], ["b"]], list("PQP"), name).cost(0, "a", "b") < 1
    assert metric.cost(0, "a", "never seen") == 1


def test_unknown_value_of_a_feature_of_one_value():
    """TiMBL takes it for equal; overlap does not."""
    rows, labels = [["a"], ["a"]], list("PQ")
    assert Metric(rows, labels, "mvdm", compat="timbl").cost(0, "a", "z") == 0
    assert Metric(rows, labels, "levenshtein", compat="timbl").cost(0, "a", "z") == 0
    assert Metric(rows, labels, "overlap", compat="timbl").cost(0, "a", "z") == 1
    assert Metric(rows, labels, "mvdm").cost(0, "a", "z") == 1


def test_numbers():
    """From 3 to 1, 4 and 6, whose range is 5."""
    rows, labels = [[1.0], [4.0], [6.0]], list("PQR")

    def distances(name, compat):
        metric = Metric(rows, labels, name, compat=compat)
        return [metric.distance(row, [3.0], [1.0], [0]) for row in rows]

    assert distances("numeric", None) == distances("numeric", "timbl") == pytest.approx([0.4, 0.2, 0.6])
    assert distances("euclidean", "timbl") == pytest.approx([0.56568542494924, 0.52915026221292, 1.0392304845413])
    assert distances("euclidean", None) == pytest.approx([0.4, 0.2, 0.6])
    assert distances("dot", "timbl") == pytest.approx([0.99999999860302, 0.99999999441206, 0.99999999161810], abs=1e-14)


def test_euclidean_distance_is_the_root_of_the_sum():
    """Three and four tenths apart in two numbers: one half; a symbol that differs adds its weight inside."""
    rows = [[0.0, 0.0, "a"], [10.0, 10.0, "b"]]
    metric = Metric(rows, list("PQ"), {0: "euclidean", 1: "euclidean"})
    assert metric.distance(rows[0], [3.0, 4.0, "a"], [1, 1, 1], ORDER) == pytest.approx(0.5)
    assert metric.distance(rows[0], [3.0, 4.0, "b"], [1, 1, 0.75], ORDER) == pytest.approx(1.0)


def test_cosine():
    """(3, 3) is equally near to (1, 2) and (2, 1), and as far as can be from (-1, -2)."""
    rows = [[1.0, 2.0], [-1.0, -2.0], [2.0, 1.0]]
    metric = Metric(rows, list("PQR"), "cosine")
    assert [metric.distance(row, [3.0, 3.0], [1, 1], [0, 1]) for row in rows] == pytest.approx(
        [0.051316701949486, 2 - 0.051316701949486, 0.051316701949486]
    )


@pytest.mark.parametrize(
    ("other", "edits", "timbl_edits", "dice"),
    [("abdc", 1, 1, 2 / 3), ("bacd", 1, 2, 2 / 3), ("abc", 1, 1, 0.2), ("xyz", 4, 4, 1)],
)
def test_strings(other, edits, timbl_edits, dice):
    """From abcd; TiMBL does not see that the first two characters are swapped."""
    assert differences.levenshtein("abcd", other) == edits
    assert differences.levenshtein("abcd", other, first_swap=2) == timbl_edits
    assert differences.dice("abcd", other) == pytest.approx(dice)


def test_strings_of_characters_or_bytes():
    """é is one character and two bytes."""
    rows, labels = [["é"], ["x"]], list("PQ")
    sound, timbl = Metric(rows, labels, "levenshtein"), Metric(rows, labels, "levenshtein", compat="timbl")
    assert (sound.cost(0, "é", "e"), timbl.cost(0, "é", "e")) == (1, 2)
    sound, timbl = Metric(rows, labels, "dice"), Metric(rows, labels, "dice", compat="timbl")
    assert sound.cost(0, "é", "è") == 1
    # Two bytes each, of which the first is the same: one pair of bytes each, and not the same one.
    assert timbl.cost(0, "é", "è") == 1
    assert (sound.cost(0, "éa", "éb"), timbl.cost(0, "éa", "éb")) == (1, 0.5)


def test_tribl2():
    """The class, the distance over the features that are left, and how many matched."""
    answers = [tribl2.classify(ROWS, LABELS, query, RATIOS, label_order=FIRST_SEEN) for query in [T1, T2, T3, T5]]
    assert [(answer.label, answer.depth) for answer in answers] == [("P", 1), ("Q", 1), ("P", 0), ("Q", 3)]
    assert [answer.distance for answer in answers] == pytest.approx(
        [0.39240427756030, 0.70321892572590, 0.49435819013252, 0], rel=1e-13
    )


def test_leave_one_out_sloppy():
    """With the weights of all the cases."""
    answers = leave_one_out.with_ib1(ROWS, LABELS, label_order=FIRST_SEEN, sum_order=ORDER, is_sloppy=True)
    assert [answer.label for answer in answers] == list("QQQQRPP")
    near, far = 0.31081464816561, 0.70321892572590
    assert [answer.distance for answer in answers] == pytest.approx([far, near, far, far, far, far, near], rel=1e-13)


def test_ties_of_exact_matches():
    """IB1 asks the next distance; with exact matches alone, and in TRIBL and TRIBL2, the more frequent class wins."""
    rows, labels, query = [list(row) for row in ["ax", "ax", "bx", "cy", "cz"]], list("PQQPP"), ["a", "x"]
    classes = ["P", "Q"]

    def label_and_votes(answer):
        return answer.label, answer.votes

    default = ib1.classify(rows, labels, query, [1, 1], label_order=classes)
    assert label_and_votes(default) == ("Q", {"P": 1, "Q": 2})
    alone = ib1.classify(rows, labels, query, [1, 1], label_order=classes, exact_match=True)
    assert label_and_votes(alone) == ("P", {"P": 1, "Q": 1})
    assert label_and_votes(tribl.classify(rows, labels, query, [1, 1], [1, 1], 1, label_order=classes)) == (
        "P",
        {"P": 1, "Q": 1},
    )
    assert label_and_votes(tribl2.classify(rows, labels, query, [1, 1], label_order=classes)) == (
        "P",
        {"P": 1, "Q": 1},
    )


def test_inverse_linear_forgets_distances_after_a_tie():
    """The same question is answered A before a tie and B after it, by TiMBL; and A always, soundly."""
    rows, labels = [[x] for x in [1.0, 2.0, 4.0, 8.0, 11.0, 30.0]], list("ABBCDE")
    metric = Metric(rows, labels, "numeric")

    def answers(group_weights):
        return [
            ib1.classify(rows, labels, [x], [1.0], 3, sum_order=[0], metric=metric, group_weights=group_weights)
            for x in [0.0, 9.5, 0.0, 9.5, 0.0]
        ]

    odd, sound = answers(decay.TimblInverseLinear(3)), answers(decay.inverse_linear)
    assert [answer.label for answer in odd] == list("ACBBB")
    assert [answer.label for answer in sound] == list("ACACA")
    assert odd[0].votes == pytest.approx({"A": 1, "B": 0.666667}, rel=1e-5)
    assert odd[1].votes == pytest.approx({"B": 1 / 3, "C": 1, "D": 1}, rel=1e-5)
    assert odd[2].votes == pytest.approx({"A": 1, "B": 2})
    assert odd[3].votes == pytest.approx({"B": 2, "C": 1, "D": 1})


def test_inverse_linear_on_toy_set_a():
    """T4 ties, so T5 is answered as by equal votes; alone in a file it is answered Q."""
    answers = ask([T1, T2, T3, T4, T5], 3, group_weights=decay.TimblInverseLinear(3))
    assert answers[0].votes == pytest.approx({"P": 1, "Q": 0.671978}, rel=1e-5)
    assert answers[1].votes == pytest.approx({"P": 0, "Q": 2.62872, "R": 0.628724}, rel=1e-5)
    assert answers[2].votes == pytest.approx({"P": 1, "R": 0.207922, "Q": 0}, rel=1e-5)
    assert answers[3].was_tied
    assert (answers[4].label, answers[4].votes) == ("P", {"P": 2, "Q": 1})
    (alone,) = ask([T5], 3, group_weights=decay.TimblInverseLinear(3))
    assert alone.label == "Q"


def test_exemplar_weights():
    """The second weight of a x P is ignored; 1 and 2 parts of 2 are two distances by the last bit."""
    rows, labels = [list(row) for row in ["ax", "ay", "bx", "by", "ax"]], list("PQQPP")
    read = exemplars.stored_weights(rows, labels, [1.0, 2.0, 0.5, 1.0, 3.0])

    def answer(query, k=2, **options):
        return ib1.classify(
            rows, labels, query, [1, 1], k, label_order=["P", "Q"], sum_order=[0, 1], exemplars=read, **options
        )

    first = answer(["a", "x"], compat="timbl")
    assert (first.label, first.votes) == ("P", {"P": 2, "Q": 1})
    assert [group.distance for group in first.groups] == [0, 0.5]
    second = answer(["b", "y"], compat="timbl")
    assert second.label == "Q"
    assert [group.distance for group in second.groups] == pytest.approx([0, 0.5, 2])
    third = answer(["c", "x"], compat="timbl")
    assert third.label == "P"
    assert [group.votes for group in third.groups] == [{"P": 2}, {"Q": 1}]
    assert [group.distance for group in answer(["c", "x"]).groups] == [1, 2]
    assert answer(["a", "x"], k=1, compat="timbl").votes == {"P": 1}
    assert answer(["a", "x"], k=1).votes == {"P": 2}


def test_scores():
    """Seven answers, two of them about a class that is not in training or never right."""
    labels = ["A", "B", "C"]
    true, predicted = list("ABBACDC"), list("AABBCAA")
    by_class = scores.by_class(true, predicted, labels)
    a, b, c = by_class["A"], by_class["B"], by_class["C"]
    assert (a.tp, a.fp, a.tn, a.fn, a.precision, a.recall, a.fpr) == (1, 3, 2, 1, 0.25, 0.5, 0.6)
    assert (b.tp, b.fp, b.tn, b.fn, b.precision, b.recall, b.fpr) == (1, 1, 4, 1, 0.5, 0.5, 0.2)
    assert (c.tp, c.fp, c.tn, c.fn, c.precision, c.recall, c.fpr) == (1, 0, 5, 1, 1, 0.5, 0)
    f, auc, n_true = [s.f for s in by_class.values()], [s.auc for s in by_class.values()], [2, 2, 2]
    assert f == pytest.approx([1 / 3, 0.5, 2 / 3])
    assert auc == pytest.approx([0.45, 0.65, 0.75])
    assert (scores.micro(f, n_true), scores.macro(f)) == pytest.approx((0.5, 0.5))
    assert (scores.micro(auc, n_true), scores.macro(auc)) == pytest.approx((0.616667, 0.616667), rel=1e-5)


def test_deviations():
    """TiMBL's and the real one of 1 to 7, and of a number that occurs twice."""
    rows = [[float(x)] for x in range(1, 8)]
    assert weights.timbl_deviations(rows) == pytest.approx([24.083189157584592])
    assert weights.standard_deviations(rows) == [2.0]
    assert weights.standard_deviations([[0.0], [0.0], [3.0]]) == pytest.approx([2**0.5])
    assert weights.standard_deviations([[0.0], [3.0]], counts=[2, 1]) == pytest.approx([2**0.5])


def test_diversified_and_heaviest():
    """The weakest feature keeps next to nothing; of equal keys the earlier column is kept."""
    assert weights.diversify([3.0, 1.0, 2.0]) == pytest.approx([2.0, weights.EPS, 1.0])
    assert weights.heaviest([0.5, 0.9, 0.5, 0.1], 2) == [0, 1]
