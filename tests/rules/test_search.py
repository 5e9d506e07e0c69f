"""Hierarchical rules: Figure 2 by hand, by a plain version of it, and what always holds of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.errors import CasebaseError
from casebase.rules.search import (
    Concepts,
    Forced,
    HierarchicalRule,
    Level,
    NoConsistentRuleError,
    applied,
    find_rule,
    merged,
)


def labels_of(text):
    return np.array(["+-".index(sign) for sign in text])


def test_exceptions_are_covered_by_the_level_asked_before():
    """Birds fly, except penguins: {0, 1, 2, 3} are birds, {3} are penguins, and what is no bird does not fly."""
    rule = find_rule(Concepts.of([{0, 1, 2, 3}, {3}]), labels_of("+++----"))

    assert rule == HierarchicalRule((Level(1, (1,)), Level(0, (0,))), 1, 3.0)


def test_depth_1_takes_only_concepts_without_exceptions():
    """{0, 1, 2, 3} holds a negative example, so its positive ones are covered one by one."""
    rule = find_rule(Concepts.of([{0, 1, 2, 3}, {0}, {1}, {2}]), labels_of("+++----"), depth=1)

    assert rule == HierarchicalRule((Level(0, (1, 2, 3)),), 1, 4.0)


def test_depth_0_is_the_default_alone():
    assert find_rule(Concepts.of([{0}]), labels_of("--"), depth=0) == HierarchicalRule((), 1, 1.0)


def test_equal_costs_go_to_the_smaller_label():
    """Either default needs one exception."""
    rule = find_rule(Concepts.of([{0, 1}, {2, 3}]), labels_of("++--"), depth=1)

    assert rule == HierarchicalRule((Level(1, (1,)),), 0, 2.0)


def test_the_cover_takes_the_lowest_cost_per_new_example_then_more_examples_then_the_first():
    """{0, 1, 2} at cost 3 and {3, 4, 5, 6} at cost 4 cost 1 an example, as {0} does: the largest goes first."""
    concepts = Concepts.of([{0}, {0, 1, 2}, {1, 2}, {3, 4, 5, 6}], cost=[1, 3, 3, 4])

    rule = find_rule(concepts, labels_of("+++++++---------"), depth=1)

    assert rule.levels[0].concepts == (1, 3)


def test_shared_exceptions_are_paid_twice_and_written_once():
    """Both broad concepts hold example 4, which the last one covers."""
    concepts = Concepts.of([{0, 1, 4}, {2, 3, 4}, {4}])

    rule = find_rule(concepts, labels_of("++++-" + "-" * 9))

    assert rule == HierarchicalRule((Level(1, (2,)), Level(0, (0, 1))), 1, 5.0)


def test_a_level_that_holds_everything_is_the_default():
    """With depth 0 for '-' there are exceptions; `true` at level 1 answers for all, and the rule is cut there."""
    rule = find_rule(Concepts.of([{0}]), labels_of("++"), depth=1)

    assert (rule.default, rule.n_rules) == (0, 0)


def plain_rule(extents, cost, labels, n_classes, depth):
    """Figure 2 with sets, for any number of classes: the cost for each default."""
    everything = [*(set(e) for e in extents), set(range(len(labels)))]
    own = [*cost, 1.0]
    classes = range(n_classes)

    def cover(examples, label, prices):
        left, total = set(examples), 0.0
        while left:
            best = min(
                (prices[label][i] / len(new), -len(new), i)
                for i, extent in enumerate([*everything, set(left)])
                for new in [{x for x in extent & left if labels[x] == label}]
                if new
            )
            if best[2] == len(everything) or best[0] == np.inf:
                return np.inf
            total += prices[label][best[2]]
            left -= everything[best[2]]
        return total

    def price(r, sigma, prices):
        wrong = [{x for x in everything[r] if labels[x] == tau} for tau in classes if tau != sigma]
        if prices is None:
            return np.inf if any(wrong) else own[r]
        others = [tau for tau in classes if tau != sigma]
        return own[r] + sum(cover(xs, tau, prices) for xs, tau in zip(wrong, others))

    prices = None
    for _ in range(depth):
        prices = [[price(r, sigma, prices) for r in range(len(everything))] + [np.inf] for sigma in classes]
    return [price(len(extents), default, prices) for default in classes]


@st.composite
def problems(draw):
    n_examples = draw(st.integers(1, 9))
    n_classes = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_examples, max_size=n_examples))
    extents = draw(st.lists(st.sets(st.integers(0, n_examples - 1)), max_size=9))
    cost = draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=len(extents), max_size=len(extents)))
    return extents, cost, np.array(labels), n_classes, draw(st.integers(0, 4))


@settings(max_examples=300, deadline=None)
@given(problems())
def test_the_cost_is_that_of_the_figure_and_every_example_is_right(problem):
    extents, cost, labels, n_classes, depth = problem
    concepts = Concepts.of(extents, cost)
    expected = min(plain_rule(extents, cost, labels, n_classes, depth))

    if expected == np.inf:
        with pytest.raises(NoConsistentRuleError) as caught:
            find_rule(concepts, labels, n_classes=n_classes, depth=depth)
        assert 0 < caught.value.n_conflicts <= len(labels)
        assert set(caught.value.examples) <= set(range(len(labels)))
    else:
        rule = find_rule(concepts, labels, n_classes=n_classes, depth=depth)
        assert rule.cost == expected
        assert applied(rule, concepts, len(labels)).label.tolist() == labels.tolist()
        assert len(rule.levels) <= depth


def test_examples_that_no_concept_tells_apart_are_an_honest_failure():
    """Examples 0 and 2 are both in the first concept only, and of different classes."""
    concepts = Concepts.of([{0, 1, 2}, {1}])

    with pytest.raises(NoConsistentRuleError, match="2 of 4 examples are equal in all concepts") as caught:
        find_rule(concepts, labels_of("+--+"), depth="auto")

    assert (caught.value.n_conflicts, caught.value.examples) == (2, (0, 2))
    assert pickle.loads(pickle.dumps(caught.value)).examples == (0, 2)


def test_too_little_depth_tells_which_examples_are_left():
    """At depth 1, '+' at 0 and '-' at 3 stand alone in no concept that is pure."""
    concepts = Concepts.of([{0, 1, 2}, {1}, {2}, {3, 4}, {4}])

    with pytest.raises(
        NoConsistentRuleError, match="No rule of depth 1 is right on all of 6 examples: 1 are"
    ) as caught:
        find_rule(concepts, labels_of("+---++"), depth=1)

    assert len(caught.value.examples) == caught.value.n_conflicts == 1


def test_auto_takes_the_first_depth_that_suffices():
    concepts = Concepts.of([{0, 1, 2, 3}, {1, 2, 3}, {2, 3}, {3}])

    assert len(find_rule(concepts, labels_of("+-+--"), depth="auto").levels) == 4


def test_auto_gives_up_when_nothing_changes_any_more():
    """Each concept's exception is held by the other alone, for ever; nothing is contradictory."""
    concepts = Concepts.of([{0, 1}, {1, 2}])

    with pytest.raises(NoConsistentRuleError, match="No rule of depth"):
        find_rule(concepts, labels_of("+-+-"), depth="auto")


