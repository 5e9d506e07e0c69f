"""The frame runs parts that measure nothing real, and reports them."""

import subprocess
import sys

import pytest

from lab.bench import plots, running, stored
from lab.bench.measures import BENCHMARKS
from lab.bench.sizes import SMALL
from tests.lab.bench.fakes import curve, report, row
from tests.paths import ROOT


def run(parts, folder, past=()):
    return running.run(parts, SMALL, report(), folder, list(past), say=lambda text: None)


def test_results_carry_the_name_of_their_part(tmp_path):
    """So that a row is found again in the next report."""
    made, _ = run({"one": lambda sizes: [row(1)], "two": lambda sizes: [curve(1)]}, tmp_path)

    assert [result.part for result in (*made.rows, *made.curves)] == ["one", "two"]


def test_a_part_that_fails_is_named_and_the_others_go_on(tmp_path):
    """What it had measured stays; the first line of the error is in the report."""

    def failing(sizes):
        yield row(1, work="before")
        raise ValueError("no such thing\nand more")

    made, text = run({"one": failing, "two": lambda sizes: [row(1, work="after")]}, tmp_path)

    assert [one.work for one in made.rows] == ["before", "after"]
    assert made.missing == {"one": "failed: ValueError: no such thing"}
    assert "- one: failed: ValueError: no such thing" in text
    assert running.has_failed(made)


def test_a_part_without_its_peer_is_named(tmp_path):
    """Nothing measured is said, and is no failure."""
    made, text = run({"one": lambda sizes: []}, tmp_path)

    assert "- one: a peer or its data are not on this machine" in text
    assert not running.has_failed(made)


def test_the_report_is_written_after_every_part(tmp_path):
    """A long run that is stopped has left what it had measured."""
    seen = []

    def second(sizes):
        seen.extend(stored.read(tmp_path / "report.json").rows)
        return [row(2)]

    run({"one": lambda sizes: [row(1)], "two": second}, tmp_path)

    assert [one.ratio for one in seen] == [1]


def test_curves_are_drawn_beside_the_report(tmp_path):
    """The picture names each work with its exponent, and the report shows the picture."""
    pytest.importorskip("matplotlib")

    _, text = run({"growth": lambda sizes: [curve(1, name="IB1, learning"), curve(2, name="ID3")]}, tmp_path)

    assert "](growth.svg)" in text
    drawn = (tmp_path / "growth.svg").read_text()
    assert "IB1, learning, 1.00" in drawn
    assert "ID3, 2.00" in drawn


def test_more_curves_than_colours_differ():
    """No two lines have both colour and dash in common."""
    pytest.importorskip("matplotlib")
    lines = plots.draw([curve(1, name=f"{i}") for i in range(11)]).axes[0].get_lines()

    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_the_table_says_runs_spread_target_and_miss(tmp_path):
    """All that is needed to doubt a ratio stands beside it."""
    missed = row(9, low=8, high=12, target=10, n_ours=5, n_peer=1)

    _, text = run({"ib1": lambda sizes: [missed]}, tmp_path)

    assert "| ib1 | IB1 | 1 s | 2 s | 5 / 1 | 9 (8–12) | ≥ 10 | **below target** | – |" in text


def test_every_part_has_its_line_in_the_documentation():
    """A part is found by its name in docs/benchmarks.md."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

    assert [name for name in BENCHMARKS if f"| `{name}` |" not in page] == []


@pytest.mark.slow
def test_the_command_writes_a_report_and_compares_with_a_given_one(tmp_path):
    """A part of tiny sizes from start to end, twice; which figures come is not asked."""
    for against in ([], ["--against", str(tmp_path / "report.json")]):
        command = [sys.executable, "-m", "lab.bench", "--small", "--only", "start", "--folder", str(tmp_path)]
        ran = subprocess.run([*command, *against], capture_output=True, text=True, cwd=ROOT, check=True)

    made = stored.read(tmp_path / "report.json")
    assert (made.sizes, made.parts, [one.part for one in made.rows]) == ("small", ("start",), ["start"])
    assert "Figures that an earlier report has: 1" in ran.stdout


@pytest.mark.slow
def test_an_unknown_part_is_refused_with_those_there_are():
    """`make bench ONLY=…` with a wrong name tells the right ones."""
    ran = subprocess.run([sys.executable, "-m", "lab.bench", "--only", "ib7"], capture_output=True, text=True, cwd=ROOT)

    assert ran.returncode == 2
    assert "no part 'ib7'; there are start, ib1" in ran.stderr
