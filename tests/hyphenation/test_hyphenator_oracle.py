"""The hyphenator against patterns applied place by place, and input that is odd or wrong."""

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.errors import CasebaseError
from tests.oracles import patterns as plain
from tests.oracles import rules, words
from tests.peers import data_lines

KINDS = {"E": "ae", "K": "bc"}

hyphenated_words = st.from_regex("[abce](-?[abce]){0,5}", fullmatch=True)
lists = st.lists(hyphenated_words, min_size=1, max_size=6, unique_by=words.letters)
settings_of = st.fixed_dictionaries(
    {},
    optional={
        "depth": st.integers(1, 4),
        "cost": st.sampled_from(["unit", "length"]),
        "classes": st.sampled_from(["auto", "none", KINDS]),
        "window": st.sampled_from([0.1, 0.5, 1.0, None]),
        "random_state": st.integers(0, 3),
    },
)


def known(hyphenator):
    """The patterns learnt as the oracle writes them, and how they are applied."""
    learnt = hyphenator.patterns_
    found = [plain.Pattern(p.text, p.offset, p.level, p.is_classes) for p in learnt.patterns]
    return found, {
        "classes": learnt.classes,
        "default_allows": learnt.default_allows,
        "left_min": learnt.left_min,
        "right_min": learnt.right_min,
    }


def expected(hyphenator, word):
    found, how = known(hyphenator)
    return plain.positions(word.lower(), found, **how)


@pytest.mark.slow
@settings(max_examples=80)
@given(lists, settings_of, st.lists(st.text("abceAxé", max_size=8), max_size=4))
@example(["a-b", "cab"], {"depth": 3}, ["abab"])
def test_positions(hyphenated, chosen, others):
    """Every training word comes back, and other words are broken as the patterns say."""
    hyphenator = cb.Hyphenator(**chosen).fit(hyphenated)
    for word in hyphenated:
        assert hyphenator.positions(words.letters(word)) == words.breaks(word)
        assert hyphenator.hyphenate(words.letters(word), sep="-") == word
    for word in [*others, *map(words.letters, hyphenated)]:
        assert hyphenator.positions(word) == expected(hyphenator, word)


@settings(max_examples=30)
@given(lists, settings_of, st.integers(1, 3), st.integers(1, 3))
def test_minima(hyphenated, chosen, left_min, right_min):
    """Breaks too near an edge are neither learnt nor made."""
    hyphenator = cb.Hyphenator(left_min=left_min, right_min=right_min, **chosen).fit(hyphenated)
    for word in hyphenated:
        letters = words.letters(word)
        wanted = [at for at in words.breaks(word) if left_min <= at <= len(letters) - right_min]
        assert hyphenator.positions(letters) == wanted == expected(hyphenator, letters)


@settings(max_examples=40)
@given(
    lists.flatmap(lambda some: st.lists(st.sampled_from(some), max_size=2).map(lambda twice: some + twice)),
    st.integers(1, 3),
    st.sampled_from(["unit", "length"]),
    st.sampled_from([None, 2, 3, 4]),
    st.booleans(),
)
def test_the_rule_is_that_of_figure_2(hyphenated, depth, cost, max_length, with_classes):
    """Without windows the patterns are the rule over substrings around the break, level by level.

    A word given twice counts twice.
    """
    classes = {letter: name for name, letters in KINDS.items() for letter in letters} if with_classes else None
    concepts, labels, _ = words.problem(hyphenated, max_length=max_length, cost=cost, classes=classes)
    wanted = rules.find_rule(rules.merge(concepts), labels, depth) if labels else None
    if wanted is None:
        return
    wanted = rules.shorten(wanted)
    chosen = KINDS if with_classes else "none"
    lengths = {"max_length": max_length, "max_class_length": max_length or 24}
    hyphenator = cb.Hyphenator(depth=depth, cost=cost, classes=chosen, window=None, **lengths)
    found = hyphenator.fit(hyphenated).patterns_
    assert found.default_allows == (wanted.default == words.PLUS)
    by_level = {}
    for pattern in found.patterns:
        by_level.setdefault(pattern.level, set()).add((str(pattern), words.PLUS if pattern.allows else words.MINUS))
    assert [by_level[level] for level in sorted(by_level, reverse=True)] == [set(at) for at in wanted.levels if at]


@settings(max_examples=30)
@given(lists, settings_of, st.randoms())
def test_order_of_the_words(hyphenated, chosen, random):
    """Words may come in any order when all are learnt at once, and twice if they agree."""
    chosen = chosen | {"window": None}
    shuffled = [*hyphenated]
    random.shuffle(shuffled)
    one, other = (cb.Hyphenator(**chosen).fit(some) for some in (hyphenated, shuffled))
    assert known(one) == known(other)


