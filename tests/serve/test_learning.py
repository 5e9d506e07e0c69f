"""What was recognised about a table is kept until the file changes."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from casebase.errors import CasebaseError
from casebase.serve import learning
from casebase.serve.learning import MOST_AT_ONCE, MOST_KEPT, Choices

TABLE = "size,kind\nsmall,a\nlarge,b\n"


class Counted:
    """`recognise` that counts its calls, and how many run at the same time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.n, self.running, self.most, self.seconds = 0, 0, 0, seconds
        self.lock, self.recognise = threading.Lock(), learning.recognise

    def __call__(self, path: Path, **options: Any) -> Any:
        with self.lock:
            self.n, self.running = self.n + 1, self.running + 1
            self.most = max(self.most, self.running)
        try:
            time.sleep(self.seconds)
            return self.recognise(path, **options)
        finally:
            with self.lock:
                self.running -= 1


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted(0.02)
    monkeypatch.setattr(learning, "recognise", counted)
    monkeypatch.setattr(learning, "_recognitions", learning.Recognitions())
    return counted


def test_a_file_is_read_once_until_it_changes(table: Path, counted: Counted) -> None:
    for _ in range(3):
        assert Choices({}, {}).recognised(table).n_rows == 2
    assert counted.n == 1
    table.write_text(TABLE + "huge,c\n")
    assert Choices({}, {}).recognised(table).n_rows == 3
    assert counted.n == 2


def test_each_choice_has_its_own_answer(table: Path, counted: Counted) -> None:
    for target in ("size", "kind", "size", "kind"):
        assert Choices({"target": target}, {}).recognised(table).target == target
    for kind in ("text", "symbol", "text"):
        assert Choices({"target": "kind"}, {"size": kind}).recognised(table).columns[0].kind == kind
    assert counted.n == 4


def test_many_at_once_read_the_file_as_often_as_may_run(table: Path, counted: Counted) -> None:
    """Those that wait find the answer of those before them, and different questions take turns."""
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: Choices({}, {}).recognised(table), range(12)))
        assert counted.n <= MOST_AT_ONCE
        tables = [table.with_name(f"{i}.csv") for i in range(12)]
        for one in tables:
            one.write_text(TABLE)
        list(pool.map(Choices({}, {}).recognised, tables))
    assert counted.most == MOST_AT_ONCE


def test_the_oldest_is_forgotten_and_errors_are_not_kept(table: Path, counted: Counted) -> None:
    counted.seconds = 0.0
    for i in range(MOST_KEPT + 1):
        one = table.with_name(f"{i}.csv")
        one.write_text(TABLE)
        Choices({}, {}).recognised(one)
    Choices({}, {}).recognised(table.with_name(f"{MOST_KEPT}.csv"))
    assert counted.n == MOST_KEPT + 1
    Choices({}, {}).recognised(table.with_name("0.csv"))
    assert counted.n == MOST_KEPT + 2
    for _ in range(2):
        with pytest.raises(CasebaseError, match="nknown"):
            Choices({"target": "no such"}, {}).recognised(table)
    assert counted.n == MOST_KEPT + 4
    with pytest.raises(CasebaseError, match="no such file"):
        Choices({}, {}).recognised(table.with_name("gone.csv"))
