"""What the search refuses, and that the stub file names what is compiled."""

import ast
import types
from pathlib import Path

import numpy as np
import pytest

from casebase import _native

NO_ROW = 0xFFFFFFFF


def arguments(**changed):
    two = np.array([0, 1], np.uint8)
    return {
        "columns": [two, np.array([0.5, 1.5])],
        "n_rows": 2,
        "queries": [two[:1], np.array([0.5])],
        "n_queries": 1,
        "weights": np.ones((1, 2)),
        "ranges": np.ones((1, 2)),
        "sum_order": np.array([[0, 1]], np.uint32),
        "scopes": np.array([[0, 2, 0, NO_ROW]], np.uint32),
        "k": 1,
        "exact_first": False,
        "missing_agrees": True,
        "n_threads": 1,
    } | changed


def test_the_arguments_are_good():
    """Unchanged, they are answered: what is refused below is refused for the change."""
    assert _native.nearest(**arguments())["rows"].tolist() == [0]


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": [np.array([0, 1], np.int64), np.array([0.5, 1.5])]},
        {"columns": [np.array([0, 1], np.float32), np.array([0.5, 1.5])]},
        {"columns": [np.array(["a", "b"]), np.array([0.5, 1.5])]},
        {"columns": [np.array([0, 1], np.uint8), np.array([0.5])]},
        {"columns": [np.array([0, 1], np.uint8)]},
        {"columns": [np.array([0.5, 1.5]), np.array([0, 1], np.uint8)]},
        {"columns": [np.zeros((2, 2), np.uint8), np.array([0.5, 1.5])]},
        {"n_rows": 3},
        {"n_rows": -1},
        {"queries": [np.array([0], np.uint16), np.array([0.5])]},
        {"queries": [np.array([0], np.uint8)]},
        {"n_queries": 2},
        {"weights": np.ones(2)},
        {"weights": np.ones((1, 3))},
        {"weights": np.ones((2, 2))},
        {"weights": np.array([[1.0, -1.0]])},
        {"weights": np.array([[np.nan, 1.0]])},
        {"weights": np.array([[np.inf, 1.0]])},
        {"ranges": np.ones((1, 1))},
        {"ranges": np.array([[1.0, np.nan]])},
        {"sum_order": np.array([[0, 2]], np.uint32)},
        {"sum_order": np.array([[0]], np.uint32)},
        {"sum_order": np.array([[0, NO_ROW]], np.uint32)},
        {"scopes": np.array([[0, 3, 0, NO_ROW]], np.uint32)},
        {"scopes": np.array([[2, 1, 0, NO_ROW]], np.uint32)},
        {"scopes": np.array([[0, 2, 3, NO_ROW]], np.uint32)},
        {"scopes": np.array([[0, 2, 2, NO_ROW]], np.uint32)},
        {"scopes": np.array([[0, 2, 0]], np.uint32)},
        {"scopes": np.array([[0, 2, 0, NO_ROW]] * 3, np.uint32)},
        {"k": 0},
        {"k": -1},
        {"n_threads": -1},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_bad_arguments_of_the_search(changed):
    """Types, shapes and numbers that do not fit raise an error and touch no memory they should not."""
    with pytest.raises((ValueError, TypeError)):
        _native.nearest(**arguments(**changed))


def test_columns_that_are_not_contiguous():
    """Every second entry of an array is a column like any other."""
    spread = np.array([0, 9, 1, 9], np.uint8)[::2]
    assert _native.nearest(**arguments(columns=[spread, np.array([0.5, 1.5])]))["rows"].tolist() == [0]
    assert _native.lexicographic_order([spread[::-1]], 2).tolist() == [1, 0]


@pytest.mark.parametrize("column", [np.zeros(2, np.int32), np.zeros((2, 1), np.uint8), np.array(["a", "b"]), "ab", 3])
def test_bad_columns_to_sort(column):
    """Only vectors of codes or numbers are columns."""
    with pytest.raises((ValueError, TypeError)):
        _native.lexicographic_order([column], 2)


def test_columns_of_unequal_length():
    """All columns have as many rows as there are cases."""
    with pytest.raises(ValueError, match="as many rows"):
        _native.lexicographic_order([np.zeros(2, np.uint8), np.zeros(3, np.uint8)], 2)


def test_the_stub_names_what_is_compiled():
    """`_native.pyi` has the functions of the compiled module and their arguments, and no others."""
    import casebase

    stub = ast.parse((Path(casebase.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
    described = {f.name: [a.arg for a in f.args.args] for f in stub.body if isinstance(f, ast.FunctionDef)}
    compiled = {
        name: item for name, item in vars(_native).items() if callable(item) and not isinstance(item, types.ModuleType)
    }
    assert set(described) == set(compiled)
    for name, function in compiled.items():
        first_line = function.__doc__.splitlines()[0]
        assert all(f"{argument}: " in first_line for argument in described[name]), name
