"""The oracles of ID3, C4.5, codelengths, ACR and oblivious graphs, on examples worked by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, log2

import pytest

from tests.oracles import acr, c45, codelengths, id3, oblivious_graph, perceptron_tree

# Quinlan (1986), Table 1: outlook, temperature, humidity, windy.
WEATHER = [
    line.split()
    for line in """sunny hot high false
    sunny hot high true
    overcast hot high false
    rain mild high false
    rain cool normal false
    rain cool normal true
    overcast cool normal true
    sunny mild high false
    sunny cool normal false
    rain mild normal false
    sunny mild normal true
    overcast mild high true
    overcast hot normal false
    rain mild high true""".splitlines()
]
PLAY = list("NNPPPNPNPPPPPN")
# Quinlan (1993), Table 2-1, the same days with numbers.
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
GOLF = [[row[0], float(t), float(h), row[3]] for row, t, h in zip(WEATHER, TEMPERATURE, HUMIDITY)]

XOR = [list(row) for row in product("01", repeat=2)]
ODD = ["odd" if a != b else "even" for a, b in XOR]


def sketch(node):
    """A tree as nested dicts: (feature, threshold) of the test, and what is below; a leaf is its class."""
    if node.feature is None:
        return node.label
    return (node.feature, node.threshold), {value: sketch(child) for value, child in node.children.items()}


class TestID3:
    def test_gains_of_the_weather(self):
        """Quinlan (1986), page 90: .246, .029, .151 and .048 (he cuts the first off)."""
        table = id3.table_of(WEATHER, PLAY)
        gains = [id3.information_gain(table, id3.partitions(table, range(14), f)[0][1]) for f in range(4)]
        assert gains == pytest.approx([0.2467, 0.0292, 0.1518, 0.0481], abs=5e-5)

    def test_tree_of_the_weather(self):
        """Quinlan (1986), Figure 2."""
        tree = id3.grow(WEATHER, PLAY)
        assert sketch(tree) == (
            (0, None),
            {
                "sunny": ((2, None), {"high": "N", "normal": "P"}),
                "overcast": "P",
                "rain": ((3, None), {"false": "P", "true": "N"}),
            },
        )
        assert (len(id3.nodes(tree)), id3.n_leaves(tree), id3.depth(tree)) == (8, 5, 2)

    def test_gain_ratio_prefers_few_values(self):
        """A name for each case gains all (1 bit, 2 bits to tell); the column of two values as much (1 of 1)."""
        rows = [["1", "a"], ["2", "a"], ["3", "b"], ["4", "b"]]
        assert id3.grow(rows, list("PPQQ")).feature == 0
        assert id3.grow(rows, list("PPQQ"), criterion="gain_ratio").feature == 1

    def test_goes_on_without_gain(self):
        """Neither bit tells anything of their exclusive or; the tree is consistent all the same."""
        tree = id3.grow(XOR, ODD)
        assert (tree.feature, len(id3.nodes(tree))) == (0, 7)
        assert [id3.walk(tree, row).label for row in XOR] == ODD

    def test_equal_gains_go_by_the_order(self):
        assert id3.grow(XOR, ODD, order=[1, 0]).feature == 1

    def test_contradiction_is_a_mixed_leaf(self):
        """Two equal cases of two classes: in the leaf the class that is more frequent in training."""
        tree = id3.grow([["a"], ["a"], ["b"]], list("PQQ"))
        assert tree.children["a"].distribution == {"P": 1, "Q": 1}
        assert tree.children["a"].label == "Q"

    def test_empty_branches_are_counted(self):
        """Bits and a colour: the root asks the first, `1` asks the colour, where blue does not occur."""
        rows = [["0", "blue"], ["0", "blue"], ["0", "red"], ["0", "green"], ["1", "red"], ["1", "green"]]
        tree = id3.grow(rows, list("PPPPPQ"))
        assert sketch(tree) == ((0, None), {"0": "P", "1": ((1, None), {"red": "P", "green": "Q"})})
        assert id3.n_empty(tree, [2, 3]) == 1
        assert id3.walk(tree, ["1", "blue"]).distribution == {"P": 1, "Q": 1}
        assert id3.walk(tree, ["1", "blue"]).label == "P"  # more frequent in training

    def test_numbers_are_cut_between_neighbours(self):
        """1 2 | 4 8: the cut in the middle of 2 and 4."""
        tree = id3.grow([[1.0], [2.0], [4.0], [8.0]], list("PPQQ"), numeric=frozenset([0]))
        assert sketch(tree) == ((0, 3.0), {"<=": "P", ">": "Q"})

    def test_equal_cuts_the_lower(self):
        """P Q P: either cut gains as much; then what is above is cut again."""
        tree = id3.grow([[1.0], [2.0], [3.0]], list("PQP"), numeric=frozenset([0]))
        assert sketch(tree) == ((0, 1.5), {"<=": "P", ">": ((0, 2.5), {"<=": "Q", ">": "P"})})

    def test_missing_number_is_below_all(self):
        tree = id3.grow([[None], [1.0]], list("PQ"), numeric=frozenset([0]))
        assert sketch(tree) == ((0, -inf), {"<=": "P", ">": "Q"})

    def test_weight_is_a_number_of_cases(self):
        rows, labels, weights = XOR, list("PPQP"), [3, 1, 2, 0]
        copies = [i for i in range(4) for _ in range(weights[i])]
        weighted = id3.grow(rows, labels, weights=weights)
        assert sketch(weighted) == sketch(id3.grow([rows[i] for i in copies], [labels[i] for i in copies]))


class TestC45:
    def test_missing_values_of_the_golf_days(self):
        """Quinlan (1993), Section 3.2: with the outlook of the twelfth day missing, .199 bits of gain, ratio .110."""
        rows = [list(row) for row in GOLF]
        rows[11][0] = None
        table = id3.table_of(rows, PLAY, numeric=frozenset([1, 2]))
        test = c45.symbolic(table, [(i, 1.0) for i in range(14)], 0, 2)
        assert test.gain == pytest.approx(0.199, abs=5e-4)
        assert test.information == pytest.approx(1.809, abs=5e-4)
        assert test.gain / test.information == pytest.approx(0.110, abs=5e-4)
        shares = c45.share_out(table, [(i, 1.0) for i in range(14)], test)
        assert {value: c45.weigh(part) for value, part in shares.items()} == pytest.approx(
            {"sunny": 5 + 5 / 13, "overcast": 3 + 3 / 13, "rain": 5 + 5 / 13}
        )

    def test_tree_of_the_golf_days(self):
        """Quinlan (1993), Figure 2-1: humidity at most 75 under sunny, windy under rain."""
        tree = c45.grow(GOLF, PLAY, numeric=frozenset([1, 2]))
        assert sketch(tree) == (
            (0, None),
            {
                "sunny": ((2, 75.0), {"<=": "P", ">": "N"}),
                "overcast": "P",
                "rain": ((3, None), {"false": "P", "true": "N"}),
            },
        )

    def test_choice_of_a_threshold_costs_bits(self):
        """Five values give four cuts, with two cases on either side two: 1 bit over 5 cases."""
        table = id3.table_of([[float(x)] for x in range(5)], list("PPQQQ"), numeric=frozenset([0]))
        test = c45.numeric(table, [(i, 1.0) for i in range(5)], 0, 2)
        assert (test.threshold, test.gain) == (1.0, pytest.approx(id3.entropy([2, 3]) - 1 / 5))

    def test_threshold_is_a_value_of_the_training_set(self):
        """The middle of 1 and 4 is 2.5; the node does not have 2, but the training set does."""
        table = id3.table_of([[1.0], [1.0], [2.0], [4.0], [4.0]], list("PPPQQ"), numeric=frozenset([0]))
        test = c45.numeric(table, [(0, 1.0), (1, 1.0), (3, 1.0), (4, 1.0)], 0, 2)
        assert test.threshold == 2.0

    def test_two_values_must_be_frequent(self):
        table = id3.table_of([["a"], ["a"], ["b"], ["c"]], list("PPQQ"))
        everybody = [(i, 1.0) for i in range(4)]
        assert c45.symbolic(table, everybody, 0, 2) is None
        assert c45.symbolic(table, everybody, 0, 1) is not None

    def test_estimates_of_the_vote_subtree(self):
        """Quinlan (1993), Section 4.2: 6 x .206 + 9 x .143 + 1 x .750 = 3.273 against 16 x .157 = 2.512.

        The book's deviate is interpolated in a table: .6925 for 25 %.
        """
        leaves = sum(c45.added_errors(n, 0, 0.25) for n in (6, 9, 1))
        assert leaves == pytest.approx(3.273, abs=0.003)
        assert (1 + c45.added_errors(16, 1, 0.25, z=0.6925)) / 16 == pytest.approx(0.157, abs=5e-4)

    @pytest.mark.parametrize(("n", "e"), [(n, e) for n in (5, 16, 50, 200) for e in (0, 1, 2, 4)])
    def test_approximation_is_near_the_binomial_limit(self, n, e):
        exact = c45.upper_limit(n, e, 0.25)
        assert (e + c45.added_errors(n, e, 0.25)) / n == pytest.approx(exact, rel=0.06)

    def test_parts_of_an_error_are_on_a_line(self):
        none, one = c45.added_errors(10, 0, 0.25), c45.added_errors(10, 1, 0.25)
        assert c45.added_errors(10, 0.5, 0.25) == pytest.approx((none + one) / 2)

    def test_pruning_makes_a_leaf_of_what_errs_more(self):
        """The book's votes: 6, 9 and 1 cases, one of them of the other class."""
        rows = [["a"]] * 6 + [["b"]] * 9 + [["c"]]
        labels = ["P"] * 15 + ["Q"]
        grown = c45.grow(rows, labels, min_cases=1, is_pruned=False)
        assert set(grown.children) == {"a", "b", "c"}
        assert c45.grow(rows, labels, min_cases=1).children == {}

    def test_missing_answer_is_a_mixture(self):
        """Under a missing outlook: 5/14 of sunny (2 of 5 P), 4/14 of overcast, 5/14 of rain (3 of 5 P)."""
        tree = c45.grow(WEATHER, PLAY)
        answer = c45.answer(tree, [None, "hot", None, None])
        assert answer == pytest.approx({"P": 9 / 14, "N": 5 / 14})

    def test_average_guard(self):
        """The rare `x` has the better ratio (.194 against .189), but gains less than the average (.066 of .127)."""
        rows = [["a" if i < 8 else "b", "x" if i < 1 else "y"] for i in range(16)]
        labels = ["P" if i < 6 or i in (8, 9) else "Q" for i in range(16)]
        tree = c45.grow(rows, labels, min_cases=1, is_pruned=False)
        assert tree.feature == 0


