"""Home and tables: drop a file, see what was recognised, change it, learn."""

import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.serve.serving import client

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{7*7}}", "'; --", "\u202eevil"]


def wait_for(asking: TestClient, place: str) -> dict[str, object]:
    """Follow a job to its end."""
    place = place.partition("?")[0]
    for _ in range(400):
        job = asking.get(f"{place}.json").json()["job"]
        if job["state"] in ("done", "failed", "cancelled"):
            return dict(job)
        time.sleep(0.05)
    raise AssertionError("the job does not end")


def drop(asking: TestClient, name: str, content: bytes) -> str:
    answer = asking.post("/upload", files={"file": (name, content)}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_a_dropped_table_is_recognised_learned_and_asked(tmp_path: Path) -> None:
    text = "größe;preis;klasse\n" + "".join(
        f"{'klein' if i % 2 else 'groß'};{i},5;{'ja' if i % 2 else 'nein'}\n" for i in range(40)
    )
    with client(folder=tmp_path / "work") as asking:
        place = drop(asking, "Äpfel.csv", text.encode("cp1252"))
        facts = asking.get(f"{place}.json").json()["recognised"]
        assert (facts["separator"], facts["decimal"], facts["encoding"]) == (";", ",", "cp1252")
        assert [column["kind"] for column in facts["columns"][:2]] == ["symbol", "number"]
        page = asking.get(place).text
        assert "größe" in page
        started = asking.post(f"{place}/learn", data={"method": "ib1", "target": "klasse"}, follow_redirects=False)
        job = wait_for(asking, started.headers["location"])
        assert job["state"] == "done", job
        answer = asking.get(f"{job['place']}.json", params={"v.größe": "klein", "v.preis": "3.5"}).json()["answer"]
        assert answer["label"] == "ja"


def test_the_kinds_that_the_page_shows_are_learned(tmp_path: Path, passengers_table: Path) -> None:
    with client(passengers_table, folder=tmp_path) as asking:
        shown = asking.get("/t/passengers.json").json()["recognised"]["columns"]
        kinds = {f"kind.{column['name']}": column["kind"] for column in shown if column["name"] != "class"}
        data = {"method": "c45", "target": "class"} | kinds | {"kind.port": "ignored"}
        job = wait_for(
            asking, asking.post("/t/passengers/learn", data=data, follow_redirects=False).headers["location"]
        )
        assert job["state"] == "done", job
        fields = [field["name"] for field in asking.get(f"{job['place']}.json").json()["fields"]]
        assert "port" not in fields
        assert "fare" in fields


def test_what_was_recognised_can_be_changed(tmp_path: Path) -> None:
    with client(folder=tmp_path) as asking:
        place = drop(asking, "codes.csv", b"a;b\n1,5;x\n2,5;y\n")
        changed = asking.get(f"{place}.json", params={"decimal": ".", "target": "a"}).json()["recognised"]
    assert (changed["decimal"], changed["target"]) == (".", "a")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("junk.bin", bytes(range(256)) * 8, ""),
        ("broken.xlsx", b"PK\x03\x04 no workbook", ""),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_reason(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with client(folder=tmp_path) as asking:
        place = drop(asking, name, content)
        answer = asking.get(f"{place}.json")
    assert answer.status_code == 422
    assert message in answer.json()["detail"]
    assert len(answer.json()["detail"]) > 20


def test_a_damaged_model_is_refused_and_not_kept(tmp_path: Path, models: Path) -> None:
    damaged = bytearray((models / "ib1.cb").read_bytes())
    damaged[len(damaged) // 2] ^= 255
    with client(folder=tmp_path / "work") as asking:
        answer = asking.post("/upload", files={"file": ("m.cb", bytes(damaged))})
        assert answer.status_code == 422
        assert not [path for path in (tmp_path / "work").iterdir() if not path.name.startswith(".")]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.csv", "..\\..\\boot.csv", "/etc/hosts", ".hidden", "a\x00b.csv", "x" * 300]
)
def test_a_file_name_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "work"
    with client(folder=folder) as asking:
        asking.post("/upload", files={"file": (name, b"a,b\n1,2\n")})
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != folder] == []


def test_without_a_folder_nothing_is_taken(models: Path) -> None:
    with client(models) as asking:
        answer = asking.post("/upload", files={"file": ("a.csv", b"a,b\n1,2\n")})
        assert "--folder" in answer.text
        assert 'type="file"' not in asking.get("/").text


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_are_only_text(tmp_path: Path, value: str) -> None:
    quoted = value.replace('"', '""')
    text = f'"{quoted}",b,class\n"{quoted}",1,"{quoted}"\nx,2,y\n' * 1
    with client(folder=tmp_path) as asking:
        place = drop(asking, f"{value}.csv", text.encode())
        page = asking.get(place).text
        job = wait_for(
            asking, asking.post(f"{place}/learn", data={"method": "ib1"}, follow_redirects=False).headers["location"]
        )
        asked = asking.get(str(job["place"]), params={f"v.{value}": value, "asked": "1"}).text
        home = asking.get("/").text
    for shown in (page, asked, home):
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert ">49<" not in shown


def test_a_compressed_file_is_not_unpacked(tmp_path: Path) -> None:
    """A small file may hold a thousand times as much."""
    import gzip

    with client(folder=tmp_path) as asking:
        answer = asking.post("/upload", files={"file": ("a.csv", gzip.compress(b"a,b\n1,2\n"))})
    assert answer.status_code == 422
    assert "Unpack it" in answer.text
    assert list(tmp_path.iterdir()) == []
