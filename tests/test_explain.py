"""The evidence says what the answer was made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.base.evidence import TreeEvidence
from casebase.data import Cases
from casebase.neighbours import ib1, igtree, tribl, tribl2
from casebase.neighbours.evidence import NeighbourEvidence
from tests.base.results import ask
from tests.oracles import ib1 as plain
from tests.strategies import ks, missing_policies, tasks, weightings


def explained(model, queries, **options):
    return model.explain(model.schema.encode(queries), **options)


@given(tasks(), weightings, ks, missing_policies)
def test_ib1_evidence_is_the_answer(task, weighting, k, missing):
    """Class and votes are those of the answer, and every cost is part of a distance."""
    model = ib1.fit(task.cases(), k=k, weighting=weighting, missing=missing)
    for evidence, (label, votes) in zip(
        explained(model, task.queries, limit=99), ask(model, task.queries), strict=True
    ):
        assert (evidence.label, evidence.votes) == (label, votes)
        assert len(evidence.neighbours) == evidence.n_neighbours
        for neighbour in evidence.neighbours:
            assert sum(neighbour.costs) == pytest.approx(neighbour.distance, rel=1e-12, abs=1e-14)
        if not evidence.was_tied:
            counted = {}
            for neighbour in evidence.neighbours:
                counted[neighbour.label] = counted.get(neighbour.label, 0) + neighbour.weight
            assert counted == votes


@given(tasks(), weightings, ks, missing_policies)
def test_nearest_of_another_class(task, weighting, k, missing):
    """The nearest case of another class is of another class, and no such case is nearer."""
    model = ib1.fit(task.cases(), k=k, weighting=weighting, missing=missing)
    sum_order = model.memory.order[model.metric.sum_order[0]].tolist()
    ranges = plain.value_ranges(task.rows, task.numeric, task.counts)
    for evidence, query in zip(explained(model, task.queries), task.queries):
        distances = [
            plain.distance(row, query, model.weights.tolist(), ranges, sum_order, missing)
            for i, row in enumerate(task.rows)
            if task.labels[i] != evidence.label and (task.counts is None or task.counts[i] > 0)
        ]
        if not distances:
            assert evidence.nearest_other is None
        else:
            assert evidence.nearest_other.label != evidence.label
            assert evidence.nearest_other.distance == pytest.approx(min(distances), rel=1e-12, abs=1e-14)


@given(tasks(), weightings, missing_policies)
def test_igtree_evidence_is_the_answer(task, weighting, missing):
    """Class and votes are those of the node the path leads to, and counts fall along the path."""
    model = igtree.fit(task.cases(), weighting=weighting, missing=missing)
    _, depth = model.walk(model.schema.encode(task.queries))
    for i, (label, votes) in enumerate(ask(model, task.queries)):
        evidence = explained(model, task.queries)[i]
        assert (evidence.label, evidence.votes, evidence.n_features_used) == (label, votes, depth[i])
        sizes = [step.n_cases for step in evidence.path]
        assert sizes == sorted(sizes, reverse=True)
        assert [step.feature for step in evidence.path[1:]] == [model.schema.names[f] for f in model.order[: depth[i]]]


@given(tasks(), weightings, weightings, ks, missing_policies, st.integers(0, 4))
def test_tribl_evidence_is_the_answer(task, weighting, below, k, missing, switch):
    """Class and votes are those of the answer, from the tree or from cases that share the path's values."""
    model = tribl.fit(task.cases(), switch=switch, k=k, weighting=weighting, weighting_below=below, missing=missing)
    for evidence, (label, votes) in zip(
        explained(model, task.queries, limit=99), ask(model, task.queries), strict=True
    ):
        assert (evidence.label, evidence.votes) == (label, votes)
        if isinstance(evidence, NeighbourEvidence):
            assert len(evidence.path) == min(switch, task.n_features) + 1
            shared = {model.schema.names.index(step.feature): step.value for step in evidence.path[1:]}
            for neighbour in evidence.neighbours:
                assert all(same(neighbour.values[f], value) for f, value in shared.items())
                assert sum(neighbour.costs) == pytest.approx(neighbour.distance, rel=1e-12, abs=1e-14)
                assert all(neighbour.costs[f] == 0 for f in shared)
        else:
            assert isinstance(evidence, TreeEvidence)


def same(stored, asked):
    """A number in a tree is a symbol: 0.5 is stored as the text it is written with."""
    return stored == asked or (asked is not None and stored is not None and float(stored) == float(asked))


def test_values_never_seen_are_named():
    """The evidence lists what no stored case has, and shows the case as it was asked."""
    model = ib1.fit(Cases.from_table([["a", 1, "P"], ["b", 2, "Q"]], target=-1))
    [evidence] = explained(model, [["z", 3]])
    assert evidence.values == ("z", "3")
    assert [(unseen.feature, unseen.value) for unseen in evidence.unseen] == [("f1", "z"), ("f2", "3")]


