"""Tables in parts are the tables of whole files, however they are cut."""

import csv
import gzip
import io
import json
import pickle
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase.data.columns import as_text
from casebase.data.table import Table
from casebase.errors import CasebaseError, FormatError
from casebase.formats import read_table
from casebase.formats.facts import Facts
from casebase.formats.parts import Parts, open_parts, sum_of


def tables_of(parts: Parts) -> list[Table]:
    """Read all parts, as another process would, and give them the types that all of them decide."""
    raw = [pickle.loads(pickle.dumps(part)).read() for part in parts.parts]
    decision = parts.decide(sum_of(one.facts for one in raw))
    return [parts.typed(one, decision) for one in raw if one.n_rows]


def outline(table: Table) -> tuple[Any, ...]:
    orders = [
        c.dictionary.to_pylist() if pa.types.is_dictionary(c.type) and c.type.ordered else None for c in table.columns
    ]
    is_number = [pa.types.is_floating(c.type) for c in table.columns]
    return (
        table.names,
        table.target,
        table.is_named,
        table.has_header,
        table.layout,
        table.recognised,
        is_number,
        orders,
    )


def values(table: Table) -> list[list[Any]]:
    return [[None if v != v else v for v in column.to_pylist()] for column in table.columns]


def assert_same(source: Any, sizes: dict[str, int], **options: Any) -> None:
    """Assert that parts of any size are the whole table, or the same error."""
    try:
        whole = read_table(source, keep_text=True, **options)
    except FormatError as error:
        with pytest.raises(type(error)):
            tables_of(read_again(source, sizes, options))
        return
    tables = tables_of(read_again(source, sizes, options))
    assert {outline(one) == outline(whole) for one in tables} == {True}, (outline(tables[0]), outline(whole))
    joined = [list(chain.from_iterable(values(one)[i] for one in tables)) for i in range(len(whole.names))]
    assert joined == values(whole)
    assert whole.written is not None
    for i, column in enumerate(whole.written.columns):
        written = [as_text(one.written.columns[i]).to_pylist() for one in tables if one.written is not None]
        assert list(chain.from_iterable(written)) == as_text(column).to_pylist()


def read_again(source: Any, sizes: dict[str, int], options: dict[str, Any]) -> Parts:
    """Open a table in parts; if a part is not in the encoding that the beginning shows, by all of its bytes."""
    from casebase.errors import EncodingError

    parts = open_parts(source, keep_text=True, **sizes, **options)
    try:
        parts.facts()
    except EncodingError:
        return parts.by_all_bytes()
    return parts


NUMBERS = st.sampled_from(
    ["1", "2.5", "2,5", "1.234", "1,234", "1.234,5", "-3e5", "inf", "9007199254740993", "007", "7."]
)
MISSING = st.sampled_from(["", "?", "NA", " NA ", "NULL"])
WORDS = st.sampled_from(
    ["red", "rot", "été", "a b", 'say "hi"', "x;y", "a,b", "two\nlines", "cr\r\nlf", '"', '5" pipe']
)
FIELDS = st.one_of(NUMBERS, MISSING, WORDS)
TARGETS = st.sampled_from(["P", "Q", "1.5", "2"])


@st.composite
def columns_of_texts(draw: Any, n_rows: int) -> list[str]:
    """Draw a column of one kind, in which another kind may begin late."""
    kind = draw(st.sampled_from([NUMBERS, WORDS, FIELDS, MISSING, st.sampled_from(["1,5", "2", ""])]))
    column = draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
    if n_rows and draw(st.booleans()):
        column[-1] = draw(FIELDS)
    return column


@st.composite
def delimited_files(draw: Any) -> bytes:
    n_rows = draw(st.integers(1, 12))
    columns = [draw(columns_of_texts(n_rows)) for _ in range(draw(st.integers(1, 3)))]
    columns.append(draw(st.lists(TARGETS, min_size=n_rows, max_size=n_rows)))
    text = io.StringIO(newline="")
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    if draw(st.booleans()):
        writer.writerow([f"name{i}" for i in range(len(columns))])
    for row in zip(*columns):
        writer.writerow(row)
        if draw(st.integers(0, 9)) == 0:
            text.write(end)
    found = draw(st.sampled_from(["", "\n", "sep=" + separator + end])) + text.getvalue()
    found = found.rstrip("\r\n") if draw(st.booleans()) else found
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"]))
    return found.encode(encoding)


SIZES = st.integers(1, 80).map(lambda n: {"part_bytes": n})


@settings(max_examples=400, deadline=None)
@given(data=delimited_files(), sizes=SIZES, format=st.sampled_from(["csv", "tsv", None]))
def test_delimited_texts(data: bytes, sizes: dict[str, int], format: str | None) -> None:
    """Quotes, line ends in quotes, headers, encodings, decimal marks: the cut does not show."""
    assert_same(data, sizes, format=format)


