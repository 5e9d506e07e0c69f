"""A desk: corrections equal training anew, are there again after a crash, and are made once."""

import random
import threading
import time

import pytest

from casebase import methods
from casebase.base.log import Author, log_of
from casebase.errors import (
    CasebaseError,
    ChangedError,
    KeyReusedError,
    LockedError,
    ReadOnlyError,
    ReplacedError,
    SchemaError,
)
from casebase.memory.fingerprints import hexadecimal
from casebase.neighbours import correction
from casebase.serve.desks.desk import Desk
from tests.serve.cases import NOUNS, Oracle, abandon, insert, noun, split

NEW = noun("Katze", "f", "z", "e", "n")


@pytest.fixture
def path(tmp_path):
    return Oracle.of_nouns().save(tmp_path / "nouns.cb")


@pytest.fixture
def desk(path):
    desk = Desk.open(path, idle=None)
    yield desk
    desk.close()


def answers(model):
    """Return the answers of a model to all nouns and some others, as labels and shares."""
    rows = [dict(zip(("source", "gender", "before", "last"), row)) for row in NOUNS]
    rows += [{"source": "", "gender": "f", "before": "q", "last": "e"}, {"gender": "n", "before": None, "last": "d"}]
    cases = model.schema.encode(rows)
    found = model.answer(cases)
    return [model.schema.classes[label] for label in found.label]


@pytest.mark.parametrize(("learner", "seed"), [("ib1", 0), ("ib1", 1), ("igtree", 2), ("tribl2", 3)])
def test_corrections_equal_training_on_the_corrected_list(tmp_path, learner, seed):
    """After each correction, after a crash and after closing: the same fingerprint, the same answers."""
    chance, oracle = random.Random(seed), Oracle.of_nouns(learner)
    desk = Desk.open(oracle.save(tmp_path / "nouns.cb"), idle=None)
    for number in range(12):
        kind = chance.choice(["insert", "update", "remove"])
        ids = chance.sample(sorted(oracle.cases), 2)
        values = [
            noun(f"s{number}", chance.choice("mfn"), chance.choice("abc"), chance.choice("xyz"), "en") for _ in "12"
        ]
        if kind == "insert":
            new = [1000 + 2 * number, 1001 + 2 * number]
            rows, labels = zip(*map(split, values))
            desk.insert(rows, labels, ids=new)
            for case, of_case in zip(new, values):
                oracle.insert(case, of_case)
        elif kind == "update":
            desk.update(ids, {"last": ["q", None], "class": ["er", "s"], "source": ["x", "y"]})
            oracle.update(ids[0], {"last": "q", "plural": "er", "source": "x"})
            oracle.update(ids[1], {"last": None, "plural": "s", "source": "y"})
        else:
            desk.remove(ids)
            for case in ids:
                oracle.remove(case)
        assert desk.snapshot.version == oracle.version()
        assert answers(desk.snapshot.saved.model) == answers(oracle.trained())
        if chance.random() < 0.3:
            abandon(desk)
            desk = Desk.open(tmp_path / "nouns.cb", idle=None)
            assert (desk.snapshot.version, desk.snapshot.sequence) == (oracle.version(), number + 1)
    desk.close()
    saved = methods.load(tmp_path / "nouns.cb")
    assert hexadecimal(correction.fingerprint(saved.model)) == oracle.version()
    assert len(log_of(saved.model, saved.log)) == 12
    assert [file.name for file in tmp_path.iterdir()] == ["nouns.cb"]


def test_an_outcome_has_versions_and_ids(desk):
    """Before and after are the versions of the snapshots; the log has author and time."""
    before = desk.snapshot
    outcome = insert(desk, NEW, author=Author("ann", "heard it"))

    assert (outcome.before, outcome.after) == (before.version, desk.snapshot.version)
    assert (outcome.ids, outcome.is_repeated) == ((10,), False)
    assert (before.sequence, desk.snapshot.sequence) == (0, 1)
    entry = desk.snapshot.saved.log[-1]
    assert (entry.action, entry.by, entry.note, entry.ids) == ("insert", "ann", "heard it", (10,))


