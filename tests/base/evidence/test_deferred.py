"""Evidence that is read later is the evidence of the answer that was given."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import casebase as cb
from casebase.data import Cases
from casebase.methods import METHODS, method_named
from tests.base.evidence import records

DRAW = np.random.default_rng(5)
ROWS = [[f"v{v}" for v in row] for row in DRAW.integers(0, 4, (60, 4))]
LABELS = DRAW.choice(list("PQ"), 60).tolist()
ASKED = [[f"v{v}" for v in row] for row in DRAW.integers(0, 5, (8, 4))]
CORRECTED = [cb.IB1Classifier, cb.IGTreeClassifier, cb.TRIBLClassifier, cb.TRIBL2Classifier]


def test_a_deferred_field_is_made_once_when_it_is_read():
    made = []
    evidence = records.lattice(n_cases=lambda: made.append(1) or 7)
    assert not made
    assert (evidence.n_cases, evidence.n_cases, made) == (7, 7, [1])


def test_a_deferred_field_must_be_given():
    with pytest.raises(TypeError, match="pools"):
        type(records.lattice())(**dict.fromkeys(("features", "values", "unseen", "label", "votes")))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, replace, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_of_unread_evidence_has_its_fields(again):
    """A function cannot be pickled: a field is made before it is copied."""
    assert again(records.lattice(n_cases=lambda: 7)) == records.lattice(n_cases=7)


@pytest.mark.parametrize("method", METHODS)
def test_evidence_read_late_is_that_read_at_once(method):
    model = method_named(method).fit(Cases.from_table(ROWS, y=LABELS))
    questions = model.schema.encode(ASKED)
    late = model.explain(questions)
    at_once = [(str(one), one.to_dict()) for one in model.explain(questions)]
    for column in questions.columns:  # nobody should, but nothing that is shown depends on it
        column[:] = 0
    assert [(str(one), one.to_dict()) for one in late] == at_once


@pytest.mark.parametrize("learner", CORRECTED)
def test_evidence_taken_before_a_correction_stays_the_same(learner):
    """Cases are inserted and removed; what was found before shows the cases of that time."""
    model = learner().fit(ROWS, LABELS)
    expected = [(str(one), one.to_dict()) for one in model.explain(ASKED)]
    evidence = model.explain(ASKED)
    model.insert(ASKED, ["R"] * len(ASKED))
    model.remove(list(range(30)))
    assert [(str(one), one.to_dict()) for one in evidence] == expected
    assert [(str(one), one.to_dict()) for one in model.explain(ASKED)] != expected