@settings(max_examples=40)
@given(lists, settings_of, st.text("abce", max_size=6))
def test_explained(hyphenated, chosen, other):
    """At every place what decided has the highest level of all that speak there; the rest agree or are overridden."""
    hyphenator = cb.Hyphenator(**chosen).fit(hyphenated)
    patterns, how = known(hyphenator)
    for word in [other, *map(words.letters, hyphenated)]:
        found = hyphenator.explain(word)
        assert [place.place for place in found.places] == list(range(1, len(word)))
        assert [place.place for place in found.places if place.is_break] == hyphenator.positions(word)
        for place, speaking in zip(found.places, plain.matching(word, patterns, how["classes"])):
            first = [] if place.decided_by is None else [place.decided_by]
            said = [(p.pattern, p.level) for p in [*first, *place.agreeing, *place.overridden]]
            assert sorted(said) == sorted((f"{p.text[: p.offset]}-{p.text[p.offset :]}", p.number) for p in speaking)
            assert all(p.level == place.decided_by.level for p in place.agreeing)
            assert all(p.level < place.decided_by.level for p in place.overridden)


@settings(max_examples=20)
@given(hyphenated=lists, chosen=settings_of)
def test_file(hyphenated, chosen, tmp_path_factory):
    """Saving and loading change nothing."""
    hyphenator = cb.Hyphenator(**chosen).fit(hyphenated)
    path = tmp_path_factory.mktemp("hyphens") / "words.cb"
    hyphenator.save(path)
    again = cb.load(path)
    assert known(again) == known(hyphenator)
    assert [again.positions(w) for w in ["abab", "ecab"]] == [hyphenator.positions(w) for w in ["abab", "ecab"]]


@settings(max_examples=25)
@given(lists, hyphenated_words, st.sampled_from([1, 2, 3]))
def test_corrected(hyphenated, correction, depth):
    """After a correction the word is broken so, and the others of the list as before."""
    hyphenator = cb.Hyphenator(depth=depth).fit(hyphenated)
    hyphenator.correct(correction)
    for word in [correction, *(w for w in hyphenated if words.letters(w) != words.letters(correction))]:
        assert hyphenator.positions(words.letters(word)) == words.breaks(word)


def test_finnish():
    """Some hundred Finnish words come back, broken as the oracle breaks them with the patterns learnt."""
    hyphenated = list({words.letters(w): w for w in data_lines("finnish_hyphenation.txt")[:300]}.values())
    for depth in [1, 2, 3]:
        hyphenator = cb.Hyphenator(depth=depth).fit(hyphenated)
        assert [hyphenator.positions(words.letters(w)) for w in hyphenated] == [words.breaks(w) for w in hyphenated]
        for word in ["hyphenation", "tietojenkäsittely", "sananlasku", *map(words.letters, hyphenated[:20])]:
            assert hyphenator.positions(word) == expected(hyphenator, word)