def test_a_correction_is_in_the_journal_before_it_is_confirmed(desk, path):
    """The model file has it only after the checkpoint, which empties the journal."""
    size = path.stat().st_size
    insert(desk, NEW)

    assert b"Katze" in path.with_name("nouns.cb.journal").read_bytes()
    assert path.stat().st_size == size
    assert not methods.load(path).log
    desk.checkpoint()
    assert path.with_name("nouns.cb.journal").read_bytes() == b""
    assert len(methods.load(path).log) == 1


def test_the_journal_is_as_private_as_the_model(path):
    """It has the same values."""
    path.chmod(0o600)
    with Desk.open(path, idle=None) as desk:
        insert(desk, NEW)
        assert path.with_name("nouns.cb.journal").stat().st_mode & 0o777 == 0o600


def test_another_version_is_refused(desk):
    """Who corrects what somebody else has corrected meanwhile must look at it again."""
    version = desk.snapshot.version
    desk.update([0], {"last": ["a"]}, if_match=version)

    with pytest.raises(ChangedError, match=f"no longer at version {version}"):
        desk.update([0], {"last": ["b"]}, if_match=version)
    assert desk.snapshot.sequence == 1
    desk.remove([0], if_match=desk.snapshot.version)


def test_a_key_makes_a_correction_once(desk, path):
    """Repeated now, after a checkpoint, and after a crash; although the version has changed since."""
    version = desk.snapshot.version
    first = insert(desk, NEW, key="k1", if_match=version)
    again = insert(desk, NEW, key="k1", if_match=version)
    assert (again.before, again.after, again.ids, again.is_repeated) == (first.before, first.after, first.ids, True)

    desk.remove([0, 1], key="k2")
    abandon(desk)
    reopened = Desk.open(path, idle=None)
    assert insert(reopened, NEW, key="k1").is_repeated
    assert reopened.remove([0, 1], key="k2").is_repeated
    assert reopened.snapshot.sequence == 2
    abandon(reopened)


def test_a_key_of_another_correction_is_refused(desk):
    """It would hide that this one was never made."""
    insert(desk, NEW, key="k")

    with pytest.raises(KeyReusedError, match="'k' was used for another correction"):
        insert(desk, noun("Kuh", "f", "u", "h", "e"), key="k")
    with pytest.raises(KeyReusedError):
        desk.remove([0], key="k")
    assert desk.snapshot.saved.log[0].request is not None
    desk.remove([10])  # a hash of its values would tell what they were
    assert desk.snapshot.saved.log[0].request is None


def test_the_latest_thousand_keys_are_known(desk, monkeypatch):
    """Older ones are forgotten."""
    monkeypatch.setattr("casebase.serve.desks.desk.MOST_KEYS", 3)
    for number in range(5):
        desk.update([0], {"last": [f"x{number}"]}, key=f"k{number}")

    assert not desk.update([0], {"last": ["x1"]}, key="k1").is_repeated
    assert desk.update([0], {"last": ["x4"]}, key="k4").is_repeated


def test_only_one_desk_has_a_file(desk, path):
    """The other is told which process has it; reading is free."""
    with pytest.raises(LockedError, match=r"A server \(process \d+\) has .*nouns.cb; correct it there, or stop it"):
        Desk.open(path)
    desk.announce("http://127.0.0.1:8000")
    with pytest.raises(LockedError, match=r"there \(http://127.0.0.1:8000\)"):
        Desk.open(path)
    insert(desk, NEW)
    reading = Desk.open(path, read_only=True)
    assert reading.snapshot.version == desk.snapshot.version
    with pytest.raises(ReadOnlyError, match="reading only"):
        reading.remove([0])
    reading.close()
    assert path.with_name("nouns.cb.journal").exists()


