"""A large file is opened without reading its cases; damage in them is found later, and never crashes.

Files count as large here if their arrays have more than a few bytes.
"""

import json
import pickle
from contextlib import suppress

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone

import casebase as cb
from casebase import methods
from casebase.base import checksums, files
from casebase.cli import cli
from casebase.errors import ModelFileError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.serve.desks.desk import Desk
from casebase.tagging.tagger import Tagger
from tests.methods.conftest import FITTED

LAZY = ("ib1", "ib2", "tribl", "tribl2")
ROWS = [[a, b, c] for a in "abcd" for b in "xyz" for c in "pq"] * 2
LABELS = [f"{a}{c}"[: 1 + (b == "x")] for a, b, c in ROWS]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(checksums, "BLOCK", 16)
    monkeypatch.setattr(files, "AT_ONCE", 0)


@pytest.fixture
def saved(tmp_path):
    """The file of an IB1 model, whose 48 cases have several blocks in each column."""
    return save(cb.IB1Classifier(k=3), tmp_path)


def save(model, folder):
    model.fit(ROWS, LABELS).save(folder / "m.cb")
    return folder / "m.cb"


def entries(path):
    """Return where the arrays of a file begin, and the entries of its header."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    return start, json.loads(content[8:start])


def damage(path, name, at=-1, bits=0xFF):
    """Change a byte of an array."""
    start, all_entries = entries(path)
    begin, end = all_entries[name]["data_offsets"]
    content = bytearray(path.read_bytes())
    content[start + (end + at if at < 0 else begin + at)] ^= bits
    path.write_bytes(content)


def large_arrays(path):
    return sorted(json.loads(entries(path)[1]["__metadata__"][files.FORMAT])["blocks"])


def test_the_answers_are_those_of_a_small_file(saved, monkeypatch):
    lazy = cb.load(saved)
    monkeypatch.setattr(files, "AT_ONCE", 1 << 26)
    eager = cb.load(saved)

    assert lazy.model_.memory.segments[0].checks is not None
    assert eager.model_.memory.segments[0].checks is None
    assert lazy.predict_proba(ROWS).tolist() == eager.predict_proba(ROWS).tolist()
    assert lazy.explain(ROWS[:5]) == eager.explain(ROWS[:5])


def test_answering_reads_neither_ids_nor_order(saved):
    """What only evidence needs stays in the file; nothing of the cases is hashed."""
    model = cb.load(saved)
    model.predict(ROWS)
    pending = model.model_.memory.segments[0].checks._arrays

    assert all(pending.is_pending(name) for name in ("labels", "column.0", "row_of", "ids"))
    model.explain(ROWS[:1])[0].to_dict()
    assert not pending.is_pending("ids")


@pytest.mark.parametrize("where", [0, 16, 40, -1])
def test_the_check_names_what_is_damaged(saved, where):
    """Every byte is looked at, in each block."""
    cb.check(saved)
    whole = saved.read_bytes()
    names = large_arrays(saved)
    assert {"labels", "row_of", "ids", "column.0", "column.1", "column.2"} <= set(names)
    for name in names:
        size = np.subtract(*reversed(entries(saved)[1][name]["data_offsets"]))
        damage(saved, name, min(where, size - 1))
        with pytest.raises(ModelFileError, match=rf"checksum does not match its contents \(in '{name}'\)"):
            cb.check(saved)
        saved.write_bytes(whole)


def test_the_check_of_the_command_line(saved):
    ran = CliRunner().invoke(cli, ["inspect", str(saved), "--check"])
    assert ran.exit_code == 0, ran.output
    damage(saved, "column.2")
    assert CliRunner().invoke(cli, ["inspect", str(saved)]).exit_code == 0
    ran = CliRunner().invoke(cli, ["inspect", str(saved), "--check"])
    assert isinstance(ran.exception, ModelFileError)


@pytest.mark.parametrize("learner", FITTED)
def test_damage_anywhere_never_crashes(learner, tmp_path):
    """Each large array of each learner is damaged: it is found at once, or at use, or changes answers only."""
    path = save(clone(FITTED[learner]), tmp_path)
    whole = path.read_bytes()
    for name in large_arrays(path):
        for at in (3, -1):
            damage(path, name, at)
            with suppress(ModelFileError):
                model = cb.load(path)
                assert learner in (*LAZY, "igtree")  # all others are checked at once
                model.predict_proba(ROWS)
                model.explain(ROWS[:1])[0].to_dict()
            path.write_bytes(whole)


@pytest.mark.parametrize("learner", LAZY)
def test_a_class_out_of_bounds(learner, tmp_path):
    """It is an error of the file where it would be counted, and nothing is written past the end of an array."""
    path = save(clone(FITTED[learner]), tmp_path)
    begin, end = entries(path)[1]["labels"]["data_offsets"]
    for at in range(3, end - begin, 4):
        damage(path, "labels", at, 0x7F)
    model = cb.load(path)
    with pytest.raises(ModelFileError, match="checksum does not match its contents"):
        model.predict(ROWS)


@pytest.mark.parametrize("metric", ["mvdm", "jeffrey", "levenshtein"])
def test_a_code_out_of_bounds(metric, tmp_path):
    """Metrics that look codes up check them first."""
    path = save(cb.IB1Classifier(metric=metric), tmp_path)
    damage(path, "column.1", 30, 0x70)
    model = cb.load(path)
    with pytest.raises(ModelFileError, match=r"in 'column\.1'"):
        model.predict(ROWS)


def forge(path, name, value):
    """Write another value with a right checksum."""
    header, arrays = files.read(path)
    array = arrays._arrays[name].copy()
    array[7] = value
    files.write(path, header, {n: a.copy() for n, a in arrays._arrays.items()} | {name: array})


@pytest.mark.parametrize(
    ("name", "value", "use"),
    [
        ("labels", 77, lambda model: model.predict(ROWS)),
        ("row_of", 3, lambda model: model.explain(ids=[3])),
        ("column.0", 200, lambda model: model.insert([["a", "b", "c"]], ["a"])),
    ],
)
def test_a_forged_file(saved, name, value, use):
    """A right checksum is not enough: indexes are checked as well."""
    forge(saved, name, value)
    with pytest.raises(ModelFileError, match="not a usable model"):
        cb.check(saved)
    model = cb.load(saved)
    with pytest.raises(ModelFileError, match=r"m\.cb is not a usable model"):
        use(model)


@pytest.mark.parametrize("name", ["labels", "column.1", "ids", "row_of"])
def test_damage_does_not_get_a_new_checksum(saved, tmp_path, name):
    """A model is written, corrected or served only after all of it was checked."""
    damage(saved, name, 20)
    (tmp_path / "new.csv").write_text("a,x,p,P\n")
    before = saved.read_bytes()
    for use in (
        lambda: cb.load(saved).save(tmp_path / "again.cb"),
        lambda: cb.load(saved).insert([["a", "b", "c"]], ["a"]).save(tmp_path / "again.cb"),
        lambda: cb.load(saved).remove([0]).save(tmp_path / "again.cb"),
        lambda: Desk.open(saved),
        lambda: CliRunner().invoke(
            cli, ["insert", str(saved), str(tmp_path / "new.csv")], catch_exceptions=False, standalone_mode=False
        ),
    ):
        with pytest.raises(ModelFileError, match="is damaged"):
            use()
    assert saved.read_bytes() == before
    assert not (tmp_path / "again.cb").exists()


def test_a_copy_is_checked_and_independent(saved):
    """A pickled model has been checked, and needs the file no more."""
    model = cb.load(saved)
    copy = pickle.loads(pickle.dumps(model))
    damage(saved, "labels", 20)

    assert copy.explain(ROWS[:2]) == cb.IB1Classifier(k=3).fit(ROWS, LABELS).explain(ROWS[:2])
    with pytest.raises(ModelFileError):
        pickle.dumps(cb.load(saved))


def test_weights_and_text_ids_of_a_large_file(tmp_path):
    """Case weights, ids that are text and provenance come back as they were."""
    ids = [f"id{i}" for i in range(len(ROWS))]
    cases = cb.Cases.from_table(ROWS, y=LABELS, ids=ids, weights=np.arange(1.0, len(ROWS) + 1))
    model = methods.method_named("ib1").fit(cases)
    methods.save(tmp_path / "m.cb", model)
    loaded = methods.load(tmp_path / "m.cb").model

    assert loaded.memory.segments[0].checks is not None
    assert loaded.explain(cases) == model.explain(cases)
    damage(tmp_path / "m.cb", "ids.bytes", 30)
    with pytest.raises(ModelFileError, match="damaged"):
        methods.load(tmp_path / "m.cb").model.explain(cases)[0].to_dict()


def test_taggers_and_hyphenators_are_checked(tmp_path):
    Tagger().fit([[("the", "DT"), ("dog", "NN"), ("barks", "VB")]] * 3).save(tmp_path / "t.cb")
    Hyphenator().fit(["ta-lo", "ka-la", "sa-na"] * 3).save(tmp_path / "h.cb")
    for path in (tmp_path / "t.cb", tmp_path / "h.cb"):
        cb.check(path)
        for name in large_arrays(path):
            whole = path.read_bytes()
            damage(path, name)
            with pytest.raises(ModelFileError):
                cb.check(path)
            path.write_bytes(whole)
