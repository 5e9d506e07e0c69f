"""The kernels of perceptron trees and oblivious graphs: what they refuse, and a few cases by hand."""

import numpy as np
import pytest

from casebase import _native

u8, u32, u64 = np.uint8, np.uint32, np.uint64
SAYS_WHY = r"\w+ \w+"


def tree_arguments(**changed):
    column = np.array([0, 1], u8)
    return {
        "columns": [column],
        "n_values": [2],
        "inputs": [column],
        "labels": np.array([0, 1], u32),
        "weights": np.ones(2),
        "group": np.array([0, 1], u32),
        "group_label": np.array([0, 1], u32),
        "frequency": np.ones(2),
        "rank": np.array([0, 1], u32),
        "max_passes": 10,
        "patience": 10,
        "seed": 0,
        "by_ratio": False,
    } | changed


def test_two_cases_are_one_perceptron():
    """Weights point from one case to the other, in two bits each: one, and its sign."""
    tree = _native.grow_perceptron_tree(**tree_arguments())

    assert tree["node"].tolist() == [0]
    assert (tree["weight"].tolist(), tree["precision"].tolist()) == ([1, 1, -1], [2])


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": np.array([0, 2], u32)},
        {"labels": np.empty(0, u32)},
        {"weights": np.array([1.0, 0.0])},
        {"weights": np.ones(3)},
        {"group": np.array([0, 2], u32)},
        {"group_label": np.array([0, 5], u32)},
        {"n_values": [1]},
        {"n_values": [2, 2]},
        {"inputs": [np.array([0.0, 1.0])]},
        {"inputs": []},
        {"rank": np.array([0], u32)},
    ],
)
def test_a_tree_is_not_grown_from_what_does_not_fit(changed):
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.grow_perceptron_tree(**tree_arguments(**changed))


def machine_arguments(**changed):
    return {
        "first_class": np.array([0, 2], u32),
        "class_label": np.array([0, 1], u32),
        "first_input": np.array([0, 2], u32),
        "input_feature": np.array([0, 0], u32),
        "input_value": np.array([0, 1], u32),
        "first_weight": np.array([0, 3], u64),
        "weight": np.array([1, 2, -2], np.int32),
        "place": np.array([0, 1], u32),
        "machine": np.array([0, 0, 0], np.int32),
        "rows": np.array([0, 1, 2], u32),
        "columns": [np.array([0, 1, 255], u8)],
        "n_rows": 3,
        "n_threads": 2,
    } | changed


def test_a_value_that_is_no_input_leaves_the_bias():
    """1 + 4, 1 - 4 and 1."""
    assert _native.ask_machines(**machine_arguments()).tolist() == [0, 1, 0]


def test_equal_sums_go_to_the_class_of_the_first_place():
    arguments = machine_arguments(weight=np.zeros(3, np.int32), place=np.array([1, 0], u32))

    assert _native.ask_machines(**arguments).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "changed",
    [
        {"machine": np.array([0, 0, 1], np.int32)},
        {"machine": np.array([0, 0, -1], np.int32)},
        {"machine": np.array([0], np.int32)},
        {"rows": np.array([0, 1, 3], u32)},
        {"weight": np.array([1, 2], np.int32), "first_weight": np.array([0, 2], u64)},
        {"first_weight": np.array([0, 4], u64)},
        {"first_class": np.array([0, 1], u32), "class_label": np.array([0], u32)},
        {"class_label": np.array([0, 2], u32)},
        {"input_feature": np.array([0, 1], u32)},
        {"input_value": np.array([0], u32)},
        {"first_input": np.array([1, 2], u32)},
        {"first_class": np.empty(0, u32)},
    ],
)
def test_machines_that_do_not_fit_are_not_asked(changed):
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.ask_machines(**machine_arguments(**changed))


