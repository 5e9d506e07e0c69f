"""Numbers are shown as the file has them, wherever a record or a query is shown, and answers do not depend on it."""

import csv
import html
import io
import json
import re

import numpy as np
import pytest

import casebase as cb
from casebase import methods
from casebase.data.columns import spelling
from casebase.formats.read import read_table
from casebase.kinds import evidence_from_dict
from casebase.neighbours import correction, ib1, logged_correction

# Columns that are written alike, in many ways, and with all digits.
ROWS = [
    ("1.10", "1e3", "0.1", "x", "P"),
    ("2.25", "+5.0", "0.30000000000000004", "y", "Q"),
    ("3.00", ".5", "0.2", "x", "P"),
    ("4.50", "1.", "", "y", "Q"),
    ("5.05", "007.50", "12345.67", "x", "P"),
    ("1.10", "7.5", "1E-5", "y", "Q"),
    ("9.90", "5", "0.10", "x", "Q"),
    ("1.20", "-0.0", "100.000", "y", "P"),
]
NAMES = ("a", "b", "c", "d", "class")
STORING = ["ib1", "igtree", "tribl", "smile", "rules", "kernel"]  # with numbers as numbers, as symbols, as intervals


def lines_of(rows, separator=","):
    return "\n".join(map(separator.join, rows)) + "\n"


@pytest.fixture
def model(run, tmp_path, request):
    learner = getattr(request, "param", "ib1")
    path, table = tmp_path / "m.cb", tmp_path / "table.csv"
    table.write_text(lines_of([NAMES, *ROWS]))
    ran = run("train", table, "-o", path, "--learner", learner)
    assert not ran.code, ran.err
    return path


def exported(run, model, *options):
    lines = list(csv.reader(io.StringIO(run("cases", model, "-o", "-", *options).out)))
    return [tuple(line[1:]) for line in lines[1:]]


def fields_in(record):
    """Return the texts of a record in JSON."""
    values, texts = record["values"], record.get("written")
    if isinstance(values, dict):
        values, texts = list(values.values()), [(texts or {}).get(name) for name in values]
    shown = ["" if value is None else spelling(value) for value in values]
    return tuple(text or plain for text, plain in zip(texts or [None] * len(shown), shown))


@pytest.mark.parametrize("model", STORING, indirect=True)
def test_stored_records_have_the_fields_of_the_file(run, model):
    assert exported(run, model) == ROWS
    shown = json.loads(run("cases", model, "--json").out)["cases"]
    assert [fields_in(record) for record in shown] == [fields[:-1] for fields in ROWS]
    lines = [line.split() for line in run("cases", model).out.splitlines() if line.strip()]
    assert [line[1:] for line in lines[-len(ROWS) :]] == [[field for field in fields if field] for fields in ROWS]
    assert exported(run, model, "--search", "5.05") == [ROWS[4]]
    assert exported(run, model, "--where", "b=7.50") == [ROWS[4], ROWS[5]]  # a number, however it is written
    assert [row[1] for row in exported(run, model, "--sort", "b")][:3] == ["-0.0", ".5", "1."]


@pytest.mark.parametrize("model", STORING, indirect=True)
@pytest.mark.parametrize("case", ["1.100,2.50e1,0.10,x", "a=1.100, b=2.50e1, c=0.10, d=x"])
def test_a_query_is_shown_as_it_was_typed(run, model, tmp_path, case):
    page = tmp_path / "page.html"
    text = run("explain", model, "--case", case).out
    run("explain", model, "--case", case, "--html", page)
    (record,) = json.loads(run("explain", model, "--case", case, "--json").out)
    if "values" in record and "(" not in str(record["values"][0]):  # an interval follows the number otherwise
        assert fields_in(record) == ("1.100", "2.50e1", "0.10", "x")
    assert "2.50e1" in text.replace(",", " ").split()  # a tree shows no more than it asks for
    for shown in (html.unescape(page.read_text()), json.dumps(record)):
        assert {"1.100", "2.50e1", "0.10"} <= set(re.findall(r"[0-9.e]+", shown))


