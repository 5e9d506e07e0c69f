"""How a case goes through a tree: to one leaf, or with shares to several."""

from functools import partial

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.data import Cases
from casebase.trees import c45, id3
from casebase.trees.nodes import TreeNodes
from casebase.trees.paths import path_evidence
from tests.trees.hand_trees import tree_nodes

DAYS = pd.DataFrame(
    {
        "outlook": ["rainy", "rainy", "sunny", "sunny", "sunny", "overcast", None, "rainy"],
        "humidity": [80.0, 70.0, 90.0, 70.0, None, 60.0, 85.0, 95.0],
    }
)
PLAY = ["yes", "yes", "no", "yes", "no", "yes", "no", "yes"]
SPEC = {"ask": "outlook", "sunny": {"ask": "humidity", "at": 77.5}}


def cases_and_nodes(**options) -> tuple[Cases, TreeNodes]:
    cases = Cases.from_table(DAYS, y=PLAY)
    return cases, tree_nodes(cases, SPEC, **options)


def evidence_of(outlook, humidity, *, spreads, limit=10):
    cases, nodes = cases_and_nodes(spreads=spreads)
    asked = pd.DataFrame({"outlook": pd.array([outlook], "string"), "humidity": [humidity]}).astype({"humidity": float})
    return path_evidence(nodes, cases.schema, cases.schema.encode(asked), label=1, spreads=spreads, limit=limit)


def test_known_values_lead_to_one_leaf():
    """Each step has the branch and its counts; the last says why the walk ended."""
    evidence = evidence_of("sunny", 90.0, spreads=False)

    assert [(node.feature, node.value, node.stopped) for node in evidence.path] == [
        (None, None, ""),
        ("outlook", "sunny", ""),
        ("humidity", "> 77.5", "leaf of one class"),
    ]
    assert evidence.path[1].counts == {"no": 2.0, "yes": 1.0}
    assert (evidence.n_endings, evidence.votes) == (1, {"no": 1.0})


@pytest.mark.parametrize(
    ("outlook", "why"),
    [("foggy", "outlook = foggy was never seen in training"), (None, "leaf of one class")],
)
def test_a_tree_that_takes_missing_as_a_value_stops_where_there_is_no_branch(outlook, why):
    """Without shares a missing value is a branch of its own, and a value never seen has none."""
    assert evidence_of(outlook, 90.0, spreads=False).path[-1].stopped == why


def test_a_missing_number_is_below_all_others():
    """Where a missing value is a value, a number that is missing takes the lower branch."""
    assert evidence_of("sunny", None, spreads=False).path[-1].value == "≤ 77.5"


@pytest.mark.parametrize("outlook", [None, "foggy"])
def test_a_value_that_is_not_known_takes_every_branch(outlook):
    """Shares are those of the training cases; what the leaves say is summed by them."""
    evidence = evidence_of(outlook, 90.0, spreads=True)

    assert evidence.spread == ("outlook",)
    assert [(node.value, round(node.share, 4)) for node in evidence.path if node.stopped] == [
        ("rainy", 0.4286),
        ("> 77.5", 0.4286),
        ("overcast", 0.1429),
    ]
    assert sum(evidence.votes.values()) == pytest.approx(1)


def test_shares_of_shares_multiply():
    """Two values that are not known: the share of a leaf is that of both branches."""
    evidence = evidence_of(None, None, spreads=True)

    shares = {node.value: node.share for node in evidence.path}
    assert shares["≤ 77.5"] + shares["> 77.5"] == pytest.approx(shares["sunny"])
    assert evidence.spread == ("outlook", "humidity")


def test_the_greatest_shares_are_listed():
    """Of more endings than asked for, those with the greatest shares and the way to them are listed."""
    evidence = evidence_of(None, None, spreads=True, limit=1)

    assert evidence.n_endings == 4
    assert [node.value for node in evidence.path] == [None, "rainy"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", None]),
            st.sampled_from([1.0, 2.0, 3.0, None]),
            st.sampled_from(["x", "y", None]),
            st.sampled_from("PQR"),
        ),
        min_size=2,
        max_size=30,
    ),
    st.sampled_from([id3.fit, c45.fit, partial(c45.fit, pruned=False, collapse=False, min_cases=1)]),
)
@settings(max_examples=40, deadline=None)
def test_what_is_told_is_what_was_answered(rows, fit):
    """The leaves on the path give the shares and the class of the model's own answer."""
    names = ["f", "g", "h"]
    columns = [pd.array([row[i] for row in rows], float if i == 1 else "string") for i in range(3)]
    frame = pd.DataFrame(dict(zip(names, columns)))
    model = fit(Cases.from_table(frame, y=[row[3] for row in rows]))
    asked = pd.concat([frame, frame.assign(f=pd.array(["new"] * len(rows), "string"), g=float("nan"))])

    cases = model.schema.encode(asked)
    answers = model.answer(cases)
    shares = answers.distribution(len(model.schema.classes))
    for i, evidence in enumerate(model.explain(cases)):
        told = [evidence.distribution.get(label, 0.0) for label in model.schema.classes]
        assert told == pytest.approx(shares[i].tolist())
        assert evidence.label == model.schema.classes[answers.label[i]]
