"""Records as dictionaries, and back."""

import json
import math

import numpy as np
import pytest

from casebase.base.evidence import Step
from casebase.errors import CasebaseError
from casebase.kinds import evidence_from_dict
from casebase.neighbours.evidence import Neighbour
from casebase.smile.evidence import Pool
from casebase.trees.evidence import ReachedNode
from tests.base.evidence import records


def through_json(evidence):
    return evidence_from_dict(json.loads(json.dumps(evidence.to_dict(), allow_nan=False)))


@pytest.mark.parametrize(
    "evidence",
    [
        records.neighbours(),
        records.neighbours(nearest_other=None, path=records.PATH, was_tied=True, is_exact=True),
        records.tree(),
        records.path(),
        records.parted(),
        records.path(label=3, votes={3: 1.0}, path=(ReachedNode(None, None, 2, {2: 4.0}, 4.0, 0, 1.0, "leaf"),)),
        records.lattice(),
        records.lattice(pools=(), cases=(), n_cases=0, votes={"P": 4.0, "Q": 1.0}),
        records.lattice(label=3, votes={3: 1.0}, pools=(Pool(("f1",), ("a",), 1.0, {3: 1.0}),)),
        records.plain(),
        records.plain(label=1, votes={1: 2.0, 0: 1.0}),
        records.plain(values=(None,)),
        records.tree(label=3, votes={3: 1.0}, path=(Step(None, None, 2, {2: 4.0, 3: 1.0}, 5.0),)),
    ],
    ids=str,
)
def test_json_and_back_changes_nothing(evidence):
    """A record written as JSON and read again is equal to itself."""
    assert through_json(evidence) == evidence


def test_dictionary_says_its_kind_and_has_every_field():
    """Readers of the JSON find the names of the record."""
    record = records.neighbours().to_dict()

    assert record["kind"] == "neighbours"
    assert record["neighbours"][0] == {
        "id": 4,
        "values": ["a", "x", "1"],
        "label": "P",
        "distance": 0.5,
        "weight": 1.0,
        "costs": [0.0, 0.0, 0.5],
    }


def test_label_keeps_its_type_and_votes_have_text_keys():
    """JSON has only text as keys, but a label can be a number."""
    record = records.plain(label=1, votes={1: 2.0, 0: 1.0}).to_dict()

    assert record["label"] == 1
    assert record["votes"] == {"1": 2.0, "0": 1.0}
    assert record["classes"] == [1, 0]


def test_numbers_that_are_not_finite_become_none():
    """JSON has no NaN and no infinity; they come back as NaN."""
    case = Neighbour(0, ("a", "x", math.nan), "P", math.inf, 1.0, (0.0, 0.0, math.nan))
    evidence = records.neighbours(neighbours=(case,), weights=(math.nan, 0.1, 0.5))

    record = evidence.to_dict()

    assert record["weights"][0] is None
    assert record["neighbours"][0]["distance"] is None
    assert math.isnan(through_json(evidence).neighbours[0].distance)


def test_numpy_scalars_become_plain():
    """Labels, ids and values may be scalars of numpy."""
    evidence = records.plain(label=np.int64(3), votes={np.int64(3): np.float64(1)}, values=(np.str_("a"),))

    assert through_json(evidence) == records.plain(label=3, votes={3: 1.0})


def test_values_that_json_lacks_become_text():
    """A label of another type is written as text."""
    assert records.plain(label=b"P", votes={b"P": 1.0}).to_dict()["label"] == "b'P'"


def test_unknown_kind_is_refused():
    """A dictionary of another sort names the kinds there are."""
    with pytest.raises(CasebaseError, match="Did you mean 'tree'"):
        evidence_from_dict({"kind": "tre"})


def test_incomplete_dictionary_is_refused():
    """What is missing is named."""
    record = records.tree().to_dict()
    del record["stopped"]

    with pytest.raises(CasebaseError, match="stopped"):
        evidence_from_dict(record)
