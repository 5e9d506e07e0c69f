"""Records as a file, some at a time: a million of them need no more room than a thousand."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from casebase.base.records import Records, records_of
from casebase.data.arrow import pa
from casebase.data.columns import spelling
from casebase.formats.written import row_writer
from casebase.serve.records.browse import Browser, Query
from casebase.serve.web import json_bytes

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
SEPARATORS = {"csv": ",", "tsv": "\t"}
BLOCK = 1 << 18


def stream(browser: Browser, query: Query, kind: str) -> Iterator[bytes]:
    """Yield the records that match, in their order, in one of the formats."""
    if kind == "parquet":
        yield from _parquet(browser, query)
    elif kind == "jsonl":
        for records in _records(browser, query):
            yield b"".join(json_bytes(row) + b"\n" for row in records.to_arrow().to_pylist())
    else:
        yield from _separated(browser, query, SEPARATORS[kind])


def _records(browser: Browser, query: Query) -> Iterator[Records]:
    for rows in browser.rows(query):
        yield records_of(browser.model, rows)


def _empty(browser: Browser) -> pa.Table:
    return records_of(browser.model, browser.page(limit=1).rows[:0]).to_arrow()


def _separated(browser: Browser, query: Query, separator: str) -> Iterator[bytes]:
    yield _lines([_empty(browser).column_names], separator)
    for records in _records(browser, query):
        yield _lines(([spelling(value) or "" for value in row] for row in records.rows()), separator)


def _lines(rows: Any, separator: str) -> bytes:
    text = io.StringIO()
    row_writer(text, separator).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _parquet(browser: Browser, query: Query) -> Iterator[bytes]:
    """Yield a Parquet file, which has its directory at the end: it goes through the disk."""
    schema = _empty(browser).schema
    with tempfile.TemporaryFile() as file:
        with import_module("pyarrow.parquet").ParquetWriter(file, schema) as writer:
            for records in _records(browser, query):
                writer.write_table(records.to_arrow())
        file.seek(0)
        while block := file.read(BLOCK):
            yield block
