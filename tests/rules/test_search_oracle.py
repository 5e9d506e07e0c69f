"""Hierarchical rules against Figure 2 written with sets, and what must not change a rule."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
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
from casebase.rules.windows import windowed
from tests.oracles import rules as plain
from tests.oracles import words
from tests.oracles.rules import Concept

depths = st.integers(0, 4)
NAMES = ["a", "b", "c", "d", "e", "aa", "ab", "ba"]


@st.composite
def set_problems(draw, n_classes=None, costs=(1, 1, 1, 2, 3, 0.5)):
    """Any sets of up to eight examples; labels from few concepts, or any."""
    n = draw(st.integers(1, 8))
    extents = draw(st.lists(st.frozensets(st.integers(0, n - 1), max_size=n), max_size=8))
    concepts = [Concept(name, draw(st.sampled_from(costs)), extent) for name, extent in zip(NAMES, extents)]
    n_classes = n_classes or draw(st.integers(2, 4))
    labels = [draw(st.integers(0, n_classes - 1)) for _ in range(n)]
    if draw(st.booleans()):  # a rule of four levels made them: there is one to be found
        labels = [labels[0]] * n
        for concept in concepts[:4]:
            said = draw(st.integers(0, n_classes - 1))
            labels = [said if i in concept.examples else label for i, label in enumerate(labels)]
    return concepts, labels, n_classes


tables = st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=1, max_size=8)


def concepts_of_table(rows, has_pairs, cost="length"):
    """Concepts of a table: feature = value, and two of these; their cost is 1, or the number of tests."""
    singles = sorted({(f, row[f]) for row in rows for f in range(3)})
    pairs = [pair for pair in combinations(singles, 2) if pair[0][0] != pair[1][0]] if has_pairs else []
    concepts = []
    for asked in [(single,) for single in singles] + pairs:
        extent = frozenset(i for i, row in enumerate(rows) if all(row[f] == value for f, value in asked))
        name = " & ".join(f"{f}={value}" for f, value in asked)
        concepts.append(Concept(name, 1 if cost == "unit" else len(asked), extent))
    return concepts


@st.composite
def table_problems(draw):
    """Up to eight rows of three features."""
    rows = draw(tables)
    n_classes = draw(st.integers(2, 4))
    return concepts_of_table(rows, draw(st.booleans())), [draw(st.integers(0, n_classes - 1)) for _ in rows], n_classes


@st.composite
def word_problems(draw):
    """Up to three hyphenated words of a few letters: substrings around the break, or all, perhaps with classes."""
    hyphenated = draw(st.lists(st.from_regex("[abc](-?[abc]){1,3}", fullmatch=True), min_size=1, max_size=3))
    concepts, labels, _ = words.problem(
        hyphenated,
        edges=draw(st.booleans()),
        around_break=draw(st.booleans()),
        classes=draw(st.sampled_from([None, {"a": "E", "b": "K", "c": "K"}])),
        max_length=draw(st.sampled_from([2, 3, None])),
        cost=draw(st.sampled_from(["unit", "length"])),
    )
    return concepts, labels, 2


problems = st.one_of(set_problems(), table_problems())


def given_to(concepts):
    """The concepts in tie order, and as the learner takes them."""
    ordered = plain.tie_order(concepts)
    return ordered, Concepts.of([sorted(c.examples) for c in ordered], [c.cost for c in ordered])


def learn(concepts, labels, n_classes, depth, **options):
    """The rule that is found, with names, or None."""
    ordered, taken = given_to(concepts)
    try:
        found = find_rule(taken, np.array(labels), n_classes=n_classes, depth=depth, **options)
    except NoConsistentRuleError:
        return None
    return named(found, ordered)


def named(found, ordered):
    """A rule as the oracle writes it."""
    levels = []
    for level in found.levels:
        said = level.labels if level.labels else [level.label] * len(level.concepts)
        assert len(said) == len(level.concepts)
        assert level.label == -1 or set(said) <= {level.label}
        levels.append(frozenset((ordered[c].name, int(label)) for c, label in zip(level.concepts, said)))
    return plain.Rule(tuple(levels), found.default, found.cost)


def expect(concepts, labels, n_classes, depth, **options):
    rule = plain.find_rule(concepts, labels, depth, n_classes, **options)
    return None if rule is None else plain.shorten(rule)


@settings(max_examples=200)
@given(problems, depths)
def test_rules_of_sets_and_tables(problem, depth):
    """The same rule at the same cost, or none; and it is right on every example."""
    concepts, labels, n_classes = problem
    found = learn(concepts, labels, n_classes, depth)
    assert found == expect(concepts, labels, n_classes, depth)
    assert found is None or plain.is_consistent(found, concepts, labels)


@settings(max_examples=40)
@given(word_problems(), st.integers(0, 3))
def test_rules_of_words(problem, depth):
    """The same for substrings of hyphenated words, merged or not."""
    concepts, labels, _ = problem
    found = learn(concepts, labels, 2, depth)
    assert found == expect(plain.merge(concepts), labels, 2, depth)
    assert found is None or plain.is_consistent(found, concepts, labels)


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 3))
def test_more_examples_than_bits_in_a_word(seed, n_classes, depth):
    """Seventy to two hundred examples, and labels that a deep rule made."""
    rng = random.Random(seed)
    n = rng.choice([64, 70, 128, 200])
    concepts = [
        Concept(f"c{i}", rng.choice([1, 1, 2]), frozenset(rng.sample(range(n), rng.choice([1, 5, n // 4, n // 2]))))
        for i in range(25)
    ]
    labels = [0] * n
    for concept in rng.sample(concepts, 3):
        said = rng.randrange(n_classes)
        labels = [said if i in concept.examples else label for i, label in enumerate(labels)]
    found = learn(concepts, labels, n_classes, depth)
    assert found == expect(concepts, labels, n_classes, depth)
    assert found is None or plain.is_consistent(found, concepts, labels)


@settings(max_examples=60)
@given(problems, depths, st.data())
def test_order_of_the_examples(problem, depth, data):
    """Examples may come in any order, and threads change nothing."""
    concepts, labels, n_classes = problem
    order = data.draw(st.permutations(range(len(labels))))
    moved = plain.among(concepts, order)
    found = learn(moved, [labels[i] for i in order], n_classes, depth, n_jobs=2)
    assert found == learn(concepts, labels, n_classes, depth)


@pytest.mark.slow
@settings(max_examples=40)
@given(problems)
def test_auto(problem):
    """The least depth that has a rule."""
    concepts, labels, n_classes = problem
    tried = (expect(concepts, labels, n_classes, depth) for depth in range(5))
    first = next((rule for rule in tried if rule is not None), None)
    found = learn(concepts, labels, n_classes, "auto")
    assert found == first if first is not None else found is None or len(found.levels) >= 5


@settings(max_examples=60)
@given(problems)
def test_failure_tells_the_conflicts(problem):
    """Examples equal in all concepts but not in class are counted; the positions shown are those of examples."""
    concepts, labels, n_classes = problem
    _, taken = given_to(concepts)
    if expect(concepts, labels, n_classes, 1) is not None:
        return
    with pytest.raises(NoConsistentRuleError) as failure:
        find_rule(taken, np.array(labels), n_classes=n_classes, depth=1)
    error = failure.value
    assert isinstance(error, CasebaseError)
    assert 0 < len(error.examples) <= error.n_conflicts <= len(labels)
    assert set(error.examples) <= set(range(len(labels)))
    assert str(error.n_conflicts) in str(error)
    held = [plain.covering(concepts, i) for i in range(len(labels))]
    contradicted = {
        k
        for i, j in combinations(range(len(labels)), 2)
        if held[i] == held[j] and labels[i] != labels[j]
        for k in (i, j)
    }
    if contradicted:
        assert error.n_conflicts == len(contradicted)
        assert set(error.examples) <= contradicted


@settings(max_examples=100)
@given(problems, depths, st.integers(0, 4))
def test_noise(problem, depth, unexplained):
    """At most the share allowed is left out: contradictory examples, then exceptions to the default, then others."""
    concepts, labels, n_classes = problem
    share = (unexplained + 0.5) / len(labels)  # between two whole numbers of examples: rounding decides nothing
    if share >= 1:
        return
    ordered, taken = given_to(concepts)
    wanted = plain.find_noisy_rule(concepts, labels, depth, n_classes, unexplained + 0.5)
    try:
        found = find_rule(taken, np.array(labels), n_classes=n_classes, depth=depth, noise=share)
    except NoConsistentRuleError:
        assert wanted is None
        return
    assert (applied(found, taken, len(labels)).label != labels).sum() <= unexplained
    if wanted is not None:
        assert named(found, ordered) == plain.shorten(wanted)


@settings(max_examples=60)
@given(problems, depths)
def test_as_much_noise_as_there_must_be(problem, depth):
    """There is always a rule; it is Figure 2's where that is right on all, and never worse than the majority."""
    concepts, labels, n_classes = problem
    ordered, taken = given_to(concepts)
    found = find_rule(taken, np.array(labels), n_classes=n_classes, depth=depth, noise="auto")
    wrong = (applied(found, taken, len(labels)).label != labels).sum()
    assert wrong <= len(labels) - max(labels.count(label) for label in labels)
    wanted = expect(concepts, labels, n_classes, depth)
    if wanted is not None:
        assert named(found, ordered) == wanted


