"""The hyphenator as its users call it."""

import pickle

import numpy as np
import pytest

import casebase as cb
from casebase.base import files
from casebase.errors import CasebaseError, FormatError, ModelFileError
from casebase.hyphenation.patterns import Pattern, PatternSet

WORDS = ["ka-la", "ta-lo-ja", "kis-sa", "hy-vä", "äi-ti", "auk-ko", "tie-to-ko-ne", "koi-ra", "o-pe-tus", "ky-lä"]


@pytest.fixture(scope="module")
def hyph():
    return cb.Hyphenator().fit(WORDS)


def test_words_come_back_as_they_were_given(hyph):
    """One by one and all at once; capitals stay."""
    letters = [word.replace("-", "") for word in WORDS]

    assert hyph.hyphenate_many(letters, "-") == WORDS
    assert [hyph.hyphenate(word, "-") for word in letters] == WORDS
    assert hyph.hyphenate("Kissa", "-") == "Kis-sa"
    assert hyph.positions("tietokone") == [3, 5, 7]
    assert hyph.hyphenate("kala") == "ka\u00adla"


def test_words_that_are_none_have_no_places(hyph):
    """Nothing, one letter, letters never seen, a lone surrogate."""
    assert hyph.positions_many(["", "k", "Ω", "\ud800", "12"]) == [[], [], [], [], []]
    assert hyph.hyphenate_many([]) == []


@pytest.mark.parametrize("wrong", [[7], "kala", [None]])
def test_what_is_no_list_of_words_is_refused(hyph, wrong):
    """A text is not taken apart into letters."""
    with pytest.raises(CasebaseError):
        hyph.positions_many(wrong)


def test_threads_and_separators_change_nothing_else(hyph):
    """Two threads give the same; the separator is any text."""
    words = ["kalataloja", "kissa"] * 3000
    two = cb.Hyphenator(n_jobs=2).fit(WORDS)

    assert two.positions_many(words) == hyph.positions_many(words)
    assert hyph.hyphenate("kissa", "") == "kissa"
    assert hyph.hyphenate("kissa", "<wbr>") == "kis<wbr>sa"
    with pytest.raises(CasebaseError, match="separator"):
        hyph.hyphenate("kissa", 7)


def test_running_text_keeps_what_is_between_the_words(hyph):
    """Digits, signs and blanks stay; marks belong to words."""
    assert hyph.hyphenate_text("Kissa, 2 kalaa!\n(koira)", "-") == "Kis-sa, 2 ka-laa!\n(koi-ra)"
    assert hyph.hyphenate_text("") == ""


def test_a_decomposed_word_keeps_its_spelling(hyph):
    """a with a mark behind it is the same letter as ä."""
    assert hyph.hyphenate("kyla\u0308", "-") == "ky-la\u0308"
    assert hyph.positions("a\u0308iti") == [3]


def test_nothing_is_answered_before_something_is_learnt():
    """The error says what to do."""
    with pytest.raises(CasebaseError, match="Call fit"):
        cb.Hyphenator().positions("kala")


def test_fit_says_which_word_is_wrong():
    """By its number in the list."""
    with pytest.raises(FormatError, match="word 2: 'a--b' has two hyphens in a row"):
        cb.Hyphenator().fit(["ka-la", "a--b"])


def test_the_report_has_what_was_learnt_from_what():
    """Duplicates and contradictions are counted and listed."""
    report = cb.Hyphenator().fit([*WORDS, "kis-sa", "kiss-a"]).report_

    assert report["n_words"] == 10
    assert report["duplicates"] == 1
    assert report["contradictions"] == [{"kept": "kis-sa", "others": ["kiss-a"]}]
    assert report["rounds"][-1]["n_wrong"] == 0


def test_explain_gives_the_pattern_that_decided_and_those_it_overrode():
    """Level 2 speaks over level 1; the words are those that have the pattern."""
    hyph = cb.Hyphenator.from_patterns(PatternSet((Pattern("b", 0, 1), Pattern("ab", 1, 2), Pattern("xab", 2, 2))))
    place = hyph.explain("xabc").places[1]

    assert (place.place, place.shown, place.is_break) == (2, "xa|bc", False)
    assert place.decided_by.pattern == "a-b"
    assert [e.pattern for e in place.agreeing] == ["xa-b"]
    assert [e.pattern for e in place.overridden] == ["-b"]
    assert hyph.explain("xabc").places[0].decided_by is None


