"""The search for work in which Ctrl-C is not heard."""

import hashlib
import sys
import time

import pytest

from lab.faults.interrupts import deafness, latency

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and timers of POSIX")


def test_a_call_that_hears_nothing_is_found():
    """The longest time without a handler is about that of the call; its place is not in the package."""

    def work() -> None:
        time.sleep(0.2)  # hears
        hashlib.pbkdf2_hmac("sha256", b"", b"", 10**6)  # a second or less in compiled code

    seconds, longest = deafness(work, until=60).splitlines()[:2]
    processor, clock, place = longest.split("\t")

    assert float(seconds) > 0.2
    assert 0.05 < float(processor) <= float(clock) + 0.01
    assert place == "the end"


def test_work_that_takes_longer_than_it_is_watched_is_ended():
    assert deafness(lambda: time.sleep(100), until=0.2).splitlines()[0].endswith("+")


def test_an_error_of_the_work_is_told(capfd):
    assert deafness(lambda: 1 // 0, until=1) == "failed: ZeroDivisionError: integer division or modulo by zero"


def test_the_time_until_an_interruption_has_ended_the_work():
    """Of work that has ended before the signal there is none."""
    assert 0 < latency(lambda: time.sleep(100), 0.2) < 60
    assert latency(lambda: None, 0.5) is None
