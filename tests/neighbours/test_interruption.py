"""Ctrl-C is heard while two long texts are compared."""

import signal
from types import FrameType

import pytest

import casebase as cb

LETTERS = 400_000  # a second or more per comparison


class Stop(Exception):
    """What the handler of these tests raises."""


def long_text(letters: str) -> list[list[str]]:
    return [[letters * (LETTERS // len(letters))]]


@pytest.fixture
def heard():
    """Note the signals that are heard; the tenth one raises Stop. A signal that waits is not sent again."""
    seen: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        if len(seen) == 10:
            raise Stop

    before = signal.signal(signal.SIGVTALRM, hear)
    yield seen
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers of processor time")
def test_a_comparison_of_long_texts_can_be_interrupted_and_asked_again(heard):
    """The comparison used to go on to its end, and the signal was heard only then: minutes for a million letters."""
    clf = cb.IB1Classifier(2, metric="levenshtein", weighting="none").fit([*long_text("abcd"), ["dddd"]], ["P", "Q"])
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05, 0.05)

    with pytest.raises(Stop):
        clf.predict(long_text("acbd"))

    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    assert clf.explain([["abcd"]])[0].distances == (3.0, LETTERS - 4.0)
