"""The oracles of hierarchical rules, hyphenated words and patterns, on examples worked by hand."""

from __future__ import annotations

import doctest
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracles import patterns, rules, words
from tests.oracles.rules import TRUE, Concept, Rule
from tests.oracles.words import MINUS, PLUS

HYPHENATION = "hy-phen-a-tion"

# Which of these fly: birds do, penguins do not, Pete the penguin has an aeroplane, and stones do not.
ANIMALS = ["sparrow", "robin", "swift", "stork", "penguin", "emperor", "Pete", "stone"]
FLIES = [1, 1, 1, 1, 0, 0, 1, 0]
ZOO = [
    Concept("bird", 1, frozenset(range(7))),
    Concept("penguin", 1, frozenset({4, 5, 6})),
    Concept("Pete", 1, frozenset({6})),
    Concept("sparrow", 1, frozenset({0})),
]


def levels(*said, default, cost):
    """A rule from levels written as {"name": class}."""
    return Rule(tuple(frozenset(level.items()) for level in said), default, cost)


@st.composite
def problems(draw, n_classes=2):
    """Up to eight examples and seven concepts of small cost, with labels that may contradict each other."""
    n = draw(st.integers(1, 8))
    extents = st.frozensets(st.integers(0, n - 1), max_size=n)
    drawn = draw(st.lists(st.tuples(st.sampled_from([1, 1, 1, 2, 3]), extents), max_size=7))
    concepts = [Concept("abcdefg"[i], cost, extent) for i, (cost, extent) in enumerate(drawn)]
    return concepts, draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))


@pytest.mark.parametrize("module", [rules, words, patterns], ids=lambda module: module.__name__.rpartition(".")[2])
def test_docstrings(module):
    """The examples in the docstrings are true."""
    assert doctest.testmod(module).failed == 0


class TestCover:
    def test_greedy_is_not_optimal(self):
        """Chvátal's example for three elements: 1/3, 1/2 and 1 look cheaper than 1.1 for all, and cost 1.83."""
        sets = {"all": {1, 2, 3}, "3": {3}, "2": {2}, "1": {1}}
        cost = {"all": 1.1, "3": 1 / 3, "2": 1 / 2, "1": 1.0}
        assert rules.weighted_set_cover({1, 2, 3}, list(sets), sets, cost) == ["3", "2", "1"]

    def test_ties_go_to_more_new_examples(self):
        """Both cost 1 an example; the larger comes first though it stands later."""
        sets, cost = {"one": {1}, "two": {1, 2}}, {"one": 1, "two": 2}
        assert rules.weighted_set_cover({1, 2}, list(sets), sets, cost) == ["two"]

    def test_then_to_the_first(self):
        """Equal in cost and size: order decides."""
        sets, cost = {"b": {1, 2}, "a": {2, 1}}, {"a": 1, "b": 1}
        assert rules.weighted_set_cover({1, 2}, ["b", "a"], sets, cost) == ["b"]

    def test_nothing_to_cover_costs_nothing(self):
        """An empty cover is a cover."""
        assert rules.weighted_set_cover(set(), ["a"], {"a": {1}}, {"a": 1}) == []

    def test_no_cover(self):
        """Sets of infinite cost do not take part."""
        assert rules.weighted_set_cover({1}, ["a"], {"a": {1}}, {"a": rules.inf}) is None