class TestOddInput:
    @pytest.mark.parametrize(
        "hyphenated",
        [
            pytest.param([], id="no words"),
            pytest.param(["-"], id="a hyphen alone"),
            pytest.param(["---"], id="only hyphens"),
            pytest.param(["ta-lo", "ta--lo"], id="doubled hyphen"),
            pytest.param(["ta-lo", "-talo"], id="hyphen first"),
            pytest.param(["ta-lo", "talo-"], id="hyphen last"),
            pytest.param(["ta-lo", ""], id="empty word"),
            pytest.param(["e-\u0301a"], id="hyphen before a combining mark"),
            pytest.param(["ta-lo", None], id="None"),
            pytest.param(["ta-lo", 7], id="a number"),
            pytest.param("ta-lo", id="one string"),
            pytest.param(None, id="None for the list"),
            pytest.param(["ta-lo", "ta-lo ka-la"], id="two words in one"),
            pytest.param(["ta-lo", "a.b-c"], id="a full stop, which marks edges"),
            pytest.param(["ta-lo", "a\ud800-b"], id="half of a character"),
        ],
    )
    def test_errors(self, hyphenated):
        """What is no list of hyphenated words is an error that says something, and of our own kind."""
        with pytest.raises(CasebaseError) as failure:
            cb.Hyphenator().fit(hyphenated)
        assert len(str(failure.value)) > 20

    def test_error_says_where(self):
        """The wrong word is named."""
        with pytest.raises(CasebaseError, match=r"ta--lo"):
            cb.Hyphenator().fit(["ta-lo", "ka-la", "ta--lo"])

    @pytest.mark.parametrize("hyphenated", [["talo", "kala"], ["talo"]])
    def test_no_hyphen_at_all(self, hyphenated):
        """Nothing is ever broken, and no pattern is needed."""
        hyphenator = cb.Hyphenator().fit(hyphenated)
        assert hyphenator.positions("jotain") == []
        assert hyphenator.patterns_.patterns == ()

    def test_every_place_a_hyphen(self):
        """Everything is broken everywhere, and no pattern is needed."""
        hyphenator = cb.Hyphenator().fit(["a-b-c", "b-c"])
        assert hyphenator.positions("xyz") == [1, 2]

    def test_one_letter_words(self):
        """They have no inner place; beside others they change nothing."""
        assert cb.Hyphenator().fit(["a", "ta-lo", "o"]).hyphenate("talo", sep="-") == "ta-lo"

    def test_only_one_letter_words(self):
        """No example at all: an error, or nothing is ever broken."""
        try:
            hyphenator = cb.Hyphenator().fit(["a", "o"])
        except CasebaseError:
            return
        assert hyphenator.positions("ao") == []

    @pytest.mark.parametrize("word", [None, b"talo", ["talo"], 7])
    def test_no_word(self, word):
        """Only a text can be broken, explained or corrected."""
        hyphenator = cb.Hyphenator().fit(["ta-lo", "ka-la"])
        for ask in [hyphenator.positions, hyphenator.hyphenate, hyphenator.explain, hyphenator.correct]:
            with pytest.raises(CasebaseError):
                ask(word)

    @pytest.mark.parametrize("word", ["", "-", "ta--lo", "-talo", "talo-", "a" * 40 + "-" + "a" * 40])
    def test_wrong_corrections(self, word):
        """An error, and everything stays as it was."""
        hyphenator = cb.Hyphenator().fit(["ta-lo", "ka-la"])
        before = hyphenator.patterns_
        with pytest.raises(CasebaseError):
            hyphenator.correct(word)
        assert hyphenator.patterns_ == before
        assert hyphenator.hyphenate("talo", sep="-") == "ta-lo"

    @pytest.mark.parametrize("word", ["", "a", "-", "...", ".", "x y", "3", "\u0301", "\u00ad"])
    def test_odd_questions(self, word):
        """Whatever is asked, the letters come back."""
        hyphenator = cb.Hyphenator().fit(["ta-lo", "ka-la"])
        assert hyphenator.hyphenate(word, sep="|").replace("|", "") == word
        assert hyphenator.positions(word) == [p for p in hyphenator.positions(word) if 0 < p < len(word)]

    def test_contradictory_words(self):
        """The list contradicts itself: told, and the other words are learnt all the same."""
        hyphenator = cb.Hyphenator(depth=3).fit(["rec-ord", "ta-lo", "re-cord"])
        assert hyphenator.report_["contradictions"] == [{"kept": "re-cord", "others": ["rec-ord"]}]
        assert hyphenator.hyphenate("talo", sep="-") == "ta-lo"
        assert hyphenator.hyphenate("record", sep="-") in ["rec-ord", "re-cord"]

    def test_heavier_word_holds(self):
        """Of contradictory words the heavier is right."""
        for weights, wanted in [([1, 3, 2], "ta-lo"), ([3, 1, 2], "tal-o")]:
            hyphenator = cb.Hyphenator().fit(["tal-o", "ta-lo", "ka-la"], weights=weights)
            assert hyphenator.hyphenate("talo", sep="-") == wanted

    @pytest.mark.parametrize("weights", [[1], [1, -1], [1, float("nan")], [1, float("inf")], ["x", "y"], [[1, 1]]])
    def test_wrong_weights(self, weights):
        """One number for each word, and none below 0."""
        with pytest.raises(CasebaseError):
            cb.Hyphenator().fit(["ta-lo", "ka-la"], weights=weights)

    @pytest.mark.parametrize(
        "chosen",
        [
            {"depth": -1},
            {"depth": 1.5},
            {"depth": "two"},
            {"cost": "lenght"},
            {"classes": "vowels"},
            {"classes": {"K": "bc", "E": "ab"}},
            {"classes": {"KK": "bc"}},
            {"left_min": 0},
            {"right_min": -1},
            {"max_length": 0},
            {"window": 0},
            {"window": 1.5},
            {"window": "half"},
            {"random_state": "x"},
            {"n_jobs": 0},
            {"n_jobs": True},
            {"random_state": -1, "window": None},
        ],
        ids=str,
    )
    def test_wrong_settings(self, chosen):
        """Said to be wrong when fitting."""
        with pytest.raises(CasebaseError):
            cb.Hyphenator(**chosen).fit(["ta-lo", "ka-la"])

    def test_not_fitted(self):
        """Asked before it has learnt anything."""
        with pytest.raises(Exception, match="fit"):
            cb.Hyphenator().positions("talo")