@pytest.mark.parametrize("n", [3, 10, 49, 98, 107])
def test_a_share_of_one_example(n):
    """1 / n of n examples is one of them, also where n times the rounded 1 / n is less than 1."""
    labels = [0] * (n - 1) + [1]
    assert learn([], labels, 2, 0, noise=1 / n) == plain.Rule((), 0, 1)


@settings(max_examples=60)
@given(problems, depths, st.data())
def test_weights_are_copies(problem, depth, data):
    """An example of weight n counts as n of them."""
    concepts, labels, n_classes = problem
    counts = data.draw(st.lists(st.integers(1, 3), min_size=len(labels), max_size=len(labels)))
    copies = [i for i, n in enumerate(counts) for _ in range(n)]
    spread = [Concept(c.name, c.cost, frozenset(j for j, i in enumerate(copies) if i in c.examples)) for c in concepts]
    weights = np.array(counts, dtype=float)
    found = learn(concepts, labels, n_classes, depth, weights=weights)
    assert found == expect(spread, [labels[i] for i in copies], n_classes, depth)


@settings(max_examples=100)
@given(set_problems())
def test_merged(problem):
    """Of equal extents the first in tie order is kept, and the rule stays the same."""
    concepts, labels, n_classes = problem
    ordered, taken = given_to([c for c in concepts if c.examples])
    fewer, kept = merged(taken)
    assert [ordered[i] for i in kept] == plain.merge(ordered)
    assert [set(fewer.extent(i).tolist()) for i in range(len(kept))] == [ordered[i].examples for i in kept]
    try:
        rule = find_rule(fewer, np.array(labels), n_classes=n_classes)
    except NoConsistentRuleError:
        assert expect(concepts, labels, n_classes, 2) is None
    else:
        assert named(rule, [ordered[i] for i in kept]) == expect(concepts, labels, n_classes, 2)