class TestCodelengths:
    def test_exceptions(self):
        """log2 15 + log2 2002."""
        assert codelengths.exceptions(14, 9, bound=14) == pytest.approx(14.874, abs=5e-4)

    def test_tree_of_the_weather(self):
        """8 nodes, 2 + 1.585 + 1.585 bits for the tests, 5 leaves."""
        found = codelengths.choices(id3.grow(WEATHER, PLAY), [3, 3, 2, 2], [0] * 4)
        assert (sorted(found[0]), found[1]) == ([3, 3, 4], 5)
        assert codelengths.tree(*found, 2) == pytest.approx(18.170, abs=5e-4)

    @pytest.mark.parametrize(("n", "k", "n_classes"), [(5, 2, 2), (6, 3, 3), (4, 0, 3), (3, 3, 4)])
    def test_every_list_of_corrections_has_its_code(self, n, k, n_classes):
        """As many messages as there are lists of k corrections, for each k up to n."""
        messages = codelengths.n_messages(n, k, n_classes)
        assert codelengths.exceptions(n, k, n_classes=n_classes) == pytest.approx(log2(n + 1) + log2(messages))

    def test_ideal(self):
        assert codelengths.ideal(14, 5) == pytest.approx(14 * 0.9403, abs=1e-3)

    def test_empty_branches_are_leaves(self):
        """Two tests of one in 2 and one in 1, three leaves and the empty branch: 6 bits, 1, 4."""
        rows = [["0", "blue"], ["0", "blue"], ["0", "red"], ["0", "green"], ["1", "red"], ["1", "green"]]
        found = codelengths.choices(id3.grow(rows, list("PPPPPQ")), [2, 3], [0, 0])
        assert found == ([2, 1], 4)
        assert codelengths.tree(*found, 2) == 11

    def test_thresholds_are_choices(self):
        """One feature of four numbers: one in three thresholds."""
        tree = id3.grow([[1.0], [2.0], [4.0], [8.0]], list("PPQQ"), numeric=frozenset([0]))
        assert codelengths.choices(tree, [0], [3]) == ([3], 2)


