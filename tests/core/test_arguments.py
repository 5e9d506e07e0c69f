"""What the search refuses, and that the stub file names what is compiled."""

import ast
import re
import types
from pathlib import Path

import numpy as np
import pytest

from casebase import _native
from tests.paths import ROOT

NO_ROW = NO_LABEL = 0xFFFFFFFF
u32, u64 = np.uint32, np.uint64
DIFFERENCE = _native.ValueDifference(
    "mvdm", np.array([0, 1, 2], u64), np.array([0, 1], u32), np.ones(2), 2, 0.0, 1.0, False
)
TEXT = _native.TextDistance("dice", _native.Texts(np.array([97, 98], u32), np.array([0, 1, 2])), -1.0)
NO_TEXTS = _native.Texts(np.empty(0, u32), np.array([0]))


def arguments(**changed):
    two = np.array([0, 1], np.uint8)
    return {
        "columns": [two, np.array([0.5, 1.5])],
        "labels": np.zeros(2, u32),
        "removed": None,
        "divisors": None,
        "comparisons": ["overlap", "numeric"],
        "similarity": "none",
        "queries": [two[:1], np.array([0.5])],
        "n_queries": 1,
        "weights": np.ones((1, 2)),
        "ranges": np.ones((1, 2)),
        "sum_order": np.array([[0, 1]], np.uint32),
        "scopes": np.array([[0, NO_ROW, 0, NO_LABEL]], np.uint32),
        "own_labels": None,
        "own_counts": None,
        "texts": [None, None],
        "k": 1,
        "exact": "never",
        "n_threads": 1,
    } | changed


def nearest(**given):
    segment = given["columns"], given["labels"], given["removed"], given["divisors"]
    memory = _native.Search([segment], given["comparisons"], True, False, given["similarity"])
    names = ("weights", "ranges", "sum_order", "scopes", "own_labels", "own_counts", "texts")
    asked = _native.Asked(given["queries"], given["n_queries"], *(given[name] for name in names))
    return memory.nearest(asked, given["k"], given["exact"], given["n_threads"])


def test_the_arguments_are_good():
    """Unchanged, they are answered: what is refused below is refused for the change."""
    assert nearest(**arguments())["rows"].tolist() == [0]


@pytest.mark.parametrize(
    ("n_rows", "rows"), [([1], [2]), ([2], [0]), ([1], [0, 1]), ([1, 1], [0, 1]), ([], []), ([NO_ROW], [0])]
)
def test_bad_rows_to_price(n_rows, rows):
    """Rows must be there, and be as many as the questions ask about."""
    given = arguments()
    memory = _native.Search(
        [(given["columns"], given["labels"], None, None)], given["comparisons"], True, False, "none"
    )
    names = ("weights", "ranges", "sum_order", "scopes", "own_labels", "own_counts", "texts")
    asked = _native.Asked(given["queries"], 1, *(given[name] for name in names))

    assert memory.feature_costs(asked, np.array([2], u32), np.array([0, 1], u32)).tolist() == [0.0, 0.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="row"):
        memory.feature_costs(asked, np.array(n_rows, u32), np.array(rows, u32))


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
        {"labels": np.zeros(3, u32)},
        {"labels": np.zeros((2, 1), u32)},
        {"labels": np.array(["a", "b"])},
        {"queries": [np.array([0.0]), np.array([0.5])]},
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
        {"sum_order": np.array([[0, NO_ROW, 0]], np.uint32)},
        {"scopes": np.array([[2, NO_ROW, 0, NO_LABEL]], np.uint32)},
        {"scopes": np.array([[0, NO_ROW, 0]], np.uint32)},
        {"scopes": np.array([[0, NO_ROW, 2, NO_LABEL]], np.uint32)},
        {"scopes": np.array([[0, NO_ROW, 0, NO_LABEL]] * 3, np.uint32)},
        {"removed": np.zeros(3, np.uint8)},
        {"divisors": np.ones(1)},
        {"divisors": np.array([1.0, 0.0])},
        {"comparisons": ["overlap"]},
        {"comparisons": ["overlap", "overlap"]},
        {"comparisons": ["numeric", "numeric"]},
        {"comparisons": ["overlap", "unheard of"]},
        {"comparisons": ["overlap", 3]},
        {"comparisons": [DIFFERENCE, "numeric"], "columns": [np.array([0, 2], np.uint8), np.array([0.5, 1.5])]},
        {"comparisons": [TEXT, "numeric"]},
        {
            "comparisons": [TEXT, "numeric"],
            "texts": [NO_TEXTS, None],
            "queries": [np.array([2], np.uint8), np.array([1.0])],
        },
        {"similarity": "cosine"},
        {"similarity": "unheard of"},
        {"own_labels": np.zeros(1, np.uint32)},
        {"own_labels": np.zeros(2, np.uint32), "own_counts": np.ones(2)},
        {"texts": [None]},
        {"exact": "sometimes"},
        {"k": 0},
        {"k": -1},
        {"n_threads": -1},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_bad_arguments_of_the_search(changed):
    """Types, shapes and numbers that do not fit raise an error and touch no memory they should not."""
    with pytest.raises((ValueError, TypeError)):
        nearest(**arguments(**changed))