def test_a_model_that_cannot_be_corrected_is_served(tmp_path):
    """Its version is the checksum of its file."""
    path = Oracle.of_nouns("c45").save(tmp_path / "tree.cb")
    with Desk.open(path) as desk:
        assert (desk.kind, desk.snapshot.is_correctable, len(desk.snapshot.version)) == ("model", False, 32)
        with pytest.raises(ReadOnlyError, match="cannot be corrected"):
            insert(desk, NEW)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_file_that_another_process_replaced_is_not_overwritten(desk, path, is_deleted):
    """Neither by a correction nor by a checkpoint; after reloading, it is the one that counts."""
    other = Oracle.of_nouns()
    other.remove(3)
    path.unlink()
    if not is_deleted:
        other.save(path)

    with pytest.raises(ReplacedError, match="deleted" if is_deleted else "replaced"):
        insert(desk, NEW)
    if is_deleted:
        other.save(path)
    desk.reload()
    assert desk.snapshot.version == other.version()
    insert(desk, NEW)


def test_a_replaced_file_is_not_overwritten_at_the_end(path):
    """What was confirmed stays in the journal, and is not applied to another model."""
    desk = Desk.open(path, idle=None)
    insert(desk, NEW)
    other = Oracle.of_nouns()
    other.remove(3)
    other.save(path)

    with pytest.raises(ReplacedError):
        desk.close()
    assert b"Katze" in path.with_name("nouns.cb.journal").read_bytes()
    with pytest.raises(CasebaseError, match="does not continue the model file"):
        Desk.open(path)
    Oracle.of_nouns().save(path)
    with Desk.open(path) as desk:
        assert desk.snapshot.sequence == 1


def test_overwriting_the_file_in_place_does_not_harm_readers(desk, path):
    """As `cp other.cb nouns.cb` does: a mapped file would end the process."""
    before = answers(desk.snapshot.saved.model)
    with path.open("r+b") as file:
        file.truncate(10)

    assert answers(desk.snapshot.saved.model) == before
    with pytest.raises(ReplacedError):
        insert(desk, NEW)


def test_insertions_and_updates_can_be_undone(desk):
    """As new corrections; in the opposite order if they concern the same case."""
    version = desk.snapshot.version
    insert(desk, NEW)
    desk.update([10, 2], {"last": ["q", None], "class": ["s", "s"], "source": ["y", "z"]})

    with pytest.raises(ChangedError, match="Correction 2 changed the same cases"):
        desk.undo(1)
    desk.undo(2)
    assert desk.snapshot.saved.log[-1].note == "undoes correction 2"
    desk.remove([10])
    assert desk.snapshot.version == version
    with pytest.raises(CasebaseError, match="A removal cannot be undone"):
        desk.undo(4)
    with pytest.raises(CasebaseError, match="no correction 9"):
        desk.undo(9)


def test_an_insertion_is_undone_by_a_removal(desk):
    """The same version as before; with a key, once."""
    version = desk.snapshot.version
    insert(desk, NEW)

    assert desk.undo(1, key="u").after == version
    assert desk.undo(1, key="u").is_repeated