class TestZoo:
    def test_depth_0_fails(self):
        """The default alone is consistent only with examples of one class."""
        assert rules.two_classes(ZOO, FLIES, 0) is None
        assert rules.two_classes(ZOO, [1] * 8, 0) == Rule((), 1, 1)

    def test_depth_1_fails(self):
        """Those that do not fly are no union of concepts, nor are those that do."""
        assert rules.two_classes(ZOO, FLIES, 1) is None

    def test_depth_2_fails(self):
        """Default no: birds need penguins as their exceptions, and Pete is one of these.

        Default yes: no concept covers the stone.
        """
        assert rules.two_classes(ZOO, FLIES, 2) is None

    def test_depth_3(self):
        """The default, birds, penguins and Pete cost 1 each."""
        wanted = levels({"Pete": 1}, {"penguin": 0}, {"bird": 1}, default=0, cost=4)
        assert rules.two_classes(ZOO, FLIES, 3) == wanted == rules.find_rule(ZOO, FLIES, 3)
        assert rules.is_consistent(wanted, ZOO, FLIES)

    def test_deeper_than_needed_leaves_levels_empty(self):
        """Innermost levels stay empty."""
        wanted = levels({}, {}, {"Pete": 1}, {"penguin": 0}, {"bird": 1}, default=0, cost=4)
        assert rules.two_classes(ZOO, FLIES, 5) == wanted

    def test_first_level_asked_decides(self):
        """Pete is a bird and a penguin, and the level of Pete is asked first."""
        rule = rules.two_classes(ZOO, FLIES, 3)
        assert rules.firing(rule, {"bird", "penguin", "Pete"}) == {("Pete", 1)}
        assert rules.firing(rule, {"bird", "penguin"}) == {("penguin", 0)}
        assert rules.firing(rule, set()) == {(TRUE, 0)}

    def test_shared_exceptions_count_twice(self):
        """Walkers and swimmers both have the penguin as an exception: 1 + (1 + 1) + (1 + 1) for four parts."""
        concepts = [
            Concept("walker", 1, frozenset({0, 1, 4})),
            Concept("swimmer", 1, frozenset({2, 3, 4})),
            Concept("penguin", 1, frozenset({4})),
        ]
        wanted = levels({"penguin": 0}, {"walker": 1, "swimmer": 1}, default=0, cost=5)
        assert rules.figure_2(concepts, [1, 1, 1, 1, 0, 0], 2, first=0) == wanted

    def test_noise(self):
        """Without the stone flying is the default, with penguins and Pete; at depth 0 all that stay are noise."""
        assert rules.find_noisy_rule(ZOO, FLIES, 2, 2, 1) == levels({"Pete": 1}, {"penguin": 0}, default=1, cost=3)
        assert rules.find_noisy_rule(ZOO, FLIES, 0, 2, 3) == levels(default=1, cost=1)
        assert rules.find_noisy_rule(ZOO, FLIES, 0, 2, 2) is None

    def test_true_inside_is_a_default(self):
        """What is asked behind it is never reached."""
        rule = levels({"Pete": 1}, {TRUE: 0, "penguin": 0}, {"bird": 1}, default=0, cost=4)
        assert rules.shorten(rule) == levels({"Pete": 1}, default=0, cost=4)

    def test_true_is_a_concept_of_every_level(self):
        """All examples are of class 0 but the default is to say 1: `TRUE` is the one exception."""
        assert rules.figure_2([], [0, 0], 1, first=0) == levels({TRUE: 0}, default=1, cost=2)
        assert rules.figure_2([], [0, 0], 1, first=0, true_inside=False) is None

    def test_equal_costs_go_to_the_smaller_default(self):
        """One concept for either class: 2 both ways."""
        concepts = [Concept("a", 1, frozenset({0})), Concept("b", 1, frozenset({1}))]
        assert rules.two_classes(concepts, [0, 1], 1) == levels({"b": 1}, default=0, cost=2)
        assert rules.two_classes(concepts, [1, 0], 1) == levels({"a": 1}, default=0, cost=2)


class TestSeveralClasses:
    def test_levels_carry_any_class(self):
        """Two kinds of exceptions to the default on one level."""
        concepts = [Concept("a", 1, frozenset({0, 1})), Concept("b", 1, frozenset({2}))]
        wanted = levels({"a": 1, "b": 2}, default=0, cost=3)
        assert rules.find_rule(concepts, [1, 1, 2, 0], 1, 3) == wanted

    def test_rules_of_a_level_may_overlap(self):
        """Example 1 is in both; `b` has it as its exception, so that `a`, which has none, is asked on two levels."""
        concepts = [Concept("a", 1, frozenset({0, 1})), Concept("b", 1, frozenset({1, 2, 3}))]
        wanted = levels({"a": 1}, {"a": 1, "b": 2}, default=0, cost=4)
        assert rules.find_rule(concepts, [1, 1, 2, 2, 0, 0, 0], 2, 3) == wanted

    def test_exceptions_of_two_classes(self):
        """For `all but one` there are exceptions of both other classes; the second is one to the default as well."""
        concepts = [
            Concept("all but one", 1, frozenset(range(5))),
            Concept("first", 1, frozenset({0})),
            Concept("second", 1, frozenset({1})),
        ]
        labels = [0, 1, 2, 2, 2, 0]
        wanted = levels({"first": 0, "second": 1}, {"all but one": 2, "second": 1}, default=0, cost=5)
        assert rules.several_classes(concepts, labels, 2, 3, 0) == wanted
        assert rules.find_rule(concepts, labels, 1, 3) is None

    @settings(max_examples=80)
    @given(problems(n_classes=4), st.integers(0, 3))
    def test_every_example_is_right(self, problem, depth):
        """Whatever fires first on an example says its class."""
        concepts, labels = problem
        for true_inside in [True, False]:
            rule = rules.find_rule(concepts, labels, depth, 4, true_inside=true_inside)
            assert rule is None or rules.is_consistent(rule, concepts, labels)

    @settings(max_examples=80)
    @given(problems(), st.integers(0, 4), st.booleans())
    def test_two_classes_are_figure_2(self, problem, depth, true_inside):
        """With two classes the levels alternate of themselves."""
        concepts, labels = problem
        found = rules.find_rule(concepts, labels, depth, true_inside=true_inside)
        assert found == rules.two_classes(concepts, labels, depth, true_inside=true_inside)


