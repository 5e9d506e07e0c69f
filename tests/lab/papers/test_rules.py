"""The experiments on hyphenation: patgen driven, accuracy counted, and the whole on a few words."""

import pytest

from casebase.datasets import DataNotFoundError, MissingExtraError
from casebase.hyphenation.patterns import Pattern, PatternSet
from lab.papers import reproduce, rules
from lab.papers.rules import PAPER, english, finnish, words
from lab.papers.rules.measuring import consonant_before_vowel, percent_right
from lab.peers import hyphenators, patgen
from tests.peers import require_patgen, require_pyphen

WORDS = ["ta-lo", "ka-la", "kis-sa", "kuk-ka-ro", "ö-jy", "ä-ly", "sär-ky", "tal-vi", "il-ta", "a-pi-na", "ka-na-la"]


@pytest.fixture
def few_words(monkeypatch):
    """The experiments on a few words."""
    monkeypatch.setattr(words, "local_lines", lambda file: WORDS if file == words.FINNISH else ENTRIES)
    words.finnish.cache_clear()
    words.english.cache_clear()
    yield
    words.finnish.cache_clear()
    words.english.cache_clear()


ENTRIES = [f"{word} 1 X" for word in ("HYPHENATION", "RECORD", "RECORDING", "NATION", "O'CLOCK", "TABLE", "TABLES")]


@pytest.mark.peer
def test_patgen_finds_every_hyphen_of_its_words():
    """Letters outside of ASCII stand for other bytes while it works."""
    require_patgen()

    found = patgen.patterns_by_patgen(WORDS)

    assert found.n_lines > 0
    assert (found.good, found.bad) == (100.0, 0.0)
    assert [found.patterns.positions(w.replace("-", "")) for w in WORDS[:5]] == [[2], [2], [3], [3, 5], [1]]


@pytest.mark.peer
def test_patgen_keeps_the_distances():
    """Its patterns say nothing of places too near to an edge, and are not asked about them."""
    require_patgen()

    found = patgen.patterns_by_patgen(["a-pi-na", "o-pi-na", "ta-pi-na"], left_min=2, right_min=3)

    assert found.patterns.positions("apina") == []
    assert found.patterns.positions("tapina") == [2]


def test_accuracy_is_counted_by_places_and_by_words():
    """One wrong place of eight spoils one word of two."""
    assert percent_right(PatternSet((Pattern("na", 0, 1),)), ["banana", "nana"], [[2, 4], []]) == (87.5, 50.0)


def test_the_simple_rule_breaks_before_consonant_and_vowel():
    """Clusters are parted before their last consonant, vowels never."""
    rule = consonant_before_vowel(["kirjastoa"])

    assert rule.positions("kirjastoa") == [3, 6]


@pytest.mark.usefixtures("few_words")
def test_the_rules_are_right_on_their_words_at_each_depth():
    """And the claims are judged."""
    results = finnish.run(0, 0)

    assert [results[depth, "consistent"] for depth in finnish.DEPTHS] == [100.0] * 3
    assert results["examples"] == sum(len(word.replace("-", "")) - 1 for word in WORDS)


@pytest.mark.usefixtures("few_words")
def test_folds_hold_out_each_word_once(monkeypatch):
    """Eleven words in ten folds: one or two in each."""
    asked = []
    monkeypatch.setattr(finnish, "percent_right", lambda patterns, words, places: asked.append(words) or (100.0, 100.0))
    monkeypatch.setattr(patgen, "is_installed", lambda: False)
    for number in range(finnish.N_FOLDS):
        finnish.run_fold(0, number)

    n_methods = len(finnish.METHODS) + 1
    held_out = [word for words in asked[::n_methods] for word in words]
    assert sorted(held_out) == sorted(word.replace("-", "") for word in WORDS)


@pytest.mark.peer
@pytest.mark.usefixtures("few_words")
def test_english_words_are_letters_only_and_broken_by_pyphen():
    """O'clock is none of them."""
    require_pyphen()
    found = words.english(10, 0)

    assert found.words == ("hyphenation", "nation", "record", "recording", "table", "tables")
    assert found.places[0] == (2, 6)


@pytest.mark.usefixtures("few_words")
def test_the_paper_as_a_whole_with_what_is_there(monkeypatch):
    """Rows for each method and measure, without patgen as well."""
    monkeypatch.setattr(patgen, "is_installed", lambda: False)
    monkeypatch.setattr(english, "N_OTHERS", 2)
    monkeypatch.setattr(rules, "N_ENGLISH_QUICK", 4)

    report = reproduce([PAPER], quick=True, n_runs=2).papers[0]

    assert {row.experiment for row in report.rows} >= {finnish.WHERE, finnish.UNSEEN}
    assert any("patgen is not installed" in note for note in report.notes)
    assert report.claims[0].holds is True


def test_without_the_words_the_report_says_so(monkeypatch, tmp_path):
    """As for every data set that is not there."""
    monkeypatch.setenv("CASEBASE_DATA", str(tmp_path))
    words.finnish.cache_clear()
    words.english.cache_clear()

    report = reproduce([PAPER], quick=True).papers[0]

    assert {row.verdict for row in report.rows if "Finnish" in row.data or "English" in row.data} == {"no data"}
    with pytest.raises(DataNotFoundError, match=r"finnish_hyphenation\.txt"):
        words.finnish()


def test_without_pyphen_there_are_no_english_words(monkeypatch):
    """It is not needed otherwise."""
    monkeypatch.setattr(hyphenators, "pyphen", None)
    words.english.cache_clear()

    with pytest.raises(MissingExtraError, match="pip install pyphen"):
        words.english(10, 0)
