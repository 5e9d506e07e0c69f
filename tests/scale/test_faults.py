"""Damaged data and full disks: a message that says where, nothing left behind, and the old model as it was."""

import errno
import os
import re
import shutil
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from casebase import methods
from casebase.errors import CasebaseError
from casebase.formats.source import ZSTD_MAGIC
from casebase.scale import coding, fitting, memory_of, reading, stored, train
from tests.scale.faults import SMALL_SAMPLES
from tests.scale.tables import in_memory, in_parts, pieces, write_words


def error_of(data, folder, learner="ib1", *, resources=None, **options):
    """Return the message of a training that fails; it must leave nothing behind, and the old model as it was."""
    output = folder / "m.cb"
    output.write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(CasebaseError) as caught:
        in_parts(data, output, learner, resources=resources or pieces(50), **options)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert output.read_text() == "old"
    return str(caught.value)


def lines_of(folder, n=400):
    return write_words(folder / "words.csv", n, n_features=3).read_text().splitlines()


def table_of(lines):
    rows = [line.split(",") for line in lines]
    return pa.table({name: [row[i] or None for row in rows[1:]] for i, name in enumerate(rows[0])})


WRITERS = {"parquet": pq.write_table, "feather": pyarrow.feather.write_feather, "csv": pyarrow.csv.write_csv}