def test_readers_have_consistent_snapshots(path):
    """A reader's version is always that of its model, while another thread corrects."""
    wrong, is_done = [], threading.Event()

    with Desk.open(path, idle=0.001) as desk:

        def read():
            while not is_done.is_set():
                snapshot = desk.snapshot
                model = snapshot.saved.model
                if hexadecimal(correction.fingerprint(model)) != snapshot.version:
                    wrong.append(snapshot.version)
                if len(snapshot.saved.log) != snapshot.sequence:
                    wrong.append(snapshot.sequence)
                answers(model)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(8):
            outcome = insert(desk, noun(f"s{number}", "f", "x", "y", "n"))
            desk.remove([number] if number < 5 else outcome.ids)
        is_done.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_writers_at_the_same_time_lose_nothing(path):
    """Each correction of each thread is there once; removals at once share checkpoints."""
    with Desk.open(path, idle=None) as desk:
        threads = [
            threading.Thread(target=lambda n=n: [insert(desk, noun(f"t{n}", "f", "x", f"{i}", "n")) for i in range(5)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert desk.snapshot.sequence == 20
        assert sorted(case for entry in desk.snapshot.saved.log for case in entry.ids) == list(range(10, 30))
        threads = [threading.Thread(target=desk.remove, args=([case],)) for case in range(10, 30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert desk.snapshot.version == Oracle.of_nouns().version()


def test_the_model_file_is_written_when_idle(tmp_path):
    """With a new calibration, which a correction does not wait for."""
    path = Oracle.of_nouns().save(tmp_path / "nouns.cb", is_calibrated=True)
    with Desk.open(path, idle=0.01) as desk:
        insert(desk, NEW)
        until(lambda: desk.snapshot.is_calibrated and path.with_name("nouns.cb.journal").stat().st_size == 0)
        saved = methods.load(path)
        assert len(saved.log) == 1
        assert not saved.has_old_calibration
        assert len(saved.calibration.scores.labels) == 11


def test_an_old_calibration_is_marked_until_the_desk_is_closed(tmp_path):
    """Answers keep the old one, with the classes that there are now; the closed file has a new one."""
    path = Oracle.of_nouns().save(tmp_path / "nouns.cb", is_calibrated=True)
    desk = Desk.open(path, idle=None)
    insert(desk, noun("Auto", "n", "t", "o", "S"))  # a new class, which comes first
    assert not desk.snapshot.is_calibrated
    scores = desk.snapshot.saved.calibration.scores
    classes = desk.snapshot.saved.model.schema.classes
    assert classes[0] == "S"
    assert sorted(classes[label] for label in scores.labels) == sorted(noun[-1] for noun in NOUNS)
    desk.checkpoint()
    assert methods.load(path).has_old_calibration
    desk.close()
    saved = methods.load(path)
    assert not saved.has_old_calibration
    assert len(saved.calibration.scores.labels) == 11


def test_a_checkpoint_after_many_corrections(desk, path, monkeypatch):
    """The journal does not grow without end."""
    monkeypatch.setattr("casebase.serve.desks.desk.MOST_LINES", 4)
    lengths = []
    for _ in range(9):
        insert(desk, NEW)
        lengths.append(path.with_name("nouns.cb.journal").read_bytes().count(b"\n"))

    assert lengths == [1, 2, 3, 0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        (lambda desk: desk.insert([], []), "the list of cases is empty"),
        (lambda desk: desk.insert([NEW], ["n", "n"]), "1 cases, 2 classes"),
        (lambda desk: desk.insert([NEW], "n"), "Expected a list of classes; got str"),
        (lambda desk: desk.insert({"last": "x"}, ["n"]), "Expected a list of cases; got dict"),
        (lambda desk: desk.insert(["x"], ["n"]), "each with its values by the names"),
        (lambda desk: desk.insert([{"lst": "x"}], ["n"]), "Did you mean 'last'"),
        (lambda desk: desk.insert([{"last": ["x"]}], ["n"]), "type list"),
        (lambda desk: desk.insert([{"last": b"x"}], ["n"]), "got bytes"),
        (lambda desk: desk.insert([{"last": float("inf")}], ["n"]), "finite"),
        (lambda desk: desk.insert([{"last": "\ud800"}], ["n"]), "surrogate"),
        (lambda desk: desk.insert([{"last": "x"}], [None]), "The class is missing"),
        (lambda desk: desk.insert([{"last": "x"}], ["n"], ids=[0]), "already a case with id 0"),
        (lambda desk: desk.insert([{"last": "x"}], ["n"], ids=["a"]), "ids of the stored cases are whole numbers"),
        (lambda desk: desk.insert([{"last": "x"}], ["n"], ids=[1.5]), "whole number or text; got float"),
        (lambda desk: desk.insert([{"last": "x"}], ["n"], key=""), "idempotency key"),
        (lambda desk: desk.insert([{"last": "x"}], ["n"], key="a\nb"), "idempotency key"),
        (lambda desk: desk.update([0], {}), "new values by the names"),
        (lambda desk: desk.update([0], {"last": "x"}), "Expected a list of values of last; got str"),
        (lambda desk: desk.update([0], {"last": ["x", "y"]}), "1 cases, 2 values"),
        (lambda desk: desk.update([0], {"lst": ["x"]}), "Unknown column 'lst'"),
        (lambda desk: desk.update([99], {"last": ["x"]}), "No stored case has the id 99"),
        (lambda desk: desk.update([0], {"class": [None]}), "The class is missing"),
        (lambda desk: desk.remove([]), "the list of ids is empty"),
        (lambda desk: desk.remove([0, 0]), "given twice"),
        (lambda desk: desk.remove("abc"), "Expected a list of ids; got str"),
        (lambda desk: desk.remove(list(range(10))), "a memory cannot be empty"),
        (lambda desk: desk.remove([2**70]), "whole numbers"),
        (lambda desk: desk.learn([[("The", "D")]]), "This is a classifier"),
        (lambda desk: desk.correct(["hy-phen"]), "This is a classifier"),
    ],
)
def test_wrong_corrections_change_nothing(desk, path, correct, message):
    """Each is a CasebaseError that says what was expected; the journal is not touched."""
    before = desk.snapshot
    with pytest.raises(CasebaseError, match=message):
        correct(desk)
    assert desk.snapshot is before
    journal = path.with_name("nouns.cb.journal")
    assert not journal.exists() or not journal.read_bytes()


def test_hostile_text_survives_the_journal(desk, path):
    """Line breaks, control characters and other scripts are values like any other."""
    values = noun("a\nb\r\n\x00\u2028", "\x1f", '"}\\', "<b>ü漢</b>", "n\n\ud83d".replace("\ud83d", ""))
    insert(desk, values)
    version = desk.snapshot.version
    abandon(desk)

    reopened = Desk.open(path, idle=None)
    assert reopened.snapshot.version == version
    abandon(reopened)


def test_a_name_is_part_of_an_address(path):
    """The stem of the file, unless another name is given."""
    with Desk.open(path) as desk:
        assert desk.name == "nouns"
    with Desk.open(path, name="other.nouns") as desk:
        assert desk.name == "other.nouns"
    with pytest.raises(CasebaseError, match="got 'a/b'"):
        Desk.open(path, name="a/b")
    with Desk.open(path):  # the lock was not kept
        pass


def test_columns_without_names_are_found_by_their_numbers(tmp_path):
    """A row names them as the model does, in any order."""
    from casebase.data import Cases
    from casebase.neighbours import ib1

    rows = [["a", "x", "P"], ["b", "y", "Q"]]
    methods.save(tmp_path / "m.cb", ib1.fit(Cases.from_table(rows, target=-1)))
    with Desk.open(tmp_path / "m.cb") as desk:
        desk.insert([{"f2": "z", "f1": "c"}], ["P"])
        expected = ib1.fit(Cases.from_table([*rows, ["c", "z", "P"]], target=-1))
        assert desk.snapshot.version == hexadecimal(correction.fingerprint(expected))
        with pytest.raises(SchemaError):
            desk.insert([{"f2": "z", "f4": "c"}], ["P"])


def test_a_closed_desk_is_closed(path):
    """Its corrections are refused; closing it again is nothing."""
    desk = Desk.open(path)
    desk.close()
    desk.close()
    with pytest.raises(CasebaseError, match="is closed"):
        insert(desk, NEW)


def until(condition):
    """Wait until something holds, at most ten seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)