def test_explain_names_training_words_and_agrees_with_the_answer(hyph):
    """Every word of the evidence has the pattern in it."""
    evidence = hyph.explain("kissoja", limit=2)

    assert evidence.hyphenated == hyph.hyphenate("kissoja", "-")
    assert [p.place for p in evidence.places if p.is_break] == hyph.positions("kissoja")
    for place in evidence.places:
        if place.decided_by is not None:
            assert 0 < len(place.decided_by.words) <= 2
            assert set(place.decided_by.words) <= set(WORDS)
    assert evidence.to_dict()["places"][0]["place"] == 1
    assert str(evidence).startswith("kissoja: ")


def test_correct_reports_patterns_that_came_and_went_and_words_that_moved():
    """A word is learnt; all others stay right; watched words may move."""
    hyph = cb.Hyphenator().fit(WORDS)
    before = hyph.hyphenate_many(["record", "recorded"], "-")
    report = hyph.correct("rec-ord", among=["recorded", "Record"])

    assert report.word == "rec-ord"
    assert report.before == before[0]
    assert report.came or report.went
    assert hyph.hyphenate("record", "-") == "rec-ord"
    assert [hyph.hyphenate(word.replace("-", ""), "-") for word in WORDS] == WORDS
    moved = {m.before.replace("-", ""): m.after for m in report.moved}
    assert moved.get("recorded", before[1]) == hyph.hyphenate("recorded", "-")
    assert "record" not in moved


def test_a_correction_that_is_already_known_changes_nothing():
    """The patterns stay as they are."""
    hyph = cb.Hyphenator().fit(WORDS)
    report = hyph.correct("kis-sa")

    assert (report.came, report.went, report.moved) == ((), (), ())


def test_correct_refuses_a_hyphen_in_the_margin():
    """It could never be shown."""
    hyph = cb.Hyphenator(left_min=2).fit(WORDS)
    with pytest.raises(CasebaseError, match="left_min=2"):
        hyph.correct("a-pua")
    assert hyph.positions("opetus") == [3]


def test_correct_refuses_a_hyphen_in_the_margin_on_the_right():
    """There it could never be shown either."""
    with pytest.raises(CasebaseError, match="right_min=2"):
        cb.Hyphenator(right_min=2).fit(WORDS).correct("apu-a")


def test_patterns_from_elsewhere_can_be_corrected():
    """The word becomes an exception."""
    hyph = cb.Hyphenator.from_patterns(PatternSet((Pattern("re", 2, 1),)))
    report = hyph.correct("rec-ord", among=["records"])

    assert hyph.hyphenate_many(["record", "records"], "-") == ["rec-ord", "re-cords"]
    assert len(report.came) == 2
    assert report.moved == ()


def test_evaluate_counts_places_and_words(hyph):
    """One break is missed and one is false: of 2 words 1 is right."""
    scores = hyph.evaluate(["ka-la", "k-ala"])
    assert scores.n_words == 1  # they contradict each other

    scores = hyph.evaluate(["ka-la", "ki-ssa"], [3, 1])
    assert (scores.n_words, scores.n_right_words, scores.n_places) == (4, 3, 13)
    assert (scores.n_missed, scores.n_false) == (1, 1)
    assert scores.wrong == (("ki-ssa", "kis-sa"),)
    assert scores.word_accuracy == 0.75
    assert scores.place_accuracy == pytest.approx(11 / 13)
    assert scores.precision == scores.recall == 0.75


@pytest.mark.parametrize("words", [WORDS, ["a"], ["a-b"], ["कि-ता-ब", "𐌰𐌱-𐌲"]])
def test_save_and_load_change_nothing(words, tmp_path):
    """Answers, patterns, words, parameters and report are the same; so is a file written again."""
    hyph = cb.Hyphenator(depth=3, classes={"K": "ktl", "E": "aeiou"}, forbid=("-KE",), force={"q-": "forbid"})
    hyph.fit(words).save(tmp_path / "one.cb")
    loaded = cb.load(tmp_path / "one.cb")
    loaded.save(tmp_path / "two.cb")

    assert isinstance(loaded, cb.Hyphenator)
    assert loaded.patterns_ == hyph.patterns_
    assert loaded.report_ == hyph.report_
    assert loaded.words_.with_hyphens() == hyph.words_.with_hyphens()
    assert loaded.settings() == hyph.settings()
    assert (tmp_path / "one.cb").read_bytes() == (tmp_path / "two.cb").read_bytes()
    assert loaded.correct(words[0]).came == ()