def test_a_damaged_row_group(tmp_path):
    table = table_of(lines_of(tmp_path))
    path = tmp_path / "words.parquet"
    pq.write_table(table, path, row_group_size=100, use_dictionary=False, compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(2).column(1)
    damaged = bytearray(path.read_bytes())
    start = column.data_page_offset
    for i in range(start, start + column.total_compressed_size):
        damaged[i] ^= 0x5A
    path.write_bytes(damaged)
    message = error_of(path, tmp_path, resources=pieces(100))
    assert message.startswith(f"{path}, row group 3: the parquet file is truncated, damaged"), message


def test_a_damaged_batch(tmp_path):
    """Of a Feather file, whose batches are compressed; and a file that ends too early."""
    path = tmp_path / "words.feather"
    pyarrow.feather.write_feather(table_of(lines_of(tmp_path)), path, compression="zstd", chunksize=100)
    whole = path.read_bytes()
    frames = [i for i in range(len(whole)) if whole.startswith(ZSTD_MAGIC, i)]
    place = frames[len(frames) * 5 // 8]  # in the third of four batches
    path.write_bytes(whole[:place] + b"\0" * 12 + whole[place + 12 :])
    message = error_of(path, tmp_path, resources=pieces(100))
    assert message.startswith(f"{path}, batch 3: the feather file is truncated, damaged"), message
    path.write_bytes(whole[: len(whole) // 2])
    assert error_of(path, tmp_path, resources=pieces(100)).startswith(f"{path}: the feather file is truncated, damaged")


@pytest.mark.parametrize("kind", WRITERS)
def test_a_damaged_file_among_others(tmp_path, kind):
    table = table_of(lines_of(tmp_path, 120))
    for i in range(3):
        WRITERS[kind](table.slice(40 * i, 40), tmp_path / f"{i}.{kind}")
    second = tmp_path / f"1.{kind}"
    second.write_bytes(second.read_bytes()[:-9] if kind != "csv" else second.read_bytes().replace(b"\n", b"\nx,", 3))
    assert error_of(str(tmp_path / f"?.{kind}"), tmp_path).startswith(f"{second}")


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_without_rows_and_one_of_one_case(tmp_path, kind):
    table = table_of(lines_of(tmp_path, 60))
    WRITERS[kind](table, tmp_path / f"all.{kind}")
    for i, (start, end) in enumerate([(0, 0), (0, 1), (1, 40), (40, 40), (40, 60)]):
        WRITERS[kind](table.slice(start, end - start), tmp_path / f"{i}.{kind}")
    expected = in_memory(tmp_path / f"all.{kind}", tmp_path / "memory.cb", "igtree")
    given = in_parts(str(tmp_path / f"?.{kind}"), tmp_path / "parts.cb", "igtree", resources=pieces(15))
    assert given == expected


def test_a_row_with_another_number_of_fields(tmp_path):
    lines = lines_of(tmp_path)
    lines[300] = "w1,w2"
    (tmp_path / "words.csv").write_text("\n".join(lines) + "\n")
    message = error_of(tmp_path / "words.csv", tmp_path)
    assert message.startswith(f"{tmp_path / 'words.csv'}, line 301: expected 4 fields"), message


def test_a_text_that_is_not_in_its_encoding(tmp_path):
    lines = [line.encode() for line in lines_of(tmp_path)]
    lines[300] = b"w\xff,w1,w1,c1"
    path = tmp_path / "words.csv"
    path.write_bytes(b"\n".join(lines) + b"\n")
    output = tmp_path / "m.cb"
    output.write_text("old")
    method = methods.method_named("ib1")
    with pytest.raises(CasebaseError, match=f"{path}, line 301: expected UTF-8 text, got the byte 0xFF"):
        train(path, output, method, method.settings(), pieces(50), encoding="utf-8")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.cb", "words.csv"]


def test_a_class_that_is_missing(tmp_path):
    lines = lines_of(tmp_path)
    lines[300] = "w1,w2,w3,"
    (tmp_path / "words.csv").write_text("\n".join(lines) + "\n")
    message = error_of(tmp_path / "words.csv", tmp_path)
    assert re.match(rf"{tmp_path / 'words.csv'}, bytes [0-9,]+ to [0-9,]+: The class is missing in 1 case", message)


def test_files_with_other_columns(tmp_path):
    (tmp_path / "a.csv").write_text("one,two,class\nx,y,P\n")
    (tmp_path / "b.csv").write_text("one,three,class\nx,y,P\n")
    assert "expected column 2 to be 'two'" in error_of([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path)
    (tmp_path / "b.csv").write_text("one,class\nx,P\n")
    assert "expected 3 columns" in error_of([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_files_with_other_types(tmp_path, kind):
    WRITERS[kind](pa.table({"a": ["x", "y"], "class": ["P", "Q"]}), tmp_path / f"a.{kind}")
    WRITERS[kind](pa.table({"a": [1.5, 2.5], "class": ["P", "Q"]}), tmp_path / f"b.{kind}")
    message = error_of(str(tmp_path / f"*.{kind}"), tmp_path)
    assert f"b.{kind}: column 'a' has numbers with decimals, but texts in" in message, message
    WRITERS[kind](pa.table({"b": ["x"], "class": ["P"]}), tmp_path / f"b.{kind}")
    assert f"b.{kind}: expected column 1 to be 'a'" in error_of(str(tmp_path / f"*.{kind}"), tmp_path)


def test_no_rows(tmp_path):
    (tmp_path / "a.csv").write_text("one,two,class\n")
    (tmp_path / "b.csv").write_text("one,two,class\n")
    (tmp_path / "empty.csv").write_text("")
    for data in (tmp_path / "a.csv", [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "empty.csv"):
        message = error_of(data, tmp_path)
        assert message.startswith(f"{tmp_path}/") or "no rows" in message, message
    pq.write_table(
        pa.table({"a": pa.array([], pa.string()), "class": pa.array([], pa.string())}), tmp_path / "a.parquet"
    )
    assert "a.parquet is empty" in error_of(tmp_path / "a.parquet", tmp_path)
    assert "the given table is empty" in error_of(iter([]), tmp_path)


def test_a_column_that_is_numbers_in_some_parts(tmp_path):
    """The whole column decides: it is symbols, as in memory."""
    rng = np.random.default_rng(0)
    rows = [f"{rng.integers(9)}.5,w{rng.integers(5)},c{rng.integers(2)}" for _ in range(200)]
    rows[150] = "many,w1,c1"
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,class", *rows]) + "\n")
    for learner in ("ib1", "c45"):
        expected = in_memory(table, tmp_path / "memory.cb", learner)
        assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(20)) == expected


def test_one_case(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,class\nx,y,P\n")
    expected = in_memory(table, tmp_path / "memory.cb", "ib1")
    assert in_parts(table, tmp_path / "parts.cb", "ib1") == expected


@pytest.fixture
def disk(tmp_path):
    """A function that mounts a disk with so many kilobytes."""
    mounted = []

    def mount(n_kilobytes):
        folder = tmp_path / f"disk{n_kilobytes}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={n_kilobytes}k", "tmpfs", folder]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("only root can mount a disk")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A table of which a sample is drawn, and its file; the room on the disk is not checked before."""
    for module, name, value in SMALL_SAMPLES:
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(fitting, "check_space", lambda *_: None)
    table = write_words(tmp_path / "words.csv", 1500, n_features=4)
    return table, in_memory(table, tmp_path / "memory.cb", "ib1")


def check_full(message):
    assert re.fullmatch(r"The disk is full \(.*\)\. Name a scratch folder .*|Cannot write .*: No space .*", message)


def test_a_small_disk(large, disk):
    table, expected = large
    n_failed = 0
    for n_kilobytes in range(40, 2000, 24):
        folder = disk(n_kilobytes)
        (folder / "m.cb").write_text("old")
        try:
            given = in_parts(table, folder / "m.cb", "ib1", resources=pieces(300))
        except CasebaseError as error:
            n_failed += 1
            check_full(str(error))
            assert [path.name for path in folder.iterdir()] == ["m.cb"]
            assert (folder / "m.cb").read_text() == "old"
        else:
            assert given == expected
            break
    assert n_failed > 3


def test_a_disk_that_is_full_at_any_write(tmp_path, large, monkeypatch):
    """Every file of the scratch folder, and the model, is written through one of these two."""
    table, expected = large
    folder = tmp_path / "folder"
    folder.mkdir()
    n_left = -1

    def full_after(write):
        def written(*arguments):
            nonlocal n_left
            n_left -= 1
            if n_left == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(*arguments)

        return written

    monkeypatch.setattr(stored, "write_at", full_after(stored.write_at))
    monkeypatch.setattr(os, "replace", full_after(os.replace))
    assert in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(300)) == expected
    n_writes = -1 - n_left
    assert n_writes > 50
    for n in [*range(1, n_writes, 7), n_writes]:
        n_left = n
        check_full(error_of(table, folder, resources=pieces(300)))


def test_room_is_checked_before(tmp_path, monkeypatch):
    """Before the first stage for the parts, and before coding for the cases; files that are there count."""
    table = write_words(tmp_path / "words.csv", 400)
    usage = shutil.disk_usage(tmp_path)
    free = 0
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))
    ran = []
    read_part, code_part = reading.read_part, coding.code_part
    monkeypatch.setattr(reading, "read_part", lambda *each: (ran.append("reading"), read_part(*each))[1])
    monkeypatch.setattr(coding, "code_part", lambda *each: (ran.append("coding"), code_part(*each))[1])
    message = error_of(table, tmp_path)
    assert message == (
        f"The training needs some 1 MB in {tmp_path}, and 0 MB are free. Name a folder on a larger disk with --scratch."
    )
    assert not ran
    free = table.stat().st_size
    assert error_of(table, tmp_path).startswith("The training needs some")
    assert set(ran) == {"reading"}


def test_a_disk_that_does_not_answer(tmp_path, monkeypatch):
    """Other errors of the disk have the name of the file and no traceback."""

    def fails(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO), "sorted-0")

    monkeypatch.setattr(stored, "write_at", fails)
    message = error_of(write_words(tmp_path / "words.csv", 100), tmp_path)
    assert message == "Cannot read or write sorted-0: Input/output error."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1MB", "Expected at least 200MB of memory, got '1MB'."),
        ("-2GB", "Expected at least 200MB of memory, got '-2GB'."),
        ("much", "Expected an amount of memory such as 2GB or 500MB, got 'much'."),
        ("infGB", "Expected an amount of memory such as 2GB or 500MB, got 'infGB'."),
    ],
)
def test_amounts_of_memory(text, message):
    """Too little was refused with the message for what is no amount."""
    with pytest.raises(CasebaseError, match=re.escape(message)):
        memory_of(text)