@settings(max_examples=100)
@given(set_problems(), st.data())
def test_applied(problem, data):
    """The first level that has a concept of an example decides; of several there, the larger, then the first."""
    concepts, labels, n_classes = problem
    ordered, taken = given_to(concepts)
    positions = st.lists(st.integers(0, max(len(ordered) - 1, 0)), unique=True, max_size=len(ordered)).map(sorted)
    levels = []
    for chosen in data.draw(st.lists(positions, max_size=3)):
        said = [data.draw(st.integers(0, n_classes - 1)) for _ in chosen]
        levels.append(Level(said[0] if len(set(said)) == 1 else -1, tuple(chosen), tuple(said)))
    support = data.draw(st.lists(st.integers(1, 3), min_size=len(ordered), max_size=len(ordered)))
    found = applied(HierarchicalRule(tuple(levels), 1, 0.0), taken, len(labels), np.array(support, dtype=float))
    for i in range(len(labels)):
        met = [
            (at, -support[c], c, said)
            for at, level in enumerate(levels)
            for c, said in zip(level.concepts, level.labels)
            if i in ordered[c].examples
        ]
        at, _, concept, said = min(met, default=(-1, 0, -1, 1))
        assert (found.level[i], found.concept[i], found.label[i]) == (at, concept, said)