@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(st.lists(st.sampled_from(["a", "bc", "été", "1.5", "?"]), min_size=3, max_size=3), max_size=12),
    format=st.sampled_from(["columns", "tabbed", "c45", "compact"]),
    end=st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
    header=st.booleans(),
    sizes=SIZES,
)
def test_lines(lines: list[list[str]], format: str, end: str, encoding: str, header: bool, sizes: Any) -> None:
    """Files of lines that are split by the kernel."""
    mark = {"columns": " ", "tabbed": "\t", "c45": ", ", "compact": ""}[format]
    cells = [[f"{cell:4.4}" for cell in line] for line in lines] if format == "compact" else lines
    text = "".join(mark.join(line) + end for line in cells)
    options: dict[str, Any] = {"width": 4} if format == "compact" else {"header": header}
    assert_same(text.encode(encoding), sizes, format=format, **options)


@settings(max_examples=150, deadline=None)
@given(
    records=st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", " c ", "d"]),
            st.sampled_from([1, 2.5, -0.1, 1e22, None, "x", "1", "é", True, 10**400]),
        ),
        max_size=10,
    ),
    ends=st.sampled_from(["\n", "\r\n", "\n\n"]),
    sizes=SIZES,
)
def test_json_lines(records: list[dict[str, Any]], ends: str, sizes: dict[str, int]) -> None:
    """Keys that occur late, and numbers in some parts."""
    text = "".join(json.dumps(record, ensure_ascii=False) + ends for record in records)
    assert_same(text.encode(), sizes, format="jsonl")


@pytest.mark.parametrize("format", ["parquet", "feather"])
@settings(max_examples=40, deadline=None)
@given(
    n_rows=st.integers(1, 20), group=st.integers(1, 9), part_rows=st.integers(1, 25), part_bytes=st.integers(1, 10**6)
)
def test_columnar(tmp_path_factory: Any, format: str, n_rows: int, group: int, part_rows: int, part_bytes: int) -> None:
    """Row groups and batches, joined and sliced."""
    generator = np.random.default_rng(n_rows)
    frame = pd.DataFrame(
        {
            "word": generator.choice(["a", "b", "é", None], n_rows),
            "size": generator.choice([1.5, np.nan, 2.0], n_rows),
            "count": generator.integers(0, 5, n_rows),
            "grade": pd.Categorical(generator.choice(["low", "high"], n_rows), ["low", "mid", "high"], ordered=True),
            "when": pd.to_datetime(generator.choice(["2024-01-01", "2024-02-03"], n_rows)),
            "nothing": [None] * n_rows,
            "class": generator.choice([True, False], n_rows),
        }
    )
    path = str(tmp_path_factory.mktemp("columnar") / f"x.{format}")
    table = pa.Table.from_pandas(frame)
    if format == "parquet":
        pq.write_table(table, path, row_group_size=group)
    else:
        pa.feather.write_feather(table, path, chunksize=group)
    assert_same(path, {"part_rows": part_rows, "part_bytes": part_bytes})


@settings(max_examples=200, deadline=None)
@given(data=delimited_files(), cuts=st.lists(st.integers(0, 10), max_size=4))
def test_facts_add_up(data: bytes, cuts: list[int]) -> None:
    """The sum of facts does not depend on the order in which neighbours are added."""
    try:
        with open_parts(data, format="csv", part_bytes=9) as parts:
            facts = [part.read().facts for part in parts.parts]
    except FormatError:
        return
    bounds = sorted({0, len(facts), *(cut for cut in cuts if cut < len(facts))})
    grouped: list[Facts] = [sum_of(facts[a:b]) for a, b in pairwise(bounds)]
    assert sum_of(grouped) == sum_of(facts)


def test_a_quoted_line_end_after_a_stray_quote() -> None:
    """Counting quotes would cut inside the second field: a quote within an unquoted field is an ordinary character."""
    text = b'5" pipe,"a\nb",P\n6 pipe,"c\nd",Q\n'
    for part_bytes in range(1, len(text)):
        assert_same(text, {"part_bytes": part_bytes}, format="csv", header=False)


def test_several_files(tmp_path: Path) -> None:
    """Files of a glob, of a list and of a folder are one table; a header may be repeated or absent."""
    (tmp_path / "a.csv").write_text("size,kind\n1.5,P\n")
    (tmp_path / "b.csv").write_text("size,kind\nbig,Q\n")
    (tmp_path / "c.csv").write_text("")
    (tmp_path / "d.csv").write_text("7,P\n8,Q\n")
    for source in (str(tmp_path / "*.csv"), tmp_path, sorted(tmp_path.iterdir())):
        tables = tables_of(open_parts(source))
        assert [values(one) for one in tables] == [[["1.5"], ["P"]], [["big"], ["Q"]], [["7", "8"], ["P", "Q"]]]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("size,sort\n1,P\n", "expected column 2 to be 'kind'"),
        ("size,kind,more\n1,P,x\n", "expected 2 columns, as in"),
    ],
)
def test_other_columns_in_a_later_file(tmp_path: Path, second: str, message: str) -> None:
    """A file with other columns than the first is named."""
    (tmp_path / "a.csv").write_text("size,kind\n1.5,P\n2.5,Q\n")
    (tmp_path / "b.csv").write_text(second)
    with pytest.raises(FormatError, match=rf"b\.csv: {message}"):
        open_parts(str(tmp_path / "*.csv"))


