"""Cross-validation of hyphenators, and how sure decisions are."""

import numpy as np
import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.errors import CasebaseError, ModelFileError
from casebase.hyphenation.confidence import Confidence, Record
from casebase.hyphenation.files import hyphenation_from
from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.patterns import Pattern
from casebase.hyphenation.validation import cross_validated, held_out_confidence
from casebase.hyphenation.words import HyphenatedWords, hyphenated_words

WORDS = ["ka-la", "ta-lo", "la-ki", "kis-sa", "las-ta", "tak-ka", "ka-sti", "la-sti", "sa-ta", "o-lut"]


def without(words, word):
    """Return all words but one."""
    kept = [i for i, other in enumerate(words.words) if other != word]
    picked = tuple(words.words[i] for i in kept), tuple(words.places[i] for i in kept)
    return HyphenatedWords(*picked, words.weights[kept])


def test_as_many_folds_as_words_leave_each_word_out():
    """Every word is answered by patterns of all others, one by one."""
    words, settings = hyphenated_words(WORDS), Settings(window=None)
    scores, shares = cross_validated(words, settings, n_folds=len(words))
    right = [
        learn(without(words, word), settings).patterns.positions(word) == list(places)
        for word, places in zip(words.words, words.places)
    ]

    assert scores.n_right_words == sum(right)
    assert sorted(shares) == sorted(map(float, right))


def test_confidence_counts_held_out_decisions():
    """By the level and the support of the pattern that decided, checked place by place."""
    words, settings = hyphenated_words(WORDS), Settings(window=None)
    counts = {}
    for word, places in zip(words.words, words.places):
        model = learn(without(words, word), settings).patterns
        for place, found in model.matching(word).items():
            allows = found[0].allows if found else model.default_allows
            support = int(2 ** np.floor(np.log2(max(found[0].support, 1)))) if found else 0
            count = counts.setdefault((found[0].level if found else 0, min(16, support)), [0, 0])
            count[0] += allows == (place in places)
            count[1] += 1

    found = held_out_confidence(words, settings, n_folds=len(words))

    assert {(r.level, r.at_least): [r.n_right, r.n] for r in found.records} == counts


def test_few_places_are_drawn_towards_their_level():
    """Two of two right is not certainty where others of the level are wrong."""
    confidence = Confidence((Record(1, 1, 2, 2), Record(1, 4, 10, 20)))

    assert confidence.of(Pattern("ab", 1, 1, support=1)) == pytest.approx((2 + 2 * (12 + 2 * 13 / 24) / 24) / 4)
    assert confidence.of(Pattern("ab", 1, 2)) == pytest.approx(13 / 24)


def test_confidence_is_shown_and_saved(tmp_path):
    """In the evidence, its JSON and the model file."""
    hyph = cb.Hyphenator().fit(WORDS)
    with pytest.raises(CasebaseError, match="measure_confidence"):
        hyph.confidences("kala")
    hyph.measure_confidence(5).save(tmp_path / "words.cb")
    loaded = cb.load(tmp_path / "words.cb")
    evidence = loaded.explain("kala")

    assert loaded.confidences("kala") == hyph.confidences("kala") == {p.place: p.confidence for p in evidence.places}
    assert "sure)" in str(evidence)
    assert type(evidence).from_dict(evidence.to_dict()) == evidence


def test_more_right_than_all_is_not_a_usable_file(tmp_path):
    """What a file says about confidence is checked."""
    hyph = cb.Hyphenator().fit(WORDS).measure_confidence(2)
    hyph.save(tmp_path / "words.cb")
    from casebase.base.files import read

    header, arrays = read(tmp_path / "words.cb")
    header["confidence"][0][2] = 1e9

    with pytest.raises(ModelFileError, match="more held-out places are right"):
        hyphenation_from("words.cb", header, arrays)


def test_more_folds_than_words_are_refused():
    """With both numbers."""
    with pytest.raises(CasebaseError, match="10 words, 11 folds"):
        cross_validated(hyphenated_words(WORDS), Settings(), n_folds=11)


def test_the_command_cross_validates_and_refuses_what_belongs_to_it(tmp_path):
    """--cv takes one file and the options of train; without it they are refused."""
    path = tmp_path / "words.txt"
    path.write_text("\n".join(WORDS))
    run = CliRunner().invoke
    shown = run(cli, ["hyphen", "evaluate", str(path), "--cv", "5", "--depth", "1", "--json"])

    assert '"folds"' in shown.output
    assert "Give MODEL and WORDS" in run(cli, ["hyphen", "evaluate", str(path)]).output
    assert "--cv" in run(cli, ["hyphen", "evaluate", "a.cb", str(path), "--depth", "1"]).output
