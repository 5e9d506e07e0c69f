"""Warnings of casebase show the line of the caller, through however many layers they come."""

import warnings

import pandas as pd

import casebase as cb


def test_a_warning_names_the_line_outside_casebase():
    rows, labels = [["a"], ["a"], ["b"]], ["P", "Q", "P"]
    model = cb.IB1Classifier().fit(pd.DataFrame({"f": ["a", "b"]}), ["P", "Q"])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        cb.HierarchicalRuleClassifier().fit(rows, labels)
        model.insert(pd.DataFrame({"f": ["c"]}, index=[0]), ["P"])
    assert len(found) == 2
    assert {one.filename for one in found} == {__file__}
