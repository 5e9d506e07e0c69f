"""C4.5's rules, and trees, on the command line."""

import pytest

import casebase as cb

DAYS = """\
outlook,humidity,windy,play
sunny,85,false,no
sunny,90,true,no
overcast,86,false,yes
rainy,96,false,yes
rainy,80,false,yes
rainy,70,true,no
overcast,65,true,yes
sunny,95,false,no
sunny,70,false,yes
rainy,80,false,yes
sunny,70,true,yes
overcast,90,true,yes
overcast,75,false,yes
rainy,91,true,no
"""


@pytest.fixture
def days(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text(DAYS, encoding="utf-8")
    return path


def test_rules_are_learnt_told_and_exported(run, days, tmp_path):
    model = tmp_path / "days.cb"
    ran = run("train", days, "-o", model, "--learner", "c45rules", "--metric", "humidity=numeric")

    assert ran.code == 0
    assert "4 rules for 2 classes and a default" in ran.err
    assert run("explain", model, "--case", "sunny 90 true").out.startswith(
        "play = no: 3 of 3 records that the rule decides say so; no other class has any.\n"
        "  rule: outlook = sunny and humidity > 75 → no (3 records), level 2 of 2"
    )
    assert "  outlook = rainy and windy = true (2 cases)" in run("inspect", model).out
    assert run("inspect", model, "--export", "python").out == cb.load(model).export("python")


@pytest.mark.parametrize("learner", ["id3", "c45"])
def test_trees_are_exported(run, days, tmp_path, learner):
    run("train", days, "-o", tmp_path / "m.cb", "--learner", learner)

    assert run("inspect", tmp_path / "m.cb", "--export", "sql").out == cb.load(tmp_path / "m.cb").export("sql")
    ran = run("inspect", tmp_path / "m.cb", "--export", "python")
    assert ran.code == 2
    assert f"A model of {learner} can be exported to text, json, sql, not to python." in ran.err
