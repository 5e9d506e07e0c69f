"""`predict` answers files of any size part by part: the answers do not show it."""

import gzip
import weakref
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import casebase as cb
from casebase.cli import options
from casebase.cli.predict import command
from casebase.errors import CasebaseError
from casebase.formats.parts import FilePart, open_parts
from tests.cli.conftest import WEATHER

HEADER, *LINES = WEATHER.splitlines(keepends=True)


@pytest.fixture(scope="module")
def model(run: Any, tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("model")
    (folder / "weather.csv").write_text(WEATHER)
    assert run("train", folder / "weather.csv", "-o", folder / "m.cb", "--learner", "ib1").code == 0
    return folder / "m.cb"


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the size of parts."""

    def set_size(n_bytes: int) -> None:
        monkeypatch.setattr(
            options, "open_parts", partial(open_parts, part_bytes=n_bytes, part_rows=max(n_bytes // 20, 1))
        )

    return set_size


def with_ids(lines: list[str]) -> str:
    return "id," + HEADER + "".join(f"{i},{line}" for i, line in enumerate(lines))


LATE = {
    "plain": WEATHER,
    "a text among numbers": WEATHER.replace("91,yes", "lots,yes"),
    "a decimal comma": WEATHER.replace(",", ";").replace("85.5", "85").replace("91;yes", "91,5;yes"),
    "another encoding": WEATHER + "été,hot,85,no,stay\n",
    "quotes": WEATHER.replace("rainy,mild,91", '"rai""n\ny",mild,91'),
}
WAYS = [
    [],
    ["--proba"],
    ["--json"],
    ["--json", "--proba", "--confidence", "0.8", "--abstain"],
    ["--append"],
    ["--append", "--proba", "--confidence", "0.8", "--abstain"],
    ["--confidence", "0.9", "--class-conditional"],
]


@pytest.mark.parametrize("late", LATE)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_the_cut_does_not_show(run: Any, model: Path, tmp_path: Path, in_parts: Any, late: str, way: list[str]) -> None:
    """Every way to write answers gives the same text and the same messages, whatever decides late."""
    data = tmp_path / "new.csv"
    data.write_bytes(LATE[late].encode("cp1252"))
    whole = run("predict", model, data, *way)
    for n_bytes in (60, 200):
        in_parts(n_bytes)
        ran = run("predict", model, data, *way)
        assert (ran.code, ran.out) == (whole.code, whole.out)
        assert sorted(ran.err.splitlines()) == sorted(whole.err.splitlines()) or whole.code
    assert (whole.code == 1) == (late == "a text among numbers")


def test_a_late_text_makes_codes_of_numbers(run: Any, tmp_path: Path, in_parts: Any) -> None:
    """1.50 is the number 1.5 until a later line shows that the column has codes: then the first answers change."""
    (tmp_path / "train.csv").write_text("code,kind\n1.50,P\n1.50,P\nx,Q\nx,Q\nx,Q\n")
    (tmp_path / "new.csv").write_text("code\n" + "1.50\n" * 20 + "x\n")
    assert run("train", tmp_path / "train.csv", "-o", tmp_path / "m.cb", "--learner", "ib1").code == 0
    in_parts(30)
    assert run("predict", tmp_path / "m.cb", tmp_path / "new.csv").out == "P\n" * 20 + "Q\n"


def test_a_late_id_that_is_a_text(run: Any, model: Path, tmp_path: Path, in_parts: Any) -> None:
    """Ids are whole numbers only if all of them are; and one that occurs twice is told, in other parts too."""
    data = tmp_path / "new.csv"
    data.write_text(with_ids([*LINES, LINES[0]]) + "a7," + LINES[0] + "3," + LINES[0])
    whole = run("predict", model, data, "--json", "--id-column", "id")
    assert '"id": "3"' in whole.out
    assert "several queries have the id 3" in whole.err
    in_parts(100)
    ran = run("predict", model, data, "--json", "--id-column", "id")
    assert (ran.out, ran.err) == (whole.out, whole.err)


def test_several_files_and_pipes(run: Any, model: Path, tmp_path: Path, in_parts: Any) -> None:
    """A pattern, standard input, a compressed file and Parquet give the answers of one file."""
    (tmp_path / "all.csv").write_text(WEATHER)
    expected = run("predict", model, tmp_path / "all.csv").out
    for i in range(3):
        (tmp_path / f"part{i}.csv").write_text(HEADER + "".join(LINES[5 * i : 5 * i + 5]))
    (tmp_path / "all.csv.gz").write_bytes(gzip.compress(WEATHER.encode()))
    rows = [line.strip().split(",") for line in LINES]
    columns = dict(zip(HEADER.strip().split(","), map(list, zip(*rows))))
    columns["humidity"] = [float(x) for x in columns["humidity"]]
    pq.write_table(pa.table(columns), tmp_path / "all.parquet", row_group_size=4)
    in_parts(90)
    for name in ("part*.csv", "all.csv.gz", "all.parquet"):
        assert run("predict", model, tmp_path / name).out == expected
    assert run("predict", model, "-", stdin=WEATHER).out == expected
    refused = run("predict", model, tmp_path / "part*.csv", "-o", tmp_path / "part1.csv")
    assert "part1.csv is an input" in refused.err or "it is an input" in refused.err


def test_nothing_is_left_of_an_interrupted_run(
    run: Any, model: Path, tmp_path: Path, in_parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C, and an error in a late part, leave the old answers and no other file."""
    data, out = tmp_path / "new.csv", tmp_path / "out.txt"
    data.write_text(WEATHER + "sunny,hot\n")
    out.write_text("old\n")
    in_parts(100)
    failed = run("predict", model, data, "-o", out)
    assert "line 16: expected 5 fields" in failed.err
    reads, read = count(), FilePart.read

    def interrupted(part: FilePart, n_threads: int = 1) -> Any:
        if next(reads) == 2:
            raise KeyboardInterrupt
        return read(part, n_threads)

    monkeypatch.setattr(FilePart, "read", interrupted)
    with pytest.raises(click.Abort):
        command.main([str(model), str(data), "-o", str(out)], standalone_mode=False)
    assert out.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "out.txt"]


