"""Faults at each step: a write, a flush or a rename that fails, a journal that is cut or damaged, a process killed."""

import os
import sys
import zlib

import pytest

from casebase import methods
from casebase.errors import CasebaseError, JournalError
from casebase.serve.desks.desk import Desk
from casebase.serve.desks.journal import read_journal
from tests.serve.cases import Oracle, abandon, insert, noun

CATS = [noun(f"Katze{i}", "f", "z", f"e{i}", "n") for i in range(4)]


@pytest.fixture
def path(tmp_path):
    return Oracle.of_nouns().save(tmp_path / "nouns.cb")


def corrected(path):
    """Return the versions after 0, 1, 2 and 3 corrections, and the journal that a crash leaves."""
    desk = Desk.open(path, idle=None)
    versions = [desk.snapshot.version]
    for correct in (
        lambda: insert(desk, CATS[0]),
        lambda: desk.update([10, 3], {"last": ["q", None]}),
        lambda: insert(desk, CATS[1]),
    ):
        correct()
        versions.append(desk.snapshot.version)
    abandon(desk)
    return versions, path.with_name("nouns.cb.journal")


def test_a_journal_cut_at_any_byte_gives_its_whole_lines(path):
    """The line that is not whole was never confirmed; new corrections follow the whole ones."""
    versions, journal = corrected(path)
    model, data = path.read_bytes(), journal.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for size in range(len(data) + 1):
        journal.write_bytes(data[:size])
        lines, n_bytes = read_journal(journal)
        assert (len(lines), n_bytes) == (sum(end <= size for end in ends), max([0, *(e for e in ends if e <= size)]))
    for size in [*range(0, len(data), 307), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:-1])]:
        path.write_bytes(model)
        journal.write_bytes(data[:size])
        n_whole = sum(end <= size for end in ends)
        desk = Desk.open(path, idle=None)
        assert (desk.snapshot.sequence, desk.snapshot.version) == (n_whole, versions[n_whole]), size
        insert(desk, CATS[2])
        after = desk.snapshot.version
        abandon(desk)
        again = Desk.open(path, read_only=True)
        assert (again.snapshot.sequence, again.snapshot.version) == (n_whole + 1, after)


@pytest.mark.parametrize("damage", [b"x", b"", b"\x00\x00\x00"])
def test_a_damaged_line_in_the_middle_is_an_error(path, damage):
    """It names the line, changes no file, and leaves the lock."""
    _, journal = corrected(path)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1][:40] + damage + lines[1][41:] + lines[2])
    files = {file: file.read_bytes() for file in (path, journal)}

    for _ in range(2):
        with pytest.raises(JournalError, match=r"Line 2 of 3 in .*nouns.cb.journal is damaged"):
            Desk.open(path)
    assert {file: file.read_bytes() for file in files} == files


def test_a_damaged_last_line_is_dropped(path):
    """Whether it ends with a line break or not: part of it may not have come to the disk."""
    versions, journal = corrected(path)
    data = journal.read_bytes()
    journal.write_bytes(data[:-9] + b"\x00" * 8 + b"\n")

    with Desk.open(path, idle=None) as desk:
        assert desk.snapshot.version == versions[2]


def test_lines_that_are_in_the_model_file_are_not_applied_again(path):
    """A crash after the model file was written and before the journal was emptied."""
    versions, journal = corrected(path)
    data = journal.read_bytes()
    Desk.open(path, idle=None).close()
    assert len(methods.load(path).log) == 3
    assert not journal.exists()
    journal.write_bytes(data)

    with Desk.open(path, idle=None) as desk:
        assert (desk.snapshot.sequence, desk.snapshot.version) == (3, versions[3])
        insert(desk, CATS[2])
        abandon(desk)
    with Desk.open(path, idle=None) as desk:
        assert desk.snapshot.sequence == 4


def test_a_journal_beside_another_model_is_refused(path):
    """Of another version, of a gap, or of an entry that is not its own."""
    _, journal = corrected(path)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[1] + lines[2])
    with pytest.raises(JournalError, match=r"Line 1 .* it is correction 2"):
        Desk.open(path)
    journal.unlink()
    with Desk.open(path, idle=None) as desk:
        insert(desk, CATS[3])
    journal.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="does not continue the model file"):
        Desk.open(path)


class Faulty:
    """A function of `os` that fails at one call."""

    def __init__(self, monkeypatch, name, at):
        self.real, self.at, self.n_calls = getattr(os, name), at, 0
        monkeypatch.setattr(os, name, self)

    def __call__(self, *arguments, **options):
        self.n_calls += 1
        if self.n_calls == self.at:
            raise OSError(28, "No space left on device")
        return self.real(*arguments, **options)


