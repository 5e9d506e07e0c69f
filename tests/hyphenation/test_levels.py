"""The search in levels: equal to its definition, right on all training words, and its place among the settings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase import _native
from casebase.base.files import read, write
from casebase.errors import CasebaseError, NoConsistentRuleError
from casebase.hyphenation.induction import MANY_WORDS, Settings, learn
from casebase.hyphenation.pieces import ALLOWED, examples_of
from casebase.hyphenation.words import hyphenated_words
from casebase.strings.texts import as_text
from tests.oracles import levels as oracle

CLASSES = {"a": "E", "b": "K", "c": "K"}  # d has none
parts = st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=4)
word_lists = st.lists(parts.map("-".join), min_size=1, max_size=12)
steps = st.lists(
    st.tuples(st.integers(1, 3), st.integers(2, 6), st.sampled_from([1.0, 2.0, 3.0]), st.booleans()), max_size=4
)


def found_by_core(examples, weights, steps, max_class_length):
    """Return the patterns and the wrong examples of the compiled search."""
    nothing, lengths = np.zeros(len(examples), dtype=np.uint8), [24, max_class_length]
    begin, end = (examples.first[examples.word + i].astype(np.uint32) for i in (0, 1))
    is_break = (examples.labels == ALLOWED).astype(np.uint8)
    found = _native.find_levels(
        examples.rows,
        examples.place,
        begin,
        end,
        is_break,
        weights,
        nothing,
        nothing,
        lengths,
        steps,
        [],
    )
    fields = (found[name].tolist() for name in ("kind", "place", "before", "after", "level"))
    patterns = {
        (as_text(examples.rows[kind][place - before : place + after]), before, level, bool(kind))
        for kind, place, before, after, level in zip(*fields)
    }
    return patterns, found["wrong"].tolist()


@settings(deadline=None, max_examples=60)
@given(word_lists, steps, st.integers(1, 4), st.booleans())
def test_levels_are_those_of_the_definition(words, steps, max_class_length, is_weighted):
    """The same patterns, and the same places are left wrong."""
    list_of_words = hyphenated_words(words, [1.0 + i % 3 for i in range(len(words))] if is_weighted else None)
    examples = examples_of(list_of_words, CLASSES)
    if not len(examples):
        return
    places = []
    for x in range(len(examples)):
        letters = f".{list_of_words.words[examples.word[x]]}."
        classes = "".join(c if c == "." else CLASSES.get(c, "\0") for c in letters)
        at = int(examples.place[x] - examples.first[examples.word[x]])
        places.append(oracle.Place(letters, classes, at, examples.labels[x] == ALLOWED, examples.weights[x]))
    expected = oracle.levels(places, [oracle.Step(*step) for step in steps], max_class_length)

    assert found_by_core(examples, examples.weights, steps, max_class_length) == expected


@settings(deadline=None, max_examples=40)
@given(word_lists, st.sampled_from(["auto", "none"]))
def test_every_word_comes_back_as_it_was_given(words, classes):
    """Right on all training words, whatever they are."""
    given_words = hyphenated_words(words)
    model = learn(given_words, Settings(classes=classes, search="levels"))

    assert [tuple(model.patterns.positions(word)) for word in given_words.words] == list(given_words.places)


def test_what_many_words_say_is_a_rule_and_what_one_says_an_exception():
    """Twenty words break after "ta"; one does not, and only it is an exception."""
    words = [f"ta-{a}{b}" for a in "klmnr" for b in "aeio"]
    hyph = cb.Hyphenator(search="levels", classes="none").fit([*words, "takka"])

    assert hyph.hyphenate("tasu", "-") == "ta-su"
    assert hyph.hyphenate("takka", "-") == "takka"
    assert max(p.level for p in hyph.patterns_) == 8


def test_auto_takes_levels_for_many_words_only():
    """And only if nothing that belongs to the cover is set."""
    assert Settings().search_for(MANY_WORDS - 1) == "cover"
    assert Settings().search_for(MANY_WORDS) == "levels"
    assert Settings(cost="length").search_for(MANY_WORDS) == "cover"
    assert Settings(search="cover").search_for(MANY_WORDS) == "cover"


@pytest.mark.parametrize("setting", [{"depth": 3}, {"cost": "length"}, {"window": None}])
def test_settings_of_the_cover_are_refused_by_levels(setting):
    """Nothing that was set is ignored."""
    with pytest.raises(CasebaseError, match="belongs to search='cover'"):
        Settings(search="levels", **setting)


def test_an_unknown_search_is_refused():
    """With the names that exist."""
    with pytest.raises(CasebaseError, match="cover"):
        Settings(search="covers")


def test_forced_patterns_are_used_and_forbidden_ones_are_not():
    """The others are learned around them, and all words are right."""
    words = ["ka-la", "ta-lo", "la-ki", "kis-sa", "las-ta", "tak-ka", "ka-sti", "la-sti"]
    free = cb.Hyphenator(search="levels").fit(words)
    gone = str(free.patterns_.patterns[-1])
    hyph = cb.Hyphenator(search="levels", force={"s-t": "forbid", "-z": "allow"}, forbid=[gone]).fit(words)
    names = [(str(p), p.level) for p in hyph.patterns_]

    assert {("s-t", 2), ("-z", 1)} <= set(names)
    assert gone not in dict(names)
    assert hyph.hyphenate_many([w.replace("-", "") for w in words], "-") == words


def test_words_that_only_a_longer_pattern_tells_apart_are_named():
    """As with the cover: the message has the place and the setting."""
    with pytest.raises(NoConsistentRuleError, match="max_length=2"):
        cb.Hyphenator(search="levels", max_length=2, classes="none").fit(["aaa-aaa", "aaaa"])


def test_a_correction_teaches_the_word_and_keeps_the_others(tmp_path):
    """Also after saving and loading."""
    words = ["ka-la", "ta-lo", "la-ki", "kis-sa", "las-ta", "tak-ka", "ka-sti", "la-sti"]
    cb.Hyphenator(search="levels").fit(words).save(tmp_path / "words.cb")
    hyph = cb.load(tmp_path / "words.cb")
    hyph.correct("kas-ti")

    assert hyph.search == "levels"
    assert hyph.hyphenate_many(["kasti", "lasti", "kissa"], "-") == ["kas-ti", "la-sti", "kis-sa"]


def test_a_file_without_a_search_was_learned_by_the_cover(tmp_path):
    """Files of earlier versions have no such setting."""
    path = tmp_path / "words.cb"
    cb.Hyphenator().fit(["ka-la", "kis-sa"]).save(path)
    header, arrays = read(path)
    del header["settings"]["search"]
    write(path, header, {name: np.array(array) for name, array in arrays._arrays.items()})

    assert cb.load(path).search == "cover"
