"""Stored cases as records: exact values, in the columns of the training table."""

import numpy as np
import pytest

import casebase as cb
from casebase.base.records import records_of
from casebase.errors import SchemaError

TABLE = {
    "size": [12345.67, 12345.81, None, 29.0, 0.1, 7.0],
    "name": ["Ann", "bob", None, "ann b", "cy", "dee"],
    "level": ["low", "high", "low", "mid", "high", "mid"],
    "when": ["2024-05-01", "2024-05-02 06:00", None, "1969-12-31", "2024-02-29", "2000-01-01"],
    "key": ["k1", "k2", "k3", "k4", "k5", "k6"],
}
KINDS = {"size": "number", "name": "symbol", "level": "ordinal:low,mid,high", "when": "date", "key": "key"}
Y = ["p", "q", "p", "q", "p", "q"]


def rows(*names):
    return [dict(zip(names, row)) for row in zip(*(TABLE[name] for name in names))]


@pytest.mark.parametrize("classifier", [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier, cb.TRIBL2Classifier])
def test_values_are_those_of_the_training_table(classifier):
    """Numbers to the last bit, missing values, ids in the order given; a tree that tests numbers has numbers, too."""
    clf = classifier().fit(rows("size", "name"), Y, ids=list("fedcba"), sample_weight=[1, 2, 1, 1, 1, 0.5])

    assert clf.records_.to_pydict() == {
        "id": list("fedcba"),
        "size": TABLE["size"],
        "name": TABLE["name"],
        "class": Y,
        "weight": [1.0, 2.0, 1.0, 1.0, 1.0, 0.5],
    }


def test_ordered_words_and_dates_are_restored():
    """Ranks are words again and parts of a date the date, with its time; a column that was left out is not there."""
    clf = cb.IB1Classifier(kinds=KINDS).fit(rows(*TABLE), Y)

    assert clf.records_.to_pydict() == {
        "id": [0, 1, 2, 3, 4, 5],
        **{name: TABLE[name] for name in ("size", "name", "level")},
        "when": ["2024-05-01", "2024-05-02T06:00:00", *TABLE["when"][2:]],
        "class": Y,
    }


def test_provenance_is_part_of_a_record():
    """A column that was kept is shown in its place, is found by its value, and follows corrections."""
    clf = cb.IB1Classifier(keep=["name"], ignore=["key"]).fit(rows("key", "name", "size"), Y)
    clf.insert([{"name": "eve", "size": 3.0}], ["p"]).update([1], [{"size": 4.0}], ["q"])

    assert clf.records_.column_names == ["id", "size", "name", "class"]
    assert clf.records_["name"].to_pylist() == [*TABLE["name"], "eve"]
    assert records_of(clf.model_).where("name", "eve").ids.to_pylist() == [6]
    assert records_of(clf.model_).where("name", "").ids.to_pylist() == [2]


def test_records_are_found_by_value_and_by_text():
    """Values as a person writes them; no value is a missing one; text in upper or lower case."""
    clf = cb.IB1Classifier().fit(rows("size", "name"), Y)
    records = records_of(clf.model_)

    def found(part):
        return part.ids.to_pylist()

    assert found(records.where("size", "29.0")) == found(records.where("size", "29")) == [3]
    assert found(records.where("size", "")) == found(records.where("name", "")) == [2]
    assert found(records.where("class", "p").where("name", "cy")) == [4]
    assert found(records.where("id", "5")) == [5]
    assert found(records.where("size", "big")) == []
    assert found(records.search("ANN")) == [0, 3]
    assert found(records.search("345.8")) == [1]
    with pytest.raises(SchemaError, match="Unknown column 'nam'"):
        records.where("nam", "x")


def test_a_column_called_id_keeps_its_name():
    """Then the ids of the cases have another one."""
    clf = cb.IB1Classifier().fit([{"id": "x"}, {"id": "y"}], ["p", "q"])

    assert clf.records_.column_names == ["case_id", "id", "class"]


def test_corrected_memories_and_other_learners_have_records():
    """Removed cases are gone; SMILE, IB2 and committees keep cases, too; trees do not."""
    clf = cb.IB1Classifier().fit(rows("name"), Y)
    clf.insert([{"name": "new"}], ["q"])
    clf.remove([0, 2])
    assert clf.records_.to_pydict() == {
        "id": [1, 3, 4, 5, 6],
        "name": ["bob", "ann b", "cy", "dee", "new"],
        "class": ["q", "q", "p", "q", "q"],
    }
    assert len(cb.OpinionPoolClassifier().fit(rows("name", "level"), Y).records_) == 6
    for classifier in (cb.SMILEClassifier, cb.IB2Classifier):
        records = records_of(classifier().fit(rows("level", "size"), Y).model_)
        assert set(records.columns) == {"level", "size"}
    assert not hasattr(cb.IGTreeClassifier(keep_cases=False).fit(rows("name"), Y), "records_")
    assert np.array_equal(clf.ids_, clf.records_["id"].to_numpy())
