"""Two programs that correct one file: no update is lost without a word."""

import pytest

import casebase as cb
from casebase.base.lock import lock_file
from casebase.errors import LockedError

ROWS, LABELS = [["a", "x"], ["b", "y"], ["a", "y"]], ["P", "Q", "P"]


def classifier(path):
    cb.IB1Classifier().fit(ROWS, LABELS).save(path)


def hyphenator(path):
    cb.Hyphenator().fit(["ta-lo", "ka-la"]).save(path)


@pytest.mark.parametrize("make", [classifier, hyphenator])
def test_a_file_that_another_program_changed_is_not_replaced(make, tmp_path):
    """Of two that loaded the same file, the second to save is told so; to another file it may save."""
    path = tmp_path / "m.cb"
    make(path)
    first, second = cb.load(path), cb.load(path)
    for model, more in ((first, 1), (second, 2)):
        correct(model, more)

    first.save(path)
    changed = path.read_bytes()
    with pytest.raises(LockedError, match="was changed by another program after it was loaded"):
        second.save(path)
    assert path.read_bytes() == changed
    second.save(tmp_path / "other.cb")
    correct(first, 3)
    first.save(path)  # its own file, as it left it
    assert path.read_bytes() != changed


def correct(model, number):
    if isinstance(model, cb.Hyphenator):
        model.correct(["sa-na", "pa-la", "ma-ta"][number - 1])
    else:
        model.insert([["c", f"z{number}"]], ["Q"])


def test_a_file_that_another_process_has_is_not_replaced(tmp_path):
    """The message names the process."""
    path = tmp_path / "m.cb"
    classifier(path)
    model = cb.load(path)
    with lock_file(path, "a server"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("casebase.base.saving.is_held", lambda path: False)  # as in another process
        with pytest.raises(LockedError, match=r"A server \(process \d+\) has"):
            model.save(path)
    model.save(path)


def test_a_lock_that_this_process_has_is_not_asked_for_twice(tmp_path):
    """Commands and servers save while they have the lock."""
    path = tmp_path / "m.cb"
    classifier(path)
    with lock_file(path, "casebase insert"):
        cb.load(path).save(path)
