"""Stored cases on the command line: asked for by id, left out, shown, exported."""

import json


def test_a_stored_case_is_left_out_unless_told_otherwise(run, model):
    """By id without the case itself; the option for it, and for its contrary."""
    left_out, kept = (
        json.loads(run("explain", model, "--id", "3", *more, "--json").out)[0] for more in ((), ("--no-leave-out",))
    )

    assert (left_out["left_out"], kept["left_out"]) == (3, None)
    assert 3 not in [neighbour["id"] for neighbour in left_out["neighbours"]]
    assert kept["neighbours"][0]["id"] == 3
    assert "the stored case 3 itself was left out" in run("explain", model, "--id", "3").out


def test_rows_of_a_file_can_be_left_out(run, model, weather):
    """By default the ids of the rows are 0, 1, 2, …, as in the file that the model was trained on."""
    plain, left_out = (
        json.loads(run("explain", model, weather, *more, "--json").out) for more in ((), ("--leave-out",))
    )

    assert [one["left_out"] for one in left_out] == list(range(14))
    assert {one["left_out"] for one in plain} == {None}


def test_mistakes_about_stored_cases(run, model, weather, written):
    """One way to say what is explained; an id that is there, and values that are its own."""
    other = written("sky,heat,humidity,wind\nrainy,cool,1.5,no\n")

    assert (
        "Give DATA, or one case with --case, or stored cases with --id."
        in run("explain", model, weather, "--id", "3").err
    )
    assert "for stored cases" in run("explain", model, "--case", "rainy mild 96 no", "--leave-out").err
    assert "--id: the ids of this model are whole numbers; got 'x'" in run("explain", model, "--id", "x").err
    assert "No stored case has the id 99" in run("explain", model, "--id", "99").err
    assert "sky is rainy here and sunny there" in run("explain", model, other, "--leave-out").err


def test_one_more_case_is_one(run, model, weather):
    """A single case is not counted as several."""
    assert "\n1 more case; --first N" in run("explain", model, weather, "--first", "13").err
    assert "\n2 more cases; --first N" in run("explain", model, weather, "--first", "12").err
