"""Dask data frames without a cluster: partitions are parts, computed here one at a time."""

import time

import dask
import dask.array
import dask.dataframe as dd
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.formats.partitions import partition_parts
from casebase.scale.reading import read_part
from tests.scale.frames import file_of_memory, mixed_frame
from tests.scale.tables import in_parts
from tests.scale.test_faults import error_of


@pytest.mark.parametrize("sizes", [[1, 99], [40, 0, 60], [15] * 6 + [10]])  # one of one case, one without any
def test_any_cut_gives_the_file_of_memory(tmp_path, sizes):
    frame = mixed_frame(100)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    pieces = [dask.delayed(frame.iloc[end - size : end]) for size, end in zip(sizes, ends)]
    data = {"ib1": dd.from_delayed(pieces, meta=frame.iloc[:0]), "igtree": pieces}
    for learner, source in data.items():
        expected = file_of_memory(frame, tmp_path, learner)
        assert in_parts(source, tmp_path / "parts.cb", learner) == expected


def test_partitions_are_computed_once_and_one_at_a_time(tmp_path):
    frame, computed, at_work = mixed_frame(80), [], []

    def part(i):
        at_work.append(i)
        time.sleep(0.01)
        computed.append((i, len(at_work)))
        at_work.pop()
        return frame.iloc[20 * i : 20 * i + 20]

    pieces = [dask.delayed(part)(i) for i in range(4)]
    model = cb.scale.fit("igtree", pieces, output=tmp_path / "m.cb", n_threads=3)
    assert sorted(computed) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert model.n_features_in_ == 6


def test_what_was_read_is_not_sent_back(tmp_path):
    """A worker returns where it kept a partition, not the partition."""
    (part,) = partition_parts([dask.delayed(mixed_frame(5))])
    kept = read_part(part.with_content(mixed_frame(5)), tmp_path / "kept.arrow")
    assert (kept.n_rows, kept.part.name, kept.part.content) == (5, "the given table, partition 1", None)


def test_a_training_that_is_resumed_computes_what_is_left(tmp_path):
    frame, computed = mixed_frame(80), []

    def part(i, *, fails):
        computed.append(i)
        if i == 2 and fails:
            raise MemoryError
        return frame.iloc[20 * i : 20 * i + 20]

    def pieces(*, fails):
        return [dask.delayed(part)(i, fails=fails, dask_key_name=f"part-{i}") for i in range(4)]

    options = {"output": tmp_path / "m.cb", "scratch": tmp_path / "scratch", "n_threads": 1}
    with pytest.raises(CasebaseError, match="the given table, partition 3 cannot be computed: MemoryError"):
        cb.scale.fit("igtree", pieces(fails=True), **options)
    cb.scale.fit("igtree", pieces(fails=False), **options)
    assert computed == [0, 1, 2, 2, 3]
    other = [dask.delayed(part)(i, fails=True, dask_key_name=f"part-{i}") for i in (0, 1, 2, 3)]
    with pytest.raises(CasebaseError, match="partition 3 cannot"):
        cb.scale.fit("igtree", other, **options)
    with pytest.raises(CasebaseError, match="data"):
        cb.scale.fit("igtree", other[1:], **options)


def changed(frame, number, change):
    """Return a Dask frame of four partitions, of which one is changed."""
    pieces = [frame.iloc[20 * i : 20 * i + 20] for i in range(4)]
    pieces[number] = change(pieces[number])
    return [dask.delayed(piece) for piece in pieces]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda part: part.rename(columns={"size": "length"}),
            "the given table, partition 3: expected column 3 to be 'size', as in the given table, partition 1, got",
        ),
        (lambda part: part.drop(columns="size"), "the given table, partition 3: expected 7 columns"),
        (
            lambda part: part.assign(weight="heavy"),
            "the given table, partition 3: column 'weight' has texts, but numbers with decimals in",
        ),
        (lambda part: part.assign(**{"class": None}), "the given table, partition 3: The class is missing"),
        (
            lambda part: 7,
            "the given table, partition 3: Expected batches of a table (pyarrow, pandas, polars), got",
        ),
    ],
)
def test_a_partition_that_does_not_fit_is_named(tmp_path, change, message):
    assert error_of(changed(mixed_frame(80), 2, change), tmp_path).startswith(message)


def test_no_rows(tmp_path):
    empty = mixed_frame(4).iloc[:0]
    assert "the given table is empty" in error_of(dd.from_pandas(empty, npartitions=1), tmp_path)
    with pytest.raises(CasebaseError, match="Expected a Dask data frame, got Array, which has no columns"):
        in_parts(dask.array.zeros((4, 2)), tmp_path / "m.cb", "ib1")
