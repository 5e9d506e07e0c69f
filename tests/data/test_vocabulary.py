"""Values and their codes."""

import numpy as np
import pyarrow as pa
import pytest

from casebase.data import Vocabulary
from casebase.data.vocabulary import vocabulary_of


def dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(values, pa.string()))


@pytest.mark.parametrize(
    ("n_values", "dtype"), [(255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32)]
)
def test_width_leaves_room_for_unknown(n_values, dtype):
    """The narrowest codes are used that still have a number for values never seen."""
    vocabulary = Vocabulary(pa.array([f"{i:06}" for i in range(n_values)]))
    assert vocabulary.dtype == dtype
    assert vocabulary.unknown == np.iinfo(dtype).max
    assert vocabulary.encode(pa.array(["000000", f"{n_values - 1:06}", "x"])).tolist() == [
        0,
        n_values - 1,
        vocabulary.unknown,
    ]


def test_codes_are_in_the_order_of_values():
    """Codes depend on which values occur, not on the order of the rows; capitals come first as in Unicode."""
    for values in (["b", "a", "é", "B", "a"], ["a", "é", "B", "b"]):
        vocabulary, codes = vocabulary_of(pa.array(values).dictionary_encode())
        assert vocabulary.values.to_pylist() == ["B", "a", "b", "é"]
        assert [vocabulary.value(code) for code in codes] == values


def test_missing_is_the_first_value():
    """A missing value has code 0; without one there is no code for it."""
    vocabulary, codes = vocabulary_of(pa.array(["b", None, "a"]).dictionary_encode())
    assert (vocabulary.missing, codes.tolist(), vocabulary.value(0)) == (0, [2, 0, 1], None)
    assert Vocabulary(pa.array(["a"])).missing is None


@pytest.mark.parametrize(
    ("indices", "values", "expected"),
    [
        ([2, None, 2], ["x", "q", "y"], ["y", None, "y"]),
        ([0, 1, 2], ["x", None, "y"], ["x", None, "y"]),
        ([0, 1, None, 3], ["x", None, "unused", "y"], ["x", None, None, "y"]),
        ([0, 1, 2, 2], ["x", "x", "y"], ["x", "x", "y", "y"]),
        ([], ["x"], []),
        ([None, None], [], [None, None]),
        ([0, 0], ["x"], ["x", "x"]),
        ([0, None], ["x"], ["x", None]),
    ],
    ids=[
        "unused",
        "null inside",
        "null inside and outside",
        "twice the same",
        "no rows",
        "nothing known",
        "constant",
        "constant or missing",
    ],
)
def test_dictionaries_of_any_form(indices, values, expected):
    """Only values that occur are kept, each once, however the dictionary lists them."""
    vocabulary, codes = vocabulary_of(dictionary(indices, values))
    assert [vocabulary.value(code) for code in codes] == expected
    listed = vocabulary.values.to_pylist()
    assert len(listed) == len(set(listed)) == len(set(expected))
