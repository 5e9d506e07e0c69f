"""Settings: records that check themselves, and are the only place where a parameter is written."""

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from casebase.base.checks import check_whole
from casebase.base.settings import Settings, internal, setting
from casebase.errors import CasebaseError


@dataclass(frozen=True, kw_only=True)
class Example(Settings):
    """A record as a method would have it."""

    size: int = setting(2, "int", "How large.", check_whole("size", "how large it is", 1), kind="whole")
    names: object = setting(None, "dict", "By feature.")
    hidden: int = internal(0)


def test_a_record_checks_itself():
    """A value that the check refuses makes no record."""
    with pytest.raises(CasebaseError, match="size is how large it is: a whole number of at least 1; got 0"):
        Example(size=0)


def test_a_record_is_frozen():
    with pytest.raises(FrozenInstanceError):
        Example().size = 3


def test_values_are_plain_python():
    """NumPy's types would be refused by JSON, and equal to no stored value."""
    assert type(Example(size=np.int64(3)).size) is int
    assert Example(names=np.array([1, 2])).names == [1, 2]


def test_settings_by_name_or_as_a_record():
    assert Example.of(None, {"size": 3}) == Example.of(Example(size=3), {}) == Example(size=3)


@pytest.mark.parametrize(
    ("settings", "values", "message"),
    [
        (None, {"sise": 3}, "Unknown setting 'sise'"),
        (3, {}, "got 3"),
        (Example(), {"size": 3}, "not both: size"),
    ],
)
def test_what_is_no_record(settings, values, message):
    """The message says what was expected."""
    with pytest.raises(CasebaseError, match=message):
        Example.of(settings, values)


def test_internal_settings_are_stored_but_not_offered():
    assert list(Example.public()) == ["size", "names"]
    assert Example().to_dict() == {"size": 2, "names": None, "hidden": 0}


def test_a_stored_record_comes_back():
    """Keys of a dict per feature keep their types: JSON alone would make texts of them."""
    stored = Example(names={0: "numeric", "b": "ignored"})

    assert Example.from_dict(stored.to_dict()) == stored


@pytest.mark.parametrize("change", [{"size": None}, {"unknown": 1}], ids=["one is missing", "one is unknown"])
def test_a_file_has_every_setting(change):
    """Nothing that a file does not say is filled in: the message names what differs."""
    record = Example().to_dict() | change
    if record["size"] is None:
        del record["size"]
    with pytest.raises(ValueError, match=rf"its settings are not those .*\({next(iter(change))}\)"):
        Example.from_dict(record)
