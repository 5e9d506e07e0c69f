"""The loop that runs experiments."""

import signal

import pytest

from lab.papers import Claim, Experiment, Measured, Paper, Part, Row, count_runs, reproduce
from lab.papers.running import with_reasons
from lab.peers.programs import PeerError
from tests.lab.papers.papers import CHANCE, stopped_in


def test_progress_is_called_once_a_run():
    """The bar comes to its end, also where data are missing."""
    steps = []

    reproduce([CHANCE], quick=True, progress=lambda done, total: steps.append((done, total)))

    assert steps[-1] == (6, 6)
    assert count_runs([CHANCE], quick=True) == 6


def test_number_of_runs_can_be_said():
    """It takes the place of the paper's number."""
    assert reproduce([CHANCE], n_runs=5).papers[0].rows[0].ours.n_runs == 5


def test_missing_data_are_a_row():
    """The row says what to do, and the other experiments are there."""
    row = reproduce([CHANCE]).papers[0].rows[-1]

    assert (row.data, row.verdict) == ("rain", "no data")
    assert "no file rain.csv" in row.note


@pytest.mark.parametrize(("broken", "rows"), [(2, [(0.0, 1.0)]), (0, [])])
def test_a_peer_that_fails_does_not_take_the_report_with_it(broken, rows):
    """The runs before it are counted, the next experiment is done, and a note says what the peer said."""

    def run(i):
        if i == broken:
            raise PeerError("timbl ended with status 1: out of memory")
        return {"x": float(i)}

    def summary(results):
        return Part((Row("Table 1", "coins", "guessing", ours=results["x"]),))

    experiments = [
        Experiment("Table 1", "coins", 5, run, summary),
        Experiment("T2", "dice", 1, lambda i: {"x": 9}, summary),
    ]
    report = reproduce([Paper("p", "P", "", lambda seed, quick, n_runs: experiments)]).papers[0]

    assert [row.ours.runs for row in report.rows] == [*rows, (9.0,)]
    assert report.notes == [
        f"Table 1, coins: no runs after {broken}, because a peer failed. timbl ended with status 1: out of memory"
    ]


def test_every_disagreement_has_its_reason():
    """By data and method, by one of them, by the first words of a claim; what nobody knows is said, too."""
    apart = {"paper": 50.0, "paper_spread": 1.0, "ours": Measured((90.0, 90.1))}
    rows = (
        Row("T", "coins", "guessing", **apart),
        Row("T", "dice", "guessing", note="drawn", **apart),
        Row("T", "dice", "asking", **apart),
        Row("T", "dice", "asking", **apart | {"ours": Measured((51.0, 53.5))}),
        Row("T", "dice", "asking", **apart | {"ours": Measured((50.0, 50.5))}),
    )
    claims = tuple(Claim("T", text, "", "", False) for text in ("guessing is easy", "coins are fair"))
    reasons = {("coins", "guessing"): "bent coins", "guessing": "bad luck"}
    part = with_reasons(Part(rows, claims), reasons)

    assert [row.note for row in part.rows] == [
        "bent coins",
        "drawn; bad luck",
        "the reason is not known",
        "chance may be the reason: the 95 % interval of the mean here reaches into the paper's",
        "",
    ]
    assert [claim.note for claim in part.claims] == ["Bad luck.", "The reason is not known."]


def test_ctrl_c_keeps_what_is_done():
    """The finished runs are summed up, the experiments after them are not begun."""
    report = reproduce([stopped_in(4, swallow=False)])

    assert report.interrupted
    assert [row.ours.runs for row in report.papers[0].rows] == [(0, 1, 2, 3)]


def test_ctrl_c_that_a_learner_swallows_still_ends_the_work():
    """A learner may end early and give its best so far; such a run is not counted."""
    report = reproduce([stopped_in(2, swallow=True)])

    assert [row.ours.runs for row in report.papers[0].rows] == [(0, 1)]


def test_ctrl_c_in_the_first_run_leaves_a_note():
    """Nothing was measured, and the report says so."""
    report = reproduce([stopped_in(0, swallow=False)])

    assert report.papers[0].rows == []
    assert "before its first run" in report.papers[0].parts[0].notes[0]


def test_the_handler_of_ctrl_c_is_put_back():
    """After the work, Ctrl-C does what it did before."""
    before = signal.getsignal(signal.SIGINT)

    reproduce([stopped_in(1, swallow=False)])

    assert signal.getsignal(signal.SIGINT) is before
