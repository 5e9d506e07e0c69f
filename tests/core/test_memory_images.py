"""What SMILE's kernel refuses."""

import numpy as np
import pytest

from casebase import _native

u8, u32 = np.uint8, np.uint32
TWO = np.array([0, 1], u8)


def arguments(**changed):
    return {
        "columns": [TWO, TWO],
        "n_rows": 2,
        "first_entry": np.array([0, 1, 3], u32),
        "label": np.array([0, 0, 1], u32),
        "count": np.array([1.0, 2.0, 3.0]),
        "n_classes": 2,
    } | changed


def questions(**changed):
    return {
        "columns": [TWO, TWO],
        "n_questions": 2,
        "alpha": 1.0,
        "by_size": False,
        "frequency": np.array([3.0, 3.0]),
        "rank": np.array([0, 1], u32),
        "n_threads": 1,
    } | changed


def test_good_arguments_are_answered():
    """The first row has one case, too few, so all vote; the second has five."""
    found = _native.MemoryImages(**arguments()).answer(**questions())

    assert found["n_joints"].tolist() == [0, 1]
    assert found["n_votes"].tolist() == [2, 2]
    assert found["votes"].tolist() == [3, 3, 2, 3]
    assert found["label"].tolist() == [0, 1]


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": []},
        {"columns": [TWO, np.zeros(2)]},
        {"columns": [TWO, TWO[:1]]},
        {"n_rows": 3},
        {"first_entry": np.array([0, 3], u32)},
        {"first_entry": np.array([1, 2, 3], u32)},
        {"first_entry": np.array([0, 0, 3], u32)},
        {"first_entry": np.array([0, 4, 3], u32)},
        {"first_entry": np.array([0, 1, 2], u32)},
        {"label": np.array([0, 0, 2], u32)},
        {"label": np.array([0, 0], u32)},
        {"count": np.array([1.0, 0.0, 1.0])},
        {"count": np.array([1.0, np.nan, 1.0])},
        {"count": np.array([1.0])},
        {"n_classes": 1},
    ],
    ids=str,
)
def test_a_memory_that_does_not_fit(changed):
    """Before anything is computed."""
    with pytest.raises(ValueError, match=r"\w"):
        _native.MemoryImages(**arguments(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": [TWO]},
        {"columns": [TWO, TWO.astype(np.uint16)]},
        {"columns": [TWO, TWO[:1]]},
        {"n_questions": 3},
        {"frequency": np.ones(3)},
        {"rank": np.zeros(1, u32)},
    ],
    ids=str,
)
def test_questions_that_do_not_fit(changed):
    """As many columns of the same types, and one frequency per class."""
    with pytest.raises(ValueError, match=r"\w"):
        _native.MemoryImages(**arguments()).answer(**questions(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"entries": np.array([3], u32)},
        {"missing": np.zeros(1, u32)},
        {"frequency": np.ones(1)},
        {"rank": np.zeros(3, u32)},
    ],
    ids=str,
)
def test_entries_that_do_not_fit(changed):
    """Entries are there, and every column has a code for missing values."""
    none = 0xFFFFFFFF
    given = {
        "entries": np.array([0, 2], u32),
        "missing": np.array([none, none], u32),
        "alphas": np.array([0.0, 1.0]),
        "by_size": False,
        "frequency": np.array([3.0, 3.0]),
        "rank": np.array([0, 1], u32),
        "n_threads": 1,
    }
    images = _native.MemoryImages(**arguments())
    assert images.leave_one_out(**given).tolist() == [1, 1, 0, 0]

    with pytest.raises(ValueError, match=r"\w"):
        images.leave_one_out(**given | changed)


def test_joints_of_a_question_that_is_not_there():
    """There are two."""
    with pytest.raises(ValueError, match="no such question"):
        _native.MemoryImages(**arguments()).joints([TWO, TWO], 2, 2, 0.0)
