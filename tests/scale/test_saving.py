"""The large arrays of a model file are written by tasks: the same bytes, whoever writes them."""

import numpy as np
import pytest

from casebase.base.checksums import BLOCK
from casebase.base.files import read, write
from casebase.errors import CasebaseError
from casebase.scale import saving
from casebase.scale.saving import WrittenByTasks
from casebase.scale.stored import StoredArray, pickled, unpickled


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    """Two large arrays that are files, one of which is not a multiple of a block, and one that is in memory."""
    monkeypatch.setattr(saving, "PIECE", 2 * BLOCK)
    found = {"memory": np.arange(BLOCK + 5, dtype=np.uint8)}
    for name, dtype, n in (("last", "uint8", 3 * BLOCK + 7), ("first", "uint64", BLOCK // 4)):
        stored = StoredArray(tmp_path / name, dtype, n).create()
        stored.write(0, np.arange(n, dtype=dtype) % 251)
        found[name] = stored.mapped()
    return found


def here(name, task, common, each):
    return [task(*common, *one) for one in reversed(each)][::-1]  # in any order


def elsewhere(name, task, common, each):
    raise CasebaseError("A worker cannot find the folder") from FileNotFoundError()


def broken(*_):
    raise AssertionError


@pytest.mark.parametrize("copier", [WrittenByTasks(here, broken), WrittenByTasks(elsewhere, here)])
def test_the_bytes_are_those_of_one_process(tmp_path, arrays, copier):
    """Also if the workers do not see the folder of the model: then the client writes."""
    header = {"learner": "ib1"}
    write(tmp_path / "one.cb", header, arrays)
    write(tmp_path / "tasks.cb", header, arrays, copier)
    assert (tmp_path / "tasks.cb").read_bytes() == (tmp_path / "one.cb").read_bytes()
    assert read(tmp_path / "tasks.cb", is_complete=True)[0] == header


def test_an_error_of_a_task_leaves_no_file(tmp_path, arrays):
    def fails(*_):
        raise OSError(28, "No space left on device")

    with pytest.raises(CasebaseError, match="No space left on device"):
        write(tmp_path / "tasks.cb", {}, arrays, WrittenByTasks(fails, broken))
    assert not [path for path in tmp_path.iterdir() if "tasks.cb" in path.name]


def test_mapped_arrays_go_to_other_processes_by_name(arrays):
    """What is in memory is copied; a map stays a map of the same file."""
    data, has_mapped = pickled((arrays, 3))
    (found, number), mapped = unpickled(data)
    assert has_mapped
    assert len(data) < 2 * BLOCK
    assert (number, len(mapped)) == (3, 2)
    assert {name: bytes(array[-9:]) for name, array in found.items()} == {
        name: bytes(array[-9:]) for name, array in arrays.items()
    }
    assert not pickled([np.arange(3)])[1]
