"""Oblivious graphs written out: texts, JSON, SQL that answers as the model does, and pictures."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.oblivious.graph import MERGES
from casebase.render.drawing import matplotlib

ODD = pd.DataFrame(
    {
        "node'1": ["a", "a", "b", "b", None, "c", "it's", "a"],
        'quo"ted': ["x", "y", "x", "y", "x", "y", "y", None],
        "whole": [1, 2, 1, 2, 3, 3, 1, 2],
    }
)
LABELS = list("PQRPQRPQ")


def fitted(**parameters):
    return cb.ObliviousGraphClassifier(**parameters).fit(ODD, LABELS)


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("missing", ["value", "unknown"])
def test_sql_answers_as_the_model_does(merge, missing):
    """Odd names, missing values and values never seen."""
    clf = fitted(merge=merge, missing=missing)
    mixed = ODD.assign(whole=ODD["whole"][::-1].tolist())
    asked = pd.concat([ODD, mixed, ODD.assign(**{"node'1": "new"})], ignore_index=True)
    answers = duckdb.sql(f"SELECT {clf.export('sql')} AS answer FROM asked").fetchall()

    assert [answer for (answer,) in answers] == clf.predict(asked).tolist()


@pytest.mark.parametrize("missing", ["value", "unknown"])
def test_sql_of_eodg_answers_as_the_model_does(missing):
    """Thresholds, missing numbers, and values that go where most cases go."""
    size = [*range(12), None] * 4
    table = pd.DataFrame({"size": size, "col": (["red"] * 13 + ["blue"] * 13) * 2})
    labels = ["P" if (x is None or x > 5) == (colour == "red") else "Q" for x, colour in table.values.tolist()]
    clf = cb.ObliviousGraphClassifier(missing=missing).fit(table.astype({"size": float}), labels)
    asked = pd.concat([table, table[::-1].assign(col="new")], ignore_index=True)
    answers = duckdb.sql(f"SELECT {clf.export('sql')} AS answer FROM asked").fetchall()

    assert clf.model_.thresholds is not None
    assert [answer for (answer,) in answers] == clf.predict(asked).tolist()


def test_json_leads_from_the_root_to_every_class():
    graph = json.loads(fitted(method="consistent").export("json"))

    assert graph["n_nodes"] == len(graph["nodes"])
    assert {branch["node"] for node in graph["nodes"] for branch in node.get("branches", [])} == set(
        range(1, graph["n_nodes"])
    )
    assert [node["then"] for node in graph["nodes"] if "asks" not in node] == ["P", "Q", "R"]


def test_a_graph_that_asks_nothing():
    clf = cb.ObliviousGraphClassifier().fit([["a"], ["b"]], ["P", "P"])

    assert clf.export("text") == "asks nothing: P (2 cases: P 2)\n"
    assert clf.export("sql") == "'P'\n"
    assert clf.plot().axes


def test_the_text_may_be_cut_short():
    clf = cb.ObliviousGraphClassifier(merge="none").fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PQQP"))

    assert clf.export_text(1).endswith("… and 2 more nodes that ask\n")
    for wrong in (0, True, 1.5):
        with pytest.raises(CasebaseError, match="max_nodes is the number of nodes to show"):
            clf.export_text(wrong)


def test_the_length_of_the_text_may_be_a_number_of_numpy():
    """Regression: np.int64(1) was refused as no number."""
    clf = cb.ObliviousGraphClassifier(merge="none").fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PQQP"))

    assert clf.export_text(np.int64(1)) == clf.export_text(1)


def test_a_picture_has_features_values_and_classes():
    clf = cb.ObliviousGraphClassifier(merge="equal").fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("PQQP"))
    (axes,) = clf.plot().axes
    figure = matplotlib().figure.Figure()

    assert {"f1", "f2", "a", "b", "x", "y", "P\n2", "Q\n2"} <= {text.get_text() for text in axes.texts}
    assert clf.plot(ax=figure.add_subplot()) is figure
    with pytest.raises(CasebaseError, match="The graph has 5 nodes; a picture holds 4"):
        clf.plot(max_nodes=4)


def test_a_format_that_is_not_there_is_refused():
    with pytest.raises(CasebaseError, match="text, json, sql"):
        fitted().export("xml")
