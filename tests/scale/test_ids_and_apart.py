"""Files of ids, and cases that are kept apart: the file of a training in memory, however the table is cut."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.cli import cli
from casebase.data.roles import Roles
from casebase.errors import CasebaseError
from casebase.scale.apart import Apart
from tests.scale.faults import SMALL_SAMPLES
from tests.scale.tables import in_memory, in_parts, pieces, write_mixed, write_words
from tests.scale.test_faults import error_of

IDS = {
    "whole": lambda i: str((i * 37) % 1009 - 5),
    "texts": lambda i: f"case {i}",
    "signed": lambda i: "007" if i == 7 else f"{i:+d}",
}


def write_ids(path, kind, n):
    lines = [IDS[kind](i) for i in range(n)]
    path.write_text("\n\n".join(lines) + "\n")  # blank lines do not count
    return path


def both(table, folder, learner, rows, **options):
    expected = in_memory(table, folder / "memory.cb", learner, **options)
    return in_parts(table, folder / "parts.cb", learner, resources=pieces(rows), **options) == expected


@pytest.mark.parametrize("kind", list(IDS))
@pytest.mark.parametrize("held_out", [None, 0.3])
def test_a_file_of_ids(tmp_path, kind, held_out):
    table = write_mixed(tmp_path / "mixed.csv", 60)
    ids = write_ids(tmp_path / "ids", kind, 60)
    assert both(table, tmp_path, "ib1", 17, ids=ids, held_out=held_out)


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("ib1", {}),
        ("ib1", {"k": 3, "metric": "mvdm"}),
        ("ib1", {"metric": {"weight": "overlap"}}),  # numbers of cases apart that no other case has
        ("ib1", {"normalisation": "probability", "k": 3}),  # without a calibration if nothing is held out
        ("igtree", {"keep_cases": False}),
        ("tribl2", {}),
        ("c45", {}),
        ("oblivion", {}),
    ],
)
def test_cases_apart(tmp_path, learner, options):
    table = write_mixed(tmp_path / "mixed.csv", 120)
    assert both(table, tmp_path, learner, 25, held_out=0.2, **options)


def test_cases_apart_with_columns_that_are_not_learned_from(tmp_path):
    """Ids from a column, kept texts, and kinds that all cases decide, also those apart."""
    rng = np.random.default_rng(0)
    rows = [f"{i * 3},{i},{rng.integers(9)},note {i % 7},{'PQ'[rng.integers(2)]}" for i in range(90)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["key,row,size,note,class", *rows]) + "\n")
    for roles in (Roles(id_column="key", keep=["note"]), Roles({"row": "id"}, finds_kinds=True, ignore=["key"])):
        assert both(table, tmp_path, "ib1", 20, held_out=0.25, roles=roles)


def test_numbers_that_only_cases_apart_have(tmp_path):
    """Bins, ranges and deviations are those of what is learned from."""
    rng = np.random.default_rng(1)
    rows = [f"{a:.4f},{'' if b < 0.02 else f'{b:.3f}'},{'PQ'[int(a > b)]}" for a, b in rng.random((60, 2))]
    table = tmp_path / "numbers.csv"
    table.write_text("\n".join(["a,b,class", *rows]) + "\n")
    for learner, options in (("ib1", {}), ("ib1", {"weighting": "standard_deviation"}), ("igtree", {})):
        assert both(table, tmp_path, learner, 20, held_out=0.3, **options)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xy")), min_size=2, max_size=30),
    st.integers(1, 30),
    st.floats(0.01, 0.99),
    st.sampled_from(["ib1", "igtree"]),
)
def test_any_share_and_any_cut(tmp_path, rows, size, share, learner):
    table = tmp_path / "any.csv"
    table.write_text("\n".join(["one,class", *(",".join(row) for row in rows)]) + "\n")
    if not 0 < round(share * len(rows)) < len(rows):
        with pytest.raises(CasebaseError, match="expected at least one case to keep apart and one to learn from"):
            in_parts(table, tmp_path / "parts.cb", learner, held_out=share)
        return
    assert both(table, tmp_path, learner, size, held_out=share)


def test_a_large_table(tmp_path, monkeypatch):
    """A sample is drawn from what is learned, and cases apart are answered in blocks."""
    for module, name, value in SMALL_SAMPLES:
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr("casebase.scale.calibrating.AT_ONCE", 7)
    table = write_words(tmp_path / "words.csv", 900, n_features=3)
    for learner in ("ib1", "igtree"):
        assert both(table, tmp_path, learner, 100, held_out=0.2)


def test_the_shuffle_is_that_of_memory(tmp_path):
    shuffled = np.random.default_rng(0).permutation(1000)
    assert np.array_equal(Apart.drawn(1000, 0.123, tmp_path).kept(0, 1000), np.sort(shuffled[:123]))
    assert [path.name for path in tmp_path.iterdir()] == ["apart"]


def test_the_command_line(tmp_path):
    table = write_words(tmp_path / "words.csv", 100)
    ids = write_ids(tmp_path / "ids.txt", "whole", 100)
    command = ["train", str(table), "--learner", "ib1", "--held-out", "0.2", "--ids", str(ids)]
    said = []
    for name, options in (("memory", []), ("parts", ["--memory", "300MB"])):
        outcome = CliRunner().invoke(cli, [*command, "-o", str(tmp_path / name), *options], catch_exceptions=False)
        assert outcome.exit_code == 0, outcome.output
        said.append(outcome.output.split("class class")[0])
    assert said[0] == said[1]
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "memory").read_bytes()
    clf = cb.scale.fit("ib1", table, output=tmp_path / "python.cb", ids=ids, held_out=0.2)
    assert len(clf.predict([["w1"] * 4])) == 1
    outcome = CliRunner().invoke(cli, [*command, "-o", str(tmp_path / "m"), "--memory", "1GB", "--id-column", "f0"])
    assert "--ids and --id-column exclude each other" in outcome.output


def test_ids_that_do_not_fit(tmp_path):
    table = write_words(tmp_path / "words.csv", 40)
    ids = tmp_path / "ids.txt"
    for text, message in (
        ("1\n2\n", "ids.txt: expected one id per line for each of the 40 cases; got 2."),
        ("", "ids.txt has no ids: expected one per line."),
        ("1\n" * 40, "Two cases have the same id, 1:"),
        ("a\n" * 40, "Two cases have the same id, 'a':"),
    ):
        ids.write_text(text)
        assert message in error_of(table, tmp_path, resources=pieces(10), ids=ids)
    shuffled = np.random.default_rng(0).permutation(40)
    for prefix in ("", "case "):
        texts = [f"{prefix}{i}" for i in range(40)]
        texts[shuffled[3]] = texts[shuffled[33]]  # a case that is learned from, and one apart
        ids.write_text("\n".join(texts))
        message = error_of(table, tmp_path, resources=pieces(10), ids=ids, held_out=0.5)
        assert message.startswith("Two cases have the same id")
    ids.write_bytes(b"1\n\xff\n")
    assert "ids.txt is not UTF-8 text (byte 2)" in error_of(table, tmp_path, ids=ids)
    assert "there is no such file" in error_of(table, tmp_path, ids=tmp_path / "none")


def test_texts_that_do_not_fit_into_the_memory(tmp_path):
    """Ids and kept columns are counted together, and refused before anything is coded."""
    table = write_words(tmp_path / "words.csv", 40)
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(f"case {i}" for i in range(40)))
    some = replace(pieces(10), memory=6000)
    assert in_parts(table, tmp_path / "ids.cb", "ib1", resources=some, ids=ids)
    message = error_of(table, tmp_path, resources=some, ids=ids, roles=Roles(keep=["f0"]))
    assert message.startswith("Columns 'ids', 'f0' are stored with the cases as text, which a model has in memory")