class TestProperties:
    @settings(max_examples=100)
    @given(problems(), st.integers(0, 3))
    def test_merging_changes_nothing(self, problem, depth):
        """Of concepts that cover the same, only the first in tie order is ever chosen."""
        concepts, labels = problem
        assert rules.find_rule(concepts, labels, depth) == rules.find_rule(rules.merge(concepts), labels, depth)

    @settings(max_examples=100)
    @given(problems(), st.integers(0, 3))
    def test_deeper_rules_exist_where_shallower_do(self, problem, depth):
        """A rule of some depth is also one of the next; what contradicts itself has none at all."""
        concepts, labels = problem
        assume(rules.find_rule(concepts, labels, depth) is not None)
        assert rules.find_rule(concepts, labels, depth + 1) is not None
        assert rules.without_contradictions(concepts, labels) == list(range(len(labels)))

    @settings(max_examples=60)
    @given(problems())
    def test_no_rule_of_depth_1_is_missed(self, problem):
        """The algorithm fails only where no set of concepts tells the classes apart; the cheapest set is no dearer."""
        concepts, labels = problem
        costs = []
        for default in (0, 1):
            exceptions = {i for i, label in enumerate(labels) if label != default}
            for size in range(len(concepts) + 1):
                for some in combinations(concepts, size):
                    if set().union(*(c.examples for c in some)) == exceptions:
                        costs.append(1 + sum(c.cost for c in some))
        found = rules.find_rule(concepts, labels, 1, true_inside=False)
        assert (found is None) == (not costs)
        assert found is None or found.cost >= min(costs)


class TestWords:
    def test_examples_of_the_paper(self):
        """Section 3: the word defines ten examples."""
        found = {
            label: [marked for marked, said in words.examples(HYPHENATION) if said == label] for label in (PLUS, MINUS)
        }
        assert found[PLUS] == ["hy-phenation", "hyphen-ation", "hyphena-tion"]
        assert found[MINUS][:4] == ["h-yphenation", "hyp-henation", "hyph-enation", "hyphe-nation"]
        assert found[MINUS][4:] == ["hyphenat-ion", "hyphenati-on", "hyphenatio-n"]

    def test_rule_of_the_paper(self):
        """If -ph or n-a or a-t then + else -: consistent, and of cost 4."""
        concepts, labels, _ = words.problem([HYPHENATION], edges=False)
        rule = levels({"-ph": PLUS, "n-a": PLUS, "a-t": PLUS}, default=MINUS, cost=4)
        assert rules.is_consistent(rule, concepts, labels)
        without = levels({"n-a": PLUS, "a-t": PLUS}, default=MINUS, cost=3)
        assert not rules.is_consistent(without, concepts, labels)

    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_rule_found(self, depth):
        """Of the concepts that cover one place of the three, the shortest and first: cost 4 as well.

        No letter stands twice before or after a break, so no concept covers two of them. Saying + by default costs
        6: h- and -n cover two negative examples each, three are left.
        """
        concepts, labels, _ = words.problem([HYPHENATION], edges=False)
        wanted = [{}] * (depth - 1) + [{"-a": PLUS, "-p": PLUS, "-t": PLUS}]
        assert rules.find_rule(concepts, labels, depth) == levels(*wanted, default=MINUS, cost=4)
        other = rules.several_classes(concepts, labels, 1, 2, PLUS)
        assert other == levels({"-n": MINUS, "h-": MINUS, "-h": MINUS, "-i": MINUS, "-o": MINUS}, default=PLUS, cost=6)

    def test_rule_with_classes(self):
        """E-K covers y-p and a-t for 2, with -n as its exception: no dearer for each, and more at once."""
        concepts, labels, _ = words.problem([HYPHENATION], edges=False, classes=classes_of("aeioy", "hpntK"))
        wanted = levels({"-n": MINUS}, {"E-K": PLUS, "-a": PLUS}, default=MINUS, cost=4)
        assert rules.several_classes(concepts, labels, 2, 2, MINUS) == wanted

    def test_edges_tell_prefixes(self):
        """Of a-b and cd every substring is also one of xaby and xc-dy, where it is wrong: edges tell them."""
        both_ways = ["a-b", "xaby", "cd", "xc-dy"]
        concepts, labels, _ = words.problem(both_ways, edges=False)
        assert rules.find_rule(concepts, labels, 1) is None
        concepts, labels, _ = words.problem(both_ways)
        assert rules.find_rule(concepts, labels, 1) == levels({"-b.": PLUS, "-dy": PLUS}, default=MINUS, cost=3)

    def test_contradictory_words(self):
        """The noun and the verb: at two places one of them is left out, and of equal ones the smaller class stays."""
        concepts, labels, _ = words.problem(["rec-ord", "re-cord"])
        assert rules.find_rule(concepts, labels, 4) is None
        assert rules.find_noisy_rule(concepts, labels, 4, 2, 1) is None
        assert rules.without_contradictions(concepts, labels) == [0, 1, 3, 4, 5, 7, 8, 9]
        assert rules.find_noisy_rule(concepts, labels, 4, 2, 2) == levels({}, {}, {}, {}, default=MINUS, cost=1)

    def test_minima(self):
        """Places too near an edge are no examples."""
        assert words.examples("o-pen", left_min=2, right_min=2) == [("op-en", MINUS)]
        assert words.examples("o") == []


