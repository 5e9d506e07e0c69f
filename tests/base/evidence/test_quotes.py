"""Evidence quotes records exactly: every digit, every text, and marks that agree with what is printed."""

import numpy as np
import pytest

import casebase as cb
from casebase.methods import METHODS
from casebase.render.page import render_html
from casebase.render.text import render_text
from casebase.render.words import format_value

PRICES = [12345.67, 12345.81, 12345.99, 0.1, 123456789.25, 2.5, 7.0, 1.2345678901234567e19]
CLASSES = ["low", "high", "high", "low", "high", "low", "low", "high"]
QUOTING = ["ib1", "ib2", "tribl", "tribl2", "smile", "rules", "auto", "kernel"]


def classifier(method, **parameters):
    return getattr(cb, METHODS[method].estimator)(**parameters)


@pytest.mark.parametrize("method", QUOTING)
def test_numbers_of_records_have_all_their_digits(method):
    """12345.67, 12345.81 and 12345.99 were all printed as 1.235e+04."""
    X = [[price, "a"] for price in PRICES]
    evidence = classifier(method, kinds={0: "number", 1: "symbol"}).fit(X, CLASSES).explain([[12345.7, "a"]], limit=8)

    text, page = render_text(evidence[0]), render_html(evidence)

    assert "12345.7" in text or method == "rules"  # the text of rules does not list the query
    assert "12345.7<" in page
    assert "e+04" not in text + page
    assert "12345.67" in text + page or method in ("tribl", "ib2", "rules")  # they may list other records


def test_values_that_differ_are_printed_differently():
    """A mark ≠ stands only between values that look different, however close the numbers are."""
    numbers = [0.1, 0.1 + 2**-55, 0.30000000000000004, 0.3, 12345678.125, 1e300, 123456789012345678.0]
    clf = cb.IB1Classifier(k=len(numbers)).fit([[x] for x in numbers], list("PQPQPQP"))

    (evidence,) = clf.explain([[0.1]])

    text, asked = render_text(evidence), format_value(evidence.values[0])
    rows = [case.row(evidence.values) for case in evidence.neighbours]
    assert len({row.values for row in rows}) == len(numbers)
    assert [row.differs[0] for row in rows] == [row.values[0] != asked for row in rows]
    assert sorted(float(row.values[0]) for row in rows) == sorted(numbers)
    assert all(row.values[0] in text for row in rows)


def test_an_ordinal_is_quoted_by_its_text():
    """Ordinals are learned as ranks; the query and the records show the texts of the table."""
    order = ["low", "medium", "high"]
    X = [["low"], ["medium"], ["high"], ["high"]]
    clf = cb.IB1Classifier(kinds={0: order}, k=2).fit(X, ["n", "n", "y", "y"])

    for queries in ([["medium"]], np.array([["medium"], [None]], dtype=object), [["medium"]] * 40):
        evidence = clf.explain(queries)[0]
        assert evidence.values == ("medium",)
        assert [case.values for case in evidence.neighbours] == [("medium",), ("low",), ("high",), ("high",)]


@pytest.mark.parametrize("method", ["igtree", "tribl", "smile", "rules", "auto"])
def test_an_ordinal_is_quoted_by_its_text_from_a_file(method, tmp_path):
    """The model file keeps the texts, and every learner quotes them."""
    X = [[size, colour] for size in ("low", "medium", "high") for colour in "rgb"]
    clf = classifier(method, kinds={0: ["low", "medium", "high"]}).fit(X, ["n"] * 6 + ["y"] * 3)
    clf.save(tmp_path / "m.cb")

    (evidence,) = cb.load(tmp_path / "m.cb").explain([["medium", "r"]])

    assert evidence.values[0] == "medium"
    cases = getattr(evidence, "cases", getattr(evidence, "neighbours", ()))
    assert {case.values[0] for case in cases} <= {"low", "medium", "high"}


TIMES = ["2020-01-01", "2020-01-01 00:01:01", "2020-01-01 00:01:01.25", "2021-06-30 23:59:59.999999", "1969-12-31"]


def test_a_date_is_quoted_as_it_is_written():
    """Regression: dates were quoted as days since 1970-01-01, 18262.00070601852."""
    X = [[time] for time in TIMES]
    clf = cb.IB1Classifier(kinds={0: "date"}, k=len(TIMES)).fit(X, list("PQPQP"))

    for queries in ([["2020-01-01"]], np.array([["2020-01-01"], [None]], dtype=object), [["2020-01-01"]] * 40):
        evidence = clf.explain(queries)[0]
        assert evidence.values[-1] == "2020-01-01"
        assert sorted(case.values[-1] for case in evidence.neighbours) == sorted(TIMES)
        assert [case.values[-1] for case in evidence.neighbours if not case.row(evidence.values).differs[-1]] == TIMES[
            :1
        ]
    assert clf.explain([[None]])[0].values[-1] is None


@pytest.mark.parametrize("method", [*QUOTING, "igtree", "c45"])
def test_a_date_is_quoted_as_it_is_written_from_a_file(method, tmp_path):
    """Every learner quotes it in the style of the column, and so does the model file."""
    X = [[f"{day}/02/2024", colour] for day in (11, 13, 15) for colour in "rgb"]
    clf = classifier(method, kinds={0: "date"}).fit(X, ["n"] * 6 + ["y"] * 3)
    clf.save(tmp_path / "m.cb")

    (evidence,) = cb.load(tmp_path / "m.cb").explain([["13/02/2024", "r"]])

    assert evidence.values[3] == "13/02/2024"
    cases = getattr(evidence, "cases", getattr(evidence, "neighbours", ()))
    assert {case.values[3] for case in cases} <= {"11/02/2024", "13/02/2024", "15/02/2024", None}