def test_a_pickle_answers_alike(hyph):
    """What is compiled is made again."""
    hyph.positions("kala")
    assert pickle.loads(pickle.dumps(hyph)).positions("kalassa") == hyph.positions("kalassa")


def forged(path, **changes):
    """Write a file again with other arrays or header entries."""
    header, arrays = files.read(path)
    arrays = dict(arrays._arrays)
    for name, value in changes.items():
        name = name.replace("__", ".")
        if name in arrays:
            arrays[name] = value
        else:
            header[name] = value
    files.write(path, header, arrays)


@pytest.mark.parametrize(
    "changes",
    [
        {"pattern__offset": np.full(1, 99, np.uint32)},
        {"pattern__level": np.zeros(1, np.uint16)},
        {"pattern__is_classes": np.full(1, 7, np.uint8)},
        {"pattern__support": np.array([np.nan])},
        {"word__place": np.array([99], np.uint32)},
        {"word__place": np.array([0], np.uint32)},
        {"word__first_place": np.array([0, 5], np.uint64)},
        {"word__weight": np.zeros(1)},
        {"window": np.array([999], np.uint32)},
        {"word__bytes": np.frombuffer(b"ka.a", np.uint8)},
        {"left_min": 0},
        {"default_allows": 1},
        {"classes": {"ab": "K"}},
        {"settings": {"depth": 2, "unknown": 1}},
        {"rounds": [[1, -1]]},
    ],
)
def test_a_forged_file_is_refused(tmp_path, changes):
    """Each index and each entry is checked, though the checksum fits."""
    path = tmp_path / "model.cb"
    cb.Hyphenator().fit(["ka-la"]).save(path)
    assert len(cb.load(path).patterns_) == 1
    forged(path, **changes)

    with pytest.raises(ModelFileError):
        cb.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        *({"classes": value} for value in (5, None, True, [], [1], {"K": 5}, {"Ka": "bcd"}, "other")),
        *({"forbid": value} for value in (5, None, "s-t", [5])),
        *({"force": value} for value in (5, ["s-t"], {"s-t": 5})),
    ],
)
def test_settings_that_cannot_be(tmp_path, changes):
    """Regression: a file with other classes than a table was loaded, and could not be saved."""
    path = tmp_path / "model.cb"
    cb.Hyphenator().fit(["ka-la"]).save(path)
    forged(path, settings=files.read(path)[0]["settings"] | changes)

    with pytest.raises(ModelFileError):
        cb.load(path)


def test_a_damaged_file_is_refused(tmp_path, hyph):
    """A wrong bit, wherever it is."""
    path = tmp_path / "model.cb"
    hyph.save(path)
    whole = path.read_bytes()
    for position in np.linspace(0, len(whole) - 1, 100).astype(int):
        damaged = bytearray(whole)
        damaged[position] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            cb.load(path)


def test_a_classifier_is_no_hyphenator(tmp_path):
    """Nor the other way round: each says what the file is."""
    cb.IB1Classifier().fit([["a"], ["b"]], ["x", "y"]).save(tmp_path / "ib1.cb")
    with pytest.raises(ModelFileError, match="not a hyphenator"):
        cb.Hyphenator.load(tmp_path / "ib1.cb")
    assert isinstance(cb.load(tmp_path / "ib1.cb"), cb.IB1Classifier)


@pytest.mark.parametrize(
    ("to", "shown"), [("tex", "\\patterns{"), ("hunspell", "LEFTHYPHENMIN 1"), ("json", '"patterns"')]
)
def test_patterns_are_exported_for_other_programs(to, shown):
    """What `casebase hyphen export` writes is a text in Python."""
    assert shown in cb.Hyphenator(window=None).fit(["ta-lo", "kis-sa", "ka-la"]).export(to)


def test_patterns_are_not_exported_for_unknown_programs():
    with pytest.raises(CasebaseError, match=r"Unknown kind of file 'latex'.*Known: tex, hunspell, json"):
        cb.Hyphenator(window=None).fit(["ta-lo"]).export("latex")