def graph_arguments(**changed):
    return {
        "columns": [np.array([0, 0, 1, 1], u8), np.array([0, 1, 0, 1], u8)],
        "first_count": np.array([0, 1, 2, 3, 4], u64),
        "count_label": np.array([0, 1, 1, 0], u32),
        "count": np.ones(4),
        "frequency": np.array([2.0, 2.0]),
        "rank": np.array([0, 1], u32),
        "report": None,
    } | changed


def test_parity_of_two_is_three_tests_and_two_leaves():
    graph = _native.grow_graph(**graph_arguments(), merge=1, confidence=0.25, z=0.67)

    assert graph["level"].tolist() == [0, 1, 1, 2, 2]
    assert graph["edge_target"].tolist() == [1, 2, 3, 4, 4, 3]
    assert graph["n_tree_nodes"] == 7


def test_of_features_that_say_as_much_the_first_is_asked_first():
    assert _native.choose_levels(**graph_arguments(), by_ratio=False).tolist() == [0, 1]


@pytest.mark.parametrize(
    "changed",
    [
        {"count_label": np.array([0, 1, 1, 2], u32)},
        {"count": np.array([1.0, 1.0, 0.0, 1.0])},
        {"count": np.ones(3)},
        {"first_count": np.array([0, 1, 1, 3, 4], u64)},
        {"first_count": np.array([0, 1, 2, 3, 5], u64)},
        {"first_count": np.array([0], u64)},
        {"columns": [np.array([0, 1], u8)]},
        {"columns": [np.array([0.0, 1.0, 2.0, 3.0])]},
    ],
)
def test_a_graph_is_not_grown_from_what_does_not_fit(changed):
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.grow_graph(**graph_arguments(**changed), merge=1, confidence=0.25, z=0.67)
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.choose_levels(**graph_arguments(**changed), by_ratio=False)


@pytest.mark.parametrize("changed", [{"merge": 4}, {"merge": -1}, {"confidence": 0.0}, {"confidence": 1.0}])
def test_options_of_a_graph_that_mean_nothing_are_refused(changed):
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.grow_graph(**graph_arguments(), **({"merge": 1, "confidence": 0.25, "z": 0.67} | changed))


def walk_arguments(**changed):
    return {
        "level": np.array([0, 1, 1], u32),
        "first_edge": np.array([0, 2, 2, 2], u32),
        "edge_value": np.array([0, 1], u32),
        "edge_target": np.array([1, 2], u32),
        "otherwise": np.arange(3, dtype=u32),
        "columns": [np.array([1, 0, 255], u8)],
        "n_rows": 3,
        "n_threads": 2,
    } | changed


def test_a_walk_ends_at_a_leaf_or_where_there_is_no_branch():
    node, n_steps = _native.walk_graph(**walk_arguments())

    assert (node.tolist(), n_steps.tolist()) == ([2, 1, 0], [1, 1, 0])


def test_a_value_without_a_branch_may_lead_somewhere_too():
    node, n_steps = _native.walk_graph(**walk_arguments(otherwise=np.array([1, 1, 2], u32)))

    assert (node.tolist(), n_steps.tolist()) == ([2, 1, 1], [1, 1, 1])


@pytest.mark.parametrize(
    "changed",
    [
        {"edge_target": np.array([0, 2], u32)},
        {"edge_target": np.array([1, 3], u32)},
        {"edge_target": np.array([1], u32)},
        {"level": np.array([1, 1, 1], u32)},
        {"level": np.empty(0, u32), "first_edge": np.array([0], u32)},
        {"first_edge": np.array([0, 3, 2, 2], u32)},
        {"first_edge": np.array([0, 2, 2, 1], u32)},
        {"otherwise": np.array([0, 0, 2], u32)},
        {"otherwise": np.array([0, 1, 3], u32)},
        {"otherwise": np.array([0, 1], u32)},
        {"columns": [np.array([1.0, 0.0, 2.0])]},
        {"columns": [np.array([1, 0], u8)]},
    ],
)
def test_a_graph_that_does_not_fit_is_not_walked(changed):
    with pytest.raises(ValueError, match=SAYS_WHY):
        _native.walk_graph(**walk_arguments(**changed))
