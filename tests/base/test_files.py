"""The writer of model files: the safetensors format, in blocks, the same bytes for the same model."""

import json
import os
import resource
import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from casebase.base import checksums, files
from casebase.errors import CasebaseError

HEADER = {"learner": "ib1", "text": "é ∀ 日本"}


def arrays_of(rng):
    return {
        "codes": rng.integers(0, 255, 999).astype(np.uint8),
        "b": rng.integers(0, 2**16, 501).astype(np.uint16),
        "a": rng.integers(0, 2**16, 3).astype(np.uint16),
        "labels": rng.integers(0, 2**32, 333).astype(np.uint32),
        "numbers": rng.normal(size=(3, 40)),
        "nothing": np.empty(0, np.float64),
        "ids": rng.integers(-5, 5, 77),
        "offsets": rng.integers(0, 5, 7).astype(np.uint64),
    }


@pytest.fixture(params=[8, 64, 1 << 22])
def block(request, monkeypatch):
    """The size of a block, from one element to more than any array here."""
    monkeypatch.setattr(checksums, "BLOCK", request.param)
    return request.param


@pytest.fixture
def arrays(rng):
    return arrays_of(rng)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_safetensors_reads_the_file(tmp_path, arrays, block):
    """The package that defines the format reads every array as it was."""
    files.write(tmp_path / "m.cb", HEADER, arrays)
    loaded = load_file(tmp_path / "m.cb")

    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array, strict=True)
    with safe_open(tmp_path / "m.cb", framework="numpy") as file:
        assert json.loads(file.metadata()[files.FORMAT])["header"] == HEADER


def test_arrays_are_aligned(tmp_path, arrays):
    """Each begins at a multiple of the size of its elements, so that no view of the mapped file is a copy."""
    files.write(tmp_path / "m.cb", HEADER, arrays)
    _, read = files.read(tmp_path / "m.cb")

    assert not any(array.flags.owndata for array in read._arrays.values())
    content = (tmp_path / "m.cb").read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    entries = json.loads(content[8:start])
    assert start % 8 == 0
    # The documented order: by descending size of the elements, then by name.
    names = ["ids", "nothing", "numbers", "offsets", "labels", "a", "b", "codes"]
    assert [name for name in entries if name != "__metadata__"] == names


def test_mapped_and_other_arrays_give_the_same_bytes(tmp_path, arrays, block):
    """Where an array is, and how it is laid out in memory, does not matter."""
    mapped = {}
    for name, array in arrays.items():
        if array.size:
            array.tofile(tmp_path / name)
            mapped[name] = np.memmap(tmp_path / name, dtype=array.dtype, mode="r+", shape=array.shape)
    strided = {name: np.repeat(array, 2, axis=-1)[..., ::2] for name, array in arrays.items()}
    assert not strided["labels"].flags.c_contiguous
    swapped = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in arrays.items()}
    ways = {"plain": arrays, "mapped": arrays | mapped, "strided": strided, "swapped": swapped}
    for way, those in ways.items():
        files.write(tmp_path / way, HEADER, dict(reversed(those.items())))

    assert len({(tmp_path / way).read_bytes() for way in ways}) == 1
    for name, array in mapped.items():  # pages that were released are still there
        np.testing.assert_array_equal(array, arrays[name])


def test_changes_in_memory_of_a_mapped_array_survive(tmp_path, monkeypatch):
    """A map in mode "c" has its changes in no file: its pages are not released."""
    monkeypatch.setattr(checksums, "BLOCK", 1 << 16)
    np.zeros(1 << 17, np.uint8).tofile(tmp_path / "zeros")
    mapped = np.memmap(tmp_path / "zeros", dtype=np.uint8, mode="c")
    mapped[:] = 7
    files.write(tmp_path / "m.cb", HEADER, {"a": mapped})

    assert (mapped == 7).all()
    assert (load_file(tmp_path / "m.cb")["a"] == 7).all()


def test_writing_takes_constant_memory(tmp_path):
    """A mapped array of 256 MB is written in a process that may have 64 MB more than before."""
    script = (
        "import sys, resource, numpy as np\n"
        "from casebase.base import files\n"
        "files.write(sys.argv[2], {}, {'a': np.arange(10)})\n"
        "mapped = np.memmap(sys.argv[1], dtype=np.uint32, mode='r')\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "files.write(sys.argv[2], {}, {'a': mapped})\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    with open(tmp_path / "big", "wb") as file:
        file.truncate(256 << 20)
    ran = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "big", tmp_path / "m.cb"], capture_output=True, text=True, check=True
    )

    assert int(ran.stdout) * 1024 < 64 << 20
    assert os.path.getsize(tmp_path / "m.cb") > 256 << 20


def test_a_full_disk(tmp_path, arrays):
    """The error of the system is told, the old file stays, and nothing is left."""
    files.write(tmp_path / "m.cb", HEADER, arrays)
    before = (tmp_path / "m.cb").read_bytes()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(CasebaseError, match=r"Cannot write .*m\.cb: File too large"):
            files.write(tmp_path / "m.cb", HEADER, {"large": np.zeros(1 << 20, np.uint8)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    assert (tmp_path / "m.cb").read_bytes() == before
    assert os.listdir(tmp_path) == ["m.cb"]


@pytest.mark.parametrize("header", [{"classes": [object()]}, {"name": "\ud800"}], ids=["object", "lone surrogate"])
def test_headers_that_a_file_cannot_hold(tmp_path, header):
    """What JSON in UTF-8 cannot hold is refused, and nothing is left."""
    with pytest.raises(CasebaseError, match="Cannot write"):
        files.write(tmp_path / "m.cb", header, {"a": np.zeros(3)})
    assert os.listdir(tmp_path) == []


def test_arrays_that_a_file_cannot_hold(tmp_path):
    """An array of objects is refused by name."""
    with pytest.raises(CasebaseError, match="'a' of a model file must have numbers"):
        files.write(tmp_path / "m.cb", {}, {"a": np.array([None])})
    assert os.listdir(tmp_path) == []
