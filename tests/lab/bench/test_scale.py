"""The generated tables of the part `scale`, and its assertion that files are equal."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.bench import scale
from lab.bench.sizes import Sizes

TINY = Sizes(name="tiny", repeats=2, scale=(20, 60), scale_part=20, scale_compared=60)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scale, "CACHE", tmp_path)
    return tmp_path


def test_a_larger_table_begins_with_a_smaller_one() -> None:
    """Files are generated once, and are the same every time."""
    small, large = scale.parts_of(20, TINY), scale.parts_of(60, TINY)
    assert (large[:1], len(large)) == (small, 3)
    assert pq.read_table(large[2]).equals(scale.generated(20, seed=2))
    assert not scale.generated(20, seed=1).equals(scale.generated(20, seed=2))


def test_the_joined_file_has_the_cases_of_the_parts_in_their_order() -> None:
    parts = [pq.read_table(path) for path in scale.parts_of(60, TINY)]
    whole = pq.read_table(scale.joined(60, TINY))
    assert whole.to_pylist() == pa.concat_tables(parts).to_pylist()


@pytest.mark.parametrize(("other", "is_same"), [(b"abcd", True), (b"abXd", False), (b"abc", False), (b"abcde", False)])
def test_files_are_compared_block_by_block(cache: Path, other: bytes, is_same: bool) -> None:
    (cache / "one").write_bytes(b"abcd")
    (cache / "other").write_bytes(other)
    assert scale._is_same(cache / "one", cache / "other", size=2) == is_same


def test_the_part_fails_if_the_file_in_parts_is_another_one(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ratio of times is worth nothing if the results differ."""

    def trained(model: Path, n: int, data: list[Path], learner: str, *options: str) -> scale.Spent:
        model.write_text(f"{learner} {options}")
        return scale.Spent(n, 1.0, 1.0, 1, 1)

    monkeypatch.setattr(scale, "_trained", trained)
    with pytest.raises(AssertionError, match="the file of 60 cases in parts is not that of memory"):
        list(scale._against_memory("ib1", 60, 1, TINY, cache))
    monkeypatch.setattr(scale, "_trained", lambda model, n, data, learner, *_: trained(model, n, data, learner))
    assert [row.ratio for row in scale._against_memory("ib1", 60, 1, TINY, cache)] == [1.0, 1.0]


def test_the_growth_is_a_power_of_the_number_of_cases(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine times the time for three times the cases is a power of two, which misses the target."""

    def trained(model: Path, n: int, *_: object) -> scale.Spent:
        return scale.Spent(n, n / 10, float(n * n), 3 * 10**9, 1)

    monkeypatch.setattr(scale, "_trained", trained)
    spent: dict[int, scale.Spent] = {}
    results = list(scale._growth("ib1", TINY, cache, spent))
    rows = {row.work: row for row in results if isinstance(row, scale.Row)}
    power = next(row for work, row in rows.items() if work.endswith("as a power"))
    assert power.ratio == pytest.approx(2)
    assert [work.partition(":")[2] for work, row in rows.items() if not row.is_met] == [
        " peak memory, in GB",
        " peak memory, in GB",
        " processor time from 20 to 60 cases, as a power",
    ]
    assert [curve.n_cases for curve in results if isinstance(curve, scale.Curve)] == [(20, 60), (20, 60)]


def test_as_many_cases_in_memory_as_fit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest number is left out where there is too little memory; none is an error."""
    asked: list[int] = []

    def trained(model: Path, n: int, *_: object) -> scale.Spent:
        model.touch()
        asked.append(n)
        return scale.Spent(n, 1.0, 1.0, 1, 1)

    monkeypatch.setattr(scale, "_trained", trained)
    sizes = replace(TINY, scale_in_memory=(60, 20))
    monkeypatch.setattr(scale, "free_memory", lambda: 30 * scale.IN_MEMORY_PER_CASE)
    assert len(list(scale.scale_memory(sizes))) == 4
    assert set(asked) == {20}
    monkeypatch.setattr(scale, "free_memory", lambda: 1)
    with pytest.raises(RuntimeError, match="too little memory is free for 20 cases"):
        list(scale.scale_memory(sizes))
