"""The health of a memory in parts: the findings that it looks for are those of memory, in the same order."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import casebase as cb
from casebase.checkup import health, passing
from casebase.checkup.findings import Commands
from casebase.cli import cli
from casebase.errors import CasebaseError
from casebase.scale import examining
from casebase.scale.examining import LEFT_OUT, NOT_LOOKED_FOR, examine, examine_table, needed_for
from casebase.scale.scratch import size_of
from tests.cli.conftest import invoke
from tests.scale.tables import in_memory, pieces, write_mixed, write_words

run = partial(invoke, cli)


def write_odd(path, n=260):
    """Write a table with all kinds of findings: copies, contradictions, outliers, rare values, a leak, a constant."""
    rng = np.random.default_rng(3)
    lines = ["shape,colour,place,boat,fixed,class"]
    for i in range(n):
        label = "ab"[int(rng.random() < 0.4)]
        shape = f"s{rng.integers(4)}" if i != 40 else "s99999"
        colour = "green" if rng.random() < 0.5 else "red"
        row = [shape, colour if i != 41 else "gren", f"p{rng.integers(30)}", f"b{label}", "x", label]
        lines.append(",".join(row if i % 50 else [f"odd{i}", f"odd{i}", f"odd{i}", "bz", "x", label]))
    lines += [*lines[10:14], lines[20][:-1] + "b", lines[20][:-1] + "a", lines[1][:-1] + "only"]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    in_memory(write_odd(folder / "odd.csv"), folder / "odd.cb", "ib1", k=3)
    return folder / "odd.cb"


def small(rows, n_threads=1):
    """Return so little memory that not all records fit."""
    return replace(pieces(rows, n_threads=n_threads), memory=1000)


def same(report, expected):
    assert list(report.findings) == [one for one in expected.findings if one.kind not in LEFT_OUT]
    figures = ("n_cases", "n_features", "n_classes", "target", "metric", "accuracy", "baseline", "ceiling", "n_asked")
    assert [getattr(report, name) for name in figures] == [getattr(expected, name) for name in figures]
    assert report.counts == {kind: n for kind, n in expected.counts.items() if kind not in LEFT_OUT}
    assert "mislabelled" not in str(report).rpartition("None of these")[2].partition("examined in parts")[0]
    needed = size_of(needed_for(report.n_cases))
    assert report.notes == (*expected.notes, NOT_LOOKED_FOR.format(n_bytes=needed))


@pytest.mark.parametrize(("rows", "n_threads"), [(9, 2), (100, 1)])
def test_the_findings_are_those_of_memory(model, rows, n_threads):
    report, expected = examine(model, small(rows, n_threads)), health(str(model))
    assert {one.kind for one in report.findings} == {"contradiction", "duplicate", "outlier", "rare value", "column"}
    same(report, expected)


@pytest.mark.parametrize("settings", [{"metric": "mvdm"}, {"weighting": "none"}])
def test_other_metrics(tmp_path, settings):
    in_memory(write_words(tmp_path / "words.csv", 200), tmp_path / "m.cb", "ib1", **settings)
    same(examine(tmp_path / "m.cb", small(30)), health(str(tmp_path / "m.cb")))


@pytest.mark.parametrize("table", ["words", "mixed"])
def test_the_whole_report_where_all_records_fit(tmp_path, monkeypatch, table):
    """Every finding is that of memory, to the last digit of a Shapley value, whoever asks about which records."""
    monkeypatch.setattr(passing, "SPAN", 17)
    write = write_words if table == "words" else write_mixed
    in_memory(write(tmp_path / "table.csv", 90), tmp_path / "m.cb", "ib1", k=3)
    report, expected = examine(tmp_path / "m.cb", pieces(20, n_threads=2)), health(str(tmp_path / "m.cb"))
    assert report.to_dict() == expected.to_dict()
    assert {"mislabelled", "pivotal", "redundant"} <= {one.kind for one in report.findings}


def test_other_learners_and_other_metrics_where_all_records_fit(tmp_path):
    in_memory(write_words(tmp_path / "words.csv", 50), tmp_path / "m.cb", "igtree")
    report = examine(tmp_path / "m.cb", pieces(20), metric="mvdm", epsilon=0.1)
    assert report.to_dict() == health(str(tmp_path / "m.cb"), metric="mvdm", epsilon=0.1).to_dict()


def test_the_command_line(model):
    """Ids of one kind, and what is refused."""
    parts = ("--memory", "300MB", "-j", "1")
    for kind in ("duplicate", "redundant"):
        whole, given = (run("health", model, "--list", kind, *more) for more in ((), parts))
        assert (given.code, given.out) == (0, whole.out)
        assert whole.out
    table = model.with_suffix(".csv")
    for more in ([], ["--csv", "-"], ["--metric", "mvdm", "--json"], ["--list", "duplicate", "--ignore", "boat"]):
        whole, given = (run("health", table, *more, *each) for each in ((), parts))
        assert (given.code, given.out, given.err) == (0, whole.out, whole.err)


@pytest.mark.parametrize("rows", [31, 200])
def test_a_table_in_little_memory(model, tmp_path, rows):
    """The records are those of the table in the order given; findings are those of memory under the same metric."""
    table = str(model.with_suffix(".csv"))
    commands = Commands("class", data=table)
    report, schema = examine_table(table, small(rows), lambda _: commands, metric="mvdm")
    same(report, health(cb.read_cases(table), metric="mvdm", commands=commands))
    assert schema.names == ("shape", "colour", "place", "boat", "fixed")
    chosen, _ = examine_table(table, small(rows), lambda _: commands)
    same(chosen, health(cb.read_cases(table), commands=commands))  # all records are judges in both


def test_which_metric_a_table_gets_in_little_memory(tmp_path):
    """The candidate that answers most of the drawn records, whatever the order of the memories."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 200), *rng.integers(0, 4, (5, 200))]
    rows = [",".join(f"v{value}" for value in row) + f",c{row[0]}" for row in zip(*columns)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,c,d,e,f,class", *rows]) + "\n")
    report, _ = examine_table(str(tmp_path / "table.csv"), small(50), lambda schema: Commands(schema.target))
    assert report.metric == "overlap, weighted by gain ratio"  # all columns but one are noise
    assert report.accuracy == 1


def test_what_cannot_be_had_in_little_memory(model, monkeypatch):
    monkeypatch.setattr(examining, "BYTES_PER_RECORD", 10_000_000)
    parts = ("--memory", "300MB", "-j", "1")
    assert "class=" in run("health", model, "--html", "-", *parts).out
    found = run("health", model, "--list", "redundant", *parts)
    assert found.code
    assert "--list redundant cannot be had in this memory." in found.err
    assert "Another metric, weighting or epsilon needs all records in memory, some 3.0 GB" in (
        run("health", model, "--metric", "mvdm", *parts).err
    )


def test_what_is_refused(tmp_path):
    in_memory(write_words(tmp_path / "words.csv", 50), tmp_path / "igtree.cb", "igtree")
    in_memory(write_mixed(tmp_path / "mixed.csv", 50), tmp_path / "mixed.cb", "ib1")
    with pytest.raises(CasebaseError, match="Only the records of an ib1 model can be examined in parts"):
        examine(tmp_path / "igtree.cb", small(20))
    with pytest.raises(CasebaseError, match="Records with numbers are compared one by one"):
        examine(tmp_path / "mixed.cb", small(20))