@pytest.mark.parametrize("model", ["ib1", "tribl2", "kernel"], indirect=True)
def test_records_in_evidence_have_the_fields_of_the_file(run, model):
    ran = run("explain", model, "--id", "0", "--id", "4", "--no-leave-out", "--json", "--limit", "20")
    records = json.loads(ran.out)
    for record, own in zip(records, (ROWS[0], ROWS[4]), strict=True):
        assert fields_in(record) == own[:-1]
        listed = record.get("neighbours") or record["cases"]
        assert listed
        assert [fields_in(one) for one in listed] == [ROWS[one["id"]][:-1] for one in listed]
        assert evidence_from_dict(record).to_dict() | {"id": record["id"]} == record
    text = run("explain", model, "--id", "4", "--no-leave-out").out
    assert {"5.05", "007.50", "12345.67"} <= set(text.split())


@pytest.mark.parametrize("method", methods.METHODS)
def test_evidence_of_every_method_survives_json(method):
    model = methods.method_named(method).fit(cb.read_cases(lines_of([NAMES, *ROWS]).encode(), format="csv"))
    table = read_table(b"a,b,c,d\n1.100,2.50e1,0.10,x\n+2.0,3.0,4.0,z\n", format="csv", schema=model.schema)
    for evidence, text in zip(model.explain(model.schema.encode(table)), ("1.100", "+2.0"), strict=True):
        record = json.loads(json.dumps(evidence.to_dict()))
        assert text in json.dumps(record)
        assert evidence_from_dict(record).to_dict() == record


def test_a_flip_quotes_the_query_and_the_record_whose_value_it_takes(run, model):
    ran = run("explain", model, "--case", "9.9,5.00,0.1,x", "--flip", "--freeze", "b,c,d")
    assert "a = 9.9, b = 5.00" in ran.out
    (change,) = re.findall(r"a: 9\.9 → (\S+)", ran.out)
    assert change in {row[0] for row in ROWS}
    (flip,) = json.loads(run("explain", model, "--case", "9.9,5.00,0.1,x", "--flip", "--freeze", "b,c,d", "--json").out)
    (one,) = flip["changes"]
    assert one.get("written", {}).get("new", spelling(one["new"])) == change
    assert fields_in(flip) == ("9.9", "5.00", "0.1", "x")


def test_corrections_keep_what_was_written(run, model, tmp_path):
    more, table, new = tmp_path / "more.csv", tmp_path / "new.csv", tmp_path / "new.cb"
    added = ("8.80", "1e1", "3.140", "x", "P")
    more.write_text(lines_of([NAMES, added]))
    run("insert", model, more)
    run("update", model, "--id", "1", "--set", "b=+6.00")
    run("update", model, "--id", "6", "--set", "class=P")
    run("remove", model, "5")
    rows = [*ROWS[:5], *ROWS[6:], added]
    rows[1] = ("2.25", "+6.00", *rows[1][2:])
    rows[5] = (*rows[5][:4], "P")
    assert exported(run, model) == rows
    log = run("log", model).out
    assert "b +5.0 → +6.00" in log
    assert "a 8.80, b 1e1, c 3.140" in log
    changes = [case for one in json.loads(run("log", model, "--json").out)["corrections"] for case in one["cases"]]
    assert changes[1]["written"]["before"]["b"] == "+5.0"
    table.write_text(lines_of([NAMES, *rows]))
    run("train", table, "-o", new, "--learner", "ib1")
    assert exported(run, new) == rows
    refitted, corrected = (methods.load(path).model for path in (new, model))
    # The ids differ: give the new fit those of the corrected model.
    ids = corrected.memory.ids(corrected.memory.in_given_order)
    same = ib1.fit(refitted.store().cases().with_ids(ids), refitted.settings)
    assert correction.fingerprint(same) == correction.fingerprint(corrected)
    contents = []
    for one in (same, ib1.fit(corrected.store().cases(), corrected.settings)):
        methods.save(tmp_path / "one.cb", one)
        contents.append((tmp_path / "one.cb").read_bytes())
    assert contents[0] == contents[1]


