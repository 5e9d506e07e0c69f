"""A few plain rows are predicted as any table is, with the same warnings and errors, without the generic checks."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import validation

import casebase as cb
from casebase.estimators import _base, _input

ROWS = [["sunny", 30.5, 1], ["rainy", 12.0, 2], ["sunny", None, 1], ["windy", 20.0, 3]]
FRAME = pd.DataFrame(
    {"sky": ["sunny", "rainy", "sunny", "windy"], "heat": [30.5, 12.0, np.nan, 20.0], "day": [1, 2, 1, 3]}
)
LABELS = ["out", "in", "out", "in"]
ASKED: list[Any] = [
    [["sunny", 25.0, 2]],
    [("sunny", 25.0, 2), ("rainy", float("nan"), 9)],
    np.array([["sunny", 25.0, None]], dtype=object),
    [{"sky": "sunny", "heat": 25.0, "day": 2}],
    [{"day": 2, "heat": 25.0, "sky": "sunny"}],
    pd.DataFrame({"sky": ["foggy"], "heat": [25.0], "day": [2]}),
    pd.DataFrame({"heat": [25.0], "sky": ["foggy"], "day": [2]}),
    pd.DataFrame({"sky": ["foggy"], "heat": [25.0]}),
    [["sunny", 25.0]],
    [["sunny", 25.0, 2], ["sunny"]],
    [["sunny", "warm", 2]],
    [["sunny", float("inf"), 2]],
    np.array([[1.0, np.inf, 2.0]]),
    [[["sunny"], 25.0, 2]],
    ["sunny", 25.0, 2],
    [[]],
    [],
]


def outcome(model: Any, method: str, asked: Any) -> Any:
    """Return what a method gives, with its warnings; or its error."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = getattr(model, method)(asked)
        except Exception as error:
            found = type(error), str(error)
    shown = (
        [one.to_dict() for one in found]
        if method == "explain" and isinstance(found, list)
        else np.asarray(found).tolist()
    )
    return str(shown), [str(one.message) for one in warned]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "explain"])
@pytest.mark.parametrize("table", [ROWS, FRAME], ids=["rows", "frame"])
@pytest.mark.parametrize("kind", [cb.IB1Classifier, cb.C45Classifier])
def test_few_rows_are_answered_as_any_table(kind, table, method, monkeypatch):
    """Answers, shares, evidence, warnings and errors are those of the checked path."""
    model = kind().fit(table, LABELS)
    quick = [outcome(model, method, asked) for asked in ASKED]

    monkeypatch.setattr(_base, "plain_rows", lambda data: None)
    monkeypatch.setattr("casebase.data.cases.plain_rows", lambda data: None)

    assert quick == [outcome(model, method, asked) for asked in ASKED]


@pytest.mark.parametrize(("table", "asked"), [(ROWS, ASKED[0]), (ROWS, ASKED[2]), (FRAME, ASKED[3]), (FRAME, ASKED[5])])
def test_one_plain_row_needs_no_generic_check(table, asked, monkeypatch):
    """The usual row does not go through `validate_data`, which costs more than the answer."""
    model = cb.IB1Classifier().fit(table, LABELS)

    def fail(*args: Any, **options: Any) -> None:
        raise AssertionError("the generic check was called")

    monkeypatch.setattr(validation, "check_array", fail)
    monkeypatch.setattr(_input, "validate_data", fail)

    assert len(model.predict(asked)) == 1