class TestScripts:
    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_combining_characters(self, form):
        """A word says the same composed or taken apart, and no mark leaves its letter."""
        hyphenated = ["ko-te\u0301-ka", "te\u0301-e\u0301t", "a\u0323\u0302-n\u0303a"]
        hyphenator = cb.Hyphenator().fit([unicodedata.normalize(form, word) for word in hyphenated])
        for asked in ["NFC", "NFD"]:
            for word in hyphenated:
                written = unicodedata.normalize(asked, word)
                assert hyphenator.hyphenate(words.letters(written), sep="-") == written

    @pytest.mark.parametrize(
        "hyphenated",
        [
            pytest.param(["𐐨-𐐩𐐪", "𐐩𐐪-𐐨", "a-𐐨"], id="outside the BMP"),
            pytest.param(["𠀀-𠀁", "𠀁𠀂", "𠀂-𠀀𠀁"], id="ideographs outside the BMP"),
            pytest.param(["שָׁ-לוֹם", "סֵ-פֶר", "אֵם"], id="Hebrew with points"),
            pytest.param(["كِ-تَاب", "مَ-دْرَ-سَة"], id="Arabic with vowels"),
            pytest.param(["नि-रा-शा", "आ-शा", "राम"], id="Devanagari"),
            pytest.param(["한-국-어", "국어"], id="Hangul"),
            pytest.param(["о-до-ле-ти", "Бе-о-град"], id="Cyrillic"),
            pytest.param(["ʻo-ʻo", "aʼ-a", "l'a-mi"], id="apostrophes"),
            pytest.param(["Stra-ße", "İz-mir", "ǅe-va", "Ma-ſſe"], id="odd capitals"),
            pytest.param(["ο-δός", "λό-γος"], id="final sigma"),
            pytest.param(["a-b1", "1-2a", "3a-4"], id="digits"),
            pytest.param(["a\u200d-b", "👩\u200d🦰-x", "x-❤\ufe0f"], id="joiners and variation selectors"),
        ],
    )
    def test_come_back(self, hyphenated):
        """Words of any script come back as they were written."""
        hyphenator = cb.Hyphenator(depth=2).fit(hyphenated)
        for word in map(str, hyphenated):
            assert hyphenator.hyphenate(words.letters(word), sep="-") == word

    @pytest.mark.parametrize("word", ["Ο-ΔΟΣ", "TA-LO", "ΟΔΟ-Σ", "Σ-Σ"])
    def test_capitals(self, word):
        """Words in capitals are learnt, keep their capitals, and are the same words in small letters."""
        hyphenator = cb.Hyphenator().fit([word])
        assert hyphenator.hyphenate(words.letters(word), sep="-") == word
        assert hyphenator.positions(words.letters(word).lower()) == words.breaks(word)

    def test_capitals_contradict_small_letters(self):
        """The same word is given twice, with different hyphens."""
        assert cb.Hyphenator().fit(["Ta-lo", "TAL-O", "ta-lo"]).hyphenate("TALO", sep="-") == "TA-LO"


class TestLongWords:
    LONG = "talokala" * 1250

    def test_asked(self):
        """Ten thousand letters are broken in no time, as a shorter word of the same parts is."""
        hyphenator = cb.Hyphenator().fit(["ta-lo", "ka-la", "ta-lo-ka-la"])
        started = time.perf_counter()
        found = hyphenator.positions(self.LONG)
        assert time.perf_counter() - started < 2
        assert found[:3] == expected(hyphenator, self.LONG[:40])[:3]
        assert hyphenator.hyphenate(self.LONG, sep="-").replace("-", "") == self.LONG

    def test_learnt(self):
        """A training word of ten thousand letters comes back, or is refused in words."""
        word = "-".join(["talo", "kala"] * 1250)
        started = time.perf_counter()
        try:
            hyphenator = cb.Hyphenator().fit([word, "ta-lo"])
        except CasebaseError:
            assert time.perf_counter() - started < 10
            return
        assert hyphenator.hyphenate(words.letters(word), sep="-") == word
        assert time.perf_counter() - started < 10

    def test_longer_than_any_piece(self):
        """Of forty equal letters on either side a piece sees no end: refused, unless pieces may be longer."""
        word = "a" * 40 + "-" + "a" * 40
        with pytest.raises(CasebaseError, match="max_length"):
            cb.Hyphenator().fit([word])
        assert cb.Hyphenator(max_length=60).fit([word]).hyphenate("a" * 80, sep="-") == word

    def test_errors_are_short(self):
        """An error about words of ten thousand letters fits a page."""
        with pytest.raises(CasebaseError) as failure:
            cb.Hyphenator().fit(["a" * 5000 + "-" + "a" * 5000])
        assert len(str(failure.value)) < 2000
