"""Ctrl-C is heard during long calls of libraries."""

import signal
import threading
from types import FrameType

import pytest

from casebase.data.arrow import pa, pc
from casebase.data.listening import listening
from casebase.data.vocabulary import vocabulary_of

MANY = 10**6


class Stop(Exception):
    """What the handler of these tests raises."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_a_signal_ends_the_wait_for_a_long_call():
    """The call goes on, and its result is dropped."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stop

    may_end = threading.Event()
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Stop):
            listening(MANY, may_end.wait)
    finally:
        may_end.set()
        signal.signal(signal.SIGALRM, before)


def test_what_a_long_call_returns_or_raises_is_passed_on():
    """Also with named arguments, and in another thread, which hears no signals."""
    assert listening(MANY, sorted, [1, 3, 2], reverse=True) == [3, 2, 1]
    with pytest.raises(ZeroDivisionError):
        listening(MANY, divmod, 1, 0)
    assert listening(1, threading.current_thread) is threading.current_thread()
    assert listening(MANY, threading.current_thread) is not threading.current_thread()
    found = []
    thread = threading.Thread(target=lambda: found.append(listening(MANY, threading.current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]


def test_the_values_of_a_large_vocabulary_are_sorted_where_ctrl_c_is_heard(monkeypatch):
    """Regression: sorting five million values was waited for, seconds after Ctrl-C."""
    monkeypatch.setattr("casebase.data.listening.MANY", 3)
    column = pa.array(["c", "a", "b", "a"]).dictionary_encode()
    threads = []

    def noting(call):
        return lambda *arguments, **named: threads.append(threading.current_thread()) or call(*arguments, **named)

    for name in ("array_sort_indices", "count_distinct"):
        monkeypatch.setattr(pc, name, noting(getattr(pc, name)))

    vocabulary, codes = vocabulary_of(column)

    assert (vocabulary.values.to_pylist(), codes.tolist()) == (["a", "b", "c"], [2, 0, 1, 0])
    assert len(threads) == 2
    assert threading.main_thread() not in threads
