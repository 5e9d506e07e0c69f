"""Perceptron trees written out: texts, JSON, SQL that answers as the model does, and pictures."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.render.drawing import matplotlib

ODD = pd.DataFrame(
    {
        "na'me": ["a", "a", "b", "b", None, "c", "it's", "a"],
        'quo"ted': ["x", "y", "x", "y", "x", "y", "y", None],
        "sum_0": [1.5, -2.0, 0.25, np.nan, 3.0, 0.0, 1.0, np.nan],
        "whole": [1, 2, 1, 2, 3, 3, 1, 2],
    }
)
TWO, THREE = list("PQQPPQPQ"), list("PQRPQRPQ")


def fitted(labels=TWO, **parameters):
    return cb.PerceptronTreeClassifier(**parameters).fit(ODD, labels)


def test_the_text_says_what_each_value_adds():
    X = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    text = cb.PerceptronTreeClassifier().fit(X, list("nnny")).export_text()

    assert text.splitlines()[0] == "any case → perceptron (4 cases: n 3, y 1)"
    assert text.splitlines()[1].startswith("n if the sum is above 0, y if it is below: begins with ")
    assert text.splitlines()[2:] == ["  f1: 0 +2, 1 -2", "  f2: 0 +2, 1 -2"]


def test_numbers_are_shown_with_their_scale():
    clf = cb.PerceptronTreeClassifier().fit([[1.0], [2.0], [5.0]], ["P", "P", "Q"])

    assert "· (f1 - 3) / 2" in clf.export("text")


def test_json_has_the_units_of_every_perceptron():
    tree = json.loads(fitted(THREE).export("json"))
    leaves = [node["perceptron"] for node in tree["nodes"] if "perceptron" in node]

    assert leaves
    for leaf in leaves:
        assert leaf["precision"] >= 2
        for unit in leaf["units"]:
            assert ("class" in unit) != ("above" in unit)
            assert all(("adds" in term) != ("slope" in term) for term in unit["terms"])


@pytest.mark.parametrize("labels", [TWO, THREE])
@pytest.mark.parametrize("max_passes", [1, 100])
def test_sql_answers_as_the_model_does(labels, max_passes):
    """Odd names, missing values, numbers, and values never seen."""
    clf = fitted(labels, max_passes=max_passes)
    asked = pd.concat([ODD, ODD.sample(frac=1, random_state=0).reset_index(drop=True).assign(whole=ODD["whole"])])
    asked = pd.concat([asked, ODD.assign(**{"na'me": "new", "sum_0": 7.5})], ignore_index=True)
    answers = duckdb.sql(f"SELECT {clf.export('sql')} AS answer FROM asked").fetchall()

    assert [answer for (answer,) in answers] == clf.predict(asked).tolist()


def test_a_format_that_is_not_there_is_refused():
    with pytest.raises(CasebaseError, match="text, json, sql"):
        fitted().export("xml")


def test_pictures_have_the_words_of_the_table():
    (axes,) = (
        cb.PerceptronTreeClassifier().fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PQQP")).plot().axes
    )
    assert {"f1", "a", "b"} <= {text.get_text() for text in axes.texts}
    assert any(text.get_text().startswith("perceptron 0") for text in axes.texts)


def test_a_perceptron_is_drawn_with_a_bar_for_every_value():
    clf = cb.PerceptronTreeClassifier().fit([["a", 1.0], ["a", 2.0], ["b", 3.0]], ["P", "P", "Q"])
    (axes,) = clf.plot_perceptron().axes

    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["any case", "f1 = a", "f1 = b", "f2 at its greatest, 3"]
    figure = matplotlib().figure.Figure()
    assert clf.plot_perceptron(0, ax=figure.add_subplot()) is figure


def test_two_classes_stand_at_the_two_ends_of_the_axis():
    """In the middle they read as one phrase, "← yes no →"."""
    (axes,) = cb.PerceptronTreeClassifier().fit([["a"], ["b"]], ["P", "Q"]).plot_perceptron().axes

    assert {text.get_text(): (text.xy[0], text.get_ha()) for text in axes.texts} == {
        "P →": (1, "right"),
        "← Q": (0, "left"),
    }


def test_a_perceptron_of_three_classes_has_a_row_each():
    figure = cb.PerceptronTreeClassifier().fit([["a"], ["b"], ["c"]], list("PQR")).plot_perceptron()

    assert [axes.get_xlabel() for axes in figure.axes] == [f"speaks for {label} →" for label in "PQR"]


@pytest.mark.parametrize("number", [-1, 1, True, "0"])
def test_a_perceptron_that_is_not_there_is_not_drawn(number):
    with pytest.raises(CasebaseError, match="The tree has 1 perceptron, numbered from 0"):
        cb.PerceptronTreeClassifier().fit([["a"], ["b"]], ["P", "Q"]).plot_perceptron(number)


def test_evidence_adds_up_to_the_lead():
    """Bias and contributions are the sum of the answer, less that of the rival where there are more classes."""
    for labels in (TWO, THREE):
        clf = fitted(labels)
        for one in clf.explain(ODD):
            if not one.sums:
                continue
            lead = one.sums[one.label] - (one.sums[one.rival] if len(one.sums) > 2 else 0.0)
            assert one.bias + sum(c.amount for c in one.contributions) == pytest.approx(lead)
            assert one.sums[one.label] == max(one.sums.values())
            assert cb.evidence_from_dict(json.loads(json.dumps(one.to_dict()))).sums == one.sums
            assert "then a perceptron" in str(one)
            assert "What the values added" in cb.render_html(one)


def test_evidence_lists_no_more_values_than_asked_for():
    clf = cb.PerceptronTreeClassifier().fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PPPQ"))
    (evidence,) = clf.explain([["a", "x"]], limit=1)

    assert (len(evidence.contributions), evidence.n_contributions) == (1, 2)
    assert "… and 1 feature with less to say" in str(evidence)
