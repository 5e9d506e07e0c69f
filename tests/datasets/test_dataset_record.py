"""The record that every loader returns."""

import dataclasses

import numpy as np
import pytest

from casebase.datasets import Dataset, load_lenses
from casebase.datasets._base import from_rows
from casebase.errors import CasebaseError


def test_fields_are_attributes_and_keys():
    """A field can be had either way, and is the same object."""
    ds = load_lenses()

    assert all(ds[field.name] is getattr(ds, field.name) for field in dataclasses.fields(ds))


def test_unknown_key_offers_the_nearest():
    """A misspelt key is a KeyError that names the right one."""
    with pytest.raises(KeyError, match="Did you mean 'target'"):
        load_lenses()["targets"]


def test_methods_are_not_keys():
    """Only fields are keys, though attributes include more."""
    with pytest.raises(KeyError):
        load_lenses()["__repr__"]


def test_dataset_is_frozen():
    """A loaded set cannot be given other classes by accident."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        load_lenses().target = np.array([])


def test_shapes_must_agree():
    """A table with a class too few is refused."""
    with pytest.raises(CasebaseError, match=r"shape \(2, 1\), but there are 1 classes"):
        Dataset("bad", np.array([["a"], ["b"]], dtype=object), np.array(["x"]), ("f",), "")


def test_singular_and_plural_in_the_short_form():
    """One case is not called cases."""
    assert repr(from_rows("one", [["a", "x"]], ["f"], "")) == "Dataset('one': 1 case, 1 feature, 1 class)"


def test_numbers_stay_strings_in_a_symbolic_table():
    """Codes that look like numbers are symbols unless asked otherwise."""
    ds = from_rows("codes", [["1", "a"], ["2", "b"]], ["f"], "")

    assert ds.data.tolist() == [["1"], ["2"]]


def test_only_columns_of_numbers_become_floats():
    """One word in a column keeps the whole column symbolic; a missing number is nan."""
    rows = [["1", "1", "?", "a"], ["?", "many", "?", "b"]]

    data = from_rows("mixed", rows, ["n", "s", "m"], "", symbolic=False).data

    assert data[0].tolist() == [1.0, "1", "?"]
    assert np.isnan(data[1, 0])
    assert data[1, 1:].tolist() == ["many", "?"]
