"""What a reproduction finds, as plain records."""

import json

import pytest

from lab.papers import Claim, Measured, Row, reproduce
from tests.lab.papers.papers import CHANCE, ONE_RUN


def test_interval_of_a_mean_is_students():
    """For four runs the half width is 3.182 standard errors."""
    measured = Measured((1.0, 2.0, 3.0, 4.0))

    assert measured.half_width == pytest.approx(3.1824 * measured.deviation / 2, abs=1e-4)
    assert measured.interval == pytest.approx((2.5 - measured.half_width, 2.5 + measured.half_width))


def test_one_run_has_no_interval():
    """A single run says nothing about the spread."""
    assert (ONE_RUN.mean, ONE_RUN.deviation, ONE_RUN.half_width, ONE_RUN.interval) == (50.0, None, None, None)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ({"paper": 50.0, "paper_spread": 2.0, "ours": Measured((51.0, 52.9))}, "inside"),
        ({"paper": 50.0, "paper_spread": 1.0, "ours": Measured((51.0, 52.0))}, "outside"),
        ({"paper": 50.0, "ours": Measured((40.0, 60.0))}, "inside"),  # no ± printed: the interval of ours
        ({"paper": 50.0, "ours": Measured((10.0, 10.1))}, "outside"),
        ({"paper": 50.0, "ours": Measured((51.0,))}, "one run"),
        ({"paper": 50.0, "paper_spread": 1.0, "ours": Measured((51.0,))}, "inside"),
        ({"paper": 50.0, "peer": Measured((40.0, 60.0))}, "peer inside"),
        ({"paper": 50.0, "peer": Measured((10.0, 10.1))}, "peer outside"),
        ({"paper": 50.0, "ours": Measured((50.0, 50.0)), "another_reading": True}, "another reading"),
        ({"paper": 0.1, "paper_spread": 0.3, "ours": Measured((0.4, 0.4))}, "inside"),  # 0.4 - 0.1 is not quite 0.3
        ({"paper": 50.0}, "not measured"),
        ({"ours": ONE_RUN}, "no figure printed"),
        ({"paper": 50.0, "missing": True}, "no data"),
    ],
)
def test_verdict_of_a_row(row, verdict):
    """Inside or outside the paper's interval, or why that cannot be said."""
    assert Row("Table 1", "coins", "guessing", **row).verdict == verdict


@pytest.mark.parametrize(("holds", "verdict"), [(True, "holds"), (False, "does not hold"), (None, "not decided")])
def test_verdict_of_a_claim(holds, verdict):
    """A claim holds, does not, or cannot be judged."""
    assert Claim("text", "it rains", "a look outside", "drops", holds).verdict == verdict


def test_json_has_every_row_with_its_runs():
    """What is printed as JSON comes back as it was, runs included."""
    record = json.loads(json.dumps(reproduce([CHANCE]).to_dict()))

    first = record["papers"][0]["rows"][0]
    assert first["ours"]["runs"] == [60.0, 61.0, 62.0]
    assert (first["ours"]["mean"], first["peer"]["mean"], first["orientation"]) == (61.0, 50.0, 65.0)
    assert [row["verdict"] for row in record["papers"][0]["rows"]] == [
        "no figure printed",
        "no figure printed",
        "inside",
        "outside",
        "no data",
    ]


def test_json_has_the_points_of_the_pictures():
    """Each curve with its places, and what was measured there."""
    (figure,) = json.loads(json.dumps(reproduce([CHANCE]).to_dict()))["papers"][0]["figures"]

    assert figure["name"] == "coins-figure1"
    curve = figure["panels"][0]["curves"][0]
    assert (curve["label"], curve["x"]) == ("ours", [10, 20])
    assert [point["mean"] for point in curve["y"]] == [61.0, 81.0]