def test_noise_lets_the_lighter_of_equal_examples_give_way():
    """Examples 0, 1 and 2 are the same; two say '+'."""
    concepts = Concepts.of([{0, 1, 2}])

    rule = find_rule(concepts, labels_of("++----"), noise=0.2, depth=1)

    assert rule == HierarchicalRule((Level(0, (0,)),), 1, 2.0)


def test_noise_ends_the_cover_when_the_rest_is_within_the_share():
    """{3} costs as much as {0, 1, 2} and covers one example of ten."""
    concepts = Concepts.of([{0, 1, 2}, {3}])

    rule = find_rule(concepts, labels_of("++++------"), noise=0.1, depth=1)

    assert rule.levels == (Level(0, (0,)),)


def test_a_weight_counts_as_so_many_examples():
    """{1, 2} weighs most and is taken first; then 0 and 3 need a concept each."""
    concepts = Concepts.of([{0, 1}, {1, 2}, {2, 3}])
    labels = labels_of("++++----")

    alone = find_rule(concepts, labels, depth=1)
    heavy = find_rule(concepts, labels, depth=1, weights=np.array([1, 9, 9, 1, 9, 9, 9, 9.0]))

    assert alone.levels[0].concepts == (0, 2)
    assert heavy.levels[0].concepts == (0, 1, 2)


def test_weights_are_copies():
    concepts = Concepts.of([{0, 1}, {1, 2}, {0, 2}, {3}])
    labels = labels_of("++-+--")
    weights = np.array([1, 2, 1, 3, 1, 1.0])
    copies = np.repeat(np.arange(6), weights.astype(int))
    repeated = Concepts.of([np.flatnonzero(np.isin(copies, concepts.extent(c))) for c in range(4)])

    assert find_rule(concepts, labels, weights=weights) == find_rule(repeated, labels[copies])


def test_a_forced_rule_is_used_and_learnt_around():
    """{0, 1, 2} would do at once; {0, 1} is forced, and its neighbours fill in."""
    concepts = Concepts.of([{0, 1, 2}, {0, 1}, {2}])

    rule = find_rule(concepts, labels_of("+++---"), depth=1, forced=[Forced(1, 0)])

    assert rule.levels[0].concepts == (0, 1)


def test_a_forced_rule_brings_its_exceptions():
    concepts = Concepts.of([{0, 1}, {0, 1, 2}, {2}])

    rule = find_rule(concepts, labels_of("++----"), depth=2, forced=[Forced(1, 0)])

    assert rule.levels == (Level(1, (2,)), Level(0, (1,)))


