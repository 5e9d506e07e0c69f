"""An erasure: when it is confirmed, no file has anything of the cases but their ids."""

import struct

import pytest
from click.testing import CliRunner

from casebase import methods
from casebase.cli import cli
from casebase.serve.desks.desk import Desk
from tests.serve.cases import NOUNS, Oracle, abandon, insert, noun

SECRET = noun("Geheimnis", "geheim", "heim", "nis", "geheimnisse")
WORDS = [word.encode() for word in SECRET.values()]


def found_in(folder):
    """Return the files that have one of the values."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if any(word in file.read_bytes() for word in WORDS)]


@pytest.mark.parametrize(
    ("learner", "is_calibrated"), [("ib1", False), ("ib1", True), ("igtree", True), ("tribl2", False), ("auto", True)]
)
def test_no_file_has_a_removed_case(tmp_path, learner, is_calibrated):
    """Its values, its class, its provenance, what it was before updates, the hash of a request."""
    desk = Desk.open(Oracle.of_nouns(learner).save(tmp_path / "nouns.cb", is_calibrated=is_calibrated), idle=None)
    insert(desk, SECRET, key="k")
    desk.checkpoint()
    request = desk.snapshot.saved.log[0].request
    assert found_in(tmp_path) == ["nouns.cb"]
    assert request.encode() in (tmp_path / "nouns.cb").read_bytes()
    desk.update([10], {name: ["x"] for name in SECRET})  # the log has what it was
    desk.update([3], {"last": ["q"]})
    assert found_in(tmp_path) == ["nouns.cb"]
    desk.remove([10])

    assert found_in(tmp_path) == []
    assert request.encode() not in (tmp_path / "nouns.cb").read_bytes()
    oracle = Oracle.of_nouns(learner)
    oracle.update(3, {"last": "q"})
    assert desk.snapshot.version == oracle.version()
    desk.close()
    assert found_in(tmp_path) == []
    entries = methods.load(tmp_path / "nouns.cb").log
    assert [(entry.action, entry.ids) for entry in entries] == [
        ("insert", (10,)),
        ("update", (10,)),
        ("update", (3,)),
        ("remove", (10,)),
    ]


def test_a_case_that_is_only_in_the_journal(tmp_path):
    """It never comes to the model file; the journal is emptied."""
    desk = Desk.open(Oracle.of_nouns().save(tmp_path / "nouns.cb"), idle=None)
    insert(desk, SECRET)
    assert found_in(tmp_path) == ["nouns.cb.journal"]
    desk.remove([10])

    assert found_in(tmp_path) == []
    desk.close()


def test_a_crash_before_the_confirmation(tmp_path):
    """The removal is made when the file is opened again, before anybody can ask."""
    desk = Desk.open(Oracle.of_nouns().save(tmp_path / "nouns.cb"), idle=None)
    insert(desk, SECRET)
    desk.checkpoint()
    desk._erase = lambda: None  # killed here
    desk.remove([10])
    abandon(desk)
    assert found_in(tmp_path) == ["nouns.cb"]

    Desk.open(tmp_path / "nouns.cb", idle=None)
    assert found_in(tmp_path) == []


def test_what_a_killed_process_left_half_written(tmp_path):
    """Unfinished model files are deleted when the file is opened."""
    path = Oracle.of_nouns().save(tmp_path / "nouns.cb")
    left = tmp_path / ".nouns.cb.0123abcd.tmp"
    left.write_bytes(WORDS[0])
    other = tmp_path / ".verbs.cb.0123abcd.tmp"
    other.touch()

    Desk.open(path).close()
    assert not left.exists()
    assert other.exists()


def test_many_cases_are_erased_at_once(tmp_path, monkeypatch):
    """The model file is written once."""
    path = Oracle.of_nouns().save(tmp_path / "nouns.cb")
    with Desk.open(path, idle=None) as desk:
        n_saved = []
        monkeypatch.setattr(methods, "save_all", lambda *args, save=methods.save_all: (n_saved.append(1), save(*args)))
        desk.remove(list(range(8)))
        assert n_saved == [1]
    data = path.read_bytes()
    assert not any(word.encode() in data for word, *_ in NOUNS[:8])


def test_scores_of_removed_cases_do_not_stay_in_the_calibration(tmp_path):
    """The file has none until there is a new calibration; answers use the old one."""
    path = Oracle.of_nouns().save(tmp_path / "nouns.cb", is_calibrated=True)
    desk = Desk.open(path, idle=None)
    desk.remove([0])

    assert desk.snapshot.saved.calibration.scores is not None
    assert methods.load(path).calibration.scores is None
    insert(desk, noun("Katze", "f", "z", "e", "n"))
    desk.checkpoint()
    assert methods.load(path).calibration.scores is None
    desk.close()
    assert len(methods.load(path).calibration.scores.labels) == 10


def test_reasons_for_kinds_quote_no_removed_value(tmp_path):
    """`numbers with decimals, from 1.5 to 98765.25` would tell the salary of the one who had it."""
    table = tmp_path / "pay.csv"
    rows = [f"{i % 7}.25,yes,7,{'left' if i % 2 else 'right'}" for i in range(30)]
    table.write_text("\n".join(["pay,is_new,round,side", *rows, "98765.25,no,7,left"]) + "\n")
    path = tmp_path / "pay.cb"
    arguments = ["train", str(table), "-o", str(path), "--learner", "ib1", "--kinds", "auto"]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    table.unlink()
    number = struct.pack("<d", 98765.25)
    assert b"98765" in path.read_bytes()
    assert number in path.read_bytes()

    with Desk.open(path, idle=None) as desk:
        desk.remove([30])
        assert b"98765" not in path.read_bytes()
        assert number not in path.read_bytes()
        reasons = [column.reason for column in desk.snapshot.saved.model.schema.kinds]
        assert reasons == ["numbers with decimals", "two values", "one value"]