class TestPatterns:
    LIANG = "hy3ph he2n hena4 hen5at 1na n2at 1tio 2io o2n"

    def test_the_texbook(self):
        """Appendix H: h0y3p0h0e2n5a4t2i0o2n, so hy-phen-ation."""
        known = [pattern for written in self.LIANG.split() for pattern in patterns.parse(written)]
        assert [number or 0 for number in patterns.numbers("hyphenation", known)] == [0, 3, 0, 0, 2, 5, 4, 2, 0, 2]
        assert patterns.positions("hyphenation", known) == [2, 6]

    def test_the_greatest_number_wins_whatever_the_length(self):
        """A long pattern has no more to say than a short one."""
        known = patterns.parse("1b") + patterns.parse("a2b") + patterns.parse("xa1b")
        assert patterns.positions("xab", known) == []
        assert patterns.positions("b" + "b", known) == [1]

    def test_edges(self):
        """A dot is the edge and not a letter; breaks at or before the edge do not count."""
        known = patterns.parse(".a1") + patterns.parse("1c.") + patterns.parse("1.a") + patterns.parse("c1.")
        assert patterns.positions("aaacc", known) == [1, 4]
        assert patterns.positions("x.ay", known) == []

    def test_minima(self):
        """At least so many letters stay before and after a break."""
        known = patterns.parse("1a")
        assert patterns.positions("aaaaa", known) == [1, 2, 3, 4]
        assert patterns.positions("aaaaa", known, left_min=2, right_min=3) == [2]

    def test_default(self):
        """Where no pattern speaks the default does; 0 is a number that forbids."""
        assert patterns.positions("abc", patterns.parse("b2c"), default_allows=True) == [1]
        assert patterns.positions("abc", patterns.parse("b0c"), default_allows=True) == [1]

    def test_classes(self):
        """E1K speaks of letters by their classes; z has none, and the letter E is not the class E."""
        known = [patterns.Pattern("EK", 1, 1, True), patterns.Pattern("ab", 1, 2)]
        classes = classes_of("ae", "bc")
        assert patterns.positions("acabezEK", known, classes=classes) == [1]
        assert patterns.positions("acabezEK", known, classes=None) == []


def classes_of(vowels, consonants):
    """E for vowels, K for consonants."""
    return dict.fromkeys(vowels, "E") | dict.fromkeys(consonants, "K")


class TestPatternsAreRules:
    @settings(max_examples=20)
    @given(st.lists(st.text("ab", min_size=2, max_size=5), min_size=1, max_size=3, unique=True), st.data())
    def test_levels_are_numbers(self, plain, data):
        """A rule over substrings, its levels numbered from the default, says of every example what its patterns do."""
        hyphenated = [
            word[0] + "".join(("-" if data.draw(st.booleans()) else "") + letter for letter in word[1:])
            for word in plain
        ]
        concepts, labels, _ = words.problem(hyphenated)
        rule = rules.find_rule(concepts, labels, 3, true_inside=False)
        if rule is None:
            return
        known = [
            patterns.Pattern(words.letters(name), name.index("-"), number + (rule.default == PLUS))
            for number, level in zip(range(len(rule.levels), 0, -1), rule.levels)
            for name, _ in level
        ]
        for word in hyphenated:
            found = patterns.positions(words.letters(word), known, default_allows=rule.default == PLUS)
            assert found == words.breaks(word)