def test_a_link_stays_a_link(run: Any, model: Path, tmp_path: Path) -> None:
    """The answers replace the file that a link points to, with its mode."""
    (tmp_path / "new.csv").write_text(WEATHER)
    (tmp_path / "real.txt").write_text("old\n")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    run("predict", model, tmp_path / "new.csv", "-o", tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text().count("\n") == 14
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640


def test_no_more_than_a_part_is_held(
    run: Any, model: Path, tmp_path: Path, in_parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a file is, the rows of at most two parts are in memory: one is read while the last is let go."""
    data = tmp_path / "new.csv"
    data.write_text(HEADER + "".join(LINES) * 200)
    n_alive = most = 0
    read = FilePart.read

    def counted(part: FilePart, n_threads: int = 1) -> Any:
        nonlocal n_alive, most
        raw = read(part, n_threads)
        n_alive += raw.n_rows
        most = max(most, n_alive)

        def let_go(n_rows: int) -> None:
            nonlocal n_alive
            n_alive -= n_rows

        for column in raw.columns[:1]:
            weakref.finalize(column, let_go, raw.n_rows)
        return raw

    monkeypatch.setattr(FilePart, "read", counted)
    in_parts(2000)
    assert run("predict", model, data).out.count("\n") == 2800
    assert 0 < most < 2 * 2000 / 18


def test_answers_in_python(model: Path, tmp_path: Path) -> None:
    """`predict_parts` yields the predictions of an estimator, or of a model file, part by part."""
    (tmp_path / "new.csv").write_text(WEATHER.replace("91,yes", "91.5,yes"))
    clf = cb.load(model)
    frame = pa.csv.read_csv(tmp_path / "new.csv").to_pandas()
    expected = clf.predict(frame.drop(columns="play")).tolist()
    frames = (frame[i : i + 4].astype({"humidity": float}) for i in range(0, 14, 4))
    for which, source in [(clf, tmp_path / "new.csv"), (str(model), str(tmp_path / "*.csv")), (clf.model_, frames)]:
        parts = list(cb.predict_parts(which, source, part_bytes=90, part_rows=4))
        assert len(parts) > 2
        assert [label for part in parts for label in part.tolist()] == expected
    with pytest.raises(CasebaseError, match="Expected the path of a model file"):
        next(cb.predict_parts(3, tmp_path / "new.csv"))