def test_a_forced_rule_that_cannot_be_right_is_refused():
    concepts = Concepts.of([{0, 1}, {0, 1, 2}])

    with pytest.raises(NoConsistentRuleError, match="forced"):
        find_rule(concepts, labels_of("++----"), depth=1, forced=[Forced(1, 0)])


def test_of_equal_concepts_the_first_is_kept():
    concepts, kept = merged(Concepts.of([{2, 4}, {1}, {2, 4}, set(), {1}, {4}], cost=[1, 1, 2, 2, 2, 3]))

    assert kept.tolist() == [0, 1, 5]
    assert [concepts.extent(c).tolist() for c in range(3)] == [[2, 4], [1], [4]]
    assert concepts.cost.tolist() == [1, 1, 3]


def test_of_rules_at_one_level_the_one_with_more_support_is_named():
    rule = HierarchicalRule((Level(-1, (0, 1, 2), (0, 1, 1)),), 0, 4.0)
    membership = Concepts.of([{0}, {0, 1}, {0, 1}])

    fired = applied(rule, membership, 3, support=np.array([5, 7, 7]))

    assert (fired.label.tolist(), fired.level.tolist(), fired.concept.tolist()) == ([1, 1, 0], [0, 0, -1], [1, 1, -1])


def test_threads_change_nothing():
    rng = np.random.default_rng(3)
    drawn = [np.flatnonzero(rng.random(300) < share) for share in rng.random(800) ** 4]
    concepts = Concepts.of([*drawn, *([x] for x in range(300))], cost=[1.0] * 800 + [5.0] * 300)
    labels = (rng.random(300) < 0.4).astype(int)

    assert find_rule(concepts, labels, depth=3, n_jobs=1) == find_rule(concepts, labels, depth=3, n_jobs=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": -1}, "depth is the number of levels"),
        ({"depth": "deep"}, "depth is the number of levels"),
        ({"noise": 1.0}, "noise is the share"),
        ({"weights": np.array([1.0, 0.0])}, "weights needs one number above 0"),
        ({"n_classes": 1}, "Labels are numbers from 0"),
        ({"forced": [Forced(3, 0)]}, "Cannot force a rule that does not exist"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(CasebaseError, match=message):
        find_rule(Concepts.of([{0}, {1}]), labels_of("+-"), **arguments)


def test_concepts_are_checked():
    with pytest.raises(CasebaseError, match="must be ascending and distinct"):
        Concepts(np.array([0, 2]), np.array([1, 1]), np.array([1.0]))
    with pytest.raises(CasebaseError, match="one more offset"):
        Concepts(np.array([0, 3]), np.array([1, 2]), np.array([1.0]))
    with pytest.raises(CasebaseError, match="above 0"):
        Concepts(np.array([0, 2]), np.array([1, 2]), np.array([0.0]))
    with pytest.raises(CasebaseError, match="has example 5"):
        find_rule(Concepts.of([{5}]), labels_of("+-"))


def test_noise_auto_leaves_what_must_be_left_and_no_more():
    """Examples 0 and 1 are the same and differ in class."""
    concepts = Concepts.of([{0, 1}, {2, 3}, {4, 5}, {5}])
    labels = labels_of("+-++-+----")

    rule = find_rule(concepts, labels, noise="auto", depth=1)

    assert rule == HierarchicalRule((Level(0, (1, 3)),), 1, 3.0)
    assert (applied(rule, concepts, 10).label != labels).sum() == 1


def test_noise_auto_is_no_noise_where_there_is_a_rule():
    concepts = Concepts.of([{0, 1, 2, 3}, {1, 2, 3}, {2, 3}, {3}])

    assert find_rule(concepts, labels_of("+-+--"), noise="auto", depth="auto") == find_rule(
        concepts, labels_of("+-+--"), depth="auto"
    )


def test_noise_auto_always_gives_a_rule():
    """The two concepts hold each other's exceptions for ever: some example is left, at whatever depth."""
    concepts = Concepts.of([{0, 1}, {1, 2}])
    labels = labels_of("+-+-")

    rule = find_rule(concepts, labels, noise="auto", depth="auto")

    assert (applied(rule, concepts, 4).label != labels).sum() in (1, 2)


def test_a_concept_with_fewer_exceptions_than_examples_has_its_way():
    """Nothing tells 3 from the three others of its concept: 3 is left, and they are not."""
    concepts = Concepts.of([{0, 1, 2, 3}])
    labels = labels_of("+++-----")

    assert find_rule(concepts, labels, noise="auto").levels == (Level(1, ()), Level(0, (0,)))


def test_noise_auto_and_forced_rules_that_cannot_stand_is_an_error():
    with pytest.raises(NoConsistentRuleError, match="forced"):
        find_rule(Concepts.of([{0}]), labels_of("+-"), noise="auto", forced=[Forced(0, 0, level=5)])