@pytest.mark.parametrize("name", ["fsync", "write", "ftruncate", "replace", "lseek"])
def test_a_fault_at_any_call_loses_and_repeats_nothing(tmp_path, monkeypatch, name):
    """What raised is not confirmed and can be repeated with its key; what did not raise is there after a crash."""
    for at in range(1, 30):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = Oracle.of_nouns().save(folder / "nouns.cb")
        desk = Desk.open(path, idle=None)
        steps = [
            lambda desk: insert(desk, CATS[0], key="a"),
            lambda desk: desk.update([1], {"last": ["q"]}, key="b"),
            lambda desk: desk.checkpoint(),
            lambda desk: desk.remove([2, 10], key="c"),
            lambda desk: insert(desk, CATS[1], key="d"),
        ]
        with monkeypatch.context() as patched:
            fault = Faulty(patched, name, at)
            n_confirmed, message = 0, ""
            for step, n in zip(steps, (1, 1, 0, 1, 1)):
                try:
                    step(desk)
                except CasebaseError as error:
                    message = str(error)
                    break
                n_confirmed += n
            was_called = fault.n_calls >= at
        assert ("No space left" in message) == was_called
        if at % 2:  # the process goes on, or is killed at once
            step(desk)
        abandon(desk)
        desk = Desk.open(path, idle=None)
        keys = [entry.key for entry in desk.snapshot.saved.log]
        assert keys == list("abcd")[: len(keys)]
        assert len(keys) >= n_confirmed
        for step in steps:
            step(desk)
        expected = Oracle.of_nouns()
        expected.insert(10, CATS[0])
        expected.update(1, {"last": "q"})
        expected.remove(2)
        expected.remove(10)
        expected.insert(max(expected.cases) + 1, CATS[1])
        assert desk.snapshot.version == expected.version(), at
        assert len(desk.snapshot.saved.log) == 4
        desk.close()
        assert b"Frau" not in path.read_bytes()
        assert [file.name for file in folder.iterdir()] == ["nouns.cb"]
        if not was_called:
            return
    raise AssertionError("the last call was not reached")


def test_a_removal_is_confirmed_only_when_the_file_is_written(path, monkeypatch):
    """It fails as long as the file cannot be replaced, also when it is repeated; readers do not see the case."""
    with Desk.open(path, idle=None) as desk:
        with monkeypatch.context() as patched:

            def refuse(*_):
                raise OSError(28, "No space left on device")

            patched.setattr(os, "replace", refuse)
            for _ in range(2):
                with pytest.raises(CasebaseError, match=r"are removed, but files still have them: .*No space"):
                    desk.remove([2], key="r")
                assert b"Frau" in path.read_bytes()
        assert desk.snapshot.sequence == 1
        assert desk.remove([2], key="r").is_repeated
        assert b"Frau" not in path.read_bytes()


def test_a_background_checkpoint_that_fails_is_reported_and_tried_again(path, monkeypatch):
    """Corrections go on: the journal has them."""
    monkeypatch.setattr("casebase.serve.desks.desk.MOST_LINES", 2)
    with Desk.open(path, idle=None) as desk:
        with monkeypatch.context() as patched:
            Faulty(patched, "replace", 1)
            insert(desk, CATS[0])
            insert(desk, CATS[1])
            assert "No space left" in desk.trouble
            insert(desk, CATS[2])
            insert(desk, CATS[3])
        assert desk.trouble is None
        assert len(methods.load(path).log) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_desk_killed_at_random_moments(tmp_path):
    """Nothing confirmed is lost, nothing is applied twice, removed values are in no file; `lab` does it 1,000 times."""
    from lab.faults.kill import run

    report = run(tmp_path, times=20, seed=7, longest=0.03)

    assert (report.kills, report.neither, report.faults) == (20, 0, [])
    assert report.others["confirmed corrections"] > 0


def test_a_copy_of_the_journal_and_then_of_the_model_is_a_backup(path, tmp_path):
    """Whatever was corrected and written between the two copies."""
    copy = tmp_path / "copy" / "nouns.cb"
    copy.parent.mkdir()
    with Desk.open(path, idle=None) as desk:
        for between in (lambda: None, desk.checkpoint, lambda: insert(desk, CATS[3]), desk.checkpoint):
            insert(desk, CATS[0])
            journal = path.with_name("nouns.cb.journal").read_bytes()
            n_corrections = desk.snapshot.sequence
            between()
            copy.with_name("nouns.cb.journal").write_bytes(journal)
            copy.write_bytes(path.read_bytes())
            copied = Desk.open(copy, idle=None)
            assert copied.snapshot.sequence >= n_corrections
            abandon(copied)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(b'"rows"', b'"row5"'), "rows"),
        (lambda text: text.replace(b'"a"', b'"\\ud800"'), "surrog"),
    ],
)
def test_a_line_with_a_right_checksum_that_is_no_correction_is_an_error(path, change, reason):
    """Not a traceback, nor one when the model file is written; no file changes."""
    desk = Desk.open(path, idle=None)
    insert(desk, CATS[0], key="a")
    abandon(desk)
    journal = path.with_name("nouns.cb.journal")
    text = change(journal.read_bytes().partition(b" ")[2].removesuffix(b"\n"))
    journal.write_bytes(b"%08x %s\n" % (zlib.crc32(text), text))
    files = {file: file.read_bytes() for file in (path, journal)}

    with pytest.raises(JournalError, match=f"cannot be repeated.*{reason}"):
        Desk.open(path)
    assert {file: file.read_bytes() for file in files} == files