def test_removing_the_only_odd_spelling_leaves_no_trace(tmp_path):
    odd = cb.read_cases(lines_of([NAMES, *ROWS, ("12.345e0", "5", "1.5", "x", "P")]).encode(), format="csv")
    plain = cb.read_cases(lines_of([NAMES, *ROWS]).encode(), format="csv")
    smaller, _log, _ = logged_correction.remove(ib1.fit(odd), (), [8])
    contents = []
    for i, model in enumerate((ib1.fit(plain), smaller.refit(smaller.store().cases()))):
        methods.save(tmp_path / f"{i}.cb", model)
        contents.append((tmp_path / f"{i}.cb").read_bytes())
    assert b"12.345e0" not in contents[1]
    assert contents[0] == contents[1]
    assert correction.fingerprint(smaller) == correction.fingerprint(ib1.fit(plain))


def test_answers_do_not_depend_on_how_numbers_are_written():
    plain = [(*("" if text == "" else repr(float(text)) for text in row[:3]), *row[3:]) for row in ROWS]
    queries = [row[:-1] for row in ROWS]
    answers = []
    for rows in (ROWS, plain):
        model = ib1.fit(cb.read_cases(lines_of([NAMES, *rows]).encode(), format="csv"), ib1.Settings(k=3))
        table = read_table(lines_of([NAMES[:-1], *queries]).encode(), format="csv", schema=model.schema)
        answers.append(model.answer(model.schema.encode(table)))
    assert np.array_equal(answers[0].label, answers[1].label)
    assert np.array_equal(answers[0].votes, answers[1].votes)


@pytest.mark.parametrize("kinds", [None, "auto"])
def test_decimal_commas(run, tmp_path, kinds):
    rows = [tuple(text.replace(".", ",") for text in row) for row in ROWS]
    table, model = tmp_path / "table.csv", tmp_path / "m.cb"
    table.write_text(lines_of([NAMES, *rows], ";"))
    run("train", table, "-o", model, "--learner", "ib1", *(() if kinds is None else ("--kinds", kinds)))
    assert exported(run, model) == rows
    for case in ("1,10;2,50;0,10;x", 'a="1,10", b="2,50", c="0,10", d=x'):
        text = run("explain", model, "--case", case).out
        assert {"1,10", "2,50", "0,10"} <= set(text.split()), text
    run("update", model, "--id", "0", "--set", "a=1,50")
    assert exported(run, model)[0] == ("1,50", *rows[0][1:])
    (record,) = json.loads(run("cases", model, "--id", "0", "--json").out)["cases"]
    assert record["values"]["a"] == 1.5


def test_other_text_formats(run, tmp_path):
    known = [row for row in ROWS if all(row)]
    arff = tmp_path / "table.arff"
    declared = ["@relation t", *(f"@attribute {name} numeric" for name in "abc"), "@attribute d {x,y}"]
    arff.write_text("\n".join([*declared, "@attribute class {P,Q}", "@data", ""]) + lines_of(known))
    fields = tmp_path / "table.data"
    fields.write_text(lines_of(known))
    metrics = [option for i in (1, 2, 3) for option in ("--metric", f"f{i}=numeric")]
    for table, options in ((arff, ()), (fields, ("--format", "c45", *metrics))):
        model = tmp_path / "m.cb"
        ran = run("train", table, "-o", model, "--learner", "ib1", *options)
        assert not ran.code, ran.err
        assert exported(run, model) == known


def test_lists_of_strings():
    clf = cb.IB1Classifier(kinds=dict.fromkeys(range(3), "number"))
    clf.fit([list(row[:-1]) for row in ROWS], [row[-1] for row in ROWS])
    (evidence,) = clf.explain([["1.100", "2.50e1", "0.10", "x"]])
    assert list(map(spelling, evidence.values)) == ["1.100", "2.50e1", "0.10", "x"]
    for one in evidence.neighbours:
        assert [spelling(value) or "" for value in one.values] == list(ROWS[one.id][:-1])


def test_floats_have_their_shortest_form(tmp_path):
    clf = cb.IB1Classifier().fit(np.array([[1.10, 5.0], [2.0, 0.30000000000000004]]), ["P", "Q"])
    (evidence,) = clf.explain(np.array([[1.100, 5.00]]))
    assert str(evidence.neighbours[0].values) == "(1.1, 5.0)"
    assert "written" not in json.dumps(evidence.to_dict())