def test_other_types_in_a_later_file(tmp_path: Path) -> None:
    """Types of the same family go together, and a column without values goes with any; others are an error."""
    for name, column in [("a", pa.array([1, 2])), ("b", pa.array([3], pa.int8())), ("c", pa.nulls(1))]:
        pq.write_table(pa.table({"x": column, "class": ["P"] * len(column)}), tmp_path / f"{name}.parquet")
    tables = tables_of(open_parts(str(tmp_path / "*.parquet")))
    assert [values(one)[0] for one in tables] == [["1", "2"], ["3"], [None]]
    pq.write_table(pa.table({"x": [1.5], "class": ["P"]}), tmp_path / "d.parquet")
    with pytest.raises(
        FormatError, match=r"d\.parquet: column 'x' has numbers with decimals, but whole numbers in .*a\."
    ):
        open_parts(str(tmp_path / "*.parquet"))


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """An error in a late part names the line of the file."""
    path = tmp_path / "x.tsv"
    path.write_text("a\tb\tP\n" * 100 + "a\tb\n" + "a\tb\tQ\n" * 100)
    for options in ({"format": "tabbed"}, {"format": "tsv"}):
        with pytest.raises(FormatError, match=r"x\.tsv, line 101: expected"):
            open_parts(path, part_bytes=50, **options).facts()


def test_what_can_be_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compressed files and standard input are kept in temporary files, which are removed."""
    text = b"".join(b"%d,w%d,P\n" % (i, i % 7) for i in range(2000))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expected = values(read_table(text, format="csv"))
    for source in (tmp_path / "x.csv.gz", "-", io.BytesIO(text)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        with open_parts(source, part_bytes=3000, scratch=scratch, format="csv") as parts:
            assert len(parts.parts) > 3
            tables = tables_of(parts)
            assert list(scratch.iterdir())
        assert [list(chain.from_iterable(column)) for column in zip(*map(values, tables))] == expected
        assert not list(scratch.iterdir())


def test_batches(tmp_path: Path) -> None:
    """Datasets, queries, readers and iterators of batches or frames."""
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"x": [str(i % 3) for i in range(20)], "n": [i / 2 for i in range(20)], "class": ["P", "Q"] * 10})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=6)
    sources = [
        pa.dataset.dataset(tmp_path / "x.parquet"),
        pa.dataset.dataset(tmp_path / "x.parquet").filter(pa.compute.field("n") >= 0),
        duckdb.from_arrow(table),
        table,
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3)),
        iter(table.to_batches(max_chunksize=3)),
        (frame for frame in [table[:5].to_pandas(), table[5:].to_pandas()]),
    ]
    for source in sources:
        with open_parts(source, part_rows=7) as parts:
            tables = tables_of(parts)
            assert len(tables) > 2
            assert max(one.n_rows for one in tables) <= 7
            assert tables[0].names == ("x", "n", "class")
            assert [list(chain.from_iterable(column)) for column in zip(*map(values, tables))] == [
                c.to_pylist() for c in table.columns
            ]


def test_folders_of_a_dataset_are_columns(tmp_path: Path) -> None:
    """A partitioned dataset gives the values in the names of its folders."""
    table = pa.table({"x": ["a", "b", "c"], "class": ["P", "Q", "P"], "year": ["1", "2", "2"]})
    pa.dataset.write_dataset(table, tmp_path, format="parquet", partitioning=["year"], partitioning_flavor="hive")
    dataset = pa.dataset.dataset(tmp_path, partitioning="hive")
    tables = tables_of(open_parts(dataset))
    assert [values(one)[2] for one in tables] == [["1"], ["2", "2"]]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing/*.csv", "No file matches"),
        ([], "at least one file"),
        (7, "Cannot read a table from int"),
        (iter([3]), "Expected batches of a table .* got int"),
        (iter([]), "is empty"),
        (b"", "at least one line of data"),
    ],
)
def test_no_table(source: Any, message: str) -> None:
    """What is no table is an error that says what is expected."""
    with pytest.raises(CasebaseError, match=message):
        open_parts(source)


def test_only_headers(tmp_path: Path) -> None:
    """A file with a header and no rows is the error that `read_table` gives, in one part or in several."""
    with pytest.raises(FormatError, match="expected data after the header"):
        tables_of(open_parts(b"size,kind\n\n\n\n\n", format="csv", header=True, part_bytes=11))


def test_one_case() -> None:
    """One part of one case is a table."""
    assert [values(one) for one in tables_of(open_parts(b"a b P"))] == [[["a"], ["b"], ["P"]]]
