"""A folder with the toy data of the specification, and both programs in it."""

from pathlib import Path

import pytest

TRAIN = "a x 1 P\na y 2 P\nb x 3 Q\nb y 4 Q\nc x 5 P\nc z 1 R\na z 2 Q\n"
TEST = "a x 3 P\nb z 9 Q\nd x 1 R\nd w 8 P\na z 2 Q\n"


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Path:
    """An empty folder, made the current one, with A.train and A.test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.train").write_text(TRAIN)
    (tmp_path / "A.test").write_text(TEST)
    return tmp_path
