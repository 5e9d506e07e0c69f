"""Paths, standard input, bytes and file objects; plain, gzip and zstd."""

import gzip
import io
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table, source

TEXT = b"a b P\nc d Q\n"


def zstd(data):
    return pa.compress(data, "zstd", asbytes=True)


@pytest.mark.parametrize("kind", [str, Path])
def test_path(tmp_path, rows, kind):
    """A path may be a string or a Path."""
    (tmp_path / "x.train").write_bytes(TEXT)

    assert rows(kind(tmp_path / "x.train")) == [["a", "b", "P"], ["c", "d", "Q"]]


@pytest.mark.parametrize("source", [TEXT, bytearray(TEXT), memoryview(TEXT), io.BytesIO(TEXT)])
def test_memory(rows, source):
    """Bytes of any kind and binary file objects are read as they are."""
    assert rows(source) == [["a", "b", "P"], ["c", "d", "Q"]]


def test_standard_input(rows, monkeypatch):
    """`-` is standard input, and errors call it so."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT + b"x\n")))

    with pytest.raises(FormatError, match="standard input, line 3"):
        rows("-")


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
@pytest.mark.parametrize("name", ["x.csv.gz", "x.tsv.zst", "x.train"])
def test_compressed_file(tmp_path, rows, compress, name):
    """Compression is seen in the content, and the format in the name without its ending."""
    text = {"x.csv.gz": b"a,b\n", "x.tsv.zst": b"a\tb\n", "x.train": b"a b\n"}[name]
    (tmp_path / name).write_bytes(compress(text * 3))

    assert rows(tmp_path / name) == [["a", "b"]] * 3


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_files_compressed_in_parts(rows, compress):
    """Compressed files that were joined hold the joined text."""
    assert rows(compress(b"a b\n") + compress(b"c d\n")) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_truncated_compressed_file(compress):
    """However much is missing of a compressed file, it is never read in part."""
    data = compress("".join(f"a{i} b{i}\n" for i in range(200)).encode())

    for n_bytes in range(4, len(data)):
        with pytest.raises(FormatError, match="truncated or damaged"):
            read_table(data[:n_bytes])


def test_missing_file():
    """A file that is not there is an error of ours, with its path."""
    with pytest.raises(CasebaseError, match=r"no/where\.tsv: there is no such file"):
        read_table("no/where.tsv")


def test_directory(tmp_path):
    """A directory is not a data file."""
    with pytest.raises(CasebaseError, match="is a folder"):
        read_table(tmp_path)


def test_unreadable_file(tmp_path, monkeypatch):
    """Whatever the system says about a file is passed on with the path."""

    def refuse(path, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(source, "open", refuse, raising=False)
    with pytest.raises(CasebaseError, match=r"x\.train cannot be read: Permission denied"):
        read_table(tmp_path / "x.train")


@pytest.mark.parametrize("source", [7, None, io.StringIO("a b")])
def test_sources_of_another_kind(source):
    """Numbers and text streams are refused with what to pass instead."""
    with pytest.raises(CasebaseError, match="binary mode"):
        read_table(source)
