"""Reports are kept, and a figure that became worse shows."""

import pytest

from lab.bench import rendering, stored
from lab.bench.stored import ReportError, changes
from tests.lab.bench.fakes import curve, report, row

BEFORE = "2024-01-01T00:00:00Z"


def test_a_stored_report_is_read_as_it_was(tmp_path):
    """Rows, curves and what was not measured come back."""
    made = report(rows=(row(10.0, low=9.0, high=11.0),), curves=(curve(1),), missing={"mixed": "no peer"})

    stored.write(made, "text", tmp_path)

    assert stored.read(tmp_path / "report.json") == made
    assert (tmp_path / "report.md").read_text() == "text"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}'])
def test_a_file_that_is_no_report_is_refused_by_name(tmp_path, text):
    """The message names the file."""
    (tmp_path / "report.json").write_text(text)

    with pytest.raises(ReportError, match=r"report\.json"):
        stored.read(tmp_path / "report.json")


@pytest.mark.parametrize(
    ("before", "now", "is_cost", "is_worse"),
    [
        (10, 8, False, True),
        (10, 9.5, False, False),
        (10, 12, False, False),
        (1, 1.2, True, True),
        (1, 0.8, True, False),
    ],
)
def test_a_ratio_that_is_worse_by_more_than_a_tenth_is_marked(before, now, is_cost, is_worse):
    """Ratios get worse by falling, costs by rising."""
    past = report(BEFORE, rows=(row(before, is_cost=is_cost),))
    made = report(rows=(row(now, is_cost=is_cost),))

    found = changes(made, [past])

    assert found["ib1", "IB1"].is_worse == is_worse
    assert ("**worse**" in rendering.markdown(made, found)) == is_worse


def test_what_the_spread_explains_is_said_so():
    """Runs of both reports that overlap may differ by chance."""
    past = report(BEFORE, rows=(row(10, low=7, high=12),))

    apart = changes(report(rows=(row(5, low=4, high=6),)), [past])["ib1", "IB1"]
    close = changes(report(rows=(row(8, low=6, high=11),)), [past])["ib1", "IB1"]

    assert (apart.is_worse, apart.is_within_spread) == (True, False)
    assert (close.is_worse, close.is_within_spread) == (True, True)
    assert "within the spread" in rendering.ratio_change(close)


def test_a_part_is_compared_with_the_last_report_that_has_it(tmp_path):
    """Another part was run since; a report of tiny sizes does not count."""
    for made, sizes, part, ratio in (
        ("2024-01-01T00:00:00Z", "full", "ib1", 20),
        ("2024-01-01T01:00:00Z", "full", "ib1", 10),
        ("2024-01-01T02:00:00Z", "full", "loo", 30),
        ("2024-01-01T03:00:00Z", "small", "ib1", 1),
    ):
        stored.write(report(made, sizes=sizes, rows=(row(ratio, part=part),)), "", tmp_path)
    now = report(rows=(row(10),))

    found = changes(now, stored.earlier(tmp_path, now))

    assert found["ib1", "IB1"].before == 10
    assert found["ib1", "IB1"].since == "2024-01-01T01:00:00Z"
    assert "10 on 2024-01-01" in rendering.ratio_change(found["ib1", "IB1"])


def test_a_report_is_not_compared_with_itself(tmp_path):
    """What is stored under the same time is the report that is being made."""
    now = report(rows=(row(10),))
    stored.write(now, "", tmp_path)

    assert stored.earlier(tmp_path, now) == []


def test_a_stored_file_that_cannot_be_read_is_left_aside(tmp_path):
    """It is named, and the others are compared with."""
    stored.write(report(BEFORE, rows=(row(10),)), "", tmp_path)
    (tmp_path / "stored" / "broken.json").write_text("{")
    said = []

    past = stored.earlier(tmp_path, report(), said.append)

    assert [one.made for one in past] == [BEFORE]
    assert "broken.json" in said[0]


@pytest.mark.parametrize(("before", "now"), [(-0.1, 1), (1, 0)])
def test_what_is_not_above_zero_has_no_share_of_change(before, now):
    """A time that did not grow at all has such an exponent."""
    assert changes(report(rows=(row(now, is_cost=True),)), [report(BEFORE, rows=(row(before, is_cost=True),))]) == {}


def test_a_figure_that_no_report_knows_has_no_change():
    """New work is compared with nothing."""
    assert changes(report(rows=(row(1, work="new"),)), [report(BEFORE, rows=(row(1),))]) == {}


def test_a_steeper_curve_is_marked():
    """Growth that turns from proportional to quadratic shows in the table."""
    past, now = report(BEFORE, curves=(curve(1),)), report(curves=(curve(2),))

    found = changes(now, [past])

    assert found["growth", "IB1"].is_worse
    assert "**steeper**: 1.00" in rendering.markdown(now, found)


def test_curves_are_compared_where_both_have_points():
    """A curve that goes on further than before is not steeper for it."""
    short = curve(1, (1_000, 10_000))
    long = stored.replace(curve(1), seconds=(*short.seconds, stored.Runs((100.0,))))

    assert not changes(report(curves=(long,)), [report(BEFORE, curves=(short,))])["growth", "IB1"].is_worse
