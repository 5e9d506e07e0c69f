"""Served pages, the service and the journal show numbers as they were written."""

import csv
import io
from html import unescape

import pytest

import casebase as cb
from casebase import methods
from casebase.neighbours import ib1
from tests.serve.serving import client

ROWS = [("1.10", "+5.0", "P"), ("2.25", "007.5", "Q"), ("3.00", "1e3", "P"), ("4.50", "1.", "Q")]


@pytest.fixture
def model(tmp_path):
    lines = "\n".join(map(",".join, [("a", "b", "class"), *ROWS])) + "\n"
    path = tmp_path / "m.cb"
    methods.save(path, ib1.fit(cb.read_cases(lines.encode(), format="csv")))
    return path


def downloaded(asking):
    rows = list(csv.reader(io.StringIO(asking.get("/m/m/download", params={"format": "csv"}).text)))
    return [tuple(row[1:]) for row in rows[1:]]


def test_pages_and_downloads(model):
    with client(model) as asking:
        table = unescape(asking.get("/m/m/table").text)
        assert all(field in table for row in ROWS for field in row)
        assert downloaded(asking) == ROWS
        found = asking.get("/m/m/table.json", params={"search": "007.5"}).json()["records"]
        assert [one["id"] for one in found] == [1]
        record = asking.get("/m/m/record/1").text
        assert "007.5" in record
        served = asking.get("/v1/models/m/cases/0").json()["case"]
        assert (served["values"], served["written"]) == ({"a": 1.1, "b": 5.0}, {"a": "1.10", "b": "+5.0"})


def test_corrections_and_their_undoing(model):
    with client(model) as asking:
        before = asking.get("/v1/models/m/cases/0").json()
        asking.patch("/v1/models/m/cases/0", json={"values": {"a": "1.20"}}).raise_for_status()
        assert downloaded(asking)[0] == ("1.20", "+5.0", "P")
        journal = unescape(asking.get("/m/m/journal").text)
        assert "1.10" in journal
        asking.patch("/v1/models/m/cases/0", json={"values": {"a": "1.10"}}).raise_for_status()
        assert downloaded(asking) == ROWS
        assert asking.get("/v1/models/m/cases/0").json() == before
    with client(model) as asking:
        assert downloaded(asking) == ROWS
