"""Both sides take turns, and what is timed is what should be."""

import gc
from contextlib import contextmanager

import pytest

from lab.bench.timing import ReportedSeconds, Runs, Side, alternating, patient_runs, side, timbl_seconds
from lab.peers import timbl
from tests.lab.bench.fakes import FakeClock


def test_sides_take_turns():
    """One run of each side after the other, not all runs of a side at once."""
    clock = FakeClock()

    alternating({"a": side(clock.work("a", 1), 3), "b": side(clock.work("b", 1), 3)}, clock)

    assert clock.done == ["a", "b", "a", "b", "a", "b"]


def test_a_side_with_fewer_runs_takes_part_in_the_first_rounds():
    """A long peer runs once, the other side goes on."""
    clock = FakeClock()

    taken = alternating({"a": side(clock.work("a", 1), 3), "b": side(clock.work("b", 60), 1)}, clock)

    assert clock.done == ["a", "b", "a", "a"]
    assert taken == {"a": Runs((1, 1, 1)), "b": Runs((60,))}


def test_the_figure_is_the_median_and_the_spread_the_extremes():
    """A single slow run moves the spread, not the figure."""
    clock = FakeClock()

    runs = alternating({"a": side(clock.work("a", 2, 9, 1, 3, 2), 5)}, clock)["a"]

    assert (runs.low, runs.median, runs.high) == (1, 2, 9)


def test_what_is_made_anew_for_a_run_is_not_timed():
    """Making the memory takes a hundred seconds, asking it one."""
    clock = FakeClock()

    def make():
        clock.work("make", 100)()
        return clock.work("ask", 1)

    taken = alternating({"a": Side(make, 2)}, clock)

    assert clock.done == ["make", "ask", "make", "ask"]
    assert taken["a"] == Runs((1, 1))


def test_what_holds_around_the_work_is_not_timed():
    """Binding threads to cores takes time that is not the work's."""
    clock = FakeClock()

    @contextmanager
    def bound():
        clock.now += 10
        yield
        clock.now += 10

    assert alternating({"a": side(clock.work("a", 1), 1, bound)}, clock)["a"] == Runs((1,))


def test_what_the_benchmark_holds_is_no_rubbish_of_the_work():
    """While the clock runs the collector looks at new objects only, and afterwards at all of them again."""
    seen = []

    alternating({"ours": side(lambda: seen.append(gc.get_freeze_count()), 1)})

    assert seen[0] > 0
    assert gc.get_freeze_count() == 0


def test_seconds_that_a_program_tells_count_instead_of_the_clock():
    """TiMBL tells how long its test took, without learning."""
    clock = FakeClock()

    def ask():
        clock.now += 50
        return ReportedSeconds(3)

    assert alternating({"a": side(ask, 1)}, clock)["a"] == Runs((3,))


def test_timbl_tells_its_seconds_by_its_rate(monkeypatch):
    """The last rate printed is that of the test."""
    log = timbl.Log("Seconds taken: 1.0000 (5.00 p/s)\nSeconds taken: 0.0330 (200.00 p/s)\n")
    monkeypatch.setattr(timbl, "log_of", lambda *options: log)

    assert timbl_seconds(1_000, "-t", "test") == pytest.approx(5)


@pytest.mark.parametrize(("seconds", "n_runs"), [(1, 5), (4, 3), (60, 1)])
def test_long_work_is_run_less_often(seconds, n_runs):
    """No further run once ten seconds have gone by."""
    clock = FakeClock()

    assert len(patient_runs(clock.work("a", seconds), 5, 10, clock).values) == n_runs
