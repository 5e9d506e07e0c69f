"""Taggers and hyphenators at a desk: what they learn equals learning at once, and survives a crash."""

import pytest

from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.serve.desks.desk import Desk
from casebase.tagging.tagger import Tagger
from tests.serve.cases import abandon

CORPUS = [
    [("The", "D"), ("dog", "N"), ("runs", "V")],
    [("A", "D"), ("cat", "N"), ("sleeps", "V")],
    [("The", "D"), ("run", "N"), ("ends", "V")],
]
NEW = [[("The", "D"), ("sleeps", "N")], [("Dogs", "N"), ("cat", "V")]]


def test_a_tagger_learns(tmp_path):
    """As if it had been trained on all sentences; the journal brings them back."""
    path = tmp_path / "tags.cb"
    Tagger(known="ddfa").fit(CORPUS).save(path)
    expected = Tagger(known="ddfa").fit([*CORPUS, *NEW])
    desk = Desk.open(path, idle=None)
    assert desk.kind == "tagger"
    outcome = desk.learn(NEW, key="k")
    assert (outcome.ids, desk.snapshot.sequence, desk.snapshot.is_calibrated) == ((3, 4), 1, False)
    assert desk.learn(NEW, key="k").is_repeated

    abandon(desk)
    desk = Desk.open(path, idle=None)
    for tagger in (desk.snapshot.saved, expected):
        assert tagger.tag(["The", "sleeps", "cat"]) == expected.tag(["The", "sleeps", "cat"])
    assert list(desk.snapshot.saved.model_.corpus) == list(expected.model_.corpus)
    desk.close()
    with Desk.open(path, idle=None) as desk:
        assert (desk.snapshot.version, desk.snapshot.sequence, desk.snapshot.is_calibrated) == (outcome.after, 1, True)
        assert desk.learn(NEW, key="k").is_repeated
        with pytest.raises(CasebaseError, match="cannot forget"):
            desk.undo(1)
        for wrong in (lambda: desk.learn([["The"]]), lambda: desk.learn([]), lambda: desk.learn("The")):
            with pytest.raises(CasebaseError):
                wrong()
        with pytest.raises(CasebaseError, match="This is a tagger"):
            desk.remove([0])
    learned = Tagger.load(path)
    learned.learn(NEW[0]).save(path)
    with Desk.open(path) as desk:
        assert desk.snapshot.sequence == 1


def test_a_hyphenator_learns(tmp_path):
    """Words one after the other, as `correct` does; undone with what was before."""
    path = tmp_path / "words.cb"
    words = ["ta-lo", "kis-sa", "ka-la", "kuk-ka-ro"]
    Hyphenator(window=None).fit(words).save(path)
    expected = Hyphenator(window=None).fit(words)
    for word in ("kuk-kar-o", "tal-oo"):
        expected.correct(word)
    desk = Desk.open(path, idle=None)
    assert desk.kind == "hyphenator"
    outcome = desk.correct(["kuk-kar-o", "tal-oo"], key="k")
    assert outcome.ids == ("kukkaro", "taloo")

    abandon(desk)
    desk = Desk.open(path, idle=None)
    assert desk.snapshot.version == outcome.after
    assert desk.snapshot.saved.patterns_.patterns == expected.patterns_.patterns
    assert desk.correct(["kuk-kar-o", "tal-oo"], key="k").is_repeated
    desk.undo(1)
    assert desk.snapshot.saved.hyphenate("kukkaro", "-") == "kuk-ka-ro"
    desk.correct(["ka+la"], hyphen="+")
    for wrong in (["a-", 3], ["ta-lo", "tal-o"], [], "ta-lo"):
        with pytest.raises(CasebaseError):
            desk.correct(wrong)
    with pytest.raises(CasebaseError, match="This is a hyphenator"):
        desk.learn([[("The", "D")]])
    desk.close()
    assert len(Hyphenator.load(path)._log) == 3