def test_only_some_neighbours_are_listed():
    """The limit bounds the list, not the votes or the number of neighbours."""
    model = ib1.fit(Cases.from_table([["a", "P"]] * 5, target=-1))
    [evidence] = explained(model, [["a"]], limit=2)
    assert (len(evidence.neighbours), evidence.n_neighbours, evidence.votes) == (2, 5, {"P": 5})


def test_ids_of_neighbours():
    """A neighbour has the id that it was given, or the number of its row."""
    rows = [["b", "P"], ["a", "Q"]]
    [named] = explained(ib1.fit(Cases.from_table(rows, target=-1, ids=["one", "two"])), [["a"]])
    [counted] = explained(ib1.fit(Cases.from_table(rows, target=-1)), [["a"]])
    assert (named.neighbours[0].id, counted.neighbours[0].id) == ("two", 1)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["a", "x"], "all features matched"),
        (["z", "x"], "f1 = z was never seen"),
        (["b", "x"], "leaf"),
        (["a", "y"], "f2 = y has no branch"),
    ],
)
def test_why_a_walk_stopped(asked, reason):
    """A walk ends at a leaf, after all features, or at a value without a branch."""
    rows = [["a", "x", "P"], ["a", "z", "Q"], ["a", "z", "Q"], ["b", "y", "R"], ["b", "x", "R"]]
    [evidence] = explained(igtree.fit(Cases.from_table(rows, target=-1), weighting=[2, 1]), [asked])
    assert reason in evidence.stopped


def test_a_second_vote_shows_the_cases_that_decided_it():
    """Two cases at distance 1 disagree; those at distance 2 decide and are listed with them."""
    cases = Cases.from_table([["a", "x", "P"], ["a", "y", "Q"], ["b", "z", "Q"]], target=-1)
    model = ib1.fit(cases, weighting="none")
    (evidence,) = model.explain(model.schema.encode([["a", "w"]]))
    assert evidence.was_tied
    assert evidence.label == "Q"
    assert [neighbour.id for neighbour in evidence.neighbours] == [0, 1, 2]
    assert evidence.distances == (1.0, 2.0)


def test_a_missing_value_without_a_branch_is_said_to_be_missing():
    """The reason used to speak of a value called None that was never seen."""
    cases = Cases.from_table([["a", "P"], ["b", "Q"], [None, "Q"], [None, "Q"]], target=-1)
    model = igtree.fit(cases, missing="unknown")
    assert model.explain(model.schema.encode([[None]]))[0].stopped == "f1 is missing, which has no branch here"


def test_a_known_value_without_a_branch_is_not_said_to_be_unknown():
    """Of the values of a node, IGTree keeps those that change the answer: "b" was seen, and is answered P too."""
    cases = Cases.from_table([["a", "P"], ["b", "P"], ["a", "P"], ["c", "Q"]], target=-1)
    model = igtree.fit(cases)
    (evidence,) = model.explain(model.schema.encode([["b"]]))
    assert evidence.stopped == "f1 = b has no branch here that would change the prediction"


@pytest.mark.parametrize("metric", ["cosine", "dot"])
def test_rows_compared_as_a_whole_have_no_costs_by_feature(metric):
    """Regression: the differences of the numbers were shown, which no distance is made of."""
    model = ib1.fit(Cases.from_table([[1.0, 2.0, "P"], [2.0, 1.0, "Q"]], target=-1), metric=metric, weighting="none")
    (evidence,) = explained(model, [[3.0, 4.0]])

    assert [neighbour.costs for neighbour in evidence.neighbours] == [(0.0, 0.0)]


@given(tasks(), weightings, ks, missing_policies)
def test_tribl2_evidence_has_the_values_that_were_walked(task, weighting, k, missing):
    """As many steps as features were shared; the cases at the end are all that could be neighbours."""
    model = tribl2.fit(task.cases(), k=k, weighting=weighting, missing=missing)
    answers = model.answer(model.schema.encode(task.queries))
    for evidence, depth in zip(explained(model, task.queries, limit=99), answers.depth, strict=True):
        n_cases = [step.n_cases for step in evidence.path]
        assert len(evidence.path) == depth + 1
        assert n_cases == sorted(n_cases, reverse=True)
        assert sum(neighbour.weight for neighbour in evidence.neighbours) <= n_cases[-1]
        assert all(sum(step.counts.values()) == step.n_cases for step in evidence.path)


def test_tribl2_path_of_a_worked_example():
    """The heavier feature comes first; one case shares its value, and not the other."""
    model = tribl2.fit(Cases.from_table([["a", "x", "P"], ["a", "y", "Q"], ["b", "z", "Q"]], target=-1))
    (evidence,) = explained(model, [["a", "z"]])

    assert [(s.feature, s.value, s.default, s.n_cases) for s in evidence.path] == [
        (None, None, "Q", 3.0),
        ("f2", "z", "Q", 1.0),
    ]