@settings(max_examples=60)
@given(
    st.one_of(set_problems(n_classes=2), word_problems()), depths, st.integers(0, 3), st.sampled_from([0.1, 0.5, 1.0])
)
def test_windows(problem, depth, seed, fraction):
    """A rule learnt in windows is right on all examples, and there is one whenever there is one for all."""
    concepts, labels, _ = problem
    ordered, taken = given_to(concepts)
    labels = np.array(labels)

    def learn_window(window):
        assert (np.diff(window) > 0).all()
        return find_rule(taken.within(window, len(labels)), labels[window], depth=depth)

    def wrong(rule):
        return np.flatnonzero(applied(rule, taken, len(labels)).label != labels)

    exists = expect(concepts, labels.tolist(), 2, depth) is not None
    try:
        rule, rounds = windowed(len(labels), learn_window, wrong, fraction=fraction, seed=seed)
    except NoConsistentRuleError:
        assert not exists
        return
    assert exists
    assert plain.is_consistent(named(rule, ordered), concepts, labels.tolist())
    assert rounds[-1].n_wrong == 0
    assert [r.n_examples for r in rounds] == sorted({r.n_examples for r in rounds})


@settings(max_examples=60)
@given(problems, st.integers(1, 3), st.data())
def test_forced(problem, depth, data):
    """A forced rule stands in the rule found, which is as right as any; what cannot be is an error."""
    concepts, labels, n_classes = problem
    ordered, taken = given_to(concepts)
    if not ordered:
        return
    concept = data.draw(st.integers(0, len(ordered) - 1))
    label = data.draw(st.integers(0, n_classes - 1))
    level = data.draw(st.none() | st.integers(1, depth))
    try:
        found = find_rule(
            taken, np.array(labels), n_classes=n_classes, depth=depth, forced=[Forced(concept, label, level)]
        )
    except NoConsistentRuleError:
        return
    rule = named(found, ordered)
    said = (ordered[concept].name, label)
    assert any(said in at for at in rule.levels) if level is None else said in rule.levels[level - 1]
    assert plain.is_consistent(rule, concepts, labels)


@settings(max_examples=30)
@given(problems, depths)
def test_concepts_of_no_use(problem, depth):
    """Empty concepts never take part, however cheap they are."""
    concepts, labels, n_classes = problem
    found = learn([*concepts, Concept("_", 0.25, frozenset())], labels, n_classes, depth)
    assert found == learn(concepts, labels, n_classes, depth)


@settings(max_examples=40)
@given(tables, st.data(), st.integers(0, 3), st.booleans(), st.sampled_from(["unit", "length"]))
def test_classifier(rows, data, depth, pairs, cost):
    """The rules of a table are those over its values, and every case is answered rightly; else an error."""
    labels = data.draw(st.lists(st.sampled_from("PQR"), min_size=len(rows), max_size=len(rows)))
    classes = sorted(set(labels))
    concepts = concepts_of_table(rows, pairs, cost)
    wanted = expect(concepts, [classes.index(label) for label in labels], len(classes), depth)
    clf = cb.HierarchicalRuleClassifier(depth=depth, pairs=pairs, cost=cost, noise=0.0)
    table = [list(row) for row in rows]
    if wanted is None:
        with pytest.raises(NoConsistentRuleError):
            clf.fit(table, labels)
        return
    clf.fit(table, labels)
    assert clf.predict(table).tolist() == labels
    assert clf.cost_ == wanted.cost
    *asked, default = clf.rules_
    assert default.label == classes[wanted.default]
    found = {
        (r.level, " & ".join(f"{int(f[1:]) - 1}={v}" for f, v in zip(r.features, r.values)), r.label) for r in asked
    }
    assert found == {
        (at, name, classes[said]) for at, level in enumerate(wanted.levels, start=1) for name, said in level
    }


@pytest.mark.parametrize("depth", [0, 1, 2, "auto"])
def test_no_concepts(depth):
    """Without concepts there is the default, if all examples agree."""
    found = learn([], [1, 1], 3, depth)
    assert (found.default, found.cost, any(found.levels)) == (1, 1, False)
    assert learn([], [1, 0], 3, depth) is None