def test_columns_that_are_not_contiguous():
    """Every second entry of an array is a column like any other."""
    spread = np.array([0, 9, 1, 9], np.uint8)[::2]
    assert nearest(**arguments(columns=[spread, np.array([0.5, 1.5])]))["rows"].tolist() == [0]
    assert _native.lexicographic_order([spread[::-1]], 2).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("start", "label", "count"),
    [([0, 2], [0, 0], [1, 1]), ([0, 1], [2], [1]), ([0, 1], [0], [0]), ([0, 1], [0, 1], [1, 1]), ([1, 0], [0], [1])],
)
def test_bad_counts_of_values(start, label, count):
    """Classes ascend within a value, are known, and count something."""
    with pytest.raises(ValueError, match=r"fit|ascend"):
        _native.ValueDifference(
            "mvdm", np.array(start, u64), np.array(label, u32), np.array(count, float), 2, 0.0, 1.0, False
        )


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
    classes = {c.name: c for c in stub.body if isinstance(c, ast.ClassDef) and hasattr(_native, c.name)}
    compiled = {
        name: item for name, item in vars(_native).items() if callable(item) and not isinstance(item, types.ModuleType)
    }
    assert set(classes) == {name for name, item in compiled.items() if isinstance(item, type)}
    for name, described_class in classes.items():
        methods = {m.name for m in described_class.body if isinstance(m, ast.FunctionDef)}
        # Some classes have no constructor: the core makes their objects.
        assert methods - {"__init__"} == {m for m in vars(compiled.pop(name)) if not m.startswith("__")}
    assert set(described) == set(compiled)
    for name, function in compiled.items():
        first_line = function.__doc__.splitlines()[0]
        assert all(f"{argument}: " in first_line for argument in described[name]), name


def relief_arguments(**changed):
    missing = (np.array([1], u32), np.zeros((1, 2)), np.array([0, 0], u32))
    return {
        "columns": [np.array([0, 1], np.uint8), np.array([0.0, 1.0])],
        "missing": [None, missing],
        "labels": np.array([0, 1], u32),
        "weights": np.ones(2),
        "share": np.array([0.5, 0.5]),
        "asked": np.array([0, 1], u32),
        "times": np.ones(2),
        "n_neighbours": 1,
        "n_threads": 1,
    } | changed


def test_the_arguments_of_relief_are_good():
    """Unchanged, they are answered."""
    assert _native.relief_sums(**relief_arguments()).tolist() == [2, 0]


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": [np.array([0], np.uint8), np.array([0.0, 1.0])]},
        {"missing": [None]},
        {"missing": [None, (np.array([2], u32), np.zeros((1, 2)), np.array([0, 0], u32))]},
        {"missing": [None, (np.array([1], u32), np.zeros((1, 3)), np.array([0, 0], u32))]},
        {"missing": [None, (np.array([1], u32), np.zeros((1, 2)), np.array([0, 1], u32))]},
        {"missing": [None, (np.array([1], u32), np.zeros((1, 2)), np.array([0], u32))]},
        {"labels": np.array([1, 0], u32)},
        {"labels": np.array([0, 2], u32)},
        {"labels": np.empty(0, u32)},
        {"weights": np.ones(1)},
        {"share": np.ones(1)},
        {"asked": np.array([0, 2], u32)},
        {"times": np.ones(1)},
        {"n_neighbours": 0},
    ],
)
def test_relief_refuses_what_does_not_fit(changed):
    """Each is refused before anything is read out of bounds."""
    with pytest.raises(ValueError, match=r"\w"):
        _native.relief_sums(**relief_arguments(**changed))


def test_no_two_types_of_the_core_have_one_name():
    """Two headers had a struct of the same name: the linker takes either of the functions that belong to it."""
    core = ROOT / "src" / "core"
    defined = re.compile(r"^(?:struct|class) (\w+)(?: final)?(?: :[^;]*)? \{", re.MULTILINE)
    names = [name for path in sorted(core.glob("*.hpp")) for name in defined.findall(path.read_text(encoding="utf-8"))]

    assert [name for name in set(names) if names.count(name) > 1] == []
