"""Files of a server that others truncate or replace, and a disk that is full: the models stay, with a message."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from casebase import methods
from casebase.base.records import records_of
from casebase.serve import shelf as shelves
from tests.serve.serving import client

FULL = OSError(28, "No space left on device")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [one["values"] for one in records_of(methods.load(path).model).to_dicts()][:50]


def cut_off(path: Path, other: Path) -> None:
    os.truncate(path, 4096)


def overwrite(path: Path, other: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def replace(path: Path, other: Path) -> None:
    shutil.copy(other, path.with_name("new"))
    path.with_name("new").replace(path)


def delete(path: Path, other: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [cut_off, overwrite, replace, delete])
@pytest.mark.parametrize("name", ["ib1", "c45"])
def test_a_server_keeps_what_it_read(models: Path, name: str, change: Any) -> None:
    """It answers and explains as before, also what keeps no cases."""
    rows = rows_of(models / "ib1.cb")
    asks = [("predict", {"cases": rows}), ("explain", {"cases": rows[:3]})]
    with client(models) as asking:
        before = [asking.post(f"/v1/models/{name}/{what}", json=body).json() for what, body in asks]
        change(models / f"{name}.cb", models / "igtree.cb")
        after = [asking.post(f"/v1/models/{name}/{what}", json=body) for what, body in asks]
        assert [one.status_code for one in after] == [200, 200]
        assert [one.json() for one in after] == before
        assert asking.post("/v1/models/igtree/predict", json={"cases": rows}).status_code == 200


@pytest.mark.parametrize("change", [cut_off, overwrite, replace, delete])
def test_a_server_does_not_correct_over_a_changed_file(models: Path, change: Any) -> None:
    """It shows its cases on, and says why it refuses; what others put there stays, also when the server ends."""
    path = models / "ib1.cb"
    with client(models) as asking:
        shown = asking.get("/v1/models/ib1/cases?limit=5").json()
        change(path, models / "igtree.cb")
        there = path.read_bytes() if path.exists() else None
        refused = asking.delete("/v1/models/ib1/cases/3")
        assert refused.status_code == 422
        assert "ib1.cb" in refused.json()["detail"]
        assert asking.get("/v1/models/ib1/cases?limit=5").json() == shown
    assert (path.read_bytes() if path.exists() else None) == there


def test_a_model_that_cannot_be_replaced_stays(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the new file gets its name: the old model answers on, nothing of the new one is left."""
    content = (models / "c45.cb").read_bytes()
    names = {path.name for path in models.iterdir()}
    with client(models, folder=models) as asking:
        version = asking.get("/v1/models/ib1").json()["version"]
        with monkeypatch.context() as patched:
            real = os.replace

            def fail(source: Any, target: Any) -> None:
                if ".upload-" in str(source):
                    raise FULL
                real(source, target)

            patched.setattr(shelves.os, "replace", fail)
            refused = asking.put("/v1/models/ib1", content=content, headers={"if-match": f'"{version}"'})
        assert (refused.status_code, "No space left" in refused.json()["detail"]) == (422, True)
        assert asking.get("/v1/models/ib1").json()["version"] == version
        asking.delete("/v1/models/ib1/cases/3")
        version = asking.get("/v1/models/ib1").json()["version"]
        done = asking.put("/v1/models/ib1", content=content, headers={"if-match": f'"{version}"'})
        assert (done.status_code, done.json()["method"]) == (200, "c45")
    assert {path.name for path in models.iterdir()} == names
    assert (models / "ib1.cb").read_bytes() == content


@pytest.mark.parametrize("at", [0, 1])
def test_an_upload_that_does_not_fit_leaves_nothing(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Whether writing it fails or closing it, which writes the rest."""
    folder = tmp_path / "kept"
    with client(models, folder=folder) as asking:
        real = shelves.tempfile.NamedTemporaryFile

        def full(**options: Any) -> Any:
            file = real(**options)
            name = ("write", "close")[at]
            usual = getattr(file, name)

            def fail(*arguments: Any) -> None:
                if name == "close":
                    usual()
                raise FULL

            vars(file)[name] = fail
            if name == "close":
                monkeypatch.setattr(type(file), "__exit__", lambda self, *_: self.close())
            return file

        with monkeypatch.context() as patched:
            patched.setattr(shelves.tempfile, "NamedTemporaryFile", full)
            refused = asking.put("/v1/models/new", content=(models / "c45.cb").read_bytes())
        assert (refused.status_code, "No space left" in refused.json()["detail"]) == (422, True)
        assert list(folder.iterdir()) == []
        assert asking.put("/v1/models/new", content=(models / "c45.cb").read_bytes()).status_code == 201
