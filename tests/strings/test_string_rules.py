"""Rules over strings against all substrings written out, and input that is odd or wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.errors import CasebaseError, NoConsistentRuleError
from casebase.strings.inputs import asked_strings
from casebase.strings.rules import fit
from casebase.strings.settings import Settings
from tests.oracles import strings as plain

KINDS = {"E": "ae", "K": "bc"}
TABLE = {letter: name for name, letters in KINDS.items() for letter in letters}

strings = st.text("abe", max_size=4)
placed = strings.flatmap(lambda text: st.tuples(st.just(text), st.integers(0, len(text))))
examples_of = st.booleans().flatmap(
    lambda has_places: st.lists(
        st.tuples(placed if has_places else strings.map(lambda text: (text, None)), st.integers(0, 2)),
        min_size=1,
        max_size=8,
    )
)
ways = st.fixed_dictionaries(
    {"edges": st.booleans(), "anywhere": st.booleans(), "max_length": st.sampled_from([1, 2, 24])},
    optional={"classes": st.just(KINDS)},
)


def given_as(examples):
    return [string if place is None else (string, place) for string, place in examples]


@settings(max_examples=150, deadline=None)
@given(examples_of, ways, st.booleans(), st.integers(0, 3), st.sampled_from(["unit", "length"]), st.lists(placed))
def test_the_rule_is_that_of_all_substrings_written_out(labelled, way, around, depth, cost, others):
    """Level by level, and so is every prediction."""
    examples, labels = [one for one, _ in labelled], [label for _, label in labelled]
    around = around and "classes" in way and examples[0][1] is not None
    how = plain.How(way["edges"], way["anywhere"], around, TABLE if "classes" in way else None, way["max_length"])
    classes = sorted(set(labels))
    codes = [classes.index(label) for label in labels]
    wanted = plain.learn(examples, codes, how, depth=depth, n_classes=len(classes), cost=cost)
    chosen = Settings(**way, around=around, depth=depth, cost=cost, noise=0)
    asked = asked_strings(given_as(examples), "|")
    if wanted is None:
        with pytest.raises(NoConsistentRuleError):
            fit(asked, labels, chosen)
        return
    model = fit(asked, labels, chosen)
    levels = [set() for _ in range(model.n_levels)]
    for rule in model.rules:
        levels[rule.level - 1].add(((rule.piece.written("|"), rule.piece.kind), rule.label))
    assert levels == [set(level) for level in wanted.levels]
    assert model.default == wanted.default
    new = [*examples, *(one if examples[0][1] is not None else (one[0], None) for one in others)]
    assert model.answer(asked_strings(given_as(new), "|")).tolist() == [wanted.predict(*one) for one in new]


@settings(max_examples=60, deadline=None)
@given(
    labelled=examples_of,
    way=ways,
    window=st.sampled_from([0.1, 0.5, None]),
    noise=st.sampled_from(["auto", 0.2]),
)
def test_evidence_files_and_windows(labelled, way, window, noise, tmp_path_factory):
    """The rule named is the one that decided; saving, JSON, order and threads change nothing."""
    X, y = given_as([one for one, _ in labelled]), [label for _, label in labelled]
    try:
        model = fit(asked_strings(X, "|"), y, Settings(**way, window=window, noise=noise))
    except NoConsistentRuleError:
        return
    asked = asked_strings(X, "|")
    answers = [model.classes[code] for code in model.answer(asked)]
    evidence = model.explain(asked)
    assert [one.label for one in evidence] == answers
    assert [cb.evidence_from_dict(one.to_dict()) for one in evidence] == evidence
    for one in evidence:
        assert one.is_default or one.rule.level < one.overridden[-1].level
        assert all(rule.label != one.label for rule in one.exceptions)
    again = fit(asked_strings(X[::-1], "|"), y[::-1], Settings(**way, window=window, noise=noise), n_jobs=2)
    assert again.rules == model.rules
    path = tmp_path_factory.mktemp("strings") / "rules.cb"
    clf = cb.StringRuleClassifier._of(model, {})
    clf.save(path)
    loaded = cb.load(path)
    assert loaded.model_.rules == model.rules
    assert loaded.predict(X).tolist() == answers
    assert loaded.export("json") == clf.export("json")


def test_the_paper_has_substrings_without_edges():
    """Its example: -ph, n-a and a-t are right on all places of hy-phen-a-tion."""
    breaks, word = {2, 6, 7}, "hyphenation"
    X = [(word, place) for place in range(1, len(word))]
    y = ["+" if place in breaks else "-" for _, place in X]
    rules = ["-ph → +", "n-a → +", "a-t → +"]
    forced = [rule.split(" → ") for rule in rules]

    clf = cb.StringRuleClassifier(depth=1, edges=False, noise=0, mark="-", force=forced).fit(X, y)

    assert {rule.piece for rule in clf.rules_} == {"-ph", "n-a", "a-t", ""}
    assert clf.rules_[-1].label == "-"


def test_the_hyphenator_is_one_use():
    """The same words give the same patterns."""
    words = ["ka-la", "ta-lo", "la-ki", "kis-sa", "las-ta", "tak-ka", "ka-sti", "la-sti"]
    classes = {"K": "klst", "E": "aiou"}
    hyph = cb.Hyphenator(depth=2, classes=classes, window=None).fit(words)
    X = [(word.replace("-", ""), i) for word in words for i in range(1, len(word.replace("-", "")))]
    y = [int(i in hyph.positions(word)) for word, i in X]

    clf = cb.StringRuleClassifier(depth=2, classes=classes, max_class_length=3, mark="-", noise=0).fit(X, y)

    assert {(r.piece, r.label) for r in clf.rules_[:-1]} == {(str(p), int(p.allows)) for p in hyph.patterns_}


def test_forbidden_and_forced_pieces():
    """What is forbidden is not used; what is forced is, at its level, and the rest is learned around it."""
    X, y = ["|cat", "|cut", "|city", "|cell", "bla|ck"], list("KKSSK")
    clf = cb.StringRuleClassifier(classes={"V": "aeiuy"}, forbid=["|ce", "|ci"]).fit(X, y)
    assert {"|ce", "|ci"}.isdisjoint(rule.piece for rule in clf.rules_)

    clf = cb.StringRuleClassifier(classes={"V": "aeiuy"}, around=True, force=[("|cV", "S")]).fit(X, y)
    forced = next(rule for rule in clf.rules_ if rule.piece == "|cV")
    assert (forced.label, forced.note, clf.n_unexplained_) == ("S", "classes around the letter", 0)
    assert clf.predict(X).tolist() == y


def test_letters_with_a_default_of_their_own():
    """The most frequent class of each letter is a forced rule, unless it is that of all strings."""
    X = ["|cat", "|cut", "|city", "|gap", "|gem", "|gum", "|hat", "|hut", "|hit"]
    y = ["K", "K", "S", "G", "JH", "G", "_", "_", "_"]
    clf = cb.StringRuleClassifier(depth=2, by_letter=True).fit(X, y)
    forced = cb.StringRuleClassifier(depth=2, force=[("|c", "K"), ("|g", "G")]).fit(X, y)

    assert clf.rules_ == forced.rules_
    assert clf.predict(["|cox", "|gox", "|hox"]).tolist() == ["K", "G", "_"]
    with pytest.raises(CasebaseError, match="by_letter"):
        cb.StringRuleClassifier(by_letter=True).fit(["a", "b"], ["P", "Q"])


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ("text", "list of strings"),
        (7, "list of strings"),
        (["ab", None], "string 2"),
        (["a|b", "ab"], "string 2.*no place"),
        (["ab", "a|b"], "string 2.*has a place"),
        (["a||b", "ab"], "2 marks"),
        ([("ab", 3), ("ab", 1)], "from 0 to 2"),
        ([("ab", True), ("ab", 1)], "position"),
        (["a.b", "ab"], "full stop"),
        (["a\0b", "ab"], "NUL"),
        (["a\ud800", "ab"], "half of a character"),
        (["ab"], "one per string"),
    ],
)
def test_wrong_input_is_told(X, says):
    """What was expected, what came, and where."""
    with pytest.raises(CasebaseError, match=says):
        cb.StringRuleClassifier().fit(X, ["P", "Q"])


@pytest.mark.parametrize(
    ("settings_of", "says"),
    [
        ({"depth": -1}, "depth"),
        ({"classes": "vowels"}, "classes"),
        ({"classes": {"K": "ab", "E": "b"}}, "two classes"),
        ({"around": True}, "around"),
        ({"mark": "."}, "mark"),
        ({"edges": 1}, "edges"),
        ({"max_length": 0}, "max_length"),
        ({"noise": 2}, "noise"),
        ({"window": 0}, "window"),
        ({"forbid": "ab"}, "forbid"),
        ({"forbid": ["a|b|"]}, "piece"),
        ({"force": ["ab"]}, "force"),
        ({"force": [("a", "R")]}, "class"),
        ({"cost": "price"}, "cost"),
    ],
)
def test_wrong_settings_are_told(settings_of, says):
    """Before anything is learned."""
    with pytest.raises(CasebaseError, match=says):
        cb.StringRuleClassifier(**settings_of).fit(["ab", "ba"], ["P", "Q"])


def test_a_string_without_a_place_is_told_when_rules_ask_for_one():
    """And the other way round."""
    clf = cb.StringRuleClassifier().fit(["|ab", "a|b"], ["P", "Q"])
    with pytest.raises(CasebaseError, match="a place"):
        clf.predict(["ab"])
    with pytest.raises(CasebaseError, match="no place"):
        cb.StringRuleClassifier().fit(["ab", "ba"], ["P", "Q"]).predict(["a|b"])


def test_conflicting_strings_are_shown():
    """noise=0 names them; auto leaves the lighter class, and warns."""
    X, y = ["|ab", "|ab", "|ab", "b|a"], ["P", "Q", "P", "Q"]
    with pytest.raises(NoConsistentRuleError, match=r"\|ab \(P\), \|ab \(Q\)"):
        cb.StringRuleClassifier(noise=0).fit(X, y)
    with pytest.warns(UserWarning, match="1 of 4 strings"):
        clf = cb.StringRuleClassifier().fit(X, y)
    assert clf.predict(["|ab"]).tolist() == ["P"]
    assert clf.predict_proba(["|ab"]).tolist() == [[2 / 3, 1 / 3]]
