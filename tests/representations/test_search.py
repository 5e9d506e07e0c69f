"""A search derives representations, keeps what is better, and checks it with examples that were kept apart."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import casebase as cb
from casebase.cli import cli
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.representations import search, search_representations, vary


def sums(n=240, seed=0):
    """Return examples whose class depends on the sum of two of four features."""
    rows = np.random.default_rng(seed).integers(5, size=(n, 4))
    return rows.astype(str), np.where((rows[:, 0] + rows[:, 1]) % 5 < 2, "low", "high")


MAX_RUNS = 30


@pytest.fixture(scope="module")
def found():
    return search_representations(*sums(), max_rounds=2, max_runs=MAX_RUNS)


def test_the_pair_that_decides_is_found_and_confirmed(found):
    """No feature tells anything alone; the pair tells the class."""
    assert found.changes[0] == "with f1*f2"
    assert (found.check.accuracy_after, found.check.verdict) == (1.0, "confirmed")
    assert found.cases.values(0)[-1] == "*".join(sums()[0][0, :2])


def test_all_verdicts_together_may_err_as_often_as_one(found):
    """The levels of all tests, one after each run, add up to less than 1 - confidence, whatever the rounds are."""
    assert sum(one.level for one in found.candidates) * MAX_RUNS < 0.05
    assert all(one.p < one.level for one in found.candidates if one.is_better)
    assert {one.round for one in found.candidates if one.is_kept} == {1, 2}


def test_examples_kept_apart_decide_nothing(monkeypatch):
    """With other classes for the examples of the check, every comparison is the same."""
    rows, labels = sums(100)
    fold = folds(np.unique(labels, return_inverse=True)[1], 5, 0)
    monkeypatch.setattr(search, "folds", lambda *_, **__: fold)
    turned = np.where((fold == 0) & (np.arange(100) % 3 == 0), np.where(labels == "low", "high", "low"), labels)
    one, other = (search_representations(rows, each, max_rounds=1, max_runs=MAX_RUNS) for each in (labels, turned))
    assert one.candidates == other.candidates
    assert one.check != other.check


def test_the_kept_candidate_has_the_fewest_bits_of_those_that_are_better(found):
    for number in (1, 2):
        better = [one for one in found.candidates if one.round == number and one.is_better]
        assert min(better, key=lambda one: one.bits_per_example).bits_per_example == next(
            one.bits_per_example for one in better if one.is_kept
        )


def test_where_nothing_can_be_learned_features_are_dropped_or_nothing_is_found():
    """Classes by chance: no pair is kept, and the check confirms nothing."""
    rows, _ = sums()
    labels = np.random.default_rng(5).integers(2, size=len(rows)).astype(str)
    found = search_representations(rows, labels, generate=["pairs"], max_rounds=1)
    assert found.changes == ()
    assert found.check.verdict == "not decided"
    assert str(found).startswith("No representation is better for id3 than the one given.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generate": ["squares"]}, "squares"),
        ({"generate": []}, "got none"),
        ({"held_out": 0.0}, "held_out is a share"),
        ({"held_out": 0.01}, "at least 10"),
        ({"confidence": 1.0}, "confidence is a share"),
        ({"max_rounds": 0}, "max_rounds is a whole number"),
        ({"learner": "ib1"}, "no codelength"),
    ],
)
def test_what_a_search_refuses(options, message):
    with pytest.raises(CasebaseError, match=message):
        search_representations(*sums(100), **options)


def test_an_interruption_returns_the_best_so_far(monkeypatch):
    """Ctrl-C in the second round: what the first one kept stays, and is checked."""
    compare, n_calls = search.compare_representations, []

    def interrupted(*args, **options):
        n_calls.append(1)
        found = compare(*args, **options)
        if len(n_calls) > 13:  # eleven candidates of the first round, and two of the second
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(search, "compare_representations", interrupted)
    found = search_representations(*sums(), max_runs=MAX_RUNS)
    assert found.was_interrupted
    assert found.changes == ("with f1*f2",)


def test_pairs_are_an_axis():
    """A pair is one more feature; numbers must be discretised before."""
    rows = [["a", "x"], ["b", "y"], ["a", None], ["b", "x"]]
    (table,) = vary(rows, list("PQPQ"), pairs=["f1*f2"]).values()
    assert [table.values(i)[-1] for i in range(4)] == ["a*x", "b*y", None, "b*x"]
    with pytest.raises(CasebaseError, match="has numbers"):
        vary([[1.5, "a"], [2.5, "b"]], list("PQ"), pairs="f1*f2")
    with pytest.raises(CasebaseError, match="A pair is two features"):
        vary(rows, list("PQPQ"), pairs="f1")


def test_the_command_writes_the_examples_as_they_are_then(tmp_path):
    rows, labels = sums()
    path, output = tmp_path / "bits.csv", tmp_path / "better.csv"
    path.write_text("\n".join(["a,b,c,d,y", *(",".join([*row, label]) for row, label in zip(rows, labels))]) + "\n")
    arguments = [
        "compare",
        str(path),
        "--search",
        "--rounds",
        "1",
        "--max-runs",
        str(MAX_RUNS),
        "--json",
        "-o",
        str(output),
    ]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    record = json.loads(result.stdout)
    assert record["changes"] == ["with a*b"]
    assert record["check"]["verdict"] == "confirmed"
    assert output.read_text().splitlines()[0] == "a,b,c,d,a*b,y"
    assert cb.read_cases(output).n_cases == len(rows)
    for wrong in (["--vary", "bins=3"], [str(path)], ["--plot", "x.svg"]):
        assert CliRunner().invoke(cli, [*arguments[:3], *wrong]).exit_code == 2
    assert CliRunner().invoke(cli, ["compare", str(path), str(path), "-o", "x.csv"]).exit_code == 2