class TestACR:
    def test_error_vectors_of_the_paper(self):
        """The target is x1 and x2; the hypothesis x1 errs at 10, x2 at 01."""
        rows = [list(row) for row in ("11", "10", "01", "00")]
        target = [a + b == "11" for a, b in rows]
        order = acr.lexicographic_order(rows)
        assert acr.error_vector([a == "1" for a, _ in rows], target, order) == [0, 0, 1, 0]
        assert acr.error_vector([b == "1" for _, b in rows], target, order) == [0, 1, 0, 0]

    def test_autocorrelation_by_hand(self):
        """Mean 1/2, every product a quarter: seven unlike neighbours, six like ones at two."""
        assert acr.autocorrelations([1, 0, 1, 0, 1, 0, 1, 0]) == [-7 / 8, 6 / 8]

    def test_runs_of_errors_depend_on_each_other(self):
        assert not acr.is_independent([0] * 20 + [1] * 20)
        assert acr.is_independent([0] * 40)

    def test_kendall(self):
        assert acr.kendall_null(3) == {3: 1, 1: 2, -1: 2, -3: 1}
        assert acr.kendall_p([1, 2, 3, 5, 4]) == Fraction(5, 120)
        assert acr.kendall_p([2, 2, 2]) == 1
        assert acr.is_increasing([1, 2, 3, 4, 5])
        assert not acr.is_increasing([1, 2, 3, 4])

    def test_sign(self):
        """Seven unanimous runs are enough, six are not."""
        assert acr.sign_p(7, 0) < Fraction(1, 100) < acr.sign_p(6, 0)
        assert acr.sign_p(8, 1) == Fraction(10, 512)

    def test_run_stops_when_nothing_is_wrong(self):
        """The first sample leaves twenty errors in a row, the second none."""
        labels = ["a"] * 20 + ["b"] * 20
        answers = {10: ["a"] * 40, 20: labels}
        run = acr.run([10, 20, 40], lambda size: (float(size), answers[size]), labels, range(40))
        assert (run.sizes, run.reason) == ([10, 20], "no_errors")
        assert run.totals == pytest.approx([10 + codelengths.exceptions(40, 20), 20 + log2(41)])

    def test_run_stops_when_errors_are_independent(self):
        """One error is like noise: every coefficient is about -1/40."""
        labels = ["a"] * 20 + ["b"] * 20
        run = acr.run([10, 20, 40], lambda size: (1.0, ["b", *labels[1:]]), labels, range(40))
        assert (run.sizes, run.reason) == ([10], "independent")

    def test_run_stops_when_codelengths_grow(self):
        labels = ["a"] * 20 + ["b"] * 20
        run = acr.run(range(10, 40), lambda size: (float(size), ["a"] * 40), labels, range(40))
        assert (run.sizes, run.reason) == ([10, 11, 12, 13, 14], "increasing")
        assert run.minimum == run.totals[0]

    def test_verdicts(self):
        assert acr.verdict([(1, 2)] * 7)[4] == 1
        assert acr.verdict([(2, 1)] * 6)[4] == 0
        assert acr.verdict([(2, 1)] * 7 + [(1, 1)] * 3) == (0, 7, 3, Fraction(1, 128), -1)

    def test_ranking(self):
        wins = {("a", "b"): "a", ("a", "c"): "a", ("b", "c"): None}
        assert (acr.best("abc", wins), acr.cycles("abc", wins)) == ("a", [])
        wins = {("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c"}
        assert (acr.best("abc", wins), acr.cycles("abc", wins)) == (None, [{"a", "b", "c"}])


class TestObliviousGraph:
    def test_conjunction(self):
        """x1 = 0 is a leaf at once; x1 = 1 asks x2: the root, one node, two leaves."""
        graph = oblivious_graph.grow(XOR, list("0001"))
        assert graph.features == [0, 1]
        assert (oblivious_graph.widths(graph), len(graph.nodes)) == ([1, 1], 4)

    def test_parity_is_two_nodes_wide(self):
        """A tree of three bits has fifteen nodes; the graph remembers odd or even: five, and two leaves."""
        rows = [list(row) for row in product("01", repeat=3)]
        labels = ["odd" if row.count("1") % 2 else "even" for row in rows]
        graph = oblivious_graph.grow(rows, labels)
        assert (oblivious_graph.widths(graph), len(graph.nodes)) == ([1, 2, 2], 7)
        assert [oblivious_graph.walk(graph, row).label for row in rows] == labels

    def test_a_feature_that_parts_no_mixed_cell_is_left_out(self):
        rows = [list(row) for row in product("01", repeat=3)]
        labels = ["odd" if row[:2].count("1") % 2 else "even" for row in rows]
        assert oblivious_graph.grow(rows, labels).features == [0, 1]

    def test_unknown_value_stops_at_its_node(self):
        """After 1 the classes of 10 and 11: a tie, and 0 is more frequent."""
        graph = oblivious_graph.grow(XOR, list("0001"))
        assert oblivious_graph.walk(graph, ["1", "z"]).distribution == {"0": 1, "1": 1}
        assert oblivious_graph.walk(graph, ["1", "z"]).label == "0"


class TestPerceptronTree:
    def test_two_of_three_are_separable_and_parity_is_not(self):
        rows = [list(row) for row in product("01", repeat=3)]
        assert perceptron_tree.is_separable(rows, [str(row.count("1") >= 2) for row in rows])
        assert not perceptron_tree.is_separable(rows, [str(row.count("1") % 2) for row in rows])

    def test_three_classes_by_one_plane_each(self):
        """On a line: the middle class is highest in the middle; two pieces of one class are not."""
        numbers = [[float(x)] for x in range(6)]
        assert perceptron_tree.is_separable(numbers, list("aabbcc"), frozenset([0]))
        assert not perceptron_tree.is_separable(numbers, list("aabbaa"), frozenset([0]))

    def test_contradictions_are_not_separable(self):
        assert not perceptron_tree.is_separable([["a"], ["a"]], list("PQ"))
